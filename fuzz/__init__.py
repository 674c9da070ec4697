"""Fuzzers: CONTRIBUTING.md says how they are run."""
