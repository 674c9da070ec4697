//! Two articles laid side by side: what is the same, changed, added, cut or moved, to the character.
//!
//! A piece is some cells (`cells`) that stand together.
//!
//! *Units*: the equal words of each passage (`align`), but for runs of one word or less between changed ones, which are chance and
//! hard to read, and slid to where sentences begin; then, among the words that are left, runs of `minor_words` or more. A word that two units have goes to the heavier. The
//! units with most equal words that stand in one order in both texts are in place, the others moved.
//!
//! *Pieces*: equal words, told apart where they are spelled otherwise; what stands between them in a passage; boilerplate; the rest.
//!
//! The articles are put in an order that depends on their words alone: swapping the arguments swaps the answer. Cost: linear in
//! the words, and the square of the units, of which there are few.

use std::cmp::Reverse;
use std::ops::Range;

use crate::align::{Asked, Comparison, Settings, compare};
use crate::boilerplate::{Formulas, mark_boilerplate};
use crate::cells::{Row, Texts};
use crate::runs::{Index, Run, cut, find_runs};
use crate::shingles::{check_offsets, mix_runs};
use crate::{Invalid, Result};

/// Most runs of a pair that are too short for a passage.
const MOST_MINOR: usize = 1000;
/// Halves of one word: equal words that weigh no more are chance where they stand alone.
const ONE_WORD: usize = 2;
/// Words of a run that are left to it where what stands beside it is slid.
const LEAST_RUN: usize = 2;
const NONE: u32 = u32::MAX;

/// How pieces are told.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Equal words that are told though they are too few for a passage.
    pub minor_words: usize,
    /// Whether places are code units of UTF-16 instead of code points.
    pub utf16: bool,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Equal words.
    Same,
    /// In a passage: something against something else.
    Reworded,
    /// In a passage: the query alone has it.
    Inserted,
    /// In a passage: the found article alone has it.
    Dropped,
    /// Outside of passages: the query alone has it.
    Added,
    /// Outside of passages: the found article alone has it.
    Cut,
    /// Equal words that are spelled otherwise.
    Spelled,
    /// What was taken out as boilerplate.
    Boilerplate,
}

impl Kind {
    /// What it is if the texts are swapped.
    fn turned(self) -> Self {
        match self {
            Self::Inserted => Self::Dropped,
            Self::Dropped => Self::Inserted,
            Self::Added => Self::Cut,
            Self::Cut => Self::Added,
            other => other,
        }
    }
}

/// Pieces of many pairs as columns: pair i has `offsets[i]..offsets[i + 1]`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Their kinds.
    pub kinds: Vec<u8>,
    /// Where each starts and ends in the query, and in the found article.
    pub edges: [Vec<u32>; 4],
    /// 1 for a moved one, 2 for a minor one, and 4 times the number of its passage, counted from 1.
    pub flags: Vec<u32>,
    /// Which are whose.
    pub offsets: Vec<i64>,
}

/// The pieces of pairs of rows, passages by the first of the settings that finds one, words in a shingle of `formulas` being
/// boilerplate.
///
/// # Errors
/// When columns do not fit each other, or a text is not UTF-8.
pub fn lay(
    texts: Texts<'_>,
    formulas: &Formulas,
    pairs: [&[u32]; 2],
    settings: &[Settings],
    rule: Rule,
) -> Result<Pieces> {
    let words = texts.batch.hashes.len();
    check_offsets(texts.offsets, texts.text.len(), "texts")?;
    if texts.starts.len() != words || texts.ends.len() != words || texts.offsets.len() != texts.batch.offsets.len() {
        return Err(Invalid(format!("expected a text for each row and a span for each of {words} words")));
    }
    if rule.minor_words == 0 {
        return Err(Invalid("expected minor_words of at least 1".into()));
    }
    let asked = Asked { runs: true, ..Asked::default() };
    let compared = compare(texts.batch, formulas, pairs[0], pairs[1], settings, asked)?.pairs;
    let marks = mark_boilerplate(texts.batch, formulas)?;
    let mut rows: Vec<Option<Row>> = (0..texts.batch.rows()).map(|_| None).collect();
    for row in pairs.iter().flat_map(|rows| rows.iter()).map(|row| *row as usize) {
        if rows[row].is_none() {
            rows[row] = Some(Row::new(texts, &marks, row, rule.utf16)?);
        }
    }
    let mut answer = Pieces { offsets: vec![0], ..Pieces::default() };
    for ((query, found), one) in pairs[0].iter().zip(pairs[1]).zip(&compared) {
        let sides = [query, found].map(|row| rows[*row as usize].as_ref());
        let [Some(query), Some(found)] = sides else { continue };
        for piece in lay_two(query, found, one, rule.minor_words) {
            answer.kinds.push(piece.kind as u8);
            let edges = piece.spans.iter().flat_map(|span| [span.0, span.1]);
            answer.edges.iter_mut().zip(edges).for_each(|(column, edge)| column.push(edge));
            answer.flags.push(piece.flags);
        }
        answer.offsets.push(answer.kinds.len() as i64);
    }
    Ok(answer)
}

