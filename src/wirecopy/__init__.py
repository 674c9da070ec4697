"""wirecopy finds copied news: which articles are identical, near-duplicate, contained in or partly copied from others.

import wirecopy

for match in wirecopy.find("articles.jsonl"):
    print(match)

print(wirecopy.compare("one text …", "another text …"))
"""

from . import methods
from .comparison import compare
from .errors import WirecopyError
from .model import Article, Match, Opinion, Passage, Relation
from .pile import Matches, Opinions, find
from .sources import Fields

__version__ = "0.1.0"
__all__ = [
    "Article",
    "Fields",
    "Match",
    "Matches",
    "Opinion",
    "Opinions",
    "Passage",
    "Relation",
    "WirecopyError",
    "compare",
    "find",
    "methods",
]
