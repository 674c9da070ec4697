"""A page as blocks, words and values: equal to what is obvious, whatever the markup."""

from __future__ import annotations

import random

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st
from reference import page_words
from reference.blocks import PAPER, TODAY, blocks
from sites import write_page

from wirecopy import _core, extraction
from wirecopy.model import Page

LIMITS = (extraction.MAX_PAGE_BYTES, extraction.MAX_PAGE_TAGS)

BOUNDING = """
p div br img h1 li ul ol td tr table th section article header footer form hr option select blockquote pre noscript body head
html main svg template x-y button input iframes titles center dl dt dd caption address figure nav aside object spans strongly
"""
SPACES = [
    " ",
    "\n",
    "\t",
    "\r\n",
    "\x0c",
    "\xa0",
    "\u2003",
    "\u3000",
    "\ufeff",
    "\0",
    "&nbsp;",
    "&#32;",
    "&#x2003;",
]
TEXTS = """
word Two. é 東京 a&amp;b &lt;p&gt; &copy 3<4 < << <3 > -- --> ]]> &am &notit; &#65; &#x41 " ' = / </p> &unknown; 𝔸 e\u0301
"""
ATTRIBUTES = [
    "",
    " class=x",
    ' title="a > b"',
    " title='<p>'",
    " hidden",
    " a=b/",
    ' href="?a=1&amp;b"',
    "\n id = 'x' ",
]
RAW = "script style iframe noembed noframes title textarea xmp"
HIDDEN = ["", "text", "<p>in</p>", "a &amp; b", "if (a<b) {}", "<!-- x -->", "</p>", "<b", "</scrip>"]
COMMENTS = [
    "<!---->",
    "<!-- <p> -->",
    "<!-->",
    "<!--->",
    "<!--a--!>",
    "<!doctype html>",
    "<![CDATA[x]]>",
    "<?a b?>",
    "</ p>",
]


def any_case(names: str) -> st.SearchStrategy[str]:
    return st.sampled_from([*names.split(), *names.upper().split()])


TAGS = st.builds(
    lambda close, name, attributes, slash: f"<{close}{name}{attributes}{slash}>",
    st.sampled_from(["", "", "/"]),
    any_case(PAPER + TODAY + BOUNDING),
    st.sampled_from(ATTRIBUTES),
    st.sampled_from(["", "", " /"]),
)
RAW_ELEMENTS = st.builds(
    lambda name, attributes, content, space: f"<{name}{attributes}>{content}</{name}{space}>",
    any_case(RAW),
    st.sampled_from(ATTRIBUTES),
    st.sampled_from(HIDDEN),
    st.sampled_from(["", " "]),
)
MARKUP = st.lists(
    TAGS
    | RAW_ELEMENTS
    | st.sampled_from(TEXTS.split())
    | st.sampled_from(SPACES)
    | st.sampled_from(COMMENTS),
    max_size=30,
).map("".join)


@pytest.mark.parametrize("as_in_paper", [True, False])
@given(page=MARKUP)
def test_blocks_are_what_the_papers_rule_says(page: str, as_in_paper: bool) -> None:
    assert _core.page_blocks(page, as_in_paper) == blocks(page, as_in_paper=as_in_paper)


@given(page=MARKUP)
def test_extraction_sees_the_same_blocks(page: str) -> None:
    (found,) = extraction.extract_pages(
        [Page("", page.encode(), charset="utf-8")], model="heuristic", with_blocks=True
    )
    assert [block.text for block in found.blocks] == _core.page_blocks(page, False)


@pytest.mark.parametrize("tag", PAPER.split())
def test_an_inline_tag_of_the_paper_does_not_bound_a_block(tag: str) -> None:
    for as_in_paper in (True, False):
        assert _core.page_blocks(f"<p>one <{tag}>two</{tag}> three", as_in_paper) == ["one two three"]


@pytest.mark.parametrize("tag", TODAY.split())
def test_an_inline_tag_of_today_bounds_a_block_in_the_paper_only(tag: str) -> None:
    page = f"<p>one <{tag}>two</{tag}> three"
    assert _core.page_blocks(page, False) == ["one two three"]
    assert _core.page_blocks(page, True) == ["one", "two", "three"]


@pytest.mark.parametrize("tag", ["br", "img", "p", "td", "x-unknown"])
def test_any_other_tag_bounds_a_block(tag: str) -> None:
    for as_in_paper in (True, False):
        assert _core.page_blocks(f"<div>one<{tag}>two", as_in_paper) == ["one", "two"]


ARTICLE = "".join(f"<p>Sentence {number} of the article, which is <b>whole</b>.</p>" for number in range(5))
SENTENCES = [f"Sentence {number} of the article, which is whole." for number in range(5)]


