"""`wirecopy evaluate`: scores against gold, what they are of, and what is wrong with gold."""

import csv
import gzip
import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program import on_terminal, talk, wirecopy
from records import jsonl
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score, roc_auc_score

from quality.corpora import data_module, read_jsonl, unpack
from quality.report import MissingError
from wirecopy import demo, find
from wirecopy.evaluation import evaluate
from wirecopy.evaluation.comparing import compare_pairs
from wirecopy.evaluation.halves import part
from wirecopy.evaluation.reading import read_gold, read_result
from wirecopy.evaluation.records import Ids, named_fields

Row = dict[str, Any]


def write(path: Path, *rows: Row) -> Path:
    path.write_bytes(jsonl(*rows))
    return path


def pair(query: object, found: object, **more: Any) -> Row:
    return {"query": str(query), "found": str(found), **more}


def run(*arguments: object) -> Row:
    done = wirecopy("evaluate", *arguments)
    assert done.returncode == 0, done.stderr.decode()
    told: Row = json.loads(done.stdout)
    return told


# Pairs


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 7), st.integers(8, 15)),
        st.tuples(st.booleans(), st.sampled_from([None, 0.1, 0.5, 0.5, 0.9])),
        min_size=2,
    )
)
def test_listed_pairs_are_scored_as_by_scikit_learn(
    tmp_path_factory: pytest.TempPathFactory, pairs: dict[tuple[int, int], tuple[bool, float | None]]
) -> None:
    labels, scores = zip(*pairs.values(), strict=True)
    if len(set(labels)) < 2 or not any(scores):
        return
    folder = tmp_path_factory.mktemp("pairs")
    gold = write(folder / "gold.jsonl", *(pair(*key, label=label) for key, (label, _) in pairs.items()))
    turned = [pair(found, query, score=score) for (query, found), (_, score) in pairs.items() if score]
    told = evaluate(gold, write(folder / "result.jsonl", *turned)).scores["copies"]
    said = [bool(score) for score in scores]
    expected = [
        measure(labels, said, zero_division=1.0) for measure in (precision_score, recall_score, f1_score)
    ]
    assert [told["precision"], told["recall"]] == pytest.approx(expected[:2])
    assert told["f1"] == pytest.approx(
        expected[2] if any(one and other for one, other in zip(labels, said, strict=True)) else 0
    )
    numbers = [score or 0.0 for score in scores]
    assert told["auroc"] == pytest.approx(roc_auc_score(labels, numbers))
    assert told["average_precision"] == pytest.approx(average_precision_score(labels, numbers))


def test_without_a_false_pair_all_other_pairs_are_false_and_all_pairs_are_ranked(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair("a", "b"), pair("c", "d"))
    result = write(tmp_path / "r.jsonl", pair("b", "a", score=0.9), pair("a", "c", score=0.9))
    articles = write(tmp_path / "articles.jsonl", *({"id": name, "text": name} for name in "abcde"))
    told = run(gold, result, "--in", articles)
    scores = told["scores"]["copies"]
    assert (told["counts"]["closed"], told["counts"]["articles"]) == (True, 5)
    assert (scores["precision"], scores["recall"]) == (0.5, 0.5)
    labels = [True, False, True] + [False] * 7
    assert scores["auroc"] == pytest.approx(roc_auc_score(labels, [0.9, 0.9] + [0.0] * 8))
    # a, b and c are one cluster of the result, d and e alone; gold has {a, b}, {c, d}, {e}.
    assert scores["b3_precision"] == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1) / 5)
    assert scores["b3_recall"] == pytest.approx((1 + 1 + 1 / 2 + 1 / 2 + 1) / 5)


def test_with_a_false_pair_others_are_left_out(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair(1, 2, label=True), pair(1, 3, label=False))
    result = write(tmp_path / "r.jsonl", pair(1, 2), pair(5, 6))
    told = run(gold, result)
    assert (told["scores"]["copies"]["precision"], told["counts"]["outside_gold"]) == (1.0, 1)


