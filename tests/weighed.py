"""Statistics with any frequencies, for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Weighed:
    """Statistics by which the words of any batch have the same frequencies."""

    articles: int
    given: NDArray[np.uint32]

    def frequencies(self, _: NDArray[np.uint64]) -> NDArray[np.uint32]:
        return self.given


def weigh(frequencies: Sequence[int], articles: int) -> Any:
    """Statistics by which the words of a batch have these frequencies, whether they fit or not."""
    return Weighed(articles, np.array(frequencies, np.uint32))
