//! What a passage is filled with: the places where something stands against something else.
//!
//! Between two runs of equal words lies a gap; with words on one side only it is an insertion, and no slot. Values of both
//! sides (`kinds`: figures and dates) that say the same are *same*; those left in a gap stand against each other in order. A
//! gap without values on both sides is one slot of *words*. At either edge of a passage the nearest value within
//! `edge_words` counts too: a form may hold its one figure right behind what it repeats.
//!
//! A slot is named by the equal words beside it, `before_words` and `after_words` (characters of a script without spaces
//! count half), a value as a mark: the same place of many articles has the same name.
//!
//! Cost: one walk over the runs, and the longest common subsequence of each gap.

use xxhash_rust::xxh3::xxh3_64;

use crate::kinds::{GOES_ON, PLAIN};
use crate::runs::{Run, refine};
use crate::{Invalid, Result};

/// What a slot is.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// More words than this on either side are no slot but other text.
    pub slot_words: usize,
    /// How far outside a passage a value still counts.
    pub edge_words: usize,
    /// Equal words before a slot that name it.
    pub before_words: usize,
    /// Equal words behind it that do.
    pub after_words: usize,
    /// Equal words that the passage has on both sides of a slot that is inside it.
    pub inner_words: usize,
}

/// Something against something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Whether it is a value against a value, not words against words.
    pub value: bool,
    /// A hash of the words beside it.
    pub name: u64,
    /// What the query has there.
    pub query: u64,
    /// What the found article has.
    pub found: u64,
    /// Equal words of the passage before it, in halves.
    pub place: u32,
    /// Whether it lies inside the passage.
    pub inner: bool,
    /// Whether it is too long to be one.
    pub long: bool,
}

/// The slots of a passage, and how many values are the same on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slots {
    /// Values that are equal.
    pub same: u32,
    /// What differs, by place.
    pub other: Vec<Slot>,
}

/// The words of an article, what kind each is, what it says, and how much it counts.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    /// Their hashes.
    pub hashes: &'a [u64],
    /// Their kinds.
    pub kinds: &'a [u8],
    /// Their values.
    pub values: &'a [u64],
    /// 1 for a character of a script without spaces, else 2; None: all are 2.
    pub halves: Option<&'a [u8]>,
}

impl Words<'_> {
    fn weight(&self, start: usize, end: usize) -> usize {
        self.halves.map_or(2 * (end - start), |h| h[start..end].iter().map(|half| usize::from(*half)).sum())
    }

    /// The first word of the value that a word belongs to.
    fn first(&self, mut word: usize) -> usize {
        while word > 0 && self.kinds[word] == GOES_ON {
            word -= 1;
        }
        word
    }

    /// The values with a word from `start` to `end`, by their first words; those that touch, where that is nothing.
    fn read_values(&self, (start, end): (usize, usize), done: &Done, firsts: &mut Vec<usize>) {
        let reach = if start == end { start.saturating_sub(1)..(end + 1).min(self.hashes.len()) } else { start..end };
        firsts.clear();
        firsts.extend(reach.filter(|word| self.kinds[*word] != PLAIN).map(|word| self.first(word)));
        firsts.dedup();
        firsts.retain(|first| !done.holds(*first));
    }

    /// A hash of the words of a gap.
    fn mix(&self, (start, end): (usize, usize), bytes: &mut Vec<u8>) -> u64 {
        hash(self.hashes[start..end].iter().copied(), bytes)
    }
}

/// The first words of values that are accounted for.
#[derive(Default)]
struct Done {
    start: usize,
    marks: Vec<bool>,
}

/// What is used again for each passage.
#[derive(Default)]
pub struct Scratch {
    runs: Vec<Run>,
    done: [Done; 2],
    values: [Vec<usize>; 2],
    bytes: Vec<u8>,
    longest: Vec<u16>,
}

impl Done {
    fn begin(&mut self, start: usize, end: usize) {
        self.start = start;
        self.marks.clear();
        self.marks.resize(end - start, false);
    }

    fn holds(&self, word: usize) -> bool {
        word.checked_sub(self.start).and_then(|at| self.marks.get(at)).is_some_and(|mark| *mark)
    }

    fn add(&mut self, word: usize) {
        if let Some(mark) = word.checked_sub(self.start).and_then(|at| self.marks.get_mut(at)) {
            *mark = true;
        }
    }
}

