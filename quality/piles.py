"""Made-up piles in which everything meets, copies, families of every size, formulas, forms, dates and none; and what must hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import wirecopy
from quality.texts import Writer, join
from wirecopy import Archive, Article, Match, Relation
from wirecopy.archive import Answer
from wirecopy.comparison import PRESETS
from wirecopy.text import tokenise

Record = dict[str, Any]


def make_pile(seed: int) -> list[Record]:
    """Some dozens of articles, in no order."""
    writer = Writer(seed, words=4000)
    dice = writer.random
    texts = [writer.write(dice.randint(40, 160)) for _ in range(dice.randint(5, 25))]
    for _ in range(dice.randint(0, 6)):  # copies, and parts of texts in others
        original = dice.choice(texts)
        start = dice.randrange(len(original) // 2)
        part = original[start : start + dice.randint(15, 120)]
        before, after = writer.write(dice.randint(0, 60)), writer.write(dice.randint(0, 60))
        texts.append(before + writer.edit(part, dice.choice((0, 0, 0.05, 0.15, 0.3))) + after)
    for _ in range(dice.randint(0, 2)):  # a family, which may be too big to pair all with all
        original = writer.write(dice.randint(30, 150))
        share = dice.choice((0, 0, 0.02, 0.1))
        texts += [writer.edit(original, share) for _ in range(dice.choice((3, 19, 20, 21, 22, 30)))]
    for _ in range(
        dice.randint(0, 2)
    ):  # a formula, with words that vary or without, at the start, at the end or within
        formula, varies = writer.write(dice.randint(14, 60)), dice.random() < 0.4
        for number in dice.sample(range(len(texts)), min(len(texts), dice.choice((6, 8, 12, 25)))):
            mine = writer.edit(formula, 0.12) if varies else formula
            at = dice.choice((0, len(texts[number]), len(texts[number]) // 2))
            texts[number] = texts[number][:at] + mine + texts[number][at:]
    if dice.random() < 0.5:  # a form that is filled in again and again
        form, slots = writer.write(dice.randint(40, 90)), dice.sample(range(40), 8)
        for _ in range(dice.choice((5, 12, 24))):
            texts.append([str(dice.randrange(10_000)) if i in slots else word for i, word in enumerate(form)])
    texts += dice.sample(texts, min(len(texts), dice.randint(0, 3)))
    dated = dice.choice((0.0, 0.8, 1.0))
    records = [
        {
            "id": f"{dice.randrange(100)}-{number}",
            "text": join(words),
            "published": f"2024-03-{dice.randint(1, 9):02}" if dice.random() < dated else None,
            "url": f"https://news.example/{number // 3}" if number % 5 else None,
        }
        for number, words in enumerate(texts)
    ]
    dice.shuffle(records)
    return records


def make_queries(seed: int) -> list[Record]:
    """Articles of the pile, copies of some under other ids, and others."""
    articles, others = make_pile(seed), make_pile(seed + 1000)[:5]
    renamed = [*articles[1::4], *others]
    return [*articles[::3], *({**one, "id": f"q{number}"} for number, one in enumerate(renamed))]


def by_pair(matches: Iterable[Match]) -> dict[tuple[str, str], Match]:
    return {(match.query, match.found): match for match in matches}


def told(match: Match | None) -> Match | None:
    """The match without who nominated it."""
    return match and replace(match, methods=())


def group_alike(articles: Iterable[Article]) -> dict[str, frozenset[str]]:
    """For each article those that are identical in words, itself among them, by id."""
    groups: dict[bytes, list[str]] = {}
    for article in articles:
        body = np.frombuffer(article.text.encode(), np.uint8)
        words = tokenise(body, np.array([0, len(body)], np.int64)).hashes.tobytes()
        groups.setdefault(words, []).append(article.id)
    return {id: group for ids in groups.values() for group in [frozenset(ids)] for id in ids}


def disagreements_of_check(
    answer: Answer, asked: dict[tuple[str, str], Match], alike: Mapping[str, frozenset[str]]
) -> list[str]:
    """What `check`, asked to name all, says otherwise than `find`: it finds the same, and besides what is identical to that."""
    wrong, given = [], by_pair(answer.matches)
    if other := [pair for pair, match in asked.items() if given.get(pair) != match]:
        wrong.append(f"check answers {answer.query} otherwise than find: {other[:3]}")
    found = {alike[match.found]: match for match in asked.values()}
    more = [match for pair, match in given.items() if pair not in asked]
    if strange := [match.found for match in more if alike[match.found] not in found]:
        wrong.append(f"check finds {strange[:3]} for {answer.query}, identical to nothing that find finds")
    for match in more:
        same = found.get(alike[match.found], match)
        # Of twins with another date or address one may be a form, and one an update.
        is_form = Relation.FORM in (same.relation, match.relation)
        if same.query_covered != match.query_covered or (same.relation != match.relation and not is_form):
            wrong.append(f"{match.found} is {match.relation} of {answer.query}, its twin {same.relation}")
    named = {pair[1] for pair in given}
    if lost := sorted(frozenset[str]().union(*found) - named - {answer.query}):
        wrong.append(f"check does not find {lost[:3]} for {answer.query}, identical to what it finds")
    counts = answer.articles, answer.contained_in_count
    if counts != (len(given), len(answer.contained_in)):
        wrong.append(f"check counts {counts} for {answer.query}")
    return wrong


def disagreements(articles: Any, queries: list[Record], folder: Path, **options: Any) -> list[str]:
    """What does not hold of a pile, in words; `queries` are articles of it, or others."""
    wrong = []
    linked = {preset: wirecopy.find(articles, preset=preset, **options) for preset in PRESETS}
    found = {preset: by_pair(matches) for preset, matches in linked.items()}
    for stricter, laxer in (("strict", "syndication"), ("syndication", "any-reuse")):
        if missing := found[stricter].keys() - found[laxer].keys():
            wrong.append(f"{len(missing)} matches of {stricter} are none of {laxer}: {sorted(missing)[:3]}")
    for preset, matches in linked.items():
        if matches.formulas != linked["syndication"].formulas:
            wrong.append(f"{preset} learns other boilerplate")
        if not np.array_equal(matches.learnt.varying, linked["syndication"].learnt.varying):
            wrong.append(f"{preset} learns other forms")
        every = wirecopy.find(articles, preset=preset, pairs="all", **options)
        if not np.array_equal(every.learnt.varying, matches.learnt.varying):
            wrong.append(f"all learns other forms than linked, {preset}")
        if every.formulas != matches.formulas:
            wrong.append(f"all learns other boilerplate than linked, {preset}")
        everyone = by_pair(every)
        if lost := [pair for pair, match in found[preset].items() if told(everyone.get(pair)) != told(match)]:
            wrong.append(
                f"{len(lost)} linked pairs are not, or otherwise, in all, {preset}: {sorted(lost)[:3]}"
            )
    with Archive.open(folder / "archive", create=True, **options) as archive:
        archive.add(articles)
        if "".join(archive.pairs().json_lines()) != "".join(linked["syndication"].json_lines()):
            wrong.append("pairs of an archive are not those of find")
        if list(archive.formulas) != list(linked["syndication"].formulas):
            wrong.append("an archive learns other boilerplate")
        answers = {
            preset: {answer.query: answer for answer in archive.check(queries, top=None, preset=preset)}
            for preset in PRESETS
        }
        alike = group_alike(archive.articles())
    asked: dict[str, dict[str, dict[tuple[str, str], Match]]] = {}
    for preset in PRESETS:
        asked[preset] = {query["id"]: {} for query in queries}
        for match in wirecopy.find(articles, query=queries, preset=preset, **options):
            asked[preset][match.query][match.query, match.found] = match
        # An archive nominates with the methods that it was made with; those of `find` may follow the preset.
        if "method" in options or preset != "any-reuse":
            for name, mine in asked[preset].items():
                answer = answers[preset][name]
                wrong += [f"{told}, {preset}" for told in disagreements_of_check(answer, mine, alike)]
        for name, mine in asked[preset].items():
            for (_, other), match in mine.items():
                there = found[preset].get((name, other))
                if there and (there.relation, there.passages) != (match.relation, match.passages):
                    wrong.append(
                        f"{name} and {other} are {match.relation} as a query, {preset}, {there.relation} in the pile"
                    )
    return wrong
