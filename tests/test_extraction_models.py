"""The models say what their formulas say, and a file that is no model is refused with a reason."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import crf, trees
from sites import trained_crf, write_labelled, write_page
from sklearn.linear_model import LogisticRegression

from wirecopy import _core, extraction
from wirecopy.errors import SourceError, UsageError
from wirecopy.extraction.labelled import read_labelled
from wirecopy.model import Page

LIMITS = (extraction.MAX_PAGE_BYTES, extraction.MAX_PAGE_TAGS)


@pytest.fixture(scope="module")
def crf_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained_crf(tmp_path_factory.mktemp("pages"))


def label(scores: Any, transitions: crf.Transitions) -> tuple[list[bool], list[float]]:
    labels, likely = _core.crf_label(
        np.array(scores, np.float64), np.array([0, len(scores)]), [list(row) for row in transitions]
    )
    return labels.tolist(), likely.tolist()


WEIGHTS = st.floats(-5, 5)
TRANSITIONS = st.tuples(st.tuples(WEIGHTS, WEIGHTS), st.tuples(WEIGHTS, WEIGHTS))


@settings(max_examples=60)
@given(scores=st.lists(WEIGHTS, max_size=6), transitions=TRANSITIONS)
def test_the_chain_finds_the_best_of_all_labellings(
    scores: list[float], transitions: crf.Transitions
) -> None:
    labels, likely = label(scores, transitions)
    found, best = (
        crf.score(one, scores, transitions) for one in ([*map(int, labels)], crf.best(scores, transitions))
    )
    assert found == pytest.approx(best, abs=1e-9)
    assert likely == pytest.approx(crf.marginals(scores, transitions), abs=1e-9)


@settings(max_examples=30)
@given(
    sequences=st.lists(st.lists(st.tuples(WEIGHTS, st.integers(0, 1)), max_size=5), min_size=1, max_size=3),
    transitions=TRANSITIONS,
)
def test_the_gradient_is_how_the_loss_changes(
    sequences: list[list[tuple[float, int]]], transitions: crf.Transitions
) -> None:
    importance = np.linspace(0.5, 2, len(sequences))
    ends = np.cumsum([0, *map(len, sequences)])
    scores = np.array([score for one in sequences for score, _ in one])
    labels = np.array([label for one in sequences for _, label in one], np.uint8)

    def expect(scores: Any, transitions: Any) -> tuple[Any, Any, float]:
        return _core.crf_expect(scores, ends, labels, importance, transitions)

    likely, gradient, loss = expect(scores, transitions)
    slow = [
        crf.loss([score for score, _ in one], [label for _, label in one], transitions) for one in sequences
    ]
    assert loss == pytest.approx(float(importance @ slow), abs=1e-8)
    step = 1e-5
    weight = np.repeat(importance, np.diff(ends))
    for place in range(len(scores)):
        moved = [scores.copy(), scores.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        slope = (expect(moved[0], transitions)[2] - expect(moved[1], transitions)[2]) / (2 * step)
        assert weight[place] * (likely[place] - labels[place]) == pytest.approx(slope, abs=1e-4)
    for before in range(2):
        for after in range(2):
            moved_transitions = np.array([transitions, transitions])
            moved_transitions[0, before, after] += step
            moved_transitions[1, before, after] -= step
            high, low = (expect(scores, one.tolist())[2] for one in moved_transitions)
            assert gradient[before][after] == pytest.approx((high - low) / (2 * step), abs=1e-4)


def random_sequence(rng: random.Random) -> tuple[list[dict[str, float]], list[str]]:
    labels = [rng.choice("01")]
    for _ in range(rng.randrange(30)):
        labels.append(labels[-1] if rng.random() < 0.8 else rng.choice("01"))
    values = [
        {f"v{number}": rng.gauss(0.4 * number * (label == "1"), 1) for number in range(4)} | {"bias": 1.0}
        for label in labels
    ]
    return values, labels


def test_the_chain_decodes_as_crfsuite_does_with_the_same_weights(tmp_path: Path) -> None:
    rng = random.Random(2)
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"feature.possible_transitions": True, "max_iterations": 50})
    for _ in range(60):
        trainer.append(*random_sequence(rng))
    trainer.train(str(tmp_path / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    weights = tagger.info()
    transitions = [[weights.transitions[(before, after)] for after in "01"] for before in "01"]
    speaks = {
        name: weights.state_features.get((name, "1"), 0) - weights.state_features.get((name, "0"), 0)
        for name in ("v0", "v1", "v2", "v3", "bias")
    }
    for _ in range(500):
        values, _ = random_sequence(rng)
        scores = [sum(speaks[name] * value for name, value in one.items()) for one in values]
        labels, likely = label(scores, transitions)
        assert [str(int(one)) for one in labels] == tagger.tag(values)
        tagger.set(values)
        # crfsuite tells its weights with six decimals.
        assert likely == pytest.approx(
            [tagger.marginal("1", place) for place in range(len(values))], abs=1e-4
        )


def test_a_long_page_neither_overflows_nor_vanishes() -> None:
    scores = np.tile([800.0, -900.0, 3.0], 20_000)
    labels, likely = label(scores, ((0, -700), (-700, 0)))
    assert len(labels) == len(scores)
    assert np.isfinite(likely).all()
    assert min(likely) >= 0
    assert max(likely) <= 1 + 1e-9


@pytest.mark.parametrize("ends", [[0, 5], [-1, 2], [2, 0], [0, 2**62]])
def test_sequences_that_do_not_fit_are_refused(ends: list[int]) -> None:
    with pytest.raises(ValueError, match="sequences beyond the scores"):
        _core.crf_label(np.zeros(3), np.array(ends), [[0, 0], [0, 0]])
    with pytest.raises(ValueError, match="sequences beyond the scores"):
        _core.crf_expect(np.zeros(3), np.array(ends), np.zeros(3, np.uint8), np.ones(1), [[0, 0], [0, 0]])


def told(model: Path | str, html: str) -> list[tuple[str, bool, float]]:
    (found,) = extraction.extract_pages([Page("", html.encode())], model=model, with_blocks=True)
    return [(block.text, block.content, block.score) for block in found.blocks]


def test_maxent_gives_the_probabilities_of_scikit_learn(tmp_path: Path) -> None:
    pages = [write_page(number % 4, number) for number in range(30)]
    counted: list[dict[str, int]] = []
    labels: list[bool] = []
    for page in pages:
        html, text = page.html, page.text
        spelt = [word for _, word in _core.spell_words(html.encode(), None, *LIMITS)]
        _, _, offsets = _core.look_at(html.encode(), None, None, 0.0, *LIMITS)
        for start, end in pairwise(offsets.tolist()):
            counted.append({word: spelt[start:end].count(word) for word in spelt[start:end]})
        labels += [block in text for block, _, _ in told("heuristic", html)]
    words = sorted(set().union(*counted[: len(counted) // 2]))
    counts = np.array([[block.get(word, 0) for word in words] for block in counted], float)
    fitted = LogisticRegression(max_iter=1000).fit(counts, labels)
    model = {
        "wirecopy_model": 1,
        "kind": "maxent",
        "bias": float(fitted.intercept_[0]),
        "words": dict(zip(words, fitted.coef_[0].tolist(), strict=True)),
    }
    path = tmp_path / "maxent.json"
    path.write_text(json.dumps(model), "utf-8")
    found = [block for page in pages for block in told(path, page.html)]
    scores = np.array([score for _, _, score in found])
    np.testing.assert_allclose(scores, fitted.decision_function(counts), atol=1e-9)
    np.testing.assert_allclose(1 / (1 + np.exp(-scores)), fitted.predict_proba(counts)[:, 1], atol=1e-9)
    assert [content for _, content, _ in found] == fitted.predict(counts).tolist()
    assert 0 < sum(labels) < len(labels)


def scores_of(look: dict[str, Any], rows: Any, with_context: bool) -> list[float]:
    names = _core.feature_names(with_context)
    places = [[name for name, _ in names].index(name) for name in look["values"]]
    is_amount = [names[place][1] for place in places]
    # Thresholds are held as the values are, in 32 bits.
    held = [tree | {"at": np.float32(tree["at"]).tolist()} for tree in look["trees"]]
    return [
        look["bias"] + sum(trees.walk(tree, row[places].tolist(), is_amount) for tree in held) for row in rows
    ]


def test_the_crf_is_two_looks_and_a_chain(crf_model: Path) -> None:
    model = json.loads(crf_model.read_text("utf-8"))
    for site in range(3):
        page = write_page(site, 100)
        html, text = page.html, page.text
        found = told(crf_model, html)
        values, _, _ = _core.look_at(html.encode(), None, None, 0.0, *LIMITS)
        first = np.array(scores_of(model["looks"][0], values.reshape(len(found), -1), False))
        likely = (1 / (1 + np.exp(-first))).astype(np.float32)
        again = float(model["again"])
        values, _, _ = _core.look_at(html.encode(), None, likely, again, *LIMITS)
        expected = first.copy()
        expected[likely >= np.float32(again)] = scores_of(
            model["looks"][1], values.reshape(int((likely >= np.float32(again)).sum()), -1), True
        )
        assert [score for _, _, score in found] == pytest.approx(expected.tolist(), abs=1e-4)
        words = [len(block.split()) for block, _, _ in found]
        above = expected - crf.least(expected.tolist(), words)
        assert [content for _, content, _ in found] == label(above.tolist(), model["transitions"])[0]
        assert "\n\n".join(block for block, content, _ in found if content) == text


def random_tree(rng: random.Random, values: int, leaves: int) -> dict[str, list[Any]]:
    """A tree of any shape."""
    tree: dict[str, list[Any]] = {"value": [-1], "at": [0], "yes": [0], "no": [0], "score": [0.0]}
    ends = [0]
    for _ in range(leaves - 1):
        node = ends.pop(rng.randrange(len(ends)))
        ends += [len(tree["value"]), len(tree["value"]) + 1]
        tree["value"][node], tree["at"][node] = rng.randrange(values), rng.choice([0, 0, 1, 2, 5, 0.5, 20])
        tree["yes"][node], tree["no"][node] = ends[-2:]
        for name, entry in (("value", -1), ("at", 0), ("yes", 0), ("no", 0)):
            tree[name] += [entry, entry]
        tree["score"] += [rng.gauss(0, 1), rng.gauss(0, 1)]
    return tree


@pytest.mark.parametrize("seed", range(8))
def test_a_forest_is_the_sum_of_its_trees(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    values = [name for name, _ in _core.feature_names(False)]
    forest = [random_tree(rng, len(values), rng.choice([1, 2, 7, 31, 32])) for _ in range(250)]
    look = {"bias": 0.5, "values": values, "trees": forest}
    path = tmp_path / "model.json"
    path.write_text(json.dumps(tiny() | {"looks": [look, look], "again": 2.0}), "utf-8")
    # Pages of as many blocks as are asked side by side, fewer, and more.
    for blocks in (1, 7, 8, 9, 40):
        html = "".join(
            f"<p class=c{rng.randrange(3)}>{'A word, ' * rng.randrange(30)}end." for _ in range(blocks)
        )
        rows, _, _ = _core.look_at(html.encode(), None, None, 0.0, *LIMITS)
        expected = scores_of(look, rows.reshape(blocks, -1), False)
        assert [score for _, _, score in told(path, html)] == pytest.approx(expected, abs=1e-4)


def test_reasons_are_parts_of_the_score(crf_model: Path) -> None:
    html = write_page(3, 100).html
    (found,) = extraction.extract_pages([Page("", html.encode())], model=crf_model, with_blocks=True)
    for block in found.blocks:
        assert 0 < len(block.reasons) <= 3
        shares = [abs(share) for _, share in block.reasons]
        assert shares == sorted(shares, reverse=True)
        assert (block.score > 0) == (sum(share for _, share in block.reasons) > 0)


@pytest.mark.parametrize("seed", range(12))
def test_a_tree_grows_where_the_best_split_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = 60, 4
    bins = rng.integers(0, [3, 12, 5, 200][seed % 4], (columns, rows)).astype(np.uint8)
    is_amount = [True, False, True, seed % 2 == 0]
    slopes = rng.normal(size=rows).astype(np.float32)
    weights = rng.uniform(0.1, 1, rows).astype(np.float32)
    chosen = np.sort(rng.choice(rows, 45, replace=False)).astype(np.uint32)
    growth = (6, 1.5, 1.0, 0.3)
    tree, added = _core.grow_tree(
        bins.reshape(-1), np.arange(columns, dtype=np.uint32), is_amount, chosen, slopes, weights, growth
    )
    grown = trees.grow(
        bins.tolist(),
        is_amount,
        slopes.tolist(),
        weights.tolist(),
        chosen.tolist(),
        leaves=6,
        least=1.5,
        shrinkage=1.0,
        rate=0.3,
    )
    assert sum(value < 0 for value in tree[0]) == len(grown)
    for leaf in grown:
        assert added[leaf.rows] == pytest.approx(leaf.score, abs=1e-5)
    walked = _core.walk_tree(bins.reshape(-1), is_amount, tree)
    np.testing.assert_array_equal(walked, added)
    plain = dict(zip(("value", "at", "yes", "no", "score"), tree, strict=True))
    slow = [trees.walk(plain, row.tolist(), is_amount) for row in bins.T]
    assert added.tolist() == pytest.approx(slow)


def test_a_tree_asks_only_about_the_columns_it_may() -> None:
    bins = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.uint8)
    slopes = np.array([-1, -1, 1, 1], np.float32)
    for columns, asked in (([0], {0}), ([1], set()), ([0, 1], {0})):
        tree, _ = _core.grow_tree(
            bins.reshape(-1),
            np.array(columns, np.uint32),
            [True, True],
            np.arange(4, dtype=np.uint32),
            slopes,
            np.ones(4, np.float32),
            (4, 0.5, 1.0, 1.0),
        )
        assert set(tree[0]) - {-1} == asked


@pytest.mark.parametrize(
    ("bins", "columns", "chosen"),
    [(7, [0], [0]), (8, [2], [0]), (8, [0], [4])],
    ids=["bins", "column", "row"],
)
def test_a_tree_over_what_is_not_there_is_refused(bins: int, columns: list[int], chosen: list[int]) -> None:
    ones = np.ones(4, np.float32)
    with pytest.raises(ValueError, match=r"expected 8 bins|a row or column beyond the end"):
        _core.grow_tree(
            np.zeros(bins, np.uint8),
            np.array(columns, np.uint32),
            [True, True],
            np.array(chosen, np.uint32),
            ones,
            ones,
            (4, 0.5, 1.0, 1.0),
        )


def tiny() -> dict[str, Any]:
    """The smallest `crf`: one question a look."""
    tree = {"value": [0, -1, -1], "at": [5, 0, 0], "yes": [1, 0, 0], "no": [2, 0, 0], "score": [0, -1, 1]}
    look = {"bias": 0, "values": ["words"], "trees": [tree]}
    return {
        "wirecopy_model": 1,
        "kind": "crf",
        "again": 0.0,
        "transitions": [[0, 0], [0, 0]],
        "looks": [look, look],
    }


def change(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def apply(model: dict[str, Any]) -> None:
        *way, last = path
        for step in way:
            model = model[step]
        model[last] = to

    return apply


TREE = ("looks", 0, "trees", 0)
BROKEN = {
    "another format": (change("wirecopy_model", to=2), "expected a model of format 1, got 2"),
    "no format": (change("wirecopy_model", to=None), "expected a model of format 1"),
    "another kind": (change("kind", to="svm"), "expected a model page, heuristic, maxent or crf, got svm"),
    "no kind": (change("kind", to=7), "expected a model page, heuristic, maxent or crf"),
    "maxent without words": (change("kind", to="maxent"), "`words` is missing"),
    "one look": (change("looks", to=[]), "`looks` is missing"),
    "looks as text": (change("looks", to="two"), "`looks` is missing"),
    "a look as number": (change("looks", 1, to=3), "`values` is missing"),
    "no transitions": (change("transitions", to=None), "expected a number, got null"),
    "one transition": (change("transitions", to=[[1]]), "expected a number, got null"),
    "a transition as text": (change("transitions", 0, 0, to="1"), 'expected a number, got "1"'),
    "no bias": (change("looks", 0, "bias", to=None), "expected a number"),
    "no trees": (change("looks", 0, "trees", to={}), "`trees` is missing"),
    "a tree as text": (change(*TREE, to="oak"), "`value` is missing"),
    "an unknown value": (change("looks", 0, "values", to=["colour"]), "does not know: colour"),
    "a value of the second look": (change("looks", 0, "values", to=["likely"]), "does not know: likely"),
    "values as numbers": (change("looks", 0, "values", to=[1]), "`values` is missing"),
    "a value beyond": (change(*TREE, "value", to=[1, -1, -1]), "`value` is missing"),
    "a huge value": (change(*TREE, "value", to=[2**63, -1, -1]), "`value` is missing"),
    "half a value": (change(*TREE, "value", to=[0.5, -1, -1]), "`value` is missing"),
    "too few nodes": (change(*TREE, "at", to=[5]), "expected one entry a node"),
    "no nodes": (
        change(*TREE, to={name: [] for name in ("value", "at", "yes", "no", "score")}),
        "one entry a node",
    ),
    "a circle": (change(*TREE, "yes", to=[0, 0, 0]), "node 0 of a tree goes on to nodes 0 and 2 of 3"),
    "a node beyond": (change(*TREE, "no", to=[3, 0, 0]), "node 0 of a tree goes on to nodes 1 and 3 of 3"),
    "too many leaves": (
        change(*TREE, to=random_tree(random.Random(1), 1, 33)),
        "a tree has more than 32 leaves",
    ),
    "a node before": (change(*TREE, "no", to=[-1, 0, 0]), "`no` is missing"),
    "a huge node": (change(*TREE, "no", to=[2**32 + 2, 0, 0]), "`no` is missing"),
    "a huge score": (change(*TREE, "score", to=[0, 1e300, 0]), "`score` is missing"),
    "a large score": (change(*TREE, "score", to=[0, 2e6, 0]), "`score` is missing"),
    "a huge bias": (change("looks", 0, "bias", to=-1.7e308), "expected a number from -1000000 to 1000000"),
    "a huge weight": (
        lambda model: model.update(kind="maxent", words={"a": -1.7e308}, bias=0),
        "expected a number from -1000000 to 1000000, got -1.7e+308",
    ),
    "a huge threshold": (change(*TREE, "at", to=[-1e300, 0, 0]), "`at` is missing"),
    "NaN": (change(*TREE, "score", to=[0, float("nan"), 0]), "not a model"),
    "infinity": (change("looks", 0, "bias", to=float("inf")), "not a model"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_file_that_is_no_model_is_refused_with_the_reason(broken: str, tmp_path: Path) -> None:
    breaking, reason = BROKEN[broken]
    model = json.loads(json.dumps(tiny()))
    breaking(model)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model), "utf-8")
    with pytest.raises(SourceError) as refused:
        extraction.load_model(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"7",
        b'"crf"',
        b"null",
        b"{",
        b"[" * 100_000,
        b"{}",
        b'{"wirecopy_model": 1e999}',
    ],
)
def test_a_file_of_something_else_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"model\.json: "):
        extraction.load_model(path)


def test_a_model_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    whole = json.dumps(tiny())
    path = tmp_path / "model.json"
    for cut in range(0, len(whole), 7):
        path.write_text(whole[:cut], "utf-8")
        with pytest.raises(SourceError):
            extraction.load_model(path)
    path.write_text(whole, "utf-8")
    assert told(path, "<p>one<p>one two three four five six") == [
        ("one", False, -1.0),
        ("one two three four five six", True, 1.0),
    ]


SIZES = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 30)), min_size=1, max_size=8)


@settings(max_examples=60)
@given(blocks=SIZES)
def test_blocks_are_taken_that_make_the_best_of_the_page(
    blocks: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    # A block's score is how many commas it has, less 10.
    places = range(0, 2 * 20, 2)
    tree = {
        "value": [0 if node in places else -1 for node in range(41)],
        "at": [node / 2 if node in places else 0 for node in range(41)],
        "yes": [node + 1 if node in places else 0 for node in range(41)],
        "no": [node + 2 if node in places else 0 for node in range(41)],
        "score": [0 if node in places else (node - 1) / 2 - 10 for node in range(40)] + [10],
    }
    look = {"bias": 0, "values": ["commas"], "trees": [tree]}
    path = tmp_path_factory.mktemp("model") / "model.json"
    path.write_text(json.dumps(tiny() | {"looks": [look, look]}), "utf-8")
    html = "".join(f"<p>{'word ' * size}{',' * commas}" for commas, size in blocks)
    found = told(path, html)
    scores = [score for _, _, score in found]
    assert scores == [commas - 10 for commas, _ in blocks]
    least = crf.least(scores, [size for _, size in blocks])
    assert [content for _, content, _ in found] == [score > least + 1e-9 for score in scores]


def test_weak_candidates_are_taken_where_there_is_nothing_better(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    model = tiny()
    for look in model["looks"]:
        look["bias"] = -2
    path.write_text(json.dumps(model), "utf-8")
    weak, weaker = "one two three four five six", "one two three"
    assert [content for _, content, _ in told(path, f"<p>{weak}")] == [True]
    assert [content for _, content, _ in told(path, f"<p>{weak}<p>{weaker}")] == [True, False]
    for look in model["looks"]:
        look["bias"] = -6
    path.write_text(json.dumps(model), "utf-8")
    assert [content for _, content, _ in told(path, f"<p>{weak}<p>{weaker}")] == [False, False]


def test_a_model_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="expected crf, maxent, heuristic, page or a file, got nowhere"):
        extraction.load_model("nowhere")


def test_the_words_of_the_model_that_ships_are_spelt_as_those_of_pages() -> None:
    shipped = resources.files("wirecopy.extraction").joinpath("models", "maxent.json").read_text("utf-8")
    for word in json.loads(shipped)["words"]:
        ((_, spelt),) = _core.spell_words(f"<p>{word}".encode(), "utf-8", *LIMITS)
        assert spelt == word


def test_a_page_without_a_block_that_stands_a_chance_has_no_second_look(tmp_path: Path) -> None:
    page = read_labelled(write_labelled(tmp_path, range(1)))[0][0]
    assert page.look_again(np.zeros(len(page.labels), np.float32), 0.1).shape == (
        0,
        len(_core.feature_names(True)),
    )
