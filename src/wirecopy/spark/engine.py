"""The stages in order, each a frame that is kept in the folder for work."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

from .. import _core
from ..boilerplate import NOTHING, Common, Formula, Learnt
from ..comparison import DEFAULT_PRESET, get_preset
from ..errors import UsageError
from ..grouping.stories import Stories, tell_stories
from ..matching import Plan, learning
from ..matching.collection import Collection, open_pool
from ..matching.hot import Slices
from ..matching.hot import decide as decide_hot
from ..matching.learning import PASSAGE_SHARE
from ..matching.matches import Matches
from ..methods import Method
from ..model import Skipped
from ..pairs import NO_NAMES, NOBODY, Limits, Pairs, distinct
from ..sources import Fields
from ..statistics import Statistics
from . import comparing, cutting, stages
from .fetching import Fetched, fetch, spool
from .moving import CHUNKS, Collected, add_up, as_table, collect, join_collected, regroup, run
from .reading import (
    LINE,
    MOST_RANGES,
    ORDER,
    READ,
    Read,
    Told,
    drop_repeated,
    rank,
    require_articles,
)

RANGE_ARTICLES = 50_000
"""About so many articles are in a range: what is known of their evidence is one chunk."""
LEAST_PARTS = 8
MOST_GROUPS, GROUP_PAIRS = 4000, 1000
"""Candidates are compared in up to so many groups, of so many pairs or more: texts that are in several are sent to each."""
MOST_CANDIDATES = 200
"""A method that nominates more candidates an article is refused: comparing them would take days where minutes are expected."""
RECORDS_A_BATCH = 1000
"""Rows that Spark gives to a task at a time: a row may be a chunk of many kilobytes."""
FETCHED_SUSPECTS = 4000
SAMPLED_ARTICLES = 20_000
"""About so many articles tell which keys are in very many; of fewer all keys are ordinary."""
SAMPLED_BITS = 6
"""The sample is of runs of so many bits of ranks, which are filed together."""
LEAST_SAMPLED = 16
HOT_SHARE = 10
"""A key is hot whose postings are one in so many of a part of the keys."""
Key = tuple[int, int]
"""Whether a common key is hot, and its id."""
_COMPARED = ("query_covered", "found_covered", "resemblance", "tried")
Say = Callable[[str], object]


@dataclass(frozen=True)
class Load:
    """What the parts of a stage were given: how many there are, their bytes together, the largest and the median."""

    stage: str
    parts: int
    bytes: int
    largest: int
    median: int
    seconds: float


@dataclass(frozen=True)
class Meetings:
    """Which articles meet: what is known of each range of later articles, of each part of the keys, and of families; and how many keys collide."""

    met: DataFrame
    collided: DataFrame
    agreed: Collected
    collisions: int


LOADS = "stage string, parts long, bytes long, largest long, median long, seconds double"


@dataclass
class Job:
    """One run of all stages over a frame of records."""

    spark: SparkSession
    plan: Plan
    fields: Fields
    work: str
    parts: int | None
    package: str | None
    say: Say
    loads: list[Load] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    skipped: Sequence[Skipped] = ()
    warnings: Sequence[str] = ()

    # What stages leave

    def save(self, frame: DataFrame, name: str) -> DataFrame:
        """The same frame, once it is in the folder for work."""
        began = time.monotonic()
        path = f"{self.work}/{name}"
        frame.write.mode("overwrite").parquet(path)
        self.seconds = time.monotonic() - began
        self.say(f"{name}: {self.seconds:.1f} s")
        return self.load(name, frame.schema)

    def load(self, name: str, schema: Any) -> DataFrame:
        """A frame that was saved; of one that is empty there may be no files."""
        return self.spark.read.schema(schema).parquet(f"{self.work}/{name}")

    def run(self, frame: DataFrame, task: Any, schema: str = CHUNKS) -> DataFrame:
        """What a task makes of a frame."""
        return run(frame, task, schema, self.package)

    def note(self, stage: str, collected: Collected, by_bucket: bool = True) -> None:
        """Keep what the parts of a stage were given."""
        sizes: Counter[int] = Counter()
        for place, (bucket, chunk) in enumerate(collected.get("load", ())):
            sizes[bucket if by_bucket else place] += int(chunk[0][0])
        if sizes:
            values = sorted(sizes.values())
            median = values[len(values) // 2]
            self.loads.append(Load(stage, len(values), sum(values), values[-1], median, self.seconds))

    def note_driver(self, what: str, size: int) -> None:
        """Keep what came to the driver."""
        self.loads.append(Load(f"the driver: {what}", 1, size, size, size, 0.0))

    # Reading

    def read(self, frame: DataFrame, order_by: Sequence[str]) -> None:
        """Read and rank the articles."""
        is_lines = set(frame.columns) == {LINE, ORDER}
        if order_by and ORDER not in frame.columns:
            frame = frame.withColumn(ORDER, sql.struct(*order_by))
        names = [LINE] if is_lines else self._columns(frame)
        frame = frame.select(*names, *[ORDER] * bool(order_by))
        kind = frame.select(ORDER).limit(0).toArrow().schema.field(ORDER).type if order_by else None
        schema = READ + (f", {ORDER} {frame.schema[ORDER].dataType.simpleString()}" if order_by else "")
        read = self.save(self.run(frame, Read(self.fields, is_lines, kind), schema), "read")
        told = Told.collect(read)
        self.told = told
        articles, again = drop_repeated(read, bool(order_by))
        self.skipped = [*told.skipped, *again]
        number, size = articles.select(sql.count("*"), sql.sum(sql.octet_length("text"))).first() or (0, 0)
        if not number and self.skipped:
            require_articles(replace(told, skipped=self.skipped))
        self.articles = int(number)
        ranges = max(LEAST_PARTS, self.articles // RANGE_ARTICLES)
        self.ranges = min(ranges, self.parts or MOST_RANGES)
        wanted = min(max(LEAST_PARTS, int(size or 0) >> 24), MOST_RANGES)
        self.shards = self.parts or wanted
        self.tasks = min(wanted, self.shards)  # small parts share one
        self.ranked = self.save(rank(articles, self.ranges, self.package), "ranked")
        self.counts["articles"] = self.articles
        warnings = (one.warn_of_few(self.articles) for one in self.plan.methods)
        self.warnings = tuple(filter(None, warnings)) if self.plan.statistics is None else ()

    def _columns(self, frame: DataFrame) -> list[str]:
        """The columns that are read. Raises UsageError if there is no text or no id."""
        fields = self.fields
        wanted = {*fields.text_names, *fields.id_names, *fields.published_names}.union(*fields.about_names)
        there = [name for name in frame.columns if name in wanted]
        for what, names in (("text", fields.text_names), ("id", fields.id_names)):
            if not set(names) & set(there):
                raise UsageError(
                    f"no column {' or '.join(map(repr, names))} for the {what}, got {', '.join(frame.columns)}; "
                    f"name it with fields=Fields({what}=…)"
                )
        return there

    # Words, keys, common keys

    def weigh(self) -> Mapping[Method, Statistics]:
        """The statistics of each method that weighs words: those given, or else those of the articles."""
        weighing = [one for one in self.plan.nominating if one.weighs_words]
        if self.plan.statistics is not None:
            return dict.fromkeys(weighing, self.plan.statistics)
        return {one: self._weigh(one) for one in weighing}

    def _weigh(self, method: Method) -> Statistics:
        columns = self.ranked.select("rank", "text", "title")
        counted = self.run(columns, stages.Weigh(method, self.shards))
        collected = collect(self.run(regroup(counted, self.tasks), stages.Add()), "words", "articles")
        words, counts = join_collected(collected, "words", (np.uint64, np.int64))
        articles = add_up(collected, "articles")
        order = np.argsort(words)
        return replace(
            Statistics.count([], method.view), words=words[order], counts=counts[order], articles=articles
        )

    def meet(self, name: str, linked: bool, names: Sequence[NDArray[np.uint64]] | None) -> Meetings:
        """Which articles meet by which keys."""
        methods, columns = self.undirected, self.ranked.select("rank", "text", "title")
        slices = self.find_hot() if linked else []
        filed = self.run(columns, stages.File(methods, self.statistics, self.shards, slices))
        collided = self.run(regroup(filed, self.tasks), stages.Collide(methods, linked, names))
        collided = self.save(collided, f"{name}-collided")
        facts = [collect(collided, "load", "weak")]
        self.note(f"{name}: collide", facts[0])
        if slices:
            collided, more = self.collide_hot(columns, slices, collided)
            facts.append(more)
        evidence = regroup(collided.where("kind like 'evidence %'"), self.ranges)
        met = self.save(self.run(evidence, stages.Agree(methods, self.shards)), f"{name}-met")
        agreed = collect(met, "load", "evidence", "families %")
        self.note(f"{name}: agree", agreed)
        weak = sum(add_up(one, "weak") for one in facts)
        return Meetings(met, collided, agreed, weak + add_up(agreed, "evidence"))

    def find_hot(self) -> Sequence[Slices]:
        """The keys of each method that so many articles hold, by a sample, that their parts would be too large; nothing if there are none."""
        if self.articles <= SAMPLED_ARTICLES:
            return []
        step = self.articles // SAMPLED_ARTICLES
        sampled = self.ranked.where(sql.shiftright("rank", SAMPLED_BITS) % step == 0)
        counted = self.run(
            sampled.select("rank", "text", "title"),
            cutting.FindHot(self.undirected, self.statistics, self.shards),
        )
        least = max(LEAST_SAMPLED, SAMPLED_ARTICLES // (HOT_SHARE * self.shards))
        collected = collect(self.run(regroup(counted, self.tasks), stages.Add(least)), "%")
        slices = []
        for number in range(len(self.undirected)):
            keys, counts = join_collected(collected, str(number), (np.uint64, np.int64))
            part = add_up(collected, f"total {number}") // self.shards
            is_hot = counts * HOT_SHARE >= max(part, LEAST_SAMPLED)
            slices.append(Slices.of(keys[is_hot], counts[is_hot] * step, max(1, part * step)))
        return slices if any(len(one.keys) for one in slices) else []

    def collide_hot(
        self, columns: DataFrame, slices: Sequence[Slices], ordinary: DataFrame
    ) -> tuple[DataFrame, Collected]:
        """What collides by hot keys beside what does by ordinary ones, and what is told of that."""
        methods, count = self.undirected, min(max(map(len, slices)), self.tasks)
        filed = self.run(columns, cutting.FileHot(methods, self.statistics, slices))
        entries = regroup(
            self.save(filed, "hot-filed"), count
        )  # a file of many entries is read in several places
        summaries = self.save(self.run(entries, cutting.Summarise(methods, self.shards)), "hot")
        self.note("hot keys: slices", collect(summaries, "load"))
        by_part = regroup(summaries.where("kind like 'keys %'"), self.tasks)
        keys = self.save(self.run(by_part, cutting.Settle(methods)), "hot-keys")
        told = collect(keys, "common %", "support %", "load")
        self.note("hot keys: keys", told)
        common = [
            np.sort(join_collected(told, f"common {one}", (np.uint64,))[0]) for one in range(len(methods))
        ]
        by_part = regroup(summaries.where("kind like 'groups %'"), self.tasks)
        groups = self.save(self.run(by_part, cutting.Settle(methods, common)), "hot-groups")
        told_groups = collect(groups, "support %", "load")
        self.note("hot keys: groups", told_groups)
        heads = [one.where("kind like 'heads %'") for one in (keys, groups)]
        both = regroup(entries.unionByName(heads[0]).unionByName(heads[1]), count)
        links = self.save(self.run(both, cutting.Link(methods)), "hot-links")
        told_links = collect(links, "support %", "load")
        self.note("hot keys: links", told_links)
        names, left = [], []
        for number, method in enumerate(methods):
            supports = [
                chunk
                for one in (told, told_groups, told_links)
                for _, chunk in one.get(f"support {number}", ())
            ]
            known, holders = decide_hot(supports, Limits.of(method, linked=True))
            names.append(known)
            left += list(cutting.send_holders(number, holders, self.shards))
        pieces = [one.where("kind like 'piece %'") for one in (keys, groups, links)]
        task = cutting.Conclude(methods, names, self.shards, self.shards)
        places = [
            self.run(one.withColumn("bucket", sql.col("bucket") * 3 + place), task)
            for place, one in enumerate(pieces)
        ]
        concluded = places[0].unionByName(places[1]).unionByName(places[2])
        if left:
            concluded = concluded.unionByName(self.spark.createDataFrame(as_table(left)))
        concluded = self.save(concluded, "hot-collided")
        return ordinary.unionByName(concluded), collect(concluded, "weak")

    @cached_property
    def undirected(self) -> list[Method]:
        """The methods that nominate."""
        return list(self.plan.nominating)

    def suspect(self, met: Meetings) -> list[dict[Key, tuple[Common, int]]]:
        """The common keys of each method that may be boilerplate, each with its name."""
        pairs = (np.uint32, np.uint32)
        methods = range(len(self.undirected))
        families = [_find_families(*join_collected(met.agreed, f"families {one}", pairs)) for one in methods]
        self.note_driver("families", sum(side.nbytes for both in families for side in both))
        strangers = met.met.where("kind like 'strangers %' or kind like 'hot strangers %'")
        commons = met.collided.where("kind like 'commons %' or kind like 'hot commons %'")
        task = stages.Suspect(self.undirected, families)
        found = collect(self.run(regroup(strangers.unionByName(commons), self.tasks), task), "%")
        self.note_driver(
            "common keys", sum(one.nbytes for some in found.values() for _, chunk in some for one in chunk)
        )
        suspects: list[dict[Key, tuple[Common, int]]] = [{} for _ in methods]
        for method in methods:
            for is_hot, kind in enumerate(("suspects", "hot suspects")):
                for _, chunk in found.get(f"{kind} {method}", ()):
                    ids, sizes, names, offsets, ranks, places = chunk
                    for row, (id, name) in enumerate(zip(ids.tolist(), names.tolist(), strict=True)):
                        some = slice(offsets[row], offsets[row + 1])
                        holders = np.broadcast_to(np.uint32(0), int(sizes[row]))  # only how many is asked
                        common = Common(holders, ranks[some], places[some])
                        suspects[method][is_hot, id] = common, name
        return suspects

    def convict(self, suspects: Mapping[Any, Common]) -> tuple[dict[Any, Common], NDArray[np.uint64]]:
        """The suspects that are boilerplate, and their shingles."""
        guilty: dict[Any, Common] = {}
        shingles = NO_NAMES
        names = list(suspects)
        for start in range(0, len(names), FETCHED_SUSPECTS):
            some = {name: suspects[name] for name in names[start : start + FETCHED_SUSPECTS]}
            mine, known = learning.convict(self._fetch(some), some)
            guilty |= mine
            shingles = distinct(np.concatenate([shingles, known.shingles]))
        return guilty, shingles

    def _fetch(self, suspects: Mapping[Any, Common]) -> Fetched:
        ranks = np.concatenate([NOBODY, *(one.rows for one in suspects.values())])
        return fetch(self.ranked, ranks)

    # Candidates and matches

    def nominate(self, met: Meetings, guilty: Sequence[stages.Guilty], every: Meetings | None) -> DataFrame:
        """The candidates."""
        meetings = met.met.where("kind like 'meetings %'")
        if every is not None:
            others = every.met.where("kind like 'meetings %'")
            named = sql.regexp_replace("kind", "meetings", "all")
            meetings = meetings.unionByName(others.withColumn("kind", named))
        task = stages.Nominate(guilty)
        candidates = self.save(
            self.run(regroup(meetings, self.ranges), task, stages.CANDIDATES), "candidates"
        )
        number = self.counts["candidates"] = candidates.count()
        if number > MOST_CANDIDATES * max(1, self.articles):
            raise UsageError(
                f"{', '.join(one.name for one in self.undirected)}: nominated {number / self.articles:,.0f} candidates an article; "
                f"more than {MOST_CANDIDATES} are not compared: ask for a method or parameters that nominate fewer"
            )
        return candidates

    def compare(
        self,
        name: str,
        candidates: DataFrame,
        pairs: int,
        preset: str,
        known: NDArray[np.uint64],
        *,
        learning: bool = False,
    ) -> DataFrame:
        """How candidates, which are known to be so many `pairs` at most, compare."""
        groups = min(max(self.ranges, self.shards), MOST_GROUPS, 1 + pairs // GROUP_PAIRS)
        grouped = candidates.withColumn(
            "bucket", sql.pmod(sql.xxhash64("block", "place"), sql.lit(groups)).cast("int")
        )
        need = (
            grouped.select("bucket", sql.col("later").alias("rank"))
            .unionByName(grouped.select("bucket", sql.col("earlier").alias("rank")))
            .distinct()
        )
        texts = self.ranked.join(need, "rank").select("bucket", *comparing.TEXT_COLUMNS)
        asked = grouped.select("bucket", *comparing.PAIR_COLUMNS)
        both = texts.unionByName(asked, allowMissingColumns=True)
        task = comparing.Compare(get_preset(preset), known, self.shards if learning else 0)
        compared = self.run(regroup(both, groups), task, comparing.COMPARED)
        compared = self.save(compared, name)
        facts = collect(compared, "load", "comparisons")
        self.note(name, facts, by_bucket=False)
        self.counts["comparisons"] = self.counts.get("comparisons", 0) + add_up(facts, "comparisons")
        return compared

    def find(self, relations: Sequence[str]) -> None:
        """Find the matches, of which those of some relations are shown."""
        plan = self.plan
        self.statistics = self.weigh()
        met = self.meet("linked", True, None)
        self.counts["collisions"] = met.collisions
        guilty, formulas, shingles = list[stages.Guilty](), list[Common](), [NO_NAMES]
        names: list[NDArray[np.uint64]] = []
        for method, suspects in zip(self.undirected, self.suspect(met), strict=True):
            convicted, known = self.convict({key: common for key, (common, _) in suspects.items()})
            ids = [
                np.sort(np.array([id for hot, id in convicted if hot == one], np.uint64)) for one in (0, 1)
            ]
            guilty.append((ids[0], ids[1]))
            names.append(np.unique(np.array([suspects[key][1] for key in convicted], np.uint64)))
            if plan.learns_from(method):
                formulas += list(convicted.values())
                shingles.append(known)
        known = distinct(np.concatenate(shingles))
        every = None if plan.linked else self.meet("all", False, names)
        candidates = self.nominate(met, guilty, every)
        teaching = sum(1 << bit for bit, one in enumerate(self.undirected) if plan.learns_from(one))
        learnt_from = candidates.where(sql.col("linked").bitwiseAND(sql.lit(teaching)) != 0)
        first = self.compare(
            "learning", learnt_from, self.counts["candidates"], DEFAULT_PRESET, known, learning=True
        )
        late, passages, varying = self.learn(first)
        fresh = np.setdiff1d(passages, known)
        known = distinct(np.concatenate([known, passages]))
        self.formulas = self.describe([*formulas, *late.values()], known)
        matched = self.decide(candidates, learnt_from, first, fresh, known)
        settled = self.run(matched, comparing.Settle(varying), comparing.SETTLED)
        self.varying, self.known = varying, known
        everything = self.save(settled.orderBy("later", "earlier"), "settled")
        self.settled = everything.where(sql.col("relation").isin(*relations))
        self._show()

    def learn(self, first: DataFrame) -> tuple[dict[int, Common], NDArray[np.uint64], NDArray[np.uint64]]:
        """What the compared pairs teach: boilerplate in passages, its shingles, and the names of slots that vary."""
        matches = first.where("kind = 'match'")
        short = matches.where(
            (sql.greatest("query_covered", "found_covered") < PASSAGE_SHARE) & (sql.col("tried") == 0)
        )
        columns = ("later", "earlier", "relation", *_COMPARED, "passages")
        table = short.select(*columns).toArrow().sort_by([("later", "ascending"), ("earlier", "ascending")])
        self.note_driver("short matches", table.nbytes)
        pairs: Pairs = tuple(table.column(side).to_numpy().astype(np.uint32) for side in ("later", "earlier"))
        collection = cast(Collection, _Asked(self.ranked))
        suspects = learning.suspect_passages(
            collection, pairs, comparing.read_without_slots(table, "relation")
        )
        guilty, shingles = self.convict(suspects)
        slots = regroup(first.where("kind = 'slots'"), self.tasks)
        varying = collect(self.run(slots, comparing.Vary()), "varying")
        [names] = join_collected(varying, "varying", (np.uint64,))
        return guilty, shingles, distinct(names)

    def describe(self, commons: Sequence[Common], known: NDArray[np.uint64]) -> Sequence[Formula]:
        """The formulas for people to see."""
        if not commons:
            return []
        collection = self._fetch(dict(enumerate(commons)))
        return learning.describe(collection, commons, replace(NOTHING, shingles=known))

    def decide(
        self,
        candidates: DataFrame,
        learnt_from: DataFrame,
        first: DataFrame,
        fresh: NDArray[np.uint64],
        known: NDArray[np.uint64],
    ) -> DataFrame:
        """All candidates that match by what is known at last; those that were compared before only where that changes something."""
        preset = self.plan.preset
        if preset != DEFAULT_PRESET:
            decided = self.compare("deciding", candidates, self.counts["candidates"], preset, known)
            return decided.where("kind = 'match'")
        keys = ["later", "earlier"]
        new = candidates.join(learnt_from.select(*keys), keys, "left_anti")
        matches = first.where("kind = 'match'")
        if len(fresh):
            traces = first.where("kind = 'trace'").select("chunk")
            touched = self.save(self.run(traces, comparing.Touch(fresh), "rank long").distinct(), "touched")
            again = None
            for side in keys:
                mine = touched.withColumnRenamed("rank", side)
                some = learnt_from.join(mine, side, "left_semi")
                again = some if again is None else again.unionByName(some.select(again.columns))
                matches = matches.join(mine, side, "left_anti")
            assert again is not None
            new = new.unionByName(again.select(new.columns).distinct())
        new = self.save(new, "again")
        if not (pairs := new.count()):
            return matches
        redone = self.compare("deciding", new, pairs, preset, known).where("kind = 'match'")
        return matches.select(redone.columns).unionByName(redone)

    def _show(self) -> None:
        """Save the matches as people see them, with formulas, skipped records and counts beside."""
        names = [one.name for one in self.undirected]
        combinations = [
            tuple(dict.fromkeys(name for bit, name in enumerate(names) if value >> bit & 1))
            for value in range(1 << len(names))
        ]
        shown = self.run(
            self.settled.orderBy("later", "earlier"), comparing.Show(combinations), comparing.MATCHES
        )
        self.matches = self.save(shown, "matches")
        self.counts["matches"] = self.settled.count()
        formulas = [one.to_dict() for one in self.formulas]
        self._tell("formulas", formulas, "articles long, example string, article string")
        self._tell("skipped", [asdict(one) for one in self.skipped], "where string, reason string, more long")
        self._tell("counts", [self.counts], ", ".join(f"{name} long" for name in self.counts))
        self._tell("stages", [asdict(one) for one in self.loads], LOADS)

    @contextmanager
    def stories(self, rule: str) -> Iterator[Stories]:
        """The stories of the settled matches, told here on the driver: the articles that match are fetched for that."""
        columns = ("later", "earlier", "by", "linked", *_COMPARED, "code", "passages")
        table = (
            self.settled.select(*columns)
            .toArrow()
            .sort_by([("later", "ascending"), ("earlier", "ascending")])
        )
        sides = [table.column(side).to_numpy().astype(np.uint32) for side in ("later", "earlier")]
        ranks = distinct(np.concatenate(sides))
        queries, founds = (np.searchsorted(ranks, side).astype(np.uint32) for side in sides)
        by, linked = (table.column(name).to_numpy().astype(np.uint16) for name in ("by", "linked"))
        with tempfile.TemporaryFile() as file:
            collection = spool(self.ranked, ranks, self.ranges, file)
            matches = Matches(
                collection,
                collection,
                queries,
                founds,
                by,
                comparing.read_without_slots(table, "code"),
                [one.name for one in self.undirected],
                Learnt(replace(NOTHING, shingles=self.known), {}, self.formulas, self.varying),
                self.counts,
                self.plan.preset,
                None if self.plan.linked else linked != 0,
            )
            with open_pool(None) as pool:
                yield tell_stories(matches, pool, rule)

    def _tell(self, name: str, rows: Sequence[Mapping[str, Any]], schema: str) -> None:
        frame = self.spark.createDataFrame([tuple(row.values()) for row in rows], schema)
        frame.coalesce(1).write.mode("overwrite").parquet(f"{self.work}/{name}")


class _Asked:
    """A collection whose texts are fetched when they are asked for."""

    def __init__(self, ranked: DataFrame) -> None:
        self._ranked = ranked

    def texts(self, ranks: NDArray[np.uint32]) -> Any:
        """The texts at some ranks."""
        return fetch(self._ranked, ranks).texts(ranks)


def _find_families(later: NDArray[np.uint32], earlier: NDArray[np.uint32]) -> stages.Families:
    who = distinct(np.concatenate([later, earlier]))
    sides = (np.searchsorted(who, side).astype(np.uint32) for side in (later, earlier))
    root = _core.components(len(who), *sides)
    member = root != np.arange(len(who))
    return who[member], who[root[member]]
