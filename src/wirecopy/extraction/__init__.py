"""Articles out of web pages."""

from __future__ import annotations

from collections.abc import Sequence

from wirecopy.model import Extracted, Page


def extract_pages(pages: Sequence[Page], *, model: str = "crf", min_block_words: int = 0) -> list[Extracted]:
    """What is in a batch of pages, in their order."""
    raise NotImplementedError