fn hash(parts: impl Iterator<Item = u64>, bytes: &mut Vec<u8>) -> u64 {
    bytes.clear();
    parts.for_each(|part| bytes.extend_from_slice(&part.to_le_bytes()));
    xxh3_64(bytes)
}

/// Marks in names: a value, where a run ends, an edge of the passage, and what parts both sides.
const VALUE: u64 = 1;
const ENDS: u64 = 2;
const EDGE: u64 = 3;
const HERE: u64 = 4;

/// A stretch between two runs, or outside the first and the last.
struct Gap {
    query: (usize, usize),
    found: (usize, usize),
    before: Option<Run>,
    after: Option<Run>,
    /// Equal halves of the passage before it.
    place: usize,
}

/// The slots of the passage that these runs make; `free` is how far the words around it belong to no other passage.
pub fn find(
    query: Words,
    found: Words,
    runs: &[Run],
    free: [(usize, usize); 2],
    rule: Rule,
    scratch: &mut Scratch,
) -> Slots {
    let mut refined = std::mem::take(&mut scratch.runs);
    refine(query.hashes, found.hashes, runs, |_| 1, &mut scratch.longest, &mut refined);
    let runs = refined;
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return Slots::default() };
    let reach = |start: usize, end: usize, free: (usize, usize)| {
        (start.saturating_sub(rule.edge_words).max(free.0).min(start), (end + rule.edge_words).min(free.1).max(end))
    };
    let outer =
        [reach(first.query, last.query + last.len, free[0]), reach(first.found, last.found + last.len, free[1])];
    for ((side, (start, end)), done) in [(query, outer[0]), (found, outer[1])].into_iter().zip(&mut scratch.done) {
        let before = side.first(start.min(side.hashes.len().saturating_sub(1)));
        done.begin(before.min(start), (end + 1).min(side.hashes.len()).max(start));
    }
    let mut slots = Slots::default();
    for run in &runs {
        let kinds = &query.kinds[run.query..run.query + run.len];
        // Most stretches of so many words have no value, and many bytes are compared at once.
        let stretches = kinds
            .chunks(32)
            .zip((0..).step_by(32))
            .filter(|(part, _)| part.iter().fold(PLAIN, |all, kind| all | kind) != PLAIN);
        let values = stretches.flat_map(|(part, from)| part.iter().zip(from..).filter(|(kind, _)| **kind != PLAIN));
        for (_, i) in values {
            let (one, other) = (run.query + i, run.found + i);
            if found.kinds[other] == PLAIN {
                continue;
            }
            let firsts = (query.first(one), found.first(other));
            let are_new = !scratch.done[0].holds(firsts.0) && !scratch.done[1].holds(firsts.1);
            if are_new && query.values[one] == found.values[other] {
                slots.same += 1;
                scratch.done[0].add(firsts.0);
                scratch.done[1].add(firsts.1);
            }
        }
    }
    let whole: usize = runs.iter().map(|run| query.weight(run.query, run.query + run.len)).sum();
    let mut place = 0;
    for n in 0..=runs.len() {
        let (before, after) = (n.checked_sub(1).map(|n| runs[n]), runs.get(n).copied());
        let gap = Gap {
            query: (before.map_or(outer[0].0, |run| run.query + run.len), after.map_or(outer[0].1, |run| run.query)),
            found: (before.map_or(outer[1].0, |run| run.found + run.len), after.map_or(outer[1].1, |run| run.found)),
            before,
            after,
            place,
        };
        let inner = place.min(whole - place) >= 2 * rule.inner_words;
        fill(query, found, &gap, rule, inner, scratch, &mut slots);
        place += after.map_or(0, |run| query.weight(run.query, run.query + run.len));
    }
    scratch.runs = runs;
    slots
}

