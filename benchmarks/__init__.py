"""Time and memory beside other tools."""
