"""Two articles side by side: what is marked, what has moved, and how both columns go together."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Opened, press, settle
from .news import ARABIC, CHINESE, HEBREW, OWN, THAI, change, paragraphs
from .test_reading import heading, texts

MOVED = "#pair/harbour%2Fmoved/harbour%2Ffirst"
EDITED = "#pair/harbour%2Fedited/harbour%2Ffirst"
SHOUTED = "#pair/harbour%2Fshouted/harbour%2Ffirst"


def written(page: Any, side: str) -> str:
    """The text of one side, without the labels that the page puts in."""
    found: str = page.locator(f".pane.{side} .text").evaluate(
        "one => { const copy = one.cloneNode(true); copy.querySelectorAll('button').forEach((b) => b.remove()); return copy.textContent; }"
    )
    return found


def top(page: Any, side: str, selector: str) -> float:
    """How far below the upper edge of its column something stands."""
    found: float = page.locator(f".pane.{side}").evaluate(
        "(pane, selector) => pane.querySelector(selector).getBoundingClientRect().top - pane.getBoundingClientRect().top",
        selector,
    )
    return found


def test_both_texts_are_shown_whole(open_report: Opened) -> None:
    page = open_report(MOVED)
    parts = paragraphs()
    assert written(page, "query") == "\n\n".join([*parts[1:], parts[0]])
    assert written(page, "found") == "\n\n".join(parts)


def test_a_moved_paragraph_is_shown_as_moved(open_report: Opened) -> None:
    page = open_report(MOVED)
    first = paragraphs()[0]
    for side in ("query", "found"):
        [moved] = page.locator(f".pane.{side} .passage.moved").all_inner_texts()
        assert moved.split() == f"⇅ 2{first}".split()
    assert page.locator(".minimap .band.moved").count() == 1
    assert "352 equal words in 2 passages, 1 of them moved" in page.locator(".lead").inner_text()


def test_word_changes_are_marked_as_words(open_report: Opened) -> None:
    page = open_report(EDITED)
    original = paragraphs()[0].split(" ")
    assert change("a b", (0,)) == "ch0nged b"
    assert texts(page, ".pane.query .reworded") == ["ch0nged ch1nged", "ch2nged"]
    assert texts(page, ".pane.found .reworded") == [" ".join(original[5:7]), original[20]]
    assert OWN in page.locator(".pane.query .added").last.inner_text()


def test_spelling_is_marked_when_asked_for(open_report: Opened) -> None:
    page = open_report(SHOUTED)
    spelled = page.locator(".pane.query .spelled").first
    line = "one => getComputedStyle(one).borderBottomStyle"
    assert spelled.evaluate(line) == "none"
    page.get_by_role("button", name="Spelling").click()
    assert spelled.evaluate(line) == "dotted"
    assert "hide=&" in f"{page.url}&"


@pytest.mark.parametrize(
    ("name", "selector"), [("Same", ".same"), ("Different", ".reworded"), ("Boilerplate", ".boilerplate")]
)
def test_a_toggle_takes_its_marks_away_and_the_address_keeps_that(
    open_report: Opened, name: str, selector: str
) -> None:
    page = open_report(EDITED)
    look = f"() => {{ const one = document.querySelector('.pane {selector}'); return one && getComputedStyle(one).backgroundColor + getComputedStyle(one).borderBottomStyle; }}"
    before = page.evaluate(look)
    button = page.get_by_role("button", name=name)
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    if before:
        assert page.evaluate(look) != before
    page.reload()
    settle(page)
    assert page.get_by_role("button", name=name).get_attribute("aria-pressed") == "false"


def test_boilerplate_is_greyed(open_report: Opened) -> None:
    page = open_report("#series")
    page.locator(".rows a").first.click()
    settle(page)
    page.get_by_role("link", name="side by side").first.click()
    settle(page)
    assert "press code of honour" in " ".join(texts(page, ".show-boilerplate .pane .boilerplate"))


def test_d_and_l_toggle_differences_and_lock(open_report: Opened) -> None:
    page = open_report(EDITED)
    press(page, "d", "l")
    assert page.get_by_role("button", name="Different").get_attribute("aria-pressed") == "false"
    assert page.get_by_role("button", name="Lock").get_attribute("aria-pressed") == "false"
    assert "hide=spelling%2Cdifferent&lock=off" in page.url
    press(page, "d", "l")
    assert "hide" not in page.url
    assert "lock" not in page.url


def test_n_and_p_go_through_passages_and_bring_both_ends_to_one_height(open_report: Opened) -> None:
    page = open_report(MOVED, viewport={"width": 1280, "height": 560})
    press(page, "n")
    assert page.locator(".where").inner_text() == "passage 1 of 2"
    press(page, "n")
    assert page.locator(".where").inner_text() == "passage 2 of 2"
    assert page.url.endswith("passage=2")
    assert page.locator(".passage.current").count() == 2
    assert 0 <= top(page, "query", ".moved") < 400
    assert 0 <= top(page, "found", ".moved") < 400
    press(page, "n", "p", "p")
    assert page.locator(".where").inner_text() == "passage 1 of 2"


def test_m_goes_to_the_other_end_and_back(open_report: Opened) -> None:
    page = open_report(MOVED + "?passage=2", viewport={"width": 1280, "height": 560})
    press(page, "m")
    assert page.locator(".pane.found .moved button:focus").count() == 1
    press(page, "m")
    assert page.locator(".pane.query .moved button:focus").count() == 1
    page.locator(".pane.query .moved button").click()
    assert page.locator(".pane.found .moved button:focus").count() == 1


def scroll(page: Any, side: str, top: int) -> None:
    """Scroll one column, and let the other follow."""
    page.locator(f".pane.{side}").evaluate(
        "(one, top) => { one.scrollTop = top; return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); }",
        top,
    )


def height_of(page: Any, side: str, words: str) -> float:
    """How far below the upper edge of its column some words stand."""
    found: float = page.locator(f".pane.{side}").evaluate(
        """(pane, words) => {
          const walker = document.createTreeWalker(pane, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.indexOf(words);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            return range.getBoundingClientRect().top - pane.getBoundingClientRect().top;
          }
        }""",
        words,
    )
    return found


@pytest.mark.parametrize(("hash_", "paragraph"), [(EDITED, 2), (MOVED, 5), (MOVED, 3)])
def test_locked_columns_keep_equal_words_at_one_height(
    open_report: Opened, hash_: str, paragraph: int
) -> None:
    page = open_report(hash_, viewport={"width": 1280, "height": 560})
    words = paragraphs()[paragraph][:30]
    for side, follower in (("query", "found"), ("found", "query")):
        scroll(page, side, 0)
        line = page.locator(f".pane.{side}").evaluate("one => one.clientHeight * 0.3")
        scroll(page, side, round(height_of(page, side, words) - line))
        assert abs(height_of(page, side, words) - line) < 3
        assert abs(height_of(page, follower, words) - line) < 30


def test_free_columns_scroll_alone(open_report: Opened) -> None:
    page = open_report(EDITED, viewport={"width": 1280, "height": 560})
    press(page, "l")
    scroll(page, "query", 300)
    found = page.locator(".pane.found")
    assert found.evaluate("one => one.scrollTop") == 0
    press(page, "l")
    assert found.evaluate("one => one.scrollTop") > 200


def test_a_band_of_the_map_leads_to_its_passage(open_report: Opened) -> None:
    page = open_report(MOVED)
    page.locator(".minimap .band.moved").dispatch_event("click")
    assert page.locator(".where").inner_text() == "passage 2 of 2"


def test_j_and_k_go_through_the_pairs_of_a_story_and_escape_back_to_it(open_report: Opened) -> None:
    page = open_report(MOVED)
    names = [heading(page)]
    for _ in range(2):
        press(page, "j")
        names.append(heading(page))
    assert len(set(names)) == 3
    press(page, "k")
    assert heading(page) == names[1]
    press(page, "Escape")
    assert "#story/harbour%2Ffirst" in page.url


def test_a_pair_is_found_wherever_it_is(open_report: Opened) -> None:
    page = open_report(MOVED + "?in=zh%2F0&of=story&passage=2")
    assert heading(page) == "Harbour Post beside Meridian Wire"
    assert page.locator(".where").inner_text() == "passage 2 of 2"
    assert heading(open_report("#pair/a/b")) == "Not found"


def test_a_file_with_one_pair_opens_it(open_report: Opened) -> None:
    page = open_report(name="pair")
    assert heading(page) == "Harbour Post beside Meridian Wire"
    press(page, "n", "d")
    page.reload()
    settle(page)
    assert page.locator(".where").inner_text() == "passage 1 of 2"
    assert page.get_by_role("button", name="Different").get_attribute("aria-pressed") == "false"


def test_strangers_are_said_to_share_nothing(open_report: Opened) -> None:
    page = open_report(name="strangers")
    assert page.locator(".lead").inner_text() == "Nothing is shared that would count as copied."


@pytest.mark.parametrize(
    ("language", "text", "side"),
    [("ar", ARABIC, "right"), ("he", HEBREW, "right"), ("zh", CHINESE, "left"), ("th", THAI, "left")],
)
def test_every_script_reads_its_way_and_wraps(
    open_report: Opened, language: str, text: str, side: str
) -> None:
    page = open_report(f"#pair/{language}%2F1/{language}%2F0", viewport={"width": 900, "height": 800})
    assert written(page, "found") == text
    box = page.locator(".pane.found .text").evaluate(
        "one => { const box = one.getBoundingClientRect(); const range = document.createRange(); range.selectNodeContents(one);"
        " const lines = [...range.getClientRects()]; const last = lines.at(-1);"
        " return { left: last.left - box.left, right: box.right - last.right, wide: one.scrollWidth - one.clientWidth, high: box.height }; }"
    )
    assert box[side] < 5 < box["left" if side == "right" else "right"]
    assert box["wide"] <= 0
    assert box["high"] > 80
    assert page.evaluate("document.documentElement.dir || 'ltr'") == "ltr"
    assert page.locator(".pane.found .reworded").count() == 1
