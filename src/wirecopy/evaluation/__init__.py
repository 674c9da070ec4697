"""How good an answer is: against labels, between judges, and as the papers measured it.

`records` holds gold and results as columns, `reading` reads them, `tasks` knows labels, `comparing` and `scoring` measure, `mistakes` finds
the worst, `halves` parts articles for tuning, `choosing` finds a threshold, `telling`, `drawing` and `page` show it; `agreement` compares
judges, `pooling` makes test collections, `experiments` has a file a paper. What is measured is defined in `wirecopy.measures`.
"""

from __future__ import annotations

from .page import write_page
from .reading import read_known
from .scoring import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate", "read_known", "write_page"]