def test_a_form_is_no_copy_and_its_overlap_is_told_beside(tmp_path: Path) -> None:
    gold = write(
        tmp_path / "gold.jsonl",
        pair(1, 2, relation="near-duplicate"),
        pair(3, 4, relation="form"),
        pair(5, 6, relation="form"),
    )
    result = write(
        tmp_path / "r.jsonl",
        pair(1, 2, relation="near-duplicate"),
        pair(3, 4, relation="form"),
        pair(5, 6, relation="partial"),
    )
    scores = run(gold, result)["scores"]
    assert [scores["copies"][name] for name in ("true", "reported", "hits")] == [1, 2, 1]
    assert [scores["overlap"][name] for name in ("true", "reported", "hits")] == [3, 3, 3]


def test_relations_agree_whichever_side_is_the_query(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair(1, 2, relation="contains"), pair(3, 4, relation="contains"))
    result = write(tmp_path / "r.jsonl", pair(2, 1, relation="contained-in"), pair(4, 3, relation="contains"))
    told = {row["value"]: row for row in run(gold, result)["by"]}
    assert (told["contains"]["recall"], told["contains"]["agreeing"]) == (1.0, 0.5)
    assert told["contained-in"]["reported"] == 1


def test_the_demo_is_scored_by_relation_source_and_language(tmp_path: Path) -> None:
    demo.write_archive(tmp_path)
    result = tmp_path / "matches.jsonl"
    matches = find(tmp_path / "articles.jsonl")
    result.write_text("".join(matches.json_lines()), "utf-8")
    told = run(tmp_path / "truth.jsonl", result, "--in", tmp_path / "articles.jsonl")
    ours = demo.score(matches, demo.read_truth(tmp_path))
    assert told["scores"]["overlap"]["true"] == ours.true_pairs
    assert told["scores"]["overlap"]["reported"] == ours.reported
    groups = {by: [row["value"] for row in told["by"] if row["by"] == by] for by in ("source", "language")}
    assert groups["language"] == ["en", "tr", "zh"]
    assert "Meridian Wire" in groups["source"]
    archive = tmp_path / "news.db"
    assert wirecopy("add", archive, tmp_path / "articles.jsonl").returncode == 0
    assert run(tmp_path / "truth.jsonl", result, "--in", archive)["scores"] == told["scores"]


def test_all_forms_of_files_say_the_same(tmp_path: Path) -> None:
    rows = [
        pair(1, 2, label=True, score=0.5),
        pair(1, 3, label=False, score=0.25),
        pair(2, 3, label=True, score=0.75),
    ]
    whole = write(tmp_path / "a.jsonl", *rows)
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(whole.read_bytes()))
    table = tmp_path / "c.csv"
    with table.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    parquet = tmp_path / "d.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), parquet)
    answers = [
        run(gold, result) for gold in (whole, packed, table, parquet) for result in (whole, table, parquet)
    ]
    assert all(answer == answers[0] for answer in answers)
    assert answers[0]["scores"]["copies"]["auroc"] == 1.0


