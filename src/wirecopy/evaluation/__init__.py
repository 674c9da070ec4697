"""How good an answer is: against labels, between judges, and as the papers measured it.

`records` reads gold and results as columns, `tasks` knows labels, `scoring` and `ranking` measure, `halves` parts articles for tuning,
`choosing` finds a threshold, `agreement` compares judges, `pooling` makes test collections, `experiments` has a file a paper. What is
measured is defined in `wirecopy.measures`.
"""

from __future__ import annotations

from .scoring import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
