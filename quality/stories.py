"""Stories against the truth: a made-up newsroom, planted copies, a newswire; beside other ways to cluster matches."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import wirecopy
from quality.corpora import Row, bench_corpus, bench_module, read_jsonl, unpack
from quality.newsroom import make_newsroom
from quality.report import Data, MissingError, Result, digest, say, show, table
from quality.texts import Writer, join
from wirecopy import Matches, Stories, Story
from wirecopy.comparison import PRESETS
from wirecopy.grouping.ties import BASES, CONTAINED_IN, CONTAINS, FORM, IDENTICAL, NEAR, close
from wirecopy.matching import compare_more
from wirecopy.matching.collection import open_pool
from wirecopy.measures import adjusted_rand, b_cubed

STEPS = 10
SHUFFLES = 20
WRONG = 0.2
MANY = 1000
STRONG = (IDENTICAL, NEAR, CONTAINS, CONTAINED_IN)
Clusters = NDArray[np.int64]


class Case(NamedTuple):
    """Articles, the pairs of ids that belong together, and the article that each copy was made from, as far as that is known."""

    name: str
    data: Data
    rows: list[Row]
    joined: Sequence[tuple[str, str]]
    parents: Mapping[str, str]


def measure() -> Iterator[Result]:
    measured = []
    for make in (newsroom, news20k, reuters):
        try:
            measured.append(score(make()))
        except MissingError as missing:
            say(f"  {missing}")
    say("  a thousand each")
    yield from [*measured, extremes()]


def newsroom() -> Case:
    room = make_newsroom()
    data = Data(
        "a made-up newsroom",
        f"{len(room.rows):,} articles, {len(set(room.story.values())):,} stories",
        "planted; the recipe is in quality/newsroom.py",
        digest(f"{row['id']} {row['published']} {row['text']}" for row in room.rows),
    )
    return Case("newsroom", data, room.rows, list(room.story.items()), room.parent)


def news20k() -> Case:
    base = bench_corpus("news20k")
    truth = bench_module("eval").load_truth(str(base))
    columns = zip(truth.a.tolist(), truth.b.tolist(), truth.kind, strict=True)
    pairs = [(str(copy), str(original)) for original, copy, kind in columns if kind != "partial"]
    rows = read_jsonl(base.with_suffix(".jsonl"))
    size = f"{len(rows):,} articles, {len(pairs):,} copies but for partial ones"
    corpus = digest([base.with_suffix(".jsonl")])
    data = Data("news20k of ../shared/bench", size, "planted by ../shared/bench/make_corpus.py", corpus)
    return Case("news20k", data, rows, pairs, dict(pairs))


def reuters() -> Case:
    folder = unpack("reuters21578")
    gold = read_jsonl(folder / "gold.jsonl")
    rows = read_jsonl(folder / "articles.jsonl")
    data = Data(
        "reuters21578",
        f"{len(rows):,} articles, {len(gold)} pairs",
        "computed by ../shared/data/overlap.py, which counts every 5-word shingle, and closed over; forms included; no human labels",
        digest([folder / "articles.jsonl", folder / "gold.jsonl"]),
    )
    return Case("Reuters", data, rows, [(row["query"], row["found"]) for row in gold], {})


def score(case: Case) -> Result:
    say(f"  {case.name}")
    matches = wirecopy.find(case.rows)
    stories = wirecopy.stories(matches)
    ids = {id: rank for rank, id in enumerate(stories.ids)}
    truth = close(
        len(ids),
        *(np.array([ids[one] for one in side], np.uint32) for side in zip(*case.joined, strict=True)),
    )
    told = stories.grouped.anchor
    rivals = {name: cluster(matches) for name, cluster in CLUSTERINGS.items()}
    ours, all_closed = b_cubed(truth, told), b_cubed(truth, rivals["closure of all matches"])
    measures: dict[str, float] = {
        "B³ F": ours.f,
        "B³ precision": ours.precision,
        "B³ recall": ours.recall,
        "adjusted Rand": adjusted_rand(truth, told),
        "B³ F ahead of closure of all": ours.f - all_closed.f,
        "largest story": int(np.bincount(told).max()),
    }
    lines = [(name, *tell(truth, answer)) for name, answer in (rivals | {"stories": told}).items()]
    notes = [table((f"{case.name}", "B³ F", "precision", "recall", "adjusted Rand", "largest"), lines)]
    if case.parents:
        measures["parent right"], line = rate_parents(stories, case.parents)
        wrong = wirecopy.stories(with_wrong_times(case.rows))
        again = truth[[ids[id] for id in wrong.ids]]
        measures["B³ F, times wrong"] = b_cubed(again, wrong.grouped.anchor).f
        measures["parent right, times wrong"], other = rate_parents(wrong, case.parents)
        heads = (f"{case.name}: parent right", *BASES, "all with a parent", "none found")
        notes.append(table(heads, [("as dated", *line), ("a fifth of the times wrong by hours", *other)]))
    if case.name == "newsroom":
        measures["shuffles with other stories"] = count_other(case.rows, stories)
    measures["ids that changed in ten growths"] = grow(case.rows, stories)
    measures |= rate_kept(case.rows, stories)
    return Result(case.name, case.data, measures, notes)


def rate_kept(rows: Sequence[Row], stories: Stories) -> dict[str, float]:
    """How many records are left out, how many of them wrongly, each compared again, and how many pairs of kept ones cover one another."""
    kept = stories.keep_one()
    ids = {id: rank for rank, id in enumerate(stories.ids)}
    every = wirecopy.find(rows, pairs="all")
    share, inside = PRESETS[every.preset].covered, np.zeros(len(ids), bool)
    inside[[ids[id] for id in kept.articles]] = True
    is_copy = (every.compared.relation != FORM) & inside[every.queries] & inside[every.founds]
    shares = np.maximum(every.compared.query_covered, every.compared.found_covered)
    pairs = [(ids[one.article], ids[one.kept]) for one in kept.dropped]
    later, earlier = (np.array([side(pair) for pair in pairs], np.uint32) for side in (max, min))
    with open_pool(None) as pool:
        compared = compare_more(every, (later, earlier), pool)
    is_later = np.array([one > other for one, other in pairs])
    covered = np.where(is_later, compared.query_covered, compared.found_covered)
    return {
        "left out": len(pairs),
        "left out, covered by nothing kept": int((covered < share).sum()),
        "left out, a form of what is kept": int((compared.relation == FORM).sum()),
        "kept, covered by another": int((is_copy & (shares >= share)).sum()),
    }


def extremes() -> Result:
    """Families that closure or one parent alone gets wrong, a thousand articles each."""
    writer = Writer(4)
    paragraphs = [writer.write(48) for _ in range(MANY + 1)]
    chain = [paragraphs[n] + writer.write(150) + paragraphs[n + 1] for n in range(MANY)]
    parts, drift = [writer.write(40) for _ in range(14)], []
    for step in range(MANY):
        parts[step * 2 % 14], parts[(step * 2 + 1) % 14] = writer.write(40), writer.write(40)
        drift.append([word for part in parts for word in part])
    original = writer.write(400)
    reprints = [original, *(reprint(original, writer) for _ in range(MANY - 1))]
    piles = {
        name: file(texts) for name, texts in (("chain", chain), ("drift", drift), ("reprints", reprints))
    }
    told = {name: wirecopy.stories(rows) for name, rows in piles.items()}
    texts = {row["id"]: row for row in piles["drift"]}
    pairs = [(one.id, story.id) for story in told["drift"] for one in story.articles[1:]]
    apart = sum(wirecopy.compare(texts[one], texts[anchor]) is None for one, anchor in pairs)
    every = wirecopy.stories(piles["reprints"], pairs="all")
    return Result(
        "a thousand each",
        Data(
            "weak chain, drift and reprints",
            f"{MANY:,} articles each",
            "made up by quality/stories.py",
            digest(row["text"] for rows in piles.values() for row in rows),
        ),
        {
            "weak chain, largest story": max(map(len_of, told["chain"]), default=1),
            "drift, largest story": max(map(len_of, told["drift"])),
            "drift, members without a passage of their anchor": apart,
            "reprints, articles in one story": max(map(len_of, told["reprints"])),
            "reprints, articles in one story, all pairs": max(map(len_of, every)),
        },
        [],
    )


def len_of(story: Story) -> int:
    return len(story.articles)


def reprint(words: list[str], writer: Writer) -> list[str]:
    """An edited, cut or extended reprint, or a cut one with a line or two more."""
    dice = writer.random
    mine = writer.edit(words, dice.choice((0, 0.02, 0.06)))
    kind = dice.randrange(4)
    if kind in (1, 3):
        mine = mine[: dice.randint(len(words) // 2, len(words) * 19 // 20)]
    if kind in (2, 3):
        mine = mine + writer.write(dice.randint(10, len(mine) * 3 // 4 if kind == 2 else len(mine) // 8))
    return mine


def file(texts: Sequence[Sequence[str]]) -> list[Row]:
    """Articles a minute apart."""
    start = datetime(2024, 3, 1, tzinfo=UTC)
    times = [(start + timedelta(minutes=number)).isoformat() for number in range(len(texts))]
    return [
        {"id": f"{number:04}", "text": join(words), "published": at}
        for number, (words, at) in enumerate(zip(texts, times, strict=True))
    ]


def tell(truth: Clusters, answer: Clusters) -> list[str]:
    rates = b_cubed(truth, answer)
    largest = int(np.bincount(np.unique(answer, return_inverse=True)[1]).max())
    shares = rates.f, rates.precision, rates.recall, adjusted_rand(truth, answer)
    return [*map(show, shares), show(largest)]


def close_over(*relations: int) -> Callable[[Matches], Clusters]:
    def cluster(matches: Matches) -> Clusters:
        kept = np.isin(matches.compared.relation, relations)
        return close(len(matches.found_side.ids), matches.queries[kept], matches.founds[kept])

    return cluster


def by_best_parent(matches: Matches) -> Clusters:
    """Each article with the earlier one that it has most equal words with, and so on."""
    kept = np.flatnonzero(np.isin(matches.compared.relation, STRONG))
    order = kept[np.lexsort((matches.founds[kept], -matches.words[kept], matches.queries[kept]))]
    _, firsts = np.unique(matches.queries[order], return_index=True)
    best = order[firsts]
    return close(len(matches.found_side.ids), matches.queries[best], matches.founds[best])


def by_star(matches: Matches) -> Clusters:
    """The earliest article of nobody's is an anchor, and takes all that match it."""
    kept = np.isin(matches.compared.relation, STRONG)
    near = defaultdict(list)
    for query, found in zip(matches.queries[kept].tolist(), matches.founds[kept].tolist(), strict=True):
        near[found].append(query)
    anchor = np.arange(len(matches.found_side.ids))
    taken: set[int] = set()
    for rank in sorted(near):
        if rank not in taken:
            mine = [other for other in near[rank] if other not in taken]
            anchor[mine] = rank
            taken.update(mine)
    return anchor