@pytest.mark.parametrize(
    "torn",
    [
        "<title>The bridge",
        "<html><head><title>The bridge</head><body>",
        "<title>The bridge</head><body><svg><title>Icon</svg>",
        "<!-- never closed",
        "<!--",
        "<![CDATA[ never",
        "<script>var a = 1;",
        "<script><!-- var a = '<script>'; </script>",
        "<style>p { color: red }",
        "<textarea>",
        "<iframe src=x>",
        "<noscript>",
        "<div class='open>",
        '<div class="open>',
        "<div class=\"a' b='>",
        "<div clas",
        "</div",
        "<table><tr><td><table>",
        "</body></html>",
        "<p><b><i><a href=x>",
        "<select><option>",
        "<",
        "<!",
        "</",
        "<?",
    ],
)
def test_torn_markup_still_gives_the_article(torn: str) -> None:
    for page in (f"{torn}{ARTICLE}", f"{torn}\n{ARTICLE}<div><p"):
        assert [text for text in _core.page_blocks(page, False) if "Sentence" in text][-4:] == SENTENCES[1:]


@pytest.mark.parametrize(
    "torn",
    [
        "<!-- never closed",
        "<!-- <p>",
        '<div class="open',
        "<p class='x",
        '<a href="http://x',
        "<img src='",
        "<script>",
        "<script>var a = 1;",
        '<script type="text/javascript">',
        "<SCRIPT src=x>",
        "<style>",
        "<style>p { color: red }",
        "<textarea>",
        "<iframe src=x>",
        "<title>",
        "<svg><title>",
    ],
)
def test_what_comes_after_the_article_does_not_close_what_was_torn_before_it(torn: str) -> None:
    after = (
        '<!-- end --><p>It\'s "over".</p><a href="/more" title=\'more\'>More</a><style>p { margin: 0 }</style>'
        "<script>document.write('<script src=\"x\"><\\/script>')</script><form><textarea></textarea></form>"
        "<iframe src=y></iframe><svg><title>Icon</title></svg>"
    )
    for breaks in ("", "<br><br>"):
        article = ARTICLE.replace("</p>", breaks + "</p>")
        found = _core.page_blocks(f"<h1>Title</h1>{torn}{article}{after}", False)
        assert [text for text in found if "Sentence" in text][-5:] == SENTENCES
        assert not any("document" in text or "margin" in text for text in found)


@pytest.mark.parametrize(
    "script",
    [
        "<script>document.write('<p>a</p><p>b</p><script src=\"x\"><\\/script>');</script>",
        "<script>document.write('<p>a</p><p>b</p> <script>' + c + '</scr' + 'ipt>');</script>",
        '<script type="text/template"><p>a</p><p>b</p></script>',
        '<script>{"body": "<p>a</p><p>b</p>"}</script>',
        "<script><!-- <p>a</p><p>b</p> <script></script> --></script>",
        "<style>/* <div><div></div></div> */ a { background: url('data:image/svg+xml,<svg><p></p></svg>') }</style>",
        '<textarea><div><p>a</p></div><script src="x"></script></textarea>',
        "<iframe src=x><p>a</p><p><a href=x>b</a></p></iframe>",
        "<!-- <p>a</p><p>b</p> -->",
    ],
)
def test_markup_inside_a_script_is_no_text(script: str) -> None:
    shown = ['<div><p>a</p></div><script src="x"></script>'] if "textarea" in script else []
    assert _core.page_blocks(f"<p>before</p>{script}<p>after</p>", False) == ["before", *shown, "after"]


def test_a_page_cut_anywhere_keeps_what_came_before() -> None:
    page = write_page(0, 5).html
    whole = _core.page_blocks(page, False)
    for cut in range(len(page)):
        found = _core.page_blocks(page[:cut], False)
        # What was being read may come out in two, or as text though it was script.
        assert found[:-2] == whole[: max(0, len(found) - 2)]


WORDS = st.text(
    st.sampled_from("abcXYZ019éßñİΣσςДд’' .,-東京のひカー가ไทยิ\u0301\u094d\u200d\u2019\u3042ａ１²½_\t\n東"),
    max_size=40,
)


@given(text=WORDS)
def test_words_are_runs_of_letters(text: str) -> None:
    expected = page_words.split(text)
    assert _core.split_words(text).tolist() == [xxhash.xxh3_64_intdigest(word.encode()) for word in expected]