def test_all_forms_say_the_same_by_relation_class_source_and_language(tmp_path: Path) -> None:
    articles = [
        {"id": str(n), "text": f"text {n}", "source": f"Paper {n % 2}", "language": "tr" if n > 4 else "en"}
        for n in range(1, 9)
    ]
    gold = [
        pair(1, 2, relation="identical", **{"class": "whole"}),
        pair(3, 4, relation="partial", **{"class": "part"}),
        pair(5, 6, relation="form", **{"class": "part"}),
    ]
    result = [
        pair(2, 1, relation="identical", query_covered=1.0, found_covered=1.0),
        pair(5, 6, relation="partial", query_covered=0.25, found_covered=0.5),
        pair(7, 8, relation="partial", query_covered=0.125, found_covered=0.0),
    ]
    told = []
    for ending in ("jsonl", "csv", "parquet"):
        files = []
        for name, rows in (("gold", gold), ("result", result), ("articles", articles)):
            path = tmp_path / f"{name}.{ending}"
            files.append(path)
            if ending == "jsonl":
                write(path, *rows)
            elif ending == "parquet":
                pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
            else:
                with path.open("w", newline="") as out:
                    writer = csv.DictWriter(out, list(rows[0]))
                    writer.writeheader()
                    writer.writerows(rows)
        told.append(run(*files[:2], "--in", files[2]))
    assert told[0] == told[1] == told[2]
    assert {row["by"] for row in told[0]["by"]} == {"relation", "class", "source", "language"}
    by = {(row["by"], row["value"]): row for row in told[0]["by"]}
    assert by["language", "tr"]["precision"] == 0.0
    assert by["source", "Paper 1"]["true"] == 2
    assert told[0]["score"] == "covered"


def test_stories_and_clusters_are_the_pairs_that_they_join(tmp_path: Path, pile: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair("b", "a"), pair("c", "a"), pair("c", "b"))
    told = []
    for name in ("s.jsonl", "s.csv", "s.parquet"):
        assert wirecopy("stories", pile, "-q", "-o", tmp_path / name).returncode == 0
        told.append(run(gold, tmp_path / name)["scores"])
    assert told == [told[0]] * 3
    assert (told[0]["copies"]["hits"], told[0]["copies"]["reported"]) == (1, 1)
    clusters = [{"id": id, "cluster": "x" if id in "abc" else id} for id in "abcd"]
    assert run(gold, write(tmp_path / "clusters.jsonl", *clusters))["scores"]["copies"]["hits"] == 3
    large = write(tmp_path / "large.jsonl", *({"id": str(n), "cluster": "x"} for n in range(6400)))
    done = wirecopy("evaluate", gold, large)
    assert (done.returncode, b"give gold as clusters" in done.stderr) == (2, True)


@given(st.lists(st.integers(0, 4), max_size=30))
def test_clusters_join_every_two_of_their_articles(
    tmp_path_factory: pytest.TempPathFactory, clusters: list[int]
) -> None:
    path = tmp_path_factory.mktemp("clusters") / "clusters.jsonl"
    write(path, *({"id": str(id), "cluster": name} for id, name in enumerate(clusters)))
    table = read_result(path, "pairs", Ids())
    assert table.pairs is not None
    joined = {
        frozenset((table.ids.names[one], table.ids.names[other]))
        for one, other in zip(table.pairs.query, table.pairs.found, strict=True)
    }
    expected = combinations(range(len(clusters)), 2)
    assert len(joined) == len(table.pairs)
    assert joined == {
        frozenset(map(str, two)) for two in expected if len({clusters[one] for one in two}) == 1
    }


def test_what_find_writes_is_read_in_every_form(tmp_path: Path, pile: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair("c", "a"), pair("b", "a"))
    told = []
    for name in ("m.jsonl", "m.csv", "m.tsv", "m.parquet"):
        assert wirecopy("find", pile, "-q", "-o", tmp_path / name).returncode == 0
        told.append(run(gold, tmp_path / name))
    assert all(one == told[0] for one in told)
    assert told[0]["scores"]["copies"]["recall"] == 1.0


def test_opinions_that_are_not_accepted_rank_but_are_not_reported(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair(1, 2, label=True), pair(1, 3, label=False))
    result = write(
        tmp_path / "r.jsonl", pair(1, 2, accepted=False, rank=0.4), pair(1, 3, accepted=False, rank=0.2)
    )
    scores = run(gold, result)["scores"]["copies"]
    assert (scores["reported"], scores["recall"], scores["auroc"]) == (0, 0.0, 1.0)