CLUSTERINGS: dict[str, Callable[[Matches], Clusters]] = {
    "closure of all matches": close_over(*range(6)),
    "closure of identical and near": close_over(IDENTICAL, NEAR),
    "the same with containment": close_over(*STRONG),
    "one earlier parent": by_best_parent,
    "star, earliest anchor": by_star,
}


def rate_parents(stories: Stories, parents: Mapping[str, str]) -> tuple[float, list[str]]:
    """The share of copies whose parent is the article that they were made from, or one with its text; and the same by basis.

    An article with the same text as the original is as good: nobody can tell.
    """
    grouped, ids = stories.grouped, stories.ids
    ranks = {id: rank for rank, id in enumerate(ids)}
    counts: Counter[tuple[str, bool]] = Counter()
    for copy, original in parents.items():
        rank, wanted = ranks[copy], ranks[original]
        parent = int(grouped.parent[rank])
        right = parent >= 0 and grouped.version[parent] == grouped.version[wanted]
        counts[BASES[grouped.basis[rank]] if parent >= 0 else "none", right] += 1
    cells = []
    for basis in (*BASES, None):
        some = {
            right: sum(counts[name, right] for name in ([basis] if basis else BASES))
            for right in (True, False)
        }
        total = sum(some.values())
        cells.append(f"{show(some[True] / total)} of {total:,}" if total else "")
    rights = sum(number for (_, right), number in counts.items() if right)
    return rights / counts.total(), [*cells, show(counts["none", False])]


