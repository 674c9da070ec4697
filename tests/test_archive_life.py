"""Whatever is done to an archive, it holds what a plain dictionary would: a few lives of it, of which quality/archive_life.py lives more."""

from hypothesis import settings
from lives import Life

Life.TestCase.settings = settings(max_examples=12, stateful_step_count=30)
TestLife = Life.TestCase
