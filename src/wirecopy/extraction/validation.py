"""How good a model is on pages of sites that it has not seen.

The pages are parted: by site into folds, or by collection. Each part is answered by a model of all other parts. With a
folder for work every part's answers are kept there, under a name that changes with the pages, the parts and the
training itself, so that a run that was interrupted goes on.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wirecopy import _core
from wirecopy.errors import UsageError
from wirecopy.extraction import extract, extract_pages, load_model, training
from wirecopy.extraction.labelled import MARKS, Flags, LabelledPage, shingles
from wirecopy.extraction.training import TRAINERS, Progress
from wirecopy.files import open_whole
from wirecopy.measures import rate
from wirecopy.model import Article, Page, count
from wirecopy.text import utf8

SHINGLE_WORDS = 4
PAPER = {
    "crf": {"precision": 0.979, "recall": 0.995, "perfect": 0.80},
    "maxent": {"precision": 0.960, "recall": 0.981, "perfect": 0.58},
}
"""What Gibson, Wellner and Lubar report of CE-BEST and CE-SIMPLE on their pages."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model says of a labelled page: the label of each block, and the text of those that are CONTENT."""

    labels: Flags
    text: str


@dataclass(frozen=True, slots=True)
class Scores:
    """How well the blocks of pages were labelled, all counted together; `perfect` is the share of pages without a mistake.

    `text` is the mean over pages of the F of 4-word shingles, `empty` the share of pages of which nothing was taken.
    """

    pages: int
    precision: float
    recall: float
    f: float
    perfect: float
    text: float
    empty: float


def part_by_site(pages: Sequence[LabelledPage], folds: int) -> list[str]:
    """The name of each page's fold: no site is in two folds, and there are at most as many folds as sites."""
    sites = {page.group for page in pages}
    if len(sites) < 2:
        raise UsageError(
            f"all pages are of one site, {min(sites)}: cross-validation needs two or more. Give each site a folder of"
            " its own, or name it as `site` in meta.jsonl; or train without cross-validation"
        )
    number = min(folds, len(sites))
    return [f"{fold + 1}-of-{number}" for fold in training.part([page.group for page in pages], number)]


def part_by_collection(pages: Sequence[LabelledPage]) -> list[str]:
    """The name of each page's part, one for each collection."""
    if len({page.collection for page in pages}) < 2:
        raise UsageError(
            "leaving out one folder after the other needs two or more: each is scored by a model of the others"
        )
    return [f"without-{page.collection}" for page in pages]


def cross_validate(
    pages: Sequence[LabelledPage],
    kind: str,
    parts: Sequence[str],
    work: Path | None = None,
    progress: Progress = lambda _: None,
) -> list[Answer]:
    """The answer for each page, by a model that was trained on the pages of all other parts."""
    answers: dict[int, Answer] = {}
    digests = [_digest(page) for page in pages] if work else []
    names = sorted(set(parts))
    for number, name in enumerate(names, 1):
        asked = [place for place, part in enumerate(parts) if part == name]
        files: dict[str, Path] = {}
        if work:
            key = _key(
                kind, [f"{digest} {part == name}" for digest, part in zip(digests, parts, strict=True)]
            )
            collections = {pages[place].collection for place in asked}
            files = {one: work / one / f"{kind}-{name}-{key}.jsonl" for one in collections}
        if found := _read_answers(files, pages, asked):
            progress(f"{kind}, part {number} of {len(names)}: answers are in {work}")
        else:
            learnt = [page for page, part in zip(pages, parts, strict=True) if part != name]
            progress(f"{kind}, part {number} of {len(names)}: training on {count(len(learnt), 'page')}")
            model = _core.Model(json.dumps(TRAINERS[kind](learnt, progress)))
            found = {place: answer(pages[place], model) for place in asked}
            _write_answers(files, pages, found)
        answers |= found
    return [answers[place] for place in range(len(pages))]


def answer(page: LabelledPage, model: _core.Model) -> Answer:
    """The answer of a model for a page."""
    (found,) = extract_pages([Page("", page.path.read_bytes())], model=model, with_blocks=True)
    if len(found.blocks) != len(page.labels):
        raise UsageError(f"{page.path}: has changed since it was read")
    return Answer(np.array([block.content for block in found.blocks], bool), found.article.text)


def answer_all(pages: Sequence[LabelledPage], name: str) -> list[Answer]:
    """The answers of the model of this name or file."""
    model = load_model(name)
    return [answer(page, model) for page in pages]


