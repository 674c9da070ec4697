"""How often one caller may ask."""

from __future__ import annotations

import time

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from .problems import Problem


class Rates:
    """Requests a second, by caller, over a window that slides."""

    def __init__(self, rate: int) -> None:
        self._item = RateLimitItemPerSecond(rate)
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def count(self, key: str) -> None:
        """Count a request; raises a Problem if there were too many."""
        if not self._limiter.hit(self._item, key):
            left = self._limiter.get_window_stats(self._item, key).reset_time - time.time()
            wait = str(max(1, round(left)))
            raise Problem(
                429, f"expected at most {self._item.amount:,} requests a second", {"Retry-After": wait}
            )
