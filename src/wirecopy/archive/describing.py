"""What an archive says of itself: its size, and what it was made with."""

from __future__ import annotations

from typing import Any

from ..errors import UsageError
from ..methods import get as get_method
from ..model import count
from .outbox import Outbox
from .settings import is_current, show_moment, show_window, stored_methods
from .store import Store


def describe(store: Store, missing: str | None) -> dict[str, Any]:
    """The size of an archive, what it was made with, and what it has lost; raises ArchiveError if any of that is damaged."""
    with store.snapshot(), store.decoding("its settings"):
        articles, (first, last), entries = store.count(), store.span(), store.entries()
        held = sum(entry.bytes for entry in entries)
        stored = store.bytes
        stories, inside = store.count_stories()
        return {
            "articles": articles,
            "first": show_moment(first),
            "last": show_moment(last),
            "methods": list(map(_show_method, stored_methods(store))),
            "preset": store.setting("preset"),
            "window": show_window(store.setting("window")),
            "clock": show_moment(store.setting("clock")),
            "segments": len(entries),
            "index_bytes": held,
            "index_bytes_an_article": round(held / max(1, articles)),
            "store_bytes": stored,
            "store_bytes_an_article": round(stored / max(1, articles)),
            "formulas": len(store.learnt().formulas),
            "changed_since_learnt": store.setting("unlearnt", 0),
            "stories": stories,
            "articles_in_stories": inside,
            "stories_stale": find_stale(store) or _find_damage(store),
            **Outbox(store).count(),
            "missing": missing,
        }


def find_stale(store: Store) -> str | None:
    """Why the stories that are kept are not those of the articles that there are, and the way out; None if they are."""
    last = store.setting("told_row")
    if last is None:
        why = "not told yet"
    elif not is_current(store):
        why = "told of words that were read in another way than now"
    elif beyond := store.count_beyond(last):
        why = f"{count(beyond)} came since they were told"
    else:
        return None
    return f"{why}; the next to write tells them: wirecopy compact {store.path}, or wirecopy add"


def _find_damage(store: Store) -> str | None:
    """What is wrong with the stories that are kept, but for the matches that they rest on, and the way out."""
    is_whole = store.setting("unlearnt", 0) or store.setting("told_counts") == store.count_told()
    if is_whole and not store.find_untold(("members", "links")):
        return None
    return f"damaged; wirecopy verify {store.path} tells them anew"


def _show_method(stored: tuple[str, dict[str, Any]]) -> str:
    name, parameters = stored
    try:
        return str(get_method(name, **parameters))
    except UsageError:
        return f"{name} (not here)"
