from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

TEXT_VERSION: str

def tokenise(
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    *,
    diacritics: bool,
    spans: bool,
    sentences: str | None,
    words: bool,
) -> tuple[
    NDArray[np.uint64],
    NDArray[np.int64],
    NDArray[np.uint8] | None,
    NDArray[np.uint32] | None,
    NDArray[np.uint32] | None,
    NDArray[np.uint32] | None,
    NDArray[np.int64] | None,
    Sequence[Sequence[str]] | None,
]: ...
def count_articles(
    hashes: NDArray[np.uint64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...
def winnow(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    halves: NDArray[np.uint8] | None,
    shingle_words: int,
    window_words: int,
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32]]: ...
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
