"""wirecopy finds copied news: which articles are identical, near-duplicate, contained in or partly copied from others.

    import wirecopy

    for match in wirecopy.find("articles.jsonl"):
        print(match)

    print(wirecopy.compare("one text …", "another text …"))
    print(wirecopy.extract("<p>a page …").text)

Everything loads on first use, so that a command that needs little starts quickly.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import methods
    from .archive import Added, Answer, Archive, Found, Observed, Ranked, Status
    from .boilerplate import Formula, Learnt
    from .client import Client
    from .comparison import compare
    from .errors import WirecopyError
    from .extraction import extract
    from .grouping.records import Link, Series, Story
    from .grouping.stories import Stories
    from .model import Article, Match, Opinion, Page, Passage, Relation, Remarks, Skipped, Slots, Verdict
    from .pile import Matches, Opinions, find, opinions, stories
    from .report import write_report
    from .sources import Fields
    from .statistics import Statistics

__version__ = "0.1.0"
__all__ = [
    "Added",
    "Answer",
    "Archive",
    "Article",
    "Client",
    "Fields",
    "Formula",
    "Found",
    "Learnt",
    "Link",
    "Match",
    "Matches",
    "Observed",
    "Opinion",
    "Opinions",
    "Page",
    "Passage",
    "Ranked",
    "Relation",
    "Remarks",
    "Series",
    "Skipped",
    "Slots",
    "Statistics",
    "Status",
    "Stories",
    "Story",
    "Verdict",
    "WirecopyError",
    "compare",
    "extract",
    "find",
    "methods",
    "opinions",
    "stories",
    "write_report",
]

_HOMES = {
    **dict.fromkeys(("Added", "Answer", "Archive", "Found", "Observed", "Ranked", "Status"), "archive"),
    **dict.fromkeys(("Formula", "Learnt"), "boilerplate"),
    **dict.fromkeys(("Article", "Match", "Opinion", "Page", "Passage"), "model"),
    **dict.fromkeys(("Relation", "Remarks", "Skipped", "Slots", "Verdict"), "model"),
    **dict.fromkeys(("Link", "Series", "Story"), "grouping.records"),
    "Stories": "grouping.stories",
    **dict.fromkeys(("Matches", "Opinions", "find", "opinions", "stories"), "pile"),
    "Client": "client",
    "Fields": "sources",
    "Statistics": "statistics",
    "WirecopyError": "errors",
    "compare": "comparison",
    "extract": "extraction",
    "write_report": "report",
}


if not TYPE_CHECKING:  # which would take any name for one of these

    def __getattr__(name):
        from importlib import import_module

        if name == "methods":
            return import_module(".methods", __name__)
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