/// A stretch of both articles.
struct Piece {
    kind: Kind,
    spans: [(u32, u32); 2],
    flags: u32,
}

/// The equal words of a passage, or of a run that is too short for one.
struct Unit {
    passage: Option<u32>,
    spans: [(usize, usize); 2],
    runs: Vec<Run>,
    weight: usize,
    moved: bool,
}

impl Unit {
    fn flags(&self) -> u32 {
        let minor = if self.passage.is_none() { 2 } else { 0 };
        self.passage.map_or(0, |number| number + 1) << 2 | minor | u32::from(self.moved)
    }
}

/// The pieces of two articles, by their place in the query; one that it has nothing of comes before what stands there.
fn lay_two(query: &Row, found: &Row, compared: &Comparison, minor_words: usize) -> Vec<Piece> {
    let turned = (query.words.len(), query.words) < (found.words.len(), found.words);
    let rows = if turned { [found, query] } else { [query, found] };
    let mut units: Vec<Unit> = Vec::with_capacity(compared.passages.len());
    for ((passage, runs), number) in compared.passages.iter().zip(&compared.runs).zip(0..) {
        let mut spans = [passage.query, passage.found].map(|(start, end)| (start as usize, end as usize));
        let mut runs = runs.clone();
        if turned {
            spans.reverse();
            for run in &mut runs {
                *run = Run { query: run.found, found: run.query, ..*run };
            }
        }
        units.push(Unit { passage: Some(number), spans, runs, weight: 0, moved: true });
    }
    let mut laid = Laid::new(rows, compared.whole);
    for unit in &mut units {
        laid.leave_out_chance(unit);
        laid.slide(unit);
    }
    units.sort_unstable_by_key(|unit| (Reverse(unit.weight), unit.spans));
    for (number, unit) in units.iter().enumerate() {
        laid.claim(number, &unit.runs);
    }
    laid.add_minor(&mut units, minor_words);
    for number in in_order(&units) {
        units[number].moved = false;
    }
    let mut pieces = laid.tell(&units);
    if turned {
        for piece in &mut pieces {
            piece.spans.reverse();
            piece.kind = piece.kind.turned();
        }
    }
    pieces.sort_unstable_by_key(|piece| (piece.spans[0].0, piece.spans[0].0 < piece.spans[0].1, piece.spans[1]));
    pieces
}

/// The numbers of the units with most equal words that stand in one order on both sides.
fn in_order(units: &[Unit]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_unstable_by_key(|number| units[*number].spans);
    let mut best: Vec<(usize, Option<usize>)> = Vec::with_capacity(order.len());
    for (place, number) in order.iter().enumerate() {
        let (mut top, unit) = ((0, None), &units[*number]);
        for before in 0..place {
            let pairs = units[order[before]].spans.iter().zip(&unit.spans);
            if best[before].0 > top.0 && pairs.clone().all(|(one, other)| one.0 < other.0 && one.1 < other.1) {
                top = (best[before].0, Some(before));
            }
        }
        best.push((top.0 + unit.weight, top.1));
    }
    let mut at = (0..best.len()).max_by_key(|place| (best[*place].0, Reverse(*place)));
    let mut chain = Vec::new();
    while let Some(place) = at {
        chain.push(order[place]);
        at = best[place].1;
    }
    chain
}

