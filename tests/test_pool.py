"""`wirecopy pool`: what methods nominate, what people say of it, how far they agree, and the test collection that comes of it."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import on_terminal, talk, wirecopy
from records import jsonl, lines
from sklearn.metrics import cohen_kappa_score

import wirecopy as library
from wirecopy import demo
from wirecopy.evaluation.agreement import Judgement, agreements, kappa, mean_kappa, settle
from wirecopy.evaluation.pooling import CODET, permissive
from wirecopy.evaluation.tasks import TASKS

Row = dict[str, Any]
LABELS = st.sampled_from(["identical", "near-duplicate", "neither"])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demo archive, and the pool of CoDet's five methods."""
    folder = tmp_path_factory.mktemp("pool")
    demo.write_archive(folder)
    done = wirecopy("pool", folder / "articles.jsonl", "-o", folder / "pool.jsonl")
    assert done.returncode == 0, done.stderr
    return folder


def read(path: Path) -> list[Row]:
    return lines(path.read_bytes())


def key(row: Row) -> frozenset[str]:
    return frozenset((row["query"], row["found"]))


# What is nominated


def test_a_pool_is_the_union_of_what_methods_nominate_each_with_who_did(place: Path) -> None:
    pool = {key(row): row["nominated"] for row in read(place / "pool.jsonl")}
    expected: dict[frozenset[str], list[str]] = {}
    for name in CODET:
        for one in library.opinions(place / "articles.jsonl", permissive(name)):
            expected.setdefault(frozenset((one.query, one.found)), []).append(name)
    assert pool == expected


def test_permissive_parameters_nominate_more_than_the_papers(place: Path) -> None:
    for name in CODET:
        strict, loose = (
            {(one.query, one.found) for one in library.opinions(place / "articles.jsonl", method)}
            for method in (
                name if name != "imatch" else library.methods.get(name, form="skip"),
                permissive(name),
            )
        )
        assert len(strict) < len(loose)
        assert name in ("imatch", "simhash") or strict <= loose


def test_groups_have_about_the_same_number_of_pairs(place: Path) -> None:
    sizes = Counter(row["group"] for row in read(place / "pool.jsonl"))
    assert len(sizes) == 20
    assert max(sizes.values()) - min(sizes.values()) <= 1


def test_a_later_method_adds_only_the_pairs_that_it_alone_nominates(place: Path, tmp_path: Path) -> None:
    earlier = {key(row) for row in read(place / "pool.jsonl")}
    later = tmp_path / "later.jsonl"
    arguments = ("--method", "resemblance", "--method", "alignment", "--pool", place / "pool.jsonl")
    assert wirecopy("pool", place / "articles.jsonl", *arguments, "-o", later).returncode == 0
    added = {key(row): row["nominated"] for row in read(later)}
    assert added
    assert not added.keys() & earlier
    nominated = {
        frozenset((one.query, one.found))
        for one in library.opinions(place / "articles.jsonl", permissive("resemblance"))
    }
    assert {pair for pair, by in added.items() if "resemblance" in by} == nominated - earlier


def test_given_parameters_go_before_permissive_ones(place: Path, tmp_path: Path) -> None:
    arguments = ("--method", "full_fingerprint:contained=0.9", "-q", "-o", tmp_path / "p.csv")
    assert wirecopy("pool", place / "articles.jsonl", *arguments).returncode == 0
    expected = library.opinions(
        place / "articles.jsonl", library.methods.get("full_fingerprint", contained=0.9)
    )
    assert len((tmp_path / "p.csv").read_text().splitlines()) - 1 == len(expected)


# Agreement


@given(st.lists(st.tuples(LABELS, LABELS), min_size=2, max_size=30))
def test_kappa_is_that_of_scikit_learn(said: list[tuple[str, str]]) -> None:
    one, other = zip(*said, strict=True)
    found = kappa(one, other)
    if len({*one, *other}) == 1:
        assert found is None
    else:
        assert found == pytest.approx(cohen_kappa_score(one, other))


def test_kappa_by_hand() -> None:
    # Cohen's example as it is often told: 50 cases, 20 times both yes, 15 times both no, 5 and 10 times divided: 0.4.
    one = ["yes"] * 25 + ["no"] * 25
    other = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert kappa(one, other) == pytest.approx(0.4)
    assert kappa([], []) is None
    with pytest.raises(ValueError, match="as many labels"):
        kappa(["a"], [])


def judgement(pair: str, judge: str, label: str, at: str = "", group: str = "1") -> Judgement:
    return Judgement(pair[0], pair[1], group, judge, label, at)


