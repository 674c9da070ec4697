"""Stories: what belongs together, what came first, and who most probably copied whom."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

import wirecopy
from quality.piles import make_pile
from quality.texts import Writer, join
from wirecopy import Article
from wirecopy.grouping.stories import Stories

DAY = "2024-03-{:02}"


def write(texts: Sequence[Sequence[str]], **about: Any) -> list[dict[str, Any]]:
    """Articles a minute apart, named by their place."""
    return [
        {
            "id": f"{n:04}",
            "text": join(words),
            "published": f"2024-03-01T{n // 60:02}:{n % 60:02}:00Z",
            **about,
        }
        for n, words in enumerate(texts)
    ]


def partition(stories: Stories) -> set[frozenset[str]]:
    return {frozenset(one.id for one in story.articles) for story in stories}


def reprints(number: int, seed: int = 5) -> list[list[str]]:
    """A text, and as many edited, cut and extended reprints of it."""
    writer = Writer(seed)
    original = writer.write(400)
    texts = [original]
    for _ in range(number - 1):
        kind = writer.random.randrange(4)
        words = writer.edit(original, writer.random.choice((0, 0.02, 0.06)))
        if kind == 1:
            words = words[: writer.random.randint(200, 380)]
        elif kind == 2:
            words = words + writer.write(writer.random.randint(20, 300))
        elif kind == 3:
            words = words[: writer.random.randint(200, 380)] + writer.write(writer.random.randint(20, 100))
        texts.append(words)
    return texts


def test_reprints_of_one_text_are_one_story_with_versions_in_time() -> None:
    writer = Writer(1)
    original, other = writer.write(200), writer.write(200)
    cut, longer = original[:120], [*original, *writer.write(50)]
    stories = wirecopy.stories(write([original, other, original, cut, longer]))
    [story] = stories
    assert [one.id for one in story.articles] == ["0000", "0002", "0003", "0004"]
    assert [(one.number, one.articles, one.words) for one in story.versions] == [
        (1, ("0000", "0002"), 200),
        (2, ("0003",), 120),
        (3, ("0004",), 250),
    ]
    changes = [one.change for one in story.versions]
    assert changes[0] is None
    assert [(one.since, one.added, one.cut, one.reworded, one.moved) for one in changes if one] == [
        (1, 0, 80, 0, 0),
        (1, 50, 0, 0, 0),
    ]
    assert story.first_seen == "2024-03-01T00:00:00Z"
    assert story.last_seen == "2024-03-01T00:04:00Z"
    assert repr(stories) == "<Stories: 1 of 4 among 5 articles>"


def test_a_story_is_found_by_any_of_its_articles_and_a_lone_article_is_its_own() -> None:
    words = Writer(2).write(100)
    stories = wirecopy.stories(write([words, words, Writer(3).write(100)]))
    assert stories.of("0001") == stories.of("0000") == stories[0] == stories[-1]
    alone = stories.of("0002")
    assert alone
    assert [one.id for one in alone.articles] == ["0002"]
    assert stories.of("nobody") is None
    with pytest.raises(IndexError, match="story 1 of 1"):
        stories[1]


def test_a_weak_chain_makes_no_story() -> None:
    writer = Writer(4)
    shared = [writer.write(48) for _ in range(301)]
    texts = [shared[n] + writer.write(150) + shared[n + 1] for n in range(300)]
    stories = wirecopy.stories(write(texts))
    assert len(wirecopy.find(write(texts))) >= 299
    assert all(len(story.articles) <= 2 for story in stories)
    assert sum(link.kind == "partial" for link in stories.links) >= 299


def test_however_far_a_text_drifts_every_member_shares_a_passage_with_its_anchor() -> None:
    writer = Writer(6)
    paragraphs = [writer.write(40) for _ in range(14)]
    texts = []
    for step in range(120):
        paragraphs[step * 2 % 14], paragraphs[(step * 2 + 1) % 14] = writer.write(40), writer.write(40)
        texts.append([word for paragraph in paragraphs for word in paragraph])
    records = write(texts)
    by_id = {one["id"]: one for one in records}
    stories = wirecopy.stories(records)
    assert max(len(story.articles) for story in stories) < 20
    for story in stories:
        for one in story.articles[1:]:
            match = wirecopy.compare(by_id[one.id], by_id[story.id])
            assert match
            assert match.passages
    assert any(link.kind == "continues" for link in stories.links)


@pytest.mark.parametrize("pairs", ["linked", "all"])
def test_edited_cut_and_extended_reprints_are_one_story(pairs: Any) -> None:
    [story] = wirecopy.stories(write(reprints(200)), pairs=pairs)
    assert len(story.articles) == 200


@pytest.mark.parametrize("place", [0, 5])
def test_a_digest_of_five_stories_merges_none(place: int) -> None:
    writer = Writer(7)
    items = [writer.write(120) for _ in range(5)]
    texts = [*items, *(writer.edit(item, 0.03) for item in items)]
    texts.insert(place, [word for item in items for word in item])
    stories = wirecopy.stories(write(texts))
    assert [len(story.articles) for story in stories] == [2] * 5
    digest = f"{place:04}"
    assert {link.later for link in stories.links if link.kind == "collects"} == {digest}
    alone = stories.of(digest)
    assert alone
    assert alone.kind == "collection"


def test_a_form_is_a_series_and_no_story() -> None:
    writer = Writer(8)
    form, slots = writer.write(80), [5, 17, 29, 41, 53, 65]
    records = [
        {
            "id": f"{day:02}",
            "text": join([str(writer.random.randint(100, 9999)) if n in slots else word for n, word in enumerate(form)]),
            "published": DAY.format(day),
            "source": "Wire",
            "title": "Market report",
        }
        for day in range(1, 31)
    ]  # fmt: skip
    stories = wirecopy.stories(records)
    assert len(stories) == 0
    [series] = stories.series
    assert len(series.articles) == 30
    assert (series.id, series.title, series.sources) == ("01", "Market report", ("Wire",))
    assert (series.first_seen, series.last_seen, series.slots) == ("2024-03-01", "2024-03-30", 6)
    assert {link.kind for link in stories.links} == {"form"}


def test_short_identical_texts_under_different_titles_are_placeholders() -> None:
    records = write([Writer(9).write(15)] * 3)
    titled = [{**one, "title": f"On {one['id']}"} for one in records]
    stories = wirecopy.stories(titled)
    assert len(stories) == 0
    assert stories.placeholders == 3
    assert len(wirecopy.stories(records)) == 1


def test_what_a_parent_rests_on_is_stated() -> None:
    writer = Writer(10)
    words = writer.write(200)
    near = writer.edit(words, 0.05)
    stories = wirecopy.stories(write([words, words, words, near, writer.edit(near, 0.03)]))
    parents = {one.id: one.parent for one in stories[0].articles}
    assert parents["0000"] is None
    told = {id: (one.article, one.basis, one.rivals) for id, one in parents.items() if one}
    assert told == {
        "0001": ("0000", "only", 0),
        "0002": ("0000", "tied", 1),
        "0003": ("0000", "only", 0),
        "0004": ("0003", "clear", 1),
    }
    assert parents["0004"]
    assert parents["0004"].after_seconds == 60


def test_dates_that_do_not_say_who_was_first_are_no_basis() -> None:
    words = Writer(11).write(100)
    same = [{"id": id, "text": join(words), "published": "2024-03-01"} for id in "ab"]
    undated = [{"id": id, "text": join(words)} for id in "ab"]
    for records, basis in ((same, "same-time"), (undated, "undated")):
        [story] = wirecopy.stories(records)
        assert story.articles[1].parent
        assert story.articles[1].parent.basis == basis
        assert story.origin.basis == basis


def test_an_agency_that_is_credited_is_the_origin_and_named_as_absent_where_it_is() -> None:
    words = Writer(12).write(100)
    records = [{**one, "source": "Courier", "agency": "Reuters"} for one in write([words, words])]
    [story] = wirecopy.stories(records)
    assert (story.origin.agency, story.origin.article, story.origin.present) == ("Reuters", None, False)
    records.append({"id": "z", "text": join(words), "published": "2024-03-09", "source": "www.reuters.com"})
    [story] = wirecopy.stories(records)
    assert (story.origin.agency, story.origin.article, story.origin.present) == ("Reuters", "z", True)
    assert story.origin.basis == "credited"


def test_a_revision_at_the_same_address_is_told() -> None:
    writer = Writer(13)
    words = writer.write(200)
    records = write([words, [*words, *writer.write(30)]], url="https://news.example/a")
    [story] = wirecopy.stories(records)
    change = story.versions[1].change
    assert change
    assert change.revised
    assert change.added == 30


def test_a_moved_paragraph_is_told_as_moved() -> None:
    writer = Writer(14)
    parts = [writer.write(48) for _ in range(5)]
    turned = [parts[n] for n in (0, 3, 1, 2, 4)]
    [story] = wirecopy.stories(write([[w for p in ps for w in p] for ps in (parts, turned)]))
    change = story.versions[1].change
    assert change
    assert (change.added, change.cut, change.reworded, change.moved) == (0, 0, 0, 48)


def test_the_same_stories_for_any_order_and_batch() -> None:
    records = write(reprints(40) + [Writer(15).write(100)] * 3 + reprints(12, seed=16))
    shuffled = random.Random(1).sample(records, len(records))
    first = [story.to_dict() for story in wirecopy.stories(records)]
    again = wirecopy.stories(shuffled, batch_bytes=3000, threads=1)
    assert [story.to_dict() for story in again] == first
    assert [len(story["articles"]) for story in first] == [40, 3, 12]


@pytest.mark.parametrize("seed", [1, 10, 28, 53, 55, 60])
def test_linked_families_and_all_their_pairs_give_the_same_stories_and_keep_the_same(seed: int) -> None:
    records = make_pile(seed)
    linked, every = (wirecopy.stories(records, pairs=pairs) for pairs in ("linked", "all"))
    assert [story.to_dict() for story in linked] == [story.to_dict() for story in every]
    assert linked.links == every.links
    assert linked.keep_one() == every.keep_one()


def test_an_unrelated_article_changes_nothing() -> None:
    records = write(reprints(12))
    other = {"id": "0000x", "text": Writer(19).text(200), "published": "2024-02-01"}
    before, after = (wirecopy.stories(some) for some in (records, [other, *records]))
    assert [story.to_dict() for story in before] == [story.to_dict() for story in after]


def test_matches_and_an_archive_give_the_same_stories(tmp_path: Any) -> None:
    records = write(reprints(30))
    expected = [story.to_dict() for story in wirecopy.stories(records)]
    assert [story.to_dict() for story in wirecopy.stories(wirecopy.find(records))] == expected
    with wirecopy.Archive.open(tmp_path / "news.db", create=True) as archive:
        archive.add(records)
        assert [story.to_dict() for story in wirecopy.stories(archive)] == expected


def test_stories_turn_into_tables_with_a_row_an_article() -> None:
    records = write(reprints(5), source="Courier", title="A title")
    stories = wirecopy.stories(records)
    frame = stories.to_pandas()
    assert list(frame["article"]) == [f"{n:04}" for n in range(5)]
    assert set(frame["story"]) == {"0000"}
    assert stories.to_polars().height == 5
    assert wirecopy.stories(write([Writer(1).write(50)])).to_arrow().num_rows == 0


def test_cohesion_tells_the_weakest_link_and_bridges() -> None:
    writer = Writer(17)
    words = writer.write(200)
    [story] = wirecopy.stories(write([words, words, words[:100]]))
    assert story.cohesion.pair == ("0002", "0000") or story.cohesion.weakest == 1
    assert story.cohesion.bridges == 1


def test_closure_joins_whatever_is_joined_by_matches() -> None:
    writer = Writer(18)
    shared = [writer.write(48) for _ in range(11)]
    records = write([shared[n] + writer.write(150) + shared[n + 1] for n in range(10)])
    [story] = wirecopy.stories(records, rule="closure")
    assert len(story.articles) == 10
    with pytest.raises(wirecopy.WirecopyError, match="expected 'anchored' or 'closure'"):
        wirecopy.stories(records, rule="star")  # type: ignore[arg-type]


def test_matches_with_queries_are_no_stories() -> None:
    matches = wirecopy.find([Article("a", "one two")], query=[Article("b", "one two")])
    with pytest.raises(wirecopy.WirecopyError, match="a pile with itself"):
        wirecopy.stories(matches)