/// How two equal words of a unit are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Together(Kind),
    /// The word of one side, for that of the other is told elsewhere.
    Alone(usize),
    Elsewhere,
}

/// Whose the words of both sides are.
struct Laid<'a> {
    rows: [&'a Row<'a>; 2],
    /// Whether boilerplate counts as other words do.
    whole: bool,
    /// The unit that has each word as an equal one.
    owner: [Vec<u32>; 2],
    /// The passage that each other word lies in.
    inside: [Vec<u32>; 2],
    /// The word of the other side that each of the first goes with.
    linked: Vec<u32>,
}

impl<'a> Laid<'a> {
    fn new(rows: [&'a Row<'a>; 2], whole: bool) -> Self {
        let none = || rows.map(|row| vec![NONE; row.words.len()]);
        Self { rows, whole, owner: none(), inside: none(), linked: vec![NONE; rows[0].words.len()] }
    }

    fn is_marked(&self, side: usize, word: usize) -> bool {
        !self.whole && self.rows[side].marks[word] != 0
    }

    /// Takes runs of no more than a word out of a unit that have something else on both sides, and weighs it. What only boilerplate
    /// parts stands together.
    fn leave_out_chance(&self, unit: &mut Unit) {
        let rank = |side: usize, word: usize| {
            if self.whole { word } else { self.rows[side].ranks[word] as usize }
        };
        let goes_on = |one: &Run, other: &Run| {
            rank(0, other.query) == rank(0, one.query + one.len - 1) + 1
                && rank(1, other.found) == rank(1, one.found + one.len - 1) + 1
        };
        let weigh = |runs: &[Run]| -> usize { runs.iter().map(|run| self.rows[0].weight(words(*run, 0))).sum() };
        let groups: Vec<&[Run]> = unit.runs.chunk_by(goes_on).collect();
        let edges = [0, groups.len().saturating_sub(1)];
        let kept = |(number, group): &(usize, &[Run])| edges.contains(number) || weigh(group) > ONE_WORD;
        let kept: Vec<Run> =
            groups.into_iter().enumerate().filter(kept).flat_map(|(_, group)| group.iter().copied()).collect();
        unit.weight = weigh(&kept);
        unit.runs = kept;
    }

    /// Lets what one side alone has begin where a sentence does, or after a mark, as far as equal words on either side of it leave a
    /// choice: of "he said. The mayor" it is not "said. The" that was inserted.
    fn slide(&self, unit: &mut Unit) {
        for n in 1..unit.runs.len() {
            let (before, after) = (unit.runs[n - 1], unit.runs[n]);
            let gaps = [0, 1].map(|side| words(before, side).end..words(after, side).start);
            let (Some(side), true) = (gaps.iter().position(|gap| !gap.is_empty()), gaps.iter().any(Range::is_empty))
            else {
                continue;
            };
            let (gap, row) = (&gaps[side], self.rows[side]);
            if gap.clone().any(|word| self.is_marked(side, word)) {
                continue;
            }
            let same = |one: usize, other: usize| row.words[one] == row.words[other];
            let room = |run: Run| run.len.saturating_sub(LEAST_RUN);
            let left = (0..room(before)).take_while(|step| same(gap.start - 1 - step, gap.end - 1 - step)).count();
            let right = (0..room(after)).take_while(|step| same(gap.start + step, gap.end + step)).count();
            let shifts = (0..=left).map(|step| (step, gap.start - step));
            let shifts = shifts.chain((1..=right).map(|step| (step, gap.start + step)));
            let best = shifts.max_by_key(|(step, start)| (row.ends_at(start - 1), Reverse(*step), Reverse(*start)));
            let Some((_, start)) = best else { continue };
            unit.runs[n - 1].len = before.len + start - gap.start;
            unit.runs[n] = Run {
                query: after.query + start - gap.start,
                found: after.found + start - gap.start,
                len: after.len + gap.start - start,
            };
        }
    }