def test_a_third_resolves_what_two_disagree_on() -> None:
    said = [
        judgement("ab", "ann", "identical"),
        judgement("ba", "ben", "identical"),
        judgement("cd", "ann", "neither"),
        judgement("cd", "ben", "partial"),
        judgement("ef", "ann", "neither"),
        judgement("ef", "ben", "partial"),
        judgement("gh", "ann", "partial"),
        judgement("cd", "cid", "form", "2026-01-02"),
    ]
    told = {one.query + one.found: (one.label, one.how) for one in settle(said)}
    assert told == {
        "ab": ("identical", "agreed"),
        "cd": ("form", "resolved"),
        "ef": (None, "open"),
        "gh": ("partial", "alone"),
    }
    [agreed] = agreements(settle(said))
    assert (agreed.judges, agreed.pairs, agreed.agreed) == (("ann", "ben"), 3, 1)


def test_a_named_resolver_decides_whenever_he_judged() -> None:
    said = [
        judgement("ab", "cid", "form"),
        judgement("ab", "ann", "neither"),
        judgement("ab", "ben", "partial"),
    ]
    [one] = settle(said, "cid")
    assert (one.label, one.how) == ("form", "resolved")
    assert agreements([one], "cid")[0].judges == ("ann", "ben")


def test_of_a_judge_who_changed_his_mind_the_last_word_counts() -> None:
    said = [
        judgement("ab", "ann", "neither", "2026-01-03"),
        judgement("ab", "ann", "partial", "2026-01-01"),
        judgement("ab", "ben", "neither", "2026-01-02"),
    ]
    [one] = settle(said)
    assert (one.label, one.how) == ("neither", "agreed")


def test_who_judged_third_is_told_by_the_time_wherever_the_clock_hangs() -> None:
    said = [
        judgement("ab", "cid", "partial", at="2026-03-01T12:30:00+02:00"),
        judgement("ab", "ann", "neither", at="2026-03-01T09:00:00Z"),
        judgement("ab", "ben", "identical", at="2026-03-01T11:00:00+01:00"),
    ]
    [one] = settle(said)
    assert (one.label, one.how) == ("partial", "resolved")
    assert list(one.judges) == ["ann", "ben", "cid"]


# Two judges and a resolver, all the way


def judge(place: Path, folder: Path) -> tuple[Path, Path, Path]:
    """What two people who err now and then say of the pool, and a third of what they disagree on."""
    truth = {frozenset(pair): str(relation) for pair, relation in demo.read_truth(place).items()}
    draw = random.Random(5)
    says: list[list[Row]] = [[], [], []]
    for row in read(place / "pool.jsonl"):
        right = truth.get(key(row), "neither")
        pair = {name: row[name] for name in ("query", "found", "group")}
        said = [draw.choice(["partial", "neither"]) if draw.random() < 0.15 else right for _ in range(2)]
        for number, (name, label) in enumerate(zip(("ann", "ben"), said, strict=True)):
            says[number].append({**pair, "judge": name, "label": label, "at": "2026-03-01T10:00:00Z"})
        if said[0] != said[1]:
            says[2].append({**pair, "judge": "cid", "label": right, "at": "2026-03-02T10:00:00Z"})
    files = [folder / f"{name}.jsonl" for name in ("ann", "ben", "cid")]
    for path, rows in zip(files, says, strict=True):
        path.write_bytes(jsonl(*rows))
    return files[0], files[1], files[2]


def test_judges_and_a_resolver_make_a_test_collection(place: Path, tmp_path: Path) -> None:
    ann, ben, cid = judge(place, tmp_path)
    pool = read(place / "pool.jsonl")
    open_pairs = tmp_path / "open.jsonl"
    two = wirecopy(
        "pool", place / "pool.jsonl", "--judged", ann, "--judged", ben, "--disagreements", open_pairs
    )
    assert two.returncode == 0
    assert {key(row) for row in read(open_pairs)} == {key(row) for row in read(cid)}
    assert len(lines(two.stdout)) == len(pool) - len(read(cid))
    collection = tmp_path / "collection.jsonl"
    said = [option for path in (ann, ben, cid) for option in ("--judged", path)]
    done = wirecopy("pool", place / "pool.jsonl", *said, "-o", collection)
    assert done.returncode == 0
    made = read(collection)
    assert len(made) == len(pool)
    assert {row["how"] for row in made} == {"agreed", "resolved"}

    labels = {path.stem: {key(row): row["label"] for row in read(path)} for path in (ann, ben)}
    kappas = []
    for group in {row["group"] for row in pool}:
        pairs = [key(row) for row in pool if row["group"] == group]
        kappas.append(cohen_kappa_score(*([labels[name][pair] for pair in pairs] for name in ("ann", "ben"))))
    assert f"kappa {sum(kappas) / len(kappas):.2f} in the mean of 20 groups" in talk(done)
    code, shown = on_terminal("pool", place / "pool.jsonl", *said, "-q", width=80)
    assert code == 0
    assert [f"{value:.3f}" for value in sorted(kappas)] == sorted(
        line.split()[-1] for line in shown.splitlines()[1:]
    )

    assert wirecopy("find", place / "articles.jsonl", "-q", "-o", tmp_path / "m.jsonl").returncode == 0
    told = json.loads(wirecopy("evaluate", collection, tmp_path / "m.jsonl").stdout)
    assert told["scores"]["copies"]["precision"] > 0.9
    assert told["counts"]["closed"] is False