def score(pages: Sequence[LabelledPage], answers: Sequence[Answer]) -> Scores:
    """The scores of the answers for these pages."""
    right = np.concatenate([page.labels for page in pages])
    said = np.concatenate([answer.labels for answer in answers])
    pairs = list(zip(pages, answers, strict=True))
    rates = rate(int((right & said).sum()), int(said.sum()), int(right.sum()))
    return Scores(
        pages=len(pages),
        precision=rates.precision,
        recall=rates.recall,
        f=rates.f,
        perfect=float(np.mean([np.array_equal(page.labels, answer.labels) for page, answer in pairs])),
        text=float(np.mean([text_f(page.gold, _core.split_words(answer.text)) for page, answer in pairs])),
        empty=float(np.mean([not answer.text for answer in answers])),
    )


def score_fields(pages: Sequence[LabelledPage]) -> dict[str, tuple[int, float]]:
    """For title, author, date and so on: the number of pages of which it is known, and the share in which it is found.

    Found is what has the same words in any order, or for dates the same day.
    """
    right: dict[str, list[bool]] = {}
    for page in pages:
        if any(page.known.values()):
            told, known = tell(page)
            for field, expected in known.items():
                right.setdefault(field, []).append(_same(field, getattr(told, field) or "", expected))
    return {
        field: (len(right[field]), float(np.mean(right[field]))) for field in MARKS.values() if field in right
    }


def tell(page: LabelledPage) -> tuple[Article, dict[str, str]]:
    """The article of a page, and the known values of its fields, written in the same form.

    The page's language decides which of day and month comes first.
    """
    told = extract(page.path.read_bytes(), model="heuristic")
    stated = Article("", "", language=told.language, **page.known)
    known = extract(Page("", b"", known=stated), model="heuristic")
    return told, {field: value for field in page.known if (value := getattr(known, field))}


def _same(field: str, told: str, expected: str) -> bool:
    if field == "published":
        return told[:10] == expected[:10]
    return np.array_equal(np.sort(_core.split_words(told)), np.sort(_core.split_words(expected)))


def text_f(gold: NDArray[np.uint64], found: NDArray[np.uint64]) -> float:
    """The F of the 4-word shingles of two texts, each counted as often as it occurs."""
    if not len(gold) or not len(found):
        return float(len(gold) == len(found))
    right, said = (
        Counter(shingles(words, min(SHINGLE_WORDS, len(words))).tolist()) for words in (gold, found)
    )
    hits = (right & said).total()
    return rate(hits, said.total(), right.total()).f


def _digest(page: LabelledPage) -> str:
    digest = hashlib.blake2b(utf8(f"{page.collection} {page.id} {page.group} "), digest_size=16)
    for part in (page.values, page.words, page.offsets, page.gold, page.labels):
        digest.update(part.tobytes())
    return digest.hexdigest()


def _key(kind: str, pages: Sequence[str]) -> str:
    """A hash of all that the answers depend on, in eight letters."""
    code = (hashlib.blake2b(Path(str(one.__file__)).read_bytes()).hexdigest() for one in (training, _core))
    return hashlib.blake2b("\n".join([kind, *code, *pages]).encode(), digest_size=4).hexdigest()


def _write_answers(
    files: Mapping[str, Path], pages: Sequence[LabelledPage], found: Mapping[int, Answer]
) -> None:
    for collection, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            json.dumps({"id": pages[place].id, "text": one.text, "labels": one.labels.astype(int).tolist()})
            for place, one in found.items()
            if pages[place].collection == collection
        ]
        with open_whole(file, encoding="utf-8") as out:
            out.write("\n".join([*lines, ""]))


def _read_answers(
    files: Mapping[str, Path], pages: Sequence[LabelledPage], asked: Sequence[int]
) -> dict[int, Answer]:
    """The answers in the files, by the place of the page; empty if a file is missing or broken, or an answer is."""
    places = {(pages[place].collection, pages[place].id): place for place in asked}
    answers = {}
    try:
        for collection, file in files.items():
            for line in file.read_text("utf-8").split("\n")[:-1]:
                record = json.loads(line)
                answer = Answer(np.array(record["labels"], bool), record["text"])
                answers[places[collection, record["id"]]] = answer
    except (OSError, ValueError, TypeError, KeyError):
        return {}
    return answers if len(answers) == len(asked) else {}