    /// Gives a unit the equal words that no other has; two that are both free go together.
    fn claim(&mut self, unit: usize, runs: &[Run]) {
        for (one, other) in runs.iter().flat_map(|run| words(*run, 0).zip(words(*run, 1))) {
            let free = self.owner[0][one] == NONE && self.owner[1][other] == NONE;
            for (side, word) in [one, other].into_iter().enumerate() {
                if self.owner[side][word] == NONE {
                    self.owner[side][word] = unit as u32;
                }
            }
            if free {
                self.linked[one] = other as u32;
            }
        }
    }

    /// Adds the runs of equal words among those that no unit has, the heaviest first, each without what one before it took.
    fn add_minor(&mut self, units: &mut Vec<Unit>, minor_words: usize) {
        let left = [0, 1].map(|side| {
            let free = |word: &u32| self.owner[side][*word as usize] == NONE && !self.is_marked(side, *word as usize);
            (0..self.rows[side].words.len() as u32).filter(free).collect::<Vec<u32>>()
        });
        if left.iter().any(|side| side.len() < minor_words) {
            return;
        }
        let [query, found] = [0, 1]
            .map(|side| left[side].iter().map(|word| self.rows[side].words[*word as usize]).collect::<Vec<u64>>());
        let (mut grams, mut index) = (Vec::new(), Index::default());
        mix_runs(&found, minor_words, &mut grams);
        index.build(&grams);
        mix_runs(&query, minor_words, &mut grams);
        let runs = find_runs((&query, &grams), &found, &index, 0..grams.len(), minor_words);
        let weigh = |run: &Run| self.rows[0].weight(words(*run, 0));
        let mut runs = cut(&runs, [Some(&left[0]), Some(&left[1])]);
        runs.retain(|run| weigh(run) >= 2 * minor_words);
        runs.sort_unstable_by_key(|run| (Reverse(weigh(run)), run.query, run.found));
        let most = units.len() + MOST_MINOR;
        for run in runs {
            if units.len() == most {
                break;
            }
            let is_free = |at: &usize| self.owner[0][run.query + at] == NONE && self.owner[1][run.found + at] == NONE;
            let Some(from) = (0..run.len).find(is_free) else { continue };
            let to = (from..run.len).rfind(is_free).map_or(from, |last| last + 1);
            let run = Run { query: run.query + from, found: run.found + from, len: to - from };
            let weight = self.rows[0].weight(words(run, 0));
            if (from..to).all(|at| is_free(&at)) && weight >= 2 * minor_words {
                self.claim(units.len(), &[run]);
                let spans = [0, 1].map(|side| (words(run, side).start, words(run, side).end));
                units.push(Unit { passage: None, spans, runs: vec![run], weight, moved: true });
            }
        }
    }

    /// All pieces, in no order.
    fn tell(&mut self, units: &[Unit]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (number, unit) in units.iter().enumerate() {
            for run in &unit.runs {
                self.tell_run(number as u32, unit, *run, &mut pieces);
            }
        }
        // Passages come before minor runs, the heaviest first: so a word that lies in two is that of the heavier.
        for (number, unit) in units.iter().enumerate() {
            for pair in unit.runs.windows(2) {
                self.tell_gap(number as u32, unit, pair[0], pair[1], &mut pieces);
            }
        }
        for side in [0, 1] {
            self.tell_rest(side, units, &mut pieces);
        }
        pieces.retain(|piece| piece.spans.iter().any(|span| span.0 < span.1));
        pieces
    }

    fn span(&self, side: usize, words: &Range<usize>) -> (u32, u32) {
        let edges = &self.rows[side].edges;
        (edges[words.start], edges[words.end])
    }

    fn tell_run(&self, number: u32, unit: &Unit, run: Run, pieces: &mut Vec<Piece>) {
        let of = |at: usize| {
            let (one, other) = (run.query + at, run.found + at);
            let own = [self.owner[0][one] == number, self.owner[1][other] == number];
            match own {
                [true, true] if self.linked[one] == other as u32 => {
                    let same = self.rows[0].is_written_as(one, self.rows[1], other);
                    Told::Together(if same { Kind::Same } else { Kind::Spelled })
                }
                [true, _] => Told::Alone(0),
                [_, true] => Told::Alone(1),
                _ => Told::Elsewhere,
            }
        };
        let mut told = of(0);
        let mut from = 0;
        for at in 1..=run.len {
            let next = if at < run.len { Some(of(at)) } else { None };
            if next == Some(told) {
                continue;
            }
            let part = Run { query: run.query + from, found: run.found + from, len: at - from };
            let mut spans = [0, 1].map(|side| self.span(side, &words(part, side)));
            let kind = match told {
                Told::Together(kind) => Some(kind),
                Told::Alone(side) => {
                    spans[1 - side].1 = spans[1 - side].0;
                    Some(Kind::Same)
                }
                Told::Elsewhere => None,
            };
            pieces.extend(kind.map(|kind| Piece { kind, spans, flags: unit.flags() }));
            (told, from) = (next.unwrap_or(told), at);
        }
    }