def test_what_is_no_judgement_is_named_with_its_line(place: Path, tmp_path: Path) -> None:
    row = read(place / "pool.jsonl")[0]
    pair = {name: row[name] for name in ("query", "found")}
    said = tmp_path / "said.jsonl"
    said.write_bytes(
        jsonl(
            *({**pair, "judge": "ann", "label": "identical"}, {**pair, "judge": "ann", "label": "perhaps"}),
            *({**pair, "label": "neither"}, {"query": "x", "found": "y", "judge": "ann", "label": "neither"}),
            {"query": "x", "found": "x", "judge": "ann", "label": "neither"},
        )
    )
    done = wirecopy("pool", place / "pool.jsonl", "--judged", said, "--skipped", tmp_path / "skipped.jsonl")
    assert done.returncode == 3
    assert len(read(tmp_path / "skipped.jsonl")) == 4
    for line, reason in {
        2: "nobody knows the label 'perhaps'",
        3: "no 'judge'",
        4: "not in the pool: 'x' and 'y'",
        5: "'x' is paired with itself",
    }.items():
        assert f"said.jsonl:{line}: {reason}" in talk(done)
    assert [one["how"] for one in lines(done.stdout)] == ["alone"]


def test_what_is_no_pair_of_a_pool_is_named_and_pools_are_joined(place: Path, tmp_path: Path) -> None:
    pair: Row = {"query": "a", "found": "b", "group": "1", "nominated": ["codet"]}
    one, other, said = (tmp_path / f"{name}.jsonl" for name in ("one", "other", "said"))
    one.write_bytes(jsonl(pair, {**pair, "found": "a"}, {"query": "a"}))
    other.write_bytes(jsonl({**pair, "query": "b", "found": "a", "nominated": ["dsc", "codet"]}))
    said.write_bytes(jsonl({"query": "b", "found": "a", "judge": "ann", "label": "partial"}))
    done = wirecopy("pool", one, other, "--judged", said)
    assert done.returncode == 3
    assert "one.jsonl:2: an article is paired with itself" in talk(done)
    assert "one.jsonl:3: no pair" in talk(done)
    [made] = lines(done.stdout)
    assert (made["query"], made["nominated"]) == ("b", ["codet", "dsc"])


def test_the_tasks_of_the_papers_are_given() -> None:
    assert {name: len(task.labels) for name, task in TASKS.items()} == {
        "relations": 8,
        "cedar": 4,
        "codet": 2,
    }
    assert all(len({label.key for label in task.labels}) == len(task.labels) for task in TASKS.values())


def test_wrong_usage_is_refused(place: Path) -> None:
    pool = place / "pool.jsonl"
    for arguments, said in {
        (pool, "--judged", pool, "--method", "codet"): "--judged: PATH is a pool then",
        (pool, "--resolver", "cid"): "only with --judged",
        ("-",): "every method reads the articles",
        (place / "articles.jsonl", "--method", "document_imag"): "no method named",
    }.items():
        done = wirecopy("pool", *arguments)
        assert (done.returncode, said in talk(done)) == (2, True), done.stderr


def test_a_mean_kappa_leaves_out_groups_without_one() -> None:
    same = [judgement("ab", "ann", "neither"), judgement("ab", "ben", "neither")]
    other = [
        judgement(pair, name, label, group="2")
        for pair, labels in (("cd", "xy"), ("ef", "xx"), ("gh", "yy"))
        for name, label in zip(("ann", "ben"), labels, strict=True)
    ]
    told = agreements(settle([*same, *other]))
    assert [one.kappa is None for one in told] == [True, False]
    assert mean_kappa(told) == told[1].kappa
