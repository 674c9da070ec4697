"""Two people judge forty pairs by keys, a third resolves: nothing said is lost or doubled, and nobody is shown what they should not see."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from program import wirecopy
from services import Served, serving
from sklearn.metrics import cohen_kappa_score

from .conftest import Opened
from .judges import GROUPS, JUDGES, LABELS, METHODS, PAIRS, read_stored, write_archive
from .test_access import complaints

ANN, BEN, CID = JUDGES
JUDGE = "/judge/1"
KEYS = {label: str(place) for place, label in enumerate(LABELS, 1)}


def plan(seed: int, like: dict[int, str] | None = None) -> dict[int, str]:
    """What someone will say of each pair by its place; mostly what another says, if there is one."""
    chance = random.Random(seed)
    return {
        place: like[place] if like and chance.random() < 0.7 else chance.choice(LABELS)
        for place in range(1, PAIRS + 1)
    }


def place_of(page: Any) -> int | None:
    """The place of the pair that a page shows, None if it shows none; fails if it shows what a judge should not see."""
    content = page.content()
    hidden = [*JUDGES, *METHODS, "group", "covered", "resemblance", " %"]
    own = page.context.judge
    assert [one for one in hidden if one in content.replace(own, "")] == []
    shown = page.locator("#say input[name=pair]")
    return int(shown.get_attribute("value")) if shown.count() else None


def press(page: Any, key: str) -> None:
    """Press a key that leads to another page."""
    with page.expect_navigation():
        page.keyboard.press(key)


def sit_down(open_site: Opened, served: Served, tokens: dict[str, str], name: str) -> Any:
    page = open_site(served.url, tokens[name])
    page.context.judge = name
    page.goto(JUDGE)
    return page


def test_two_judges_and_a_resolver_go_through_forty_pairs_by_keys(
    open_site: Opened, tmp_path: Path, chromium: Any
) -> None:
    path, tokens = write_archive(tmp_path)
    hers = plan(1)
    his = plan(2, hers)
    disagreed = [place for place in hers if hers[place] != his[place]]
    assert 5 < len(disagreed) < 30
    resolved = {place: random.Random(place).choice(LABELS) for place in disagreed}

    with serving(path) as served:
        # The first skips, takes back and reloads.
        page = sit_down(open_site, served, tokens, ANN)
        seen = []
        while (place := place_of(page)) is not None:
            if place in (3, 30) and place not in seen:
                press(page, "s")
            elif place in (7, 8, 40) and place not in seen:
                press(page, KEYS["questionable"])
                press(page, "u")
                assert place_of(page) == place
            elif place == 12 and place not in seen:
                page.reload()
                assert place_of(page) == place
            else:
                press(page, KEYS[hers[place]])
            seen.append(place)
        assert seen[-2:] == [3, 30] or seen[-3:-1] == [3, 30]
        assert [one["judge"] for one in read_stored(path)] == [ANN] * PAIRS
        port = served.place[1]

        # The second has two tabs, one of them stale whenever the other has judged; in between the service is killed.
        page = sit_down(open_site, served, tokens, BEN)
        other = page.context.new_page()
        other.goto(JUDGE)
        for _ in range(8):
            place = place_of(page)
            assert place == place_of(other)
            assert place
            press(page, KEYS[his[place]])
            press(other, KEYS[his[place]])
        acknowledged = read_stored(path)
        served.process.kill()
        served.process.wait()
    with serving(path, "--port", port) as served:
        assert read_stored(path) == acknowledged
        place = place_of(page)
        assert place == 9
        press(page, KEYS["form" if his[9] != "form" else "neither"])
        press(other, KEYS[his[place]])  # the stale tab shows the same pair: what is said of it now stands
        assert "stands instead" in other.locator("#note").inner_text()
        page.goto(JUDGE)
        while (place := place_of(page)) is not None:
            press(page, KEYS[his[place]])
        told = {
            int(one["query"].split("/")[1]): one["label"] for one in read_stored(path) if one["judge"] == BEN
        }
        assert told == his

        # The third is given what they disagree on, and told no more than that.
        page = sit_down(open_site, served, tokens, CID)
        found = []
        while (place := place_of(page)) is not None:
            assert "Two people disagree on this pair" in page.locator("main").inner_text()
            found.append(place)
            press(page, KEYS[resolved[place]])
        assert found == disagreed

        said = read_stored(path)
        assert len(said) == 2 * PAIRS + len(disagreed)
        check_agreement(open_site(served.url, tokens["admin"]), hers, his)
    check_collection(tmp_path, path, hers, resolved)


def check_agreement(page: Any, hers: dict[int, str], his: dict[int, str]) -> None:
    """The page shows, by group, what scikit-learn computes."""
    page.goto(f"{JUDGE}/agreement")
    both: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for place in hers:
        both[str(place % GROUPS + 1)].append((hers[place], his[place]))
    rows = page.locator("tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    assert [row[0] for row in rows] == sorted(both)
    kappas = []
    for group, judges, pairs, agreed, _, kappa in rows:
        mine, theirs = zip(*both[group], strict=True)
        kappas.append(cohen_kappa_score(mine, theirs))
        assert judges == f"{ANN}, {BEN}"
        assert (int(pairs), int(agreed)) == (len(mine), sum(map(str.__eq__, mine, theirs)))
        assert float(kappa) == pytest.approx(kappas[-1], abs=0.0005)
    mean = page.locator(".figures div", has_text="kappa").locator("dd").inner_text()
    assert float(mean) == pytest.approx(sum(kappas) / len(kappas), abs=0.0005)
    assert complaints(page) == []


def check_collection(folder: Path, path: Path, hers: dict[int, str], resolved: dict[int, str]) -> None:
    """What was said goes into `pool` and `evaluate` as it is."""
    collection = folder / "collection.jsonl"
    ran = wirecopy("judge", path, "--export", folder / "said.jsonl")
    assert ran.returncode == 0, ran.stderr
    ran = wirecopy(
        "pool", folder / "pool.jsonl", "--judged", folder / "said.jsonl", "-o", collection, "--jsonl"
    )
    assert ran.returncode == 0, ran.stderr
    labels = {
        int(one["query"].split("/")[1]): one["label"]
        for one in map(json.loads, collection.read_text().splitlines())
    }
    assert labels == hers | resolved
    ran = wirecopy("find", folder / "articles.jsonl", "-o", folder / "matches.jsonl", "-q")
    ran = wirecopy("evaluate", collection, folder / "matches.jsonl", "--json", "-o", folder / "scores.json")
    assert ran.returncode == 0, ran.stderr


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, chromium: Any) -> Any:
    """A service with a queue, and the tokens of its judges."""
    path, tokens = write_archive(tmp_path_factory.mktemp("judged"))
    with serving(path) as served:
        yield path, served, tokens


def test_without_script_the_buttons_do_the_same(open_site: Opened, judged: Any) -> None:
    path, served, tokens = judged
    page = open_site(served.url, tokens[ANN], java_script_enabled=False)
    page.goto(JUDGE)
    page.get_by_role("button", name="near-duplicate").click()
    assert page.locator("#say input[name=pair]").get_attribute("value") == "2"
    page.get_by_role("button", name="undo: near-duplicate").click()
    assert page.locator("#say input[name=pair]").get_attribute("value") == "1"
    page.get_by_role("button", name="skip").click()
    page.get_by_role("button", name="undo: skipped").click()
    page.get_by_role("link", name="Guide").click()
    assert "the same words in the same order" in page.locator("main").inner_text()
    assert read_stored(path) == []


def test_a_key_that_is_held_or_pressed_twice_says_one_thing(open_site: Opened, judged: Any) -> None:
    path, served, tokens = judged
    page = open_site(served.url, tokens[BEN])
    page.goto(JUDGE)
    with page.expect_navigation():
        page.evaluate(
            "() => { for (const key of ['1', '1', '2']) document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); }"
        )
    assert [(one["query"], one["label"]) for one in read_stored(path)] == [("post/1", "identical")]
    press(page, "u")


def test_the_browsers_way_back_shows_what_is_now(open_site: Opened, judged: Any) -> None:
    _, served, tokens = judged
    page = open_site(served.url, tokens[CID])
    page.goto(JUDGE)
    press(page, "1")
    page.go_back()
    page.wait_for_function("document.querySelector('#say input[name=pair]').value === '2'")
    press(page, "u")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_people_judge(open_site: Opened, judged: Any, scheme: str) -> None:
    _, served, tokens = judged
    assert complaints(open_site(served.url, color_scheme=scheme)) == []  # where people sign in
    page = open_site(served.url, tokens[ANN], color_scheme=scheme)
    for address in ("/judge", JUDGE, f"{JUDGE}/guide"):
        page.goto(address)
        assert complaints(page) == [], address
    page.goto(JUDGE)
    page.keyboard.press("?")
    assert page.locator("#help[open]").count() == 1
    assert complaints(page) == []


def test_marks_can_be_left_away_and_keys_go_nowhere_in_the_guide(open_site: Opened, judged: Any) -> None:
    path, served, tokens = judged
    page = open_site(served.url, tokens[ANN])
    page.goto(JUDGE)
    page.keyboard.press("m")
    assert page.locator(".label:visible").count() == 0
    page.keyboard.press("?")
    page.keyboard.press("1")
    assert page.locator("#help[open]").count() == 1
    assert read_stored(path) == []
