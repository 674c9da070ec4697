"""Curves as SVG: what is drawn is where it belongs, and nothing in it runs."""

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirecopy.evaluation.drawing import HEIGHT, LEFT, RIGHT, TOP, WIDTH, Chart, Line, draw

SVG = "{http://www.w3.org/2000/svg}"


def drawn(chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(draw(chart))


def points(svg: ElementTree.Element, name: str) -> list[tuple[float, float]]:
    [path] = [
        one for one in svg.iter(f"{SVG}path") if one.get("class") == name and "h26" not in one.get("d", "")
    ]
    return [(float(x), float(y)) for x, y in re.findall(r"([-\d.e]+),([-\d.e]+)", path.get("d", ""))]


def test_points_lie_where_their_values_are() -> None:
    svg = drawn(Chart("t", "x", "y", [Line("a", [(0, 0), (5, 1), (10, 0.5)])], up_edges=(0, 1)))
    placed = points(svg, "line-1")
    assert [x for x, _ in placed] == [LEFT, (LEFT + WIDTH - RIGHT) / 2, WIDTH - RIGHT]
    assert placed[1][1] == TOP
    assert placed[0][1] > placed[2][1] > placed[1][1]


def test_a_logarithmic_axis_has_powers_of_ten_at_even_steps() -> None:
    line = Line("a", [(10.0**power, power) for power in range(6)])
    svg = drawn(Chart("t", "x", "y", [line], across_log=True))
    xs = [x for x, _ in points(svg, "line-1")]
    steps = [later - earlier for earlier, later in pairwise(xs)]
    assert max(steps) - min(steps) < 0.25
    texts = [one.text for one in svg.iter(f"{SVG}text")]
    assert {"1", "10", "100", "1,000", "10,000", "100,000"} <= set(texts)


def test_what_is_no_number_is_left_out_and_nothing_is_drawn_of_nothing() -> None:
    gaps: list[tuple[float | None, float | None]] = [(0, 1), (None, 2), (1, math.nan), (2, math.inf), (3, 1)]
    assert len(points(drawn(Chart("t", "x", "y", [Line("a", gaps)])), "line-1")) == 2
    for empty in ([], [Line("a", [])], [Line("a", [(0, 1)])], [Line("a", [(0, 0), (0, 0)])]):
        assert drawn(Chart("t", "x", "y", empty)).tag == f"{SVG}svg"
    zero = Chart("t", "x", "y", [Line("a", [(0, 1), (1, 1), (10, 2)])], across_log=True)
    assert len(points(drawn(zero), "line-1")) == 2


def test_lines_differ_by_more_than_colour() -> None:
    svg = drawn(Chart("t", "x", "y", [Line(str(number), [(0, number), (1, 2)]) for number in range(8)]))
    looks = {
        (one.get("stroke"), one.get("stroke-dasharray"))
        for one in svg.iter(f"{SVG}path")
        if "line-" in one.get("class", "")
    }
    assert len(looks) == 8
    assert len({dashes for _, dashes in looks}) == 4


@given(
    st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), max_size=40), st.booleans(), st.booleans()
)
def test_nothing_is_drawn_outside(given: list[tuple[float, float]], across: bool, up: bool) -> None:
    svg = drawn(Chart("t", "x", "y", [Line("a", given)], across_log=across, up_log=up))
    for one in svg.iter(f"{SVG}circle"):
        assert LEFT - 1 <= float(one.get("cx", "")) <= WIDTH - RIGHT + 1
        assert 0 <= float(one.get("cy", "")) <= HEIGHT + 40
    for tick in svg.iter(f"{SVG}text"):
        assert 0 <= float(tick.get("x", 0)) <= WIDTH


@pytest.mark.parametrize("evil", ["</svg><script>x</script>", '" onload="x', "\x00\x1b\ud800", "]]>&<"])
def test_hostile_names_stay_text(evil: str) -> None:
    svg = drawn(Chart(evil, evil, evil, [Line(evil, [(0, 1), (1, 2)])]))
    assert {one.tag.removeprefix(SVG) for one in svg.iter()} <= {"svg", "rect", "text", "path", "circle"}
    assert not any(name.startswith("on") or name == "style" for one in svg.iter() for name in one.attrib)