    /// Tells what lies between two runs of a passage: the first stretch of one side against the first of the other, and so on.
    fn tell_gap(&mut self, number: u32, unit: &Unit, before: Run, after: Run, pieces: &mut Vec<Piece>) {
        let parts = [0, 1].map(|side| {
            let mut parts: Vec<Range<usize>> = Vec::new();
            for word in words(before, side).end..words(after, side).start {
                if self.owner[side][word] != NONE || self.inside[side][word] != NONE {
                    continue;
                }
                self.inside[side][word] = number;
                match parts.last_mut() {
                    _ if self.is_marked(side, word) => {}
                    Some(last) if last.end == word => last.end += 1,
                    _ => parts.push(word..word + 1),
                }
            }
            parts
        });
        let places = [0, 1].map(|side| self.rows[side].edges[words(before, side).end]);
        for at in 0..parts[0].len().max(parts[1].len()) {
            let spans = [0, 1].map(|side| parts[side].get(at).map(|part| self.span(side, part)));
            let kind = match spans {
                [Some(_), Some(_)] => Kind::Reworded,
                [_, None] => Kind::Inserted,
                [None, _] => Kind::Dropped,
            };
            let [query, found] = spans;
            let spans = [query.unwrap_or((places[0], places[0])), found.unwrap_or((places[1], places[1]))];
            pieces.push(Piece { kind, spans, flags: unit.flags() });
        }
    }

    /// Tells the boilerplate of a side, and the words that lie in no unit.
    fn tell_rest(&self, side: usize, units: &[Unit], pieces: &mut Vec<Piece>) {
        let (count, other) = (self.rows[side].words.len(), &self.rows[1 - side].edges);
        let mut push = |kind: Kind, mine: (u32, u32), place: u32, flags: u32| {
            let spans = if side == 0 { [mine, (place, place)] } else { [(place, place), mine] };
            pieces.push(Piece { kind, spans, flags });
        };
        let alone = if side == 0 { Kind::Added } else { Kind::Cut };
        if count == 0 {
            push(alone, (0, self.rows[side].edges[1]), 0, 0);
            return;
        }
        let mut places = vec![NONE; count];
        for run in units.iter().filter(|unit| !unit.moved).flat_map(|unit| &unit.runs) {
            for (mine, theirs) in words(*run, side).zip(words(*run, 1 - side)) {
                places[mine] = places[mine].min(other[theirs + 1]);
            }
        }
        let of = |word: usize| {
            let (marked, within) = (self.is_marked(side, word), self.inside[side][word]);
            (self.owner[side][word] == NONE && (marked || within == NONE)).then_some((marked, within))
        };
        let (mut word, mut place) = (0, 0);
        while word < count {
            let Some((marked, within)) = of(word) else {
                place = if places[word] == NONE { place } else { places[word] };
                word += 1;
                continue;
            };
            let end = (word..count).find(|next| of(*next) != Some((marked, within))).unwrap_or(count);
            let mine = self.span(side, &(word..end));
            match units.get(within as usize) {
                Some(unit) => {
                    let before = unit.runs.partition_point(|run| words(*run, side).start < word).checked_sub(1);
                    let place = before.map_or(0, |run| other[words(unit.runs[run], 1 - side).end]);
                    push(Kind::Boilerplate, mine, place, unit.flags());
                }
                None => push(if marked { Kind::Boilerplate } else { alone }, mine, place, 0),
            }
            word = end;
        }
    }
}

/// The words of a run on one side.
fn words(run: Run, side: usize) -> Range<usize> {
    let start = [run.query, run.found][side];
    start..start + run.len
}
