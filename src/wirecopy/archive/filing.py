"""What articles are filed under, as the parts of segments; made from a batch, or again from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .. import _core
from ..methods import Method
from ..model import Articles
from ..pairs import Filed, file
from .segments import Segment, make_segment
from .settings import Settings
from .store import Store


class Filer:
    """Files articles by the methods of an archive."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def file(self, batch: Articles) -> dict[Method, Filed]:
        """What a batch is filed under by each method."""
        return file(batch, self._settings.methods, self._settings.plan().all_weights)

    def encode(self, filed: Mapping[Method, Filed], rows: Sequence[int]) -> list[bytes]:
        """The parts of a segment of these rows."""
        numbers = np.array(rows, np.uint64)
        return [
            _core.encode_segment(filed[method].shards, numbers, filed[method].words)
            for method in self._settings.methods
        ]

    def make_again(self, number: int, slice_: int | None, first_row: int, last_row: int) -> Segment:
        """A segment made again from the store."""
        with self._store.snapshot():
            rows = self._settings.slices(self._store.moments(first_row, last_row)).get(slice_, [])
            batch = self._store.batch(rows)
        return make_segment(number, slice_, first_row, last_row, self.encode(self.file(batch), rows))
