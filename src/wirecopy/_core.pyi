"""The typed face of the Rust core."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def read_jsonl(
    data: NDArray[np.uint8],
    text_names: Sequence[str],
    id_names: Sequence[str],
    published_names: Sequence[str],
    max_record_bytes: int,
) -> tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    list[str],
    NDArray[np.int64],
    list[tuple[int, str]],
    NDArray[np.int64],
    list[tuple[int, str]],
]: ...
def line_ends(data: NDArray[np.uint8]) -> tuple[int, int]: ...
def iso_microseconds(dates: Sequence[str]) -> NDArray[np.int64]: ...
def blake3_hex(texts: Sequence[bytes]) -> list[str]: ...
