"""Articles out of web pages: blocks, what can be seen of them, and a model that says which are the article.

A page goes through the core in one call: bytes → text → blocks → values → labels → text, and what the page says about
its article. The models, their format and how they were made: docs/extraction.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import resources
from pathlib import Path

from wirecopy import _core
from wirecopy.errors import SourceError, UsageError
from wirecopy.model import UNDATED, Article, Block, Extracted, Page, clean
from wirecopy.text import mend, utf8

MODELS = ("crf", "maxent", "heuristic", "page")
"""The models that come with the package, the best first."""

DEFAULT_MODEL = "crf"

MAX_PAGE_BYTES = 20_000_000
"""A larger page, as received or unpacked, is skipped; of the pages of the development data the largest has 5 MB."""

MAX_PAGE_TAGS = 1_000_000
"""A page with more tags is skipped."""


def extract(
    page: Page | bytes | str, *, model: str | Path = DEFAULT_MODEL, min_block_words: int = 0
) -> Article:
    """The article of one page, given as bytes, as HTML text or as a Page; its text is empty if the page has no article.

    `model` is the name of a model or the path of one that `wirecopy train` wrote. Raises SourceError for a page that is too
    large.
    """
    if not isinstance(page, Page):
        page = Page("", page) if isinstance(page, bytes) else Page("", utf8(page), charset="utf-8")
    (extracted,) = extract_pages([page], model=model, min_block_words=min_block_words)
    if extracted.status not in ("ok", "empty"):
        raise SourceError(f"{page.id or 'page'}: {extracted.status}")
    return extracted.article


def extract_pages(
    pages: Sequence[Page],
    *,
    model: str | Path | _core.Model = DEFAULT_MODEL,
    min_block_words: int = 0,
    with_blocks: bool = False,
    threads: int = 1,
) -> list[Extracted]:
    """The articles of a batch of pages, in the same order; with `with_blocks`, also the blocks of each."""
    if min_block_words < 0:
        raise UsageError(f"min_block_words: expected 0 or more, got {min_block_words}")
    loaded = model if isinstance(model, _core.Model) else load_model(model)

    def work(some: Sequence[Page]) -> list[Extracted]:
        answers = _core.extract_pages(
            [_given(page) for page in some],
            loaded,
            min_block_words,
            with_blocks,
            MAX_PAGE_BYTES,
            MAX_PAGE_TAGS,
        )
        return [_extracted(page, *answer) for page, answer in zip(some, answers, strict=True)]

    if threads == 1 or len(pages) < 2:
        return work(pages)
    # By turns, so that large pages do not all fall to one thread.
    parts = [pages[start::threads] for start in range(min(threads, len(pages)))]
    with ThreadPoolExecutor(len(parts)) as pool:
        done = list(pool.map(work, parts))
    return [done[place % len(parts)][place // len(parts)] for place in range(len(pages))]


def load_model(model: str | Path) -> _core.Model:
    """The model of this name that comes with the package, or the one in this file. Raises UsageError or SourceError."""
    if model in MODELS:
        return _shipped(str(model))
    path = Path(model)
    if not path.is_file():
        raise UsageError(f"model: expected {', '.join(MODELS)} or a file, got {model}")
    try:
        return _core.Model(path.read_text("utf-8"))
    except UnicodeDecodeError:
        raise SourceError(f"{path}: not a model: not UTF-8") from None
    except (ValueError, OSError) as error:
        raise SourceError(f"{path}: {error}") from None


@lru_cache
def _shipped(name: str) -> _core.Model:
    return _core.Model(resources.files(__package__).joinpath("models", f"{name}.json").read_text("utf-8"))


def _given(page: Page) -> tuple[bytes, str | None, str | None, int | None, list[str]]:
    """What the core is told of a page: content, charset, address, time, and what is known about its article."""
    (received,) = _core.moments([page.received or ""]).tolist()
    known = [getattr(page.known, name, None) for name in _SAID]
    return (
        page.content,
        page.charset,
        mend(page.url or "") or None,
        None if received == UNDATED else received,
        [mend(one or "") for one in (*known, page.changed)],
    )


def _extracted(
    page: Page,
    text: str,
    problem: str | None,
    said: Sequence[str | None],
    blocks: Sequence[tuple[str, bool, float, str, Sequence[tuple[str, float]]]],
) -> Extracted:
    about = dict(zip(_SAID, said, strict=True))
    about["url"] = about["url"] or clean(mend(page.url or "")) or None
    status = problem or ("ok" if text else "empty")
    return Extracted(Article(page.id, text, **about), status, tuple(Block(*block) for block in blocks))


_SAID = ("title", "author", "published", "location", "source", "language", "url", "agency")
"""What the core finds out about an article, in its order."""