/// Adds the slots of a gap.
fn fill(query: Words, found: Words, gap: &Gap, rule: Rule, inner: bool, scratch: &mut Scratch, slots: &mut Slots) {
    let Scratch { done, values: [mine, theirs], bytes, .. } = scratch;
    query.read_values(gap.query, &done[0], mine);
    found.read_values(gap.found, &done[1], theirs);
    let is_edge = gap.before.is_none() || gap.after.is_none();
    let empty = |gap: (usize, usize), values: &[usize]| gap.0 == gap.1 && values.is_empty();
    if !is_edge && (empty(gap.query, mine) || empty(gap.found, theirs)) {
        return;
    }
    if is_edge {
        if mine.is_empty() || theirs.is_empty() {
            return;
        }
        for side in [&mut *mine, &mut *theirs] {
            let others = if gap.before.is_none() { 0..side.len() - 1 } else { 1..side.len() };
            side.drain(others);
        }
    }
    let weight = query.weight(gap.query.0, gap.query.1).max(found.weight(gap.found.0, gap.found.1));
    let long = !is_edge && weight > 2 * rule.slot_words;
    let name = name(query, gap, rule, bytes);
    let before = (slots.same, slots.other.len());
    mine.retain(|one| {
        let equal = theirs.iter().position(|other| query.values[*one] == found.values[*other]);
        if let Some(at) = equal {
            slots.same += 1;
            done[0].add(*one);
            done[1].add(theirs.remove(at));
        }
        equal.is_none()
    });
    let place = gap.place as u32;
    for (n, (one, other)) in mine.iter().zip(theirs).enumerate() {
        done[0].add(*one);
        done[1].add(*other);
        let name = if n == 0 { name } else { hash([name, n as u64].into_iter(), bytes) };
        let (query, found) = (query.values[*one], found.values[*other]);
        slots.other.push(Slot { value: true, name, query, found, place, inner, long });
    }
    let both = gap.query.0 < gap.query.1 && gap.found.0 < gap.found.1;
    if !is_edge && both && before == (slots.same, slots.other.len()) {
        let (query, found) = (query.mix(gap.query, bytes), found.mix(gap.found, bytes));
        slots.other.push(Slot { value: false, name, query, found, place, inner, long });
    }
}

/// The name of a gap: the equal words beside it.
fn name(query: Words, gap: &Gap, rule: Rule, bytes: &mut Vec<u8>) -> u64 {
    bytes.clear();
    match gap.before {
        Some(run) => context(query, (run.query..run.query + run.len).rev(), rule.before_words, bytes),
        None => bytes.extend_from_slice(&EDGE.to_le_bytes()),
    }
    bytes.extend_from_slice(&HERE.to_le_bytes());
    match gap.after {
        Some(run) => context(query, run.query..run.query + run.len, rule.after_words, bytes),
        None => bytes.extend_from_slice(&EDGE.to_le_bytes()),
    }
    xxh3_64(bytes)
}

/// Adds the words of a run that are next to a gap, values as a mark.
fn context(words: Words, places: impl Iterator<Item = usize>, most: usize, bytes: &mut Vec<u8>) {
    let (mut halves, mut last) = (0, 0);
    for word in places {
        let part = if words.kinds[word] == PLAIN { words.hashes[word] } else { VALUE };
        if part == VALUE && last == VALUE {
            continue;
        }
        bytes.extend_from_slice(&part.to_le_bytes());
        last = part;
        halves += words.weight(word, word + 1);
        if halves >= 2 * most {
            return;
        }
    }
    bytes.extend_from_slice(&ENDS.to_le_bytes());
}

/// Slots of many pairs as columns: the name of each, what both articles say there, and who these are.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// Their names.
    pub names: &'a [u64],
    /// What the query and the found article say.
    pub values: [&'a [u64]; 2],
    /// The query and the found article.
    pub articles: [&'a [u32]; 2],
}

/// The names that are filled with at least so many values in as many articles, none of them in more than a share
/// `commonest` of these; sorted.
///
/// # Errors
/// When columns have different lengths.
pub fn varying(slots: Columns, least: usize, commonest: f64) -> Result<Vec<u64>> {
    let count = slots.names.len();
    if slots.values.iter().any(|one| one.len() != count) || slots.articles.iter().any(|one| one.len() != count) {
        return Err(Invalid(format!("expected columns of {count} slots")));
    }
    let mut order: Vec<(u64, usize)> = slots.names.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let vary = order.chunk_by(|one, other| one.0 == other.0).filter(|mine| {
        if 2 * mine.len() < least {
            return false;
        }
        let sides =
            mine.iter().flat_map(|(_, at)| [0, 1].map(|side| (slots.values[side][*at], slots.articles[side][*at])));
        let mut holders: Vec<(u64, u32)> = sides.collect();
        holders.sort_unstable();
        holders.dedup();
        let (mut values, mut most) = (0, 0);
        for value in holders.chunk_by(|one, other| one.0 == other.0) {
            (values, most) = (values + 1, value.len().max(most));
        }
        let mut articles: Vec<u32> = holders.into_iter().map(|(_, article)| article).collect();
        articles.sort_unstable();
        articles.dedup();
        values.min(articles.len()) >= least && most as f64 <= commonest * articles.len() as f64
    });
    Ok(vary.map(|mine| mine[0].0).collect())
}
