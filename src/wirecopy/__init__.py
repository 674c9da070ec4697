"""wirecopy finds copied news."""