def with_wrong_times(rows: Sequence[Row]) -> list[Row]:
    """The articles with a fifth of their times wrong by 1 to 48 hours."""
    rng = random.Random(3)
    wrong = []
    for row in rows:
        if rng.random() < WRONG:
            at = datetime.fromisoformat(row.get("published") or row["date"]).replace(tzinfo=UTC)
            moved = (at + timedelta(hours=rng.choice((-1, 1)) * rng.uniform(1, 48))).isoformat()
            row = {**row, ("published" if "published" in row else "date"): moved}
        wrong.append(row)
    return wrong


def partition(stories: Stories) -> dict[str, str]:
    ids = stories.ids
    return {ids[rank]: ids[anchor] for rank, anchor in enumerate(stories.grouped.anchor.tolist())}


def count_other(rows: Sequence[Row], stories: Stories) -> int:
    """How many shuffles of the articles give other stories."""
    expected = partition(stories)
    rng = random.Random(4)
    return sum(partition(wirecopy.stories(rng.sample(rows, len(rows)))) != expected for _ in range(SHUFFLES))


def grow(rows: Sequence[Row], stories: Stories) -> float:
    """The share of articles in stories whose story's id changed while the articles came in the order of time, in ten steps."""
    by_id = {str(row["id"]): row for row in rows}
    order = [by_id[id] for id in stories.ids]
    last, changed = dict[str, str](), set[str]()
    for step in range(1, STEPS + 1):
        now = partition(wirecopy.stories(order[: len(order) * step // STEPS]))
        changed |= {id for id, story in last.items() if now[id] != story}
        last = now
    return len(changed) / sum(map(int, stories.sizes()))
