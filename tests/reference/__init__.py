"""Slow, obvious twins of the core's kernels; they share no code with them."""