def test_a_threshold_reports_what_scores_so_much_whether_it_is_accepted_or_not(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", *(pair(n, n + 100) for n in range(20)))
    ranked = [pair(n, n + 100, accepted=n < 5, rank=1 - n / 40) for n in range(20)]
    wrong = [pair(n, n + 200, accepted=False, rank=0.2) for n in range(20)]
    result = write(tmp_path / "r.jsonl", *ranked, *wrong)
    told = run(gold, result)
    assert told["scores"]["copies"]["recall"] == 0.25
    [best] = [row for row in told["thresholds"] if row["best"]]
    assert (best["recall"], best["precision"], best["threshold"]) == (1.0, 1.0, 1 - 19 / 40)
    [chosen] = run(gold, result, "--choose", "precision 1")["choices"]
    assert (chosen["threshold"], chosen["recall"]) == (1 - 19 / 40, 1.0)
    [chosen] = run(gold, result, "--choose", "recall 1")["choices"]
    assert chosen["precision"] == 1.0
    [chosen] = run(gold, write(tmp_path / "w.jsonl", *wrong, *ranked), "--choose", "f1 0.6")["choices"]
    assert chosen["f1"] == 1.0
    split = run(gold, result, "--split")["split"]
    assert split["test"]["recall"] > 0.8
    low = [pair(n, n + 100, accepted=False, rank=0.1) for n in range(20)]
    [chosen] = run(gold, write(tmp_path / "l.jsonl", *low), "--choose", "recall 1")["choices"]
    assert chosen["threshold"] == 0.1


def test_where_gold_has_no_copies_nothing_is_chosen(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair(1, 2, label=False))
    result = write(tmp_path / "r.jsonl", pair(1, 2, score=1))
    assert run(gold, result, "--choose", "recall 0.9")["choices"] == []


def test_labels_as_a_spreadsheet_writes_them_are_known(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("query,found,label\r\n1,2,TRUE\r\n1,3,FALSE\r\n")
    assert (
        run(gold, write(tmp_path / "r.jsonl", pair(1, 2), pair(1, 3)))["scores"]["copies"]["precision"] == 0.5
    )


def test_questionable_pairs_are_left_out(tmp_path: Path) -> None:
    gold = write(
        tmp_path / "gold.jsonl",
        *(pair(1, 2, label="identical"), pair(1, 3, label="neither"), pair(2, 3, label="questionable")),
    )
    told = run(gold, write(tmp_path / "r.jsonl", pair(1, 2), pair(2, 3)))
    assert (told["counts"]["open"], told["scores"]["copies"]["precision"]) == (1, 1.0)


def test_what_stories_writes_is_read_in_every_form(tmp_path: Path, pile: Path) -> None:
    gold = write(
        tmp_path / "gold.jsonl",
        *({"id": id, "cluster": "x" if id in "abc" else id} for id in ("a", "b", "c", "d")),
    )
    told = []
    for name in ("s.jsonl", "s.csv", "s.parquet"):
        assert wirecopy("stories", pile, "-q", "-o", tmp_path / name).returncode == 0
        told.append(run(gold, tmp_path / name))
    assert all(one == told[0] for one in told)
    assert told[0]["scores"]["clusters"]["b3_precision"] == 1.0


def test_a_result_comes_through_a_pipe(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair(1, 2, label=True), pair(1, 3, label=False))
    done = wirecopy("evaluate", gold, "-", input=jsonl(pair(1, 2, score=0.5)))
    assert json.loads(done.stdout)["scores"]["copies"]["recall"] == 1.0
    assert b"GOLD is read twice" in wirecopy("evaluate", "-", gold, input=b"").stderr


def test_hostile_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b[2J\nx"
    gold = write(tmp_path / "gold.jsonl", pair(evil, 2, **{"class": evil}), pair(3, 3, label=evil))
    code, shown = on_terminal("evaluate", gold, write(tmp_path / "r.jsonl", pair(evil, 2)))
    assert (code, "\x1b[2J" in shown) == (3, False)


# Bad gold


def test_bad_gold_is_named_with_its_line_and_the_rest_goes_on(tmp_path: Path) -> None:
    articles = write(tmp_path / "articles.jsonl", *({"id": name, "text": name} for name in "abcd"))
    gold = tmp_path / "gold.jsonl"
    gold.write_bytes(
        jsonl(
            *(pair("a", "b", label=True), pair("a", "x", label=True), pair("c", "c", label=True)),
            *(pair("b", "a", label=True), pair("c", "d", label="perhaps"), {"query": "a"}, pair("", "b")),
            *(pair("a", "b", label=True), pair("c", "d", label=False)),
        )
        + b"{broken\n"
    )
    done = wirecopy("evaluate", gold, write(tmp_path / "r.jsonl", pair("a", "b")), "--in", articles, "-q")
    said = talk(done)
    assert done.returncode == 3
    for line, reason in {
        2: "no article has the id 'x'",
        3: "'c' is paired with itself",
        4: "the other way round: 'b' and 'a' stand on line 1 already",
        5: "nobody knows the label 'perhaps'",
        6: "no 'found'",
        7: "no 'query'",
        8: "repeated: 'a' and 'b' stand on line 1 already",
        10: "not JSON",
    }.items():
        assert f"gold.jsonl:{line}: {reason}" in said
    assert json.loads(done.stdout)["scores"]["copies"]["hits"] == 1
    assert json.loads(done.stdout)["counts"]["gold"] == 2


def test_a_pair_without_a_label_goes_by_its_relation_or_is_a_copy(tmp_path: Path) -> None:
    gold = write(
        tmp_path / "gold.jsonl",
        *(
            pair(1, 2, label=False),
            pair(3, 4),
            pair(5, 6, relation="form"),
            pair(7, 8, label="", relation="partial"),
        ),
    )
    told = run(gold, write(tmp_path / "r.jsonl", *(pair(n, n + 1, relation="partial") for n in (1, 3, 5, 7))))
    assert [told["scores"][view]["hits"] for view in ("copies", "overlap")] == [2, 3]


def test_gold_of_which_nothing_is_left_is_scored_as_nothing(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair(3, 3, **{"class": "x"}))
    done = wirecopy("evaluate", gold, write(tmp_path / "r.jsonl", pair(1, 2, relation="form")))
    assert done.returncode == 3
    assert json.loads(done.stdout)["scores"]["overlap"]["true"] == 0


def test_a_pool_that_nobody_judged_is_no_gold(tmp_path: Path) -> None:
    pooled = [pair(1, 2, group="1", nominated=["codet"]), pair(1, 3, group="1", nominated=["dsc"])]
    gold = write(tmp_path / "pool.jsonl", *pooled, {**pooled[1], "found": "4", "label": "partial"})
    done = wirecopy("evaluate", gold, write(tmp_path / "r.jsonl", pair(1, 2)))
    assert (done.returncode, talk(done).count(": not judged: ")) == (3, 2)
    assert json.loads(done.stdout)["counts"]["gold"] == 1


def test_a_score_that_is_no_number_is_named_with_its_line(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair(1, 2, label=True), pair(1, 3, label=False))
    result = tmp_path / "r.jsonl"
    result.write_bytes(
        jsonl(pair(1, 2, score=0.5), pair(1, 3, score="high"), pair(1, 3, score="nan"))
        + b'{"query": "1", "found": "3", "score": 1e999}\n{"query": "1", "found": "3"}\n'
    )
    done = wirecopy("evaluate", gold, result)
    assert done.returncode == 3
    for line, written in ((2, "high"), (3, "nan"), (4, "1e999")):
        assert f"r.jsonl:{line}: score: expected a finite number, got '{written}'" in talk(done)
    told = json.loads(done.stdout)
    assert (told["scores"]["copies"]["auroc"], told["scores"]["copies"]["reported"]) == (1.0, 2)


def test_a_score_that_no_record_has_is_an_error(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair(1, 2))
    done = wirecopy(
        "evaluate", gold, write(tmp_path / "r.jsonl", pair(1, 2, score=1)), "--score", "similarity"
    )
    assert (done.returncode, b"no record has the field 'similarity'" in done.stderr) == (2, True)
    assert wirecopy("evaluate", gold, write(tmp_path / "r.jsonl"), "--score", "similarity").returncode == 0


def test_empty_gold_is_said(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_bytes(b"")
    done = wirecopy("evaluate", tmp_path / "gold.jsonl", write(tmp_path / "r.jsonl", pair(1, 2)))
    assert (done.returncode, "gold.jsonl: empty" in talk(done)) == (3, True)


def test_a_file_without_pairs_is_an_error(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", pair("a", "b"))
    table = tmp_path / "theirs.csv"
    table.write_text("left,right,similarity\na,b,0.9\n")
    articles = write(tmp_path / "articles.jsonl", {"id": "a", "text": "a"})
    for two in ((gold, table), (articles, gold)):
        done = wirecopy("evaluate", *two)
        assert (done.returncode, b"no record has the ids of two articles" in done.stderr) == (1, True)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    done = wirecopy("evaluate", tmp_path / "nowhere.jsonl", tmp_path / "r.jsonl")
    assert (done.returncode, b"no such file" in done.stderr) == (1, True)


def test_labels_of_a_task_of_ones_own_are_known(tmp_path: Path) -> None:
    task = tmp_path / "task.json"
    labels = [{"label": "lifted", "key": "l", "counts": "copy"}, {"label": "own", "key": "o", "counts": "no"}]
    task.write_text(json.dumps({"name": "desk", "labels": labels}))
    gold = write(tmp_path / "gold.jsonl", pair(1, 2, label="lifted"), pair(3, 4, label="own"))
    result = write(tmp_path / "r.jsonl", pair(1, 2), pair(3, 4))
    assert run(gold, result, "--task", task)["scores"]["copies"]["precision"] == 0.5
    assert wirecopy("evaluate", gold, result).returncode == 3
    task.write_text(json.dumps({"labels": [labels[0], labels[0]]}))
    assert b"stands there twice" in wirecopy("evaluate", gold, result, "--task", task).stderr
    assert b"no task named 'x'" in wirecopy("evaluate", gold, result, "--task", "x").stderr


# Clusters, verdicts, passages


def test_clusters_are_scored_over_all_articles_of_gold(tmp_path: Path) -> None:
    # The example of Bagga and Baldwin: what is one cluster too many is given as pairs, as clusters and as stories.
    truth = {**dict.fromkeys("12345", "x"), **dict.fromkeys("67", "y"), **dict.fromkeys("89ABC", "z")}
    gold = write(tmp_path / "gold.jsonl", *({"id": id, "cluster": name} for id, name in truth.items()))
    chains = ["12345", "6789ABC"]
    as_pairs = [pair(*two) for chain in chains for two in zip(chain[1:], chain, strict=False)]
    as_clusters = [{"id": id, "cluster": number} for number, chain in enumerate(chains) for id in chain]
    as_stories = [{"story": chain[0], "article": id} for chain in chains for id in chain]
    for rows in (as_pairs, as_clusters, as_stories):
        scores = run(gold, write(tmp_path / "r.jsonl", *rows))["scores"]["clusters"]
        assert scores["b3_precision"] == pytest.approx((5 + 2 * 2 / 7 + 5 * 5 / 7) / 12)
        assert scores["b3_recall"] == 1.0
    nested = [{"id": chain[0], "articles": [{"id": id} for id in chain]} for chain in chains]
    told = run(gold, write(tmp_path / "r.jsonl", *nested))["scores"]["clusters"]
    assert told == scores
    alone = run(gold, write(tmp_path / "r.jsonl", pair(1, 2)))["scores"]["clusters"]
    assert alone["b3_precision"] == 1.0


def test_verdicts_are_scored_and_swept_by_hits(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", *({"article": id, "duplicate": id in "ab"} for id in "abcd"))
    said = {"a": 5, "b": 2, "c": 3}
    rows = [{"article": id, "hits": hits, "duplicate": hits > 2} for id, hits in said.items()]
    told = run(gold, write(tmp_path / "v.jsonl", *rows))
    assert [told["scores"]["articles"][name] for name in ("precision", "recall")] == [0.5, 0.5]
    best = next(row for row in told["thresholds"] if row["best"])
    assert (best["threshold"], best["recall"]) == (2.0, 1.0)


@pytest.mark.parametrize(
    "ends",
    [
        "[0, 1e999]",
        "[0, NaN]",
        "[0, 1.5]",
        "[-1, 5]",
        "[1]",
        "[1, 2, 3]",
        '"12"',
        "null",
        "[" * 90 + "]" * 90,
    ],
)
def test_what_is_no_passage_is_named(ends: str, tmp_path: Path) -> None:
    whole = '{"query": "a", "found": "b", "passages": [{"query": [0, 9], "found": [0.0, 9]}]}\n'
    (tmp_path / "gold.jsonl").write_text(whole)
    (tmp_path / "r.jsonl").write_text(whole + whole.replace("[0, 9]", ends).replace('"a"', '"c"'))
    ran = wirecopy("evaluate", tmp_path / "gold.jsonl", tmp_path / "r.jsonl", "--json")
    assert ran.returncode == 3, talk(ran)
    assert "r.jsonl:2: passages: expected a list of {query: [start, end], found: [start, end]}" in talk(ran)
    assert json.loads(ran.stdout)["scores"]["passages"]["recall"] == 1


def test_passages_are_scored_by_class_as_by_the_organisers(tmp_path: Path) -> None:
    try:
        scoring = data_module("score_pairs")
        folder = unpack("pan13-train")
    except (MissingError, OSError) as missing:
        pytest.skip(str(missing))
    rows = read_jsonl(folder / "gold.jsonl")[::100]
    draw = random.Random(1)
    found = [
        pair(
            row["found"],
            row["query"],
            passages=[
                {"query": [one["found"][0] + draw.randint(0, 50), one["found"][1]], "found": one["query"]}
                for one in row["passages"]
                if draw.random() < 0.8
            ],
        )
        for row in rows
    ]
    told = run(write(tmp_path / "gold.jsonl", *rows), write(tmp_path / "r.jsonl", *found))
    expected = scoring.score(rows, found)
    names = ("precision", "recall", "granularity", "plagdet")
    assert [told["scores"]["passages"][name] for name in names] == pytest.approx(
        [expected[name] for name in names]
    )
    assert {row["value"]: row["plagdet"] for row in told["by"]} == pytest.approx(
        {name: one["plagdet"] for name, one in expected["classes"].items()}
    )


# Thresholds


def families(folder: Path) -> tuple[Path, Path, Path]:
    """Gold of 40 families of three, a result in which what is true scores higher, and the articles."""
    draw = random.Random(3)
    articles = [f"{family}-{member}" for family in range(40) for member in range(3)]
    gold = [
        pair(f"{family}-{one}", f"{family}-{other}")
        for family in range(40)
        for one, other in ((0, 1), (0, 2), (1, 2))
    ]
    result = [{**one, "score": round(draw.uniform(0.4, 1), 3)} for one in gold]
    wrong = {tuple(draw.sample(range(40), 2)) for _ in range(60)}
    result += [pair(f"{one}-0", f"{other}-1", score=round(draw.uniform(0, 0.6), 3)) for one, other in wrong]
    return (
        write(folder / "gold.jsonl", *gold),
        write(folder / "result.jsonl", *result),
        write(folder / "articles.jsonl", *({"id": id, "text": id} for id in articles)),
    )


def test_no_class_of_duplicates_is_in_both_halves(tmp_path: Path) -> None:
    gold, result, articles = families(tmp_path)
    known = named_fields(iter([([row["id"] for row in read_jsonl(articles)], {})]))
    truth = read_gold(gold, "pairs", known)
    pairs = compare_pairs(truth, read_result(result, "pairs", truth.ids), known)
    halves = part(pairs)
    names = truth.ids.names
    sides = [
        {names[number].split("-")[0] for number in (half.members if half.members is not None else ())}
        for half in (halves.development, halves.test)
    ]
    assert [len(side) for side in sides] == [20, 20]
    assert not sides[0] & sides[1]
    assert len(halves.development.gold) == len(halves.test.gold) == 60
    across = [
        row
        for row in read_jsonl(result)
        if (row["query"].split("-")[0] in sides[0]) != (row["found"].split("-")[0] in sides[0])
    ]
    assert halves.dropped == len(across)


def test_one_class_of_duplicates_cannot_be_in_two_halves(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", *(pair(1, n) for n in range(2, 9)))
    result = write(tmp_path / "r.jsonl", *(pair(1, n, score=0.5) for n in range(2, 30)))
    done = wirecopy("evaluate", gold, result, "--split")
    assert (done.returncode, b"no two classes of duplicates" in done.stderr) == (2, True)


def test_a_threshold_is_tuned_on_one_half_and_reported_on_the_other(tmp_path: Path) -> None:
    gold, result, articles = families(tmp_path)
    split = run(gold, result, "--in", articles, "--split")["split"]
    assert 0.3 < split["threshold"] < 0.7
    assert split["development"]["f1"] > 0.9
    assert split["test"]["f1"] > 0.85
    assert "b3_f1" in split["test"]
    assert split == run(gold, result, "--in", articles, "--split")["split"]
    assert split != run(gold, result, "--in", articles, "--split", "--seed", 2)["split"]


def test_a_result_and_a_threshold_are_chosen_by_intent(tmp_path: Path) -> None:
    gold, result, _ = families(tmp_path)
    worse = write(tmp_path / "worse.jsonl", *read_jsonl(result)[::2])
    told = run(gold, worse, result, "--choose", "precision 0.99")
    best = told["choices"][0]
    kept = [row for row in read_jsonl(result) if row["score"] >= best["threshold"]]
    true = {(row["query"], row["found"]) for row in read_jsonl(gold)}
    right = sum((row["query"], row["found"]) in true for row in kept)
    assert best["name"] == str(result)
    assert best["precision"] == right / len(kept) >= 0.99
    assert best["recall"] == right / len(true)
    assert best["interval"][0] <= best["precision"] <= best["interval"][1]
    wrong = write(tmp_path / "wrong.jsonl", pair("0-0", "1-1", score=1))
    assert run(gold, wrong, "--choose", "precision 0.99")["choices"] == []
    code, shown = on_terminal("evaluate", gold, wrong, "--choose", "precision 0.99", "-q")
    assert (code, shown.strip()) == (0, "no result reaches precision 0.99 at any threshold")
    assert b"expected a measure and a share" in wirecopy("evaluate", gold, result, "--choose", "best").stderr


def test_without_a_result_all_presets_and_methods_are_tried(tmp_path: Path) -> None:
    demo.write_archive(tmp_path)
    told = run(tmp_path / "truth.jsonl", "--in", tmp_path / "articles.jsonl", "--choose", "precision 0.99")
    assert {"--preset strict", "--preset syndication", "--preset any-reuse"} <= set(told["results"])
    assert any(name.startswith("--method codet:") for name in told["results"])
    best = told["choices"][0]
    assert best["name"].startswith("--preset")
    assert best["recall"] > 0.99
    done = wirecopy("evaluate", tmp_path / "truth.jsonl")
    assert (done.returncode, b"no RESULT" in done.stderr) == (2, True)


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_terminal(tmp_path: Path, width: int) -> None:
    gold, result, articles = families(tmp_path)
    code, shown = on_terminal("evaluate", gold, result, "--in", articles, "--split", width=width)
    assert code == 0
    assert "tuned on the development half" in shown
    assert max(map(len, shown.splitlines())) <= width + 40  # colours
