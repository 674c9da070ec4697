"""Quality pinned like a test: one file a set, floors in run.py."""