@given(text=WORDS)
def test_a_words_spelling_is_what_its_hash_is_of(text: str) -> None:
    for number, spelt in _core.spell_words(f"<p>{text}".encode(), "utf-8", *LIMITS):
        assert number == xxhash.xxh3_64_intdigest(spelt.encode())


def rows(page: str, likely: np.ndarray | None = None) -> np.ndarray:
    values, _, offsets = _core.look_at(page.encode(), None, likely, 0.0, *LIMITS)
    names = _core.feature_names(likely is not None)
    assert len(values) == (len(offsets) - 1) * len(names)
    return values.reshape(len(offsets) - 1, len(names))


@given(page=MARKUP)
def test_every_block_has_a_value_for_every_name(page: str) -> None:
    first = rows(page)
    likely = np.linspace(0, 1, len(first), dtype=np.float32)
    second = rows(page, likely)
    assert len(second) == len(first)
    assert not np.isinf(second).any()
    np.testing.assert_array_equal(second[:, : first.shape[1]], first)


def test_names_of_values_are_told_apart() -> None:
    for with_context in (False, True):
        names = [name for name, _ in _core.feature_names(with_context)]
        assert len(set(names)) == len(names)


def test_values_do_not_depend_on_what_was_looked_at_before() -> None:
    pages = [write_page(number % 6, number).html for number in range(20)]
    alone = [rows(page) for page in pages]
    order = list(range(20)) * 2
    random.Random(1).shuffle(order)
    for number in order:
        np.testing.assert_array_equal(rows(pages[number]), alone[number])


def column(name: str, found: np.ndarray) -> list[float]:
    names = [one for one, _ in _core.feature_names(found.shape[1] > len(_core.feature_names(False)))]
    return [round(float(value), 3) for value in found[:, names.index(name)]]


def test_what_a_page_states_as_its_text_is_seen_in_its_blocks() -> None:
    body = r'"articleBody" : "One \"two\" three\nfour \u0066ive&nbsp;<b class=\"x\">six</b> seven"'
    data = '<script type="application/ld+json">{"@type": "NewsArticle", ' + body + "}</script>"
    blocks = "<p>one two three four<p>Five six seven eight<p>nine ten eleven<p>one two"
    assert column("stated share", rows(data + blocks)) == [1, 0.5, 0, 0]
    described = '<meta property="og:description" content="nine ten eleven &amp; more">'
    assert column("described share", rows(described + blocks)) == [0, 0, 1, 0]
    assert all(np.isnan(column("stated share", rows(described + blocks))))
    assert all(np.isnan(column("described share", rows(data + blocks))))


@pytest.mark.parametrize(
    "body", ["", ":", ': "', ': 7, "one two three four"', ': "\\', ': "\\u00', ': ["one two three"]']
)
def test_a_statement_cut_short_states_nothing(body: str) -> None:
    data = f'<script type="application/ld+json">{{"articleBody"{body}</script><p>one two three four'
    assert all(np.isnan(column("stated share", rows(data))))


def test_blocks_are_alike_from_afar_and_near() -> None:
    page = (
        "<div><p class=a>one two<p class=a>three<p class=b>four</div>"
        "<div><p class=a>five</div><div class=c><p class=a>six<br>seven</div>"
    )
    found = rows(page)
    assert column("blocks at path", found) == [6, 6, 6, 6, 6, 6]
    assert column("blocks at class path", found) == [5, 5, 1, 5, 5, 5]
    assert column("blocks at cousins", found) == [3, 3, 1, 3, 2, 2]
    assert column("blocks at siblings", found) == [2, 2, 1, 1, 2, 2]
    assert column("blocks at element", found) == [1, 1, 1, 1, 2, 2]
    likely = np.array([1, 0, 1, 1, 0.5, 0.5], np.float32)
    assert column("likely at siblings", rows(page, likely)) == [0.667, 0.667, 1, 1, 0.5, 0.5]


def test_beyond_the_outermost_element_is_the_outermost() -> None:
    found = rows("<div><p>one two three<p>four</div>")
    for level in range(1, 5):
        assert column(f"words in {level}", found) == [4, 4]


def test_many_years_in_a_block_are_still_a_date() -> None:
    name = [name for name, _ in _core.feature_names(False)].index("has date")
    for years in (1, 255, 256, 300):
        assert rows("<p>1 " + "1999 " * years)[0, name] == 1


@pytest.mark.parametrize("likely", [np.zeros(3, np.float32), np.zeros(0, np.float32)])
def test_likelihoods_that_are_not_one_a_block_are_refused(likely: np.ndarray) -> None:
    with pytest.raises(ValueError, match="expected 2 likelihoods, got"):
        _core.look_at(b"<p>one<p>two", None, likely, 0.0, *LIMITS)
