//! Two articles → the passages they share: seed, chain, measure.
//!
//! *Seed*: every maximal run of equal words of at least `seed_words` (`runs`), found through an index of the shorter
//! article's grams.
//!
//! *Chain*: runs in the same order on both sides, with gaps of at most `bridged_words`, join if what they add is
//! worth the gap. Moved paragraphs are chains of their own. Of chains that overlap on both sides the heavier wins.
//!
//! *Measure*: words inside the gaps are matched by longest common subsequence. A passage counts from
//! `min_passage_words` equal words on, half as many if it covers a whole short article.
//!
//! Words marked as boilerplate are taken out before anything else, so that a passage goes on across them; where nothing
//! is left, the whole articles may still be copies (`is_copy_with_formulas`). The articles are put in an order that
//! depends on their words alone: swapping the arguments swaps the answer.
//!
//! Cost: linear in the words, plus `LOOK_BACK` for each run; words whose grams were made to fall on one place of the
//! index cost up to `STRANGERS` each, and a logarithm, for the index is then sorted. Wrong where the same words are common to both by chance:
//! tables, lists, box scores.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use crate::boilerplate::Formulas;
use crate::kinds::{GOES_ON, VALUE};
use crate::runs::{GAP_CELLS, Index, Run, cut, find_runs, refine, sort_grams};
use crate::shingles::{Batch, ShingleSet, mix_runs, mix_shingles};
use crate::slots::{self, Slot, Slots};
use crate::{Invalid, Result};

/// Earlier runs that a run may join.
const LOOK_BACK: usize = 48;
/// Most passages of a pair.
const MOST_PASSAGES: usize = 1000;
/// Boilerplate words from which on they can be the substance of an article.
const SUBSTANCE_WORDS: usize = 60;
/// Words in the shingles of resemblance and of formulas.
pub const SHINGLE_WORDS: usize = 5;

/// What makes a passage.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Shortest run of equal words, or characters of a script without spaces, that can start a passage.
    pub seed_words: usize,
    /// Longest stretch of differing words inside a passage, on either side; twice as many where characters are words.
    pub bridged_words: usize,
    /// Equal words a passage needs.
    pub min_passage_words: usize,
    /// A passage that covers this share of an article needs only half as many equal words.
    pub covered: f64,
    /// How many words of a gap cost one equal word.
    pub gap_words_a_word: usize,
}

/// A stretch of words in each article.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Word numbers in the query article: start, exclusive end.
    pub query: (u32, u32),
    /// Word numbers in the found article.
    pub found: (u32, u32),
    /// Equal words.
    pub words: u32,
    /// Unmatched words of the longer side.
    pub changed: u32,
}

/// Two articles compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The same words in the same order.
    pub identical: bool,
    /// Share of the query's words inside passages.
    pub query_covered: f64,
    /// Share of the found article's words inside passages.
    pub found_covered: f64,
    /// Jaccard of distinct 5-word shingles, all words counted; 0 where there is no passage.
    pub resemblance: f64,
    /// The passages, by their place in the query.
    pub passages: Vec<Passage>,
    /// What each passage is filled with, if that was asked for, else none.
    pub slots: Vec<Slots>,
    /// The equal words of each passage, cut where boilerplate was taken out, if they were asked for, else none.
    pub runs: Vec<Vec<Run>>,
    /// Whether nothing was taken out as boilerplate, for the articles are identical or copies with their formulas.
    pub whole: bool,
}

/// What is needed to tell slots: the kinds and values of all words of a batch, and what a slot is.
#[derive(Debug, Clone, Copy)]
pub struct Filling<'a> {
    /// `kinds` of the words.
    pub kinds: &'a [u8],
    /// Their values.
    pub values: &'a [u64],
    /// What a slot is.
    pub rule: slots::Rule,
}

/// What is asked for besides passages and shares.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Slots, told by these kinds and values.
    pub slots: Option<Filling<'a>>,
    /// The equal words of each passage.
    pub runs: bool,
    /// Traces of the articles.
    pub trace: bool,
}

/// Compared pairs, and traces of the articles.
#[derive(Debug, Default)]
pub struct Compared {
    /// What each pair shares.
    pub pairs: Vec<Comparison>,
    /// The number of the last settings that were tried for each pair.
    pub tried: Vec<u8>,
    /// The lower 32 bits of the shingles of each row, if asked for; `boilerplate::may_hold` reads them.
    pub traces: Vec<u32>,
    /// Row i has `traces[trace_offsets[i]..trace_offsets[i + 1]]`.
    pub trace_offsets: Vec<i64>,
}

/// What each pair of rows shares, by the first of the settings that finds a passage, and what is asked for besides. Words in a
/// shingle of `formulas` are boilerplate.
///
/// # Errors
/// When columns do not fit each other or a pair names a row that is not there.
pub fn compare(
    batch: Batch<'_>,
    formulas: &Formulas,
    queries: &[u32],
    founds: &[u32],
    settings: &[Settings],
    asked: Asked<'_>,
) -> Result<Compared> {
    let filling = asked.slots;
    batch.check()?;
    let rows = batch.rows();
    let words = batch.hashes.len();
    if filling.is_some_and(|one| one.kinds.len() != words || one.values.len() != words) {
        return Err(Invalid(format!("expected kinds and values of {words} words")));
    }
    if queries.len() != founds.len() || queries.iter().chain(founds).any(|row| *row as usize >= rows) {
        return Err(Invalid(format!("expected pairs of rows under {rows}")));
    }
    let is_empty = |one: &Settings| one.seed_words == 0 || one.min_passage_words == 0 || one.gap_words_a_word == 0;
    if settings.is_empty() || settings.iter().any(is_empty) {
        return Err(Invalid("expected settings with seed, passage and gap words of at least 1".into()));
    }
    let mut articles: Vec<Option<Prepared>> = (0..rows).map(|_| None).collect();
    for row in queries.iter().chain(founds).map(|row| *row as usize) {
        articles[row].get_or_insert_with(|| Prepared::new(batch.article(row), kinds_of(batch, row, filling), formulas));
    }
    let mut compared: Vec<Option<Comparison>> = (0..queries.len()).map(|_| None).collect();
    let mut tried = vec![0; queries.len()];
    for (number, settings) in settings.iter().enumerate() {
        let is_left = |at: &usize| compared[*at].as_ref().is_none_or(|one| one.passages.is_empty());
        let left: Vec<usize> = (0..queries.len()).filter(is_left).collect();
        let pairs = left.iter().map(|at| (queries[*at] as usize, founds[*at] as usize));
        for row in pairs.clone().flat_map(|(query, found)| [query, found]) {
            articles[row].iter_mut().for_each(|article| article.cut_grams(settings.seed_words));
        }
        let answers = compare_by(batch, asked, &articles, pairs, *settings);
        for (at, answer) in left.iter().zip(answers) {
            (compared[*at], tried[*at]) = (answer, number as u8);
        }
    }
    let mut answer = Compared { tried, trace_offsets: vec![0], ..Compared::default() };
    answer.traces.reserve_exact(if asked.trace { batch.hashes.len() } else { 0 });
    for article in articles.iter().filter(|_| asked.trace) {
        answer.traces.extend(article.iter().flat_map(|article| &article.mixed).map(|shingle| *shingle as u32));
        answer.trace_offsets.push(answer.traces.len() as i64);
    }
    let none = || Invalid("expected articles that were prepared".into());
    answer.pairs = compared.into_iter().map(|one| one.ok_or_else(none)).collect::<Result<_>>()?;
    Ok(answer)
}

/// The kinds and values of an article's words.
fn kinds_of<'a>(batch: Batch<'_>, row: usize, filling: Option<Filling<'a>>) -> Option<(&'a [u8], &'a [u64])> {
    let words = batch.offsets[row] as usize..batch.offsets[row + 1] as usize;
    filling.map(|one| (&one.kinds[words.clone()], &one.values[words]))
}

/// What pairs of articles share; None where one is not there.
fn compare_by(
    batch: Batch<'_>,
    asked: Asked<'_>,
    articles: &[Option<Prepared>],
    pairs: impl Iterator<Item = (usize, usize)> + Clone,
    settings: Settings,
) -> Vec<Option<Comparison>> {
    let filling = asked.slots;
    let mut side = Side::new(articles, asked);
    for row in pairs.clone().flat_map(|(query, found)| [query, found]) {
        side.pairs[row] += 1;
    }
    let compared = pairs.map(|(query, found)| {
        let marked = side.compare(query, found, settings)?;
        let (one, other) = (articles[query].as_ref()?, articles[found].as_ref()?);
        if marked.passages.is_empty() && (one.numbers.is_some() || other.numbers.is_some()) {
            let whole = [query, found].map(|row| {
                let mut whole = Prepared::new(batch.article(row), kinds_of(batch, row, filling), &Formulas::default());
                whole.cut_grams(settings.seed_words);
                Some(whole)
            });
            let whole = Side::new(&whole, asked).compare(0, 1, settings)?;
            if is_copy_with_formulas(&whole, one, other, settings) {
                return Some(Comparison { whole: true, ..whole });
            }
        }
        Some(marked)
    });
    compared.collect()
}

/// Whether two articles that share nothing but formulas, or little else, are copies for all that: they cover each
/// other, and half of the words outside formulas with them; or formulas are the substance of both and one is covered.
fn is_copy_with_formulas(whole: &Comparison, one: &Prepared, other: &Prepared, settings: Settings) -> bool {
    let equal: usize = whole.passages.iter().map(|passage| 2 * passage.words as usize).sum();
    let rest_agrees = |side: &Prepared| {
        let (kept, all) = (side.weight(0, side.words.len()), side.whole_weight());
        2 * equal.saturating_sub(all - kept) >= kept
    };
    let (least, most) = (whole.query_covered.min(whole.found_covered), whole.query_covered.max(whole.found_covered));
    least >= settings.covered && (rest_agrees(one) || rest_agrees(other))
        || most >= settings.covered && one.is_formula() && other.is_formula()
}

/// Articles to compare, in how many pairs each is, and the index of one of them, kept for the next pair.
///
/// The longer article is gone through, the shorter indexed. One that is far longer than many others, a file stitched from
/// parts of them, is sorted once instead, so that each of them costs what it has itself.
struct Side<'a> {
    articles: &'a [Option<Prepared<'a>>],
    asked: Asked<'a>,
    pairs: Vec<u32>,
    index: Index,
    indexed: Option<usize>,
    /// The grams of an article by hash, with their places.
    sorted: Vec<(u64, u32)>,
    sorted_row: Option<usize>,
    scratch: slots::Scratch,
}

/// How many times as long, and in how many pairs, an article must be for its grams to be sorted.
const FAR_LONGER: usize = 8;
const MANY_PAIRS: u32 = 4;

impl<'a> Side<'a> {
    fn new(articles: &'a [Option<Prepared<'a>>], asked: Asked<'a>) -> Self {
        let pairs = vec![0; articles.len()];
        Self {
            articles,
            asked,
            pairs,
            index: Index::default(),
            indexed: None,
            sorted: Vec::new(),
            sorted_row: None,
            scratch: slots::Scratch::default(),
        }
    }

    /// Places of the long article at which a gram of the short one stands, rising; None if it is not worth it.
    fn common_places(&mut self, row: usize, long: &Prepared, short: &Prepared) -> Option<Vec<u32>> {
        if self.pairs[row] < MANY_PAIRS || long.grams.1.len() < FAR_LONGER * short.grams.1.len() {
            return None;
        }
        if self.sorted_row != Some(row) {
            self.sorted = sort_grams(&long.grams.1);
            self.sorted_row = Some(row);
        }
        let mut grams = short.grams.1.clone();
        grams.sort_unstable();
        grams.dedup();
        let mut places = Vec::new();
        for gram in grams {
            let from = self.sorted.partition_point(|one| one.0 < gram);
            places.extend(self.sorted[from..].iter().take_while(|one| one.0 == gram).map(|one| one.1));
        }
        places.sort_unstable();
        Some(places)
    }

    /// What two of the articles share; None if one is not there.
    fn compare(&mut self, query: usize, found: usize, settings: Settings) -> Option<Comparison> {
        let (one, other) = (self.articles[query].as_ref()?, self.articles[found].as_ref()?);
        let turned = (one.words.len(), &one.words) < (other.words.len(), &other.words);
        let (long, short, row, long_row) = if turned { (other, one, query, found) } else { (one, other, found, query) };
        let places = self.common_places(long_row, long, short);
        if self.indexed != Some(row) {
            self.index.build(&short.grams.1);
            self.indexed = Some(row);
        }
        let compared =
            compare_two(long, short, &self.index, places.as_deref(), settings, self.asked, &mut self.scratch);
        Some(if turned { compared.turned() } else { compared })
    }
}

impl Comparison {
    /// An article and its twin; without words they are nothing to compare. Marks between the words may make other values of them.
    fn identical(article: &Prepared, twin: &Prepared, asked: Asked) -> Self {
        let (len, is) = (article.whole.len() as u32, !article.whole.is_empty());
        let words =
            article.whole_halves.map_or(len, |h| h.iter().map(|half| u32::from(*half)).sum::<u32>().div_ceil(2));
        let whole = Passage { query: (0, len), found: (0, len), words, changed: 0 };
        let share = f64::from(u8::from(is));
        let passages = if is { vec![whole] } else { Vec::new() };
        let same = article.whole_kinds.zip(twin.whole_kinds).filter(|_| is).map(|(one, other)| {
            let is_value = |at: &usize| one.0[*at] == VALUE && other.0[*at] == VALUE && one.1[*at] == other.1[*at];
            (0..article.whole.len()).filter(is_value).count() as u32
        });
        let slots = same.into_iter().map(|same| Slots { same, other: Vec::new() }).collect();
        let run = Run { query: 0, found: 0, len: article.whole.len() };
        let runs = if is && asked.runs { vec![vec![run]] } else { Vec::new() };
        Self {
            identical: is,
            query_covered: share,
            found_covered: share,
            resemblance: share,
            passages,
            slots,
            runs,
            whole: is,
        }
    }

    fn turned(self) -> Self {
        let turn = |passage: &Passage| Passage { query: passage.found, found: passage.query, ..*passage };
        let turn_slot = |slot: Slot| Slot { query: slot.found, found: slot.query, ..slot };
        let turn_run = |run: &Run| Run { query: run.found, found: run.query, ..*run };
        let mut order: Vec<usize> = (0..self.passages.len()).collect();
        order.sort_unstable_by_key(|at| (self.passages[*at].found, self.passages[*at].query));
        let passages = order.iter().map(|at| turn(&self.passages[*at])).collect();
        let mut slots = self.slots;
        for one in &mut slots {
            one.other.iter_mut().for_each(|slot| *slot = turn_slot(*slot));
        }
        let slots =
            if slots.is_empty() { slots } else { order.iter().map(|at| std::mem::take(&mut slots[*at])).collect() };
        let of_passage = |at: &usize| self.runs.get(*at).map(|runs| runs.iter().map(turn_run).collect());
        let runs = order.iter().filter_map(of_passage).collect();
        Self { query_covered: self.found_covered, found_covered: self.query_covered, passages, slots, runs, ..self }
    }
}

/// The kinds and values of words.
type Kinds<'a> = (Cow<'a, [u8]>, Cow<'a, [u64]>);

/// An article ready to be compared: its words without boilerplate, and what of the whole is needed.
struct Prepared<'a> {
    words: Cow<'a, [u64]>,
    halves: Option<Cow<'a, [u8]>>,
    /// The kinds and values of the words, if slots are asked for.
    kinds: Option<Kinds<'a>>,
    /// Number in the whole article of each word, where boilerplate was taken out.
    numbers: Option<Vec<u32>>,
    /// The words of a gram, and a hash of that at each word.
    grams: (usize, Vec<u64>),
    whole: &'a [u64],
    whole_halves: Option<&'a [u8]>,
    whole_kinds: Option<(&'a [u8], &'a [u64])>,
    mixed: Vec<u64>,
    /// The distinct ones, made when they are needed.
    shingles: OnceCell<ShingleSet>,
}

impl<'a> Prepared<'a> {
    fn new(
        (whole, halves): (&'a [u64], Option<&'a [u8]>),
        kinds: Option<(&'a [u8], &'a [u64])>,
        formulas: &Formulas,
    ) -> Self {
        let mixed = mix_shingles(whole, halves, SHINGLE_WORDS);
        let mut prepared = Self {
            words: Cow::Borrowed(whole),
            halves: halves.map(Cow::Borrowed),
            kinds: kinds.map(|(kinds, values)| (Cow::Borrowed(kinds), Cow::Borrowed(values))),
            numbers: None,
            grams: (0, Vec::new()),
            whole,
            whole_halves: halves,
            whole_kinds: kinds,
            mixed,
            shingles: OnceCell::new(),
        };
        if let Some(marks) = formulas.mark(whole.len(), halves, &prepared.mixed) {
            let kept: Vec<u32> = (0..whole.len() as u32).filter(|i| !marks[*i as usize]).collect();
            prepared.words = keep(whole, &kept);
            prepared.halves = halves.map(|halves| keep(halves, &kept));
            prepared.kinds = kinds.map(|(kinds, values)| {
                let mut left: Vec<u8> = kept.iter().map(|i| kinds[*i as usize]).collect();
                for (at, i) in kept.iter().enumerate() {
                    if left[at] == GOES_ON && (at == 0 || kept[at - 1] + 1 < *i) {
                        left[at] = VALUE;
                    }
                }
                (Cow::Owned(left), keep(values, &kept))
            });
            prepared.numbers = Some(kept);
        }
        prepared
    }

    /// Makes its grams have so many words.
    fn cut_grams(&mut self, words: usize) {
        if self.grams.0 != words {
            self.grams.0 = words;
            self.grams.1.clear();
            mix_runs(&self.words, words, &mut self.grams.1);
        }
    }

    /// The Jaccard of distinct shingles.
    fn resemblance(&self, other: &Self) -> f64 {
        let [one, other] = [self, other].map(|side| side.shingles.get_or_init(|| ShingleSet::new(&side.mixed)));
        let shared = one.shared(other);
        shared as f64 / (one.len() + other.len() - shared).max(1) as f64
    }

    /// Whether boilerplate is more than half of it, and long enough to be its substance.
    fn is_formula(&self) -> bool {
        let marked = self.whole.len() - self.words.len();
        marked >= SUBSTANCE_WORDS && 2 * marked > self.whole.len()
    }

    fn span(&self, start: usize, end: usize) -> (u32, u32) {
        match &self.numbers {
            None => (start as u32, end as u32),
            Some(numbers) => (numbers[start], numbers[end - 1] + 1),
        }
    }

    /// The words as slots are told by, where these are asked for.
    fn filled(&self) -> Option<slots::Words<'_>> {
        let (kinds, values) = self.kinds.as_ref()?;
        Some(slots::Words { hashes: &self.words, kinds, values, halves: self.halves.as_deref() })
    }

    fn whole_weight(&self) -> usize {
        self.whole_halves.map_or(2 * self.whole.len(), |h| h.iter().map(|half| usize::from(*half)).sum())
    }

    fn weight(&self, start: usize, end: usize) -> usize {
        self.halves.as_ref().map_or(2 * (end - start), |h| h[start..end].iter().map(|half| usize::from(*half)).sum())
    }
}

fn keep<'a, T: Clone + Copy>(all: &[T], kept: &[u32]) -> Cow<'a, [T]> {
    Cow::Owned(kept.iter().map(|i| all[*i as usize]).collect())
}

fn compare_two(
    query: &Prepared,
    found: &Prepared,
    index: &Index,
    starts: Option<&[u32]>,
    settings: Settings,
    asked: Asked,
    scratch: &mut slots::Scratch,
) -> Comparison {
    if query.whole == found.whole {
        return Comparison::identical(query, found, asked);
    }
    let mut passages = if query.words == found.words {
        let len = query.words.len();
        let whole = Run { query: 0, found: 0, len };
        let long_enough = len > 0 && query.weight(0, len) >= settings.min_passage_words;
        if long_enough { vec![measure(query, found, &[whole])] } else { Vec::new() }
    } else {
        let (sides, gram) = (((&*query.words, &*query.grams.1), &*found.words), settings.seed_words);
        let runs = match starts {
            Some(starts) => find_runs(sides.0, sides.1, index, starts.iter().map(|start| *start as usize), gram),
            None => find_runs(sides.0, sides.1, index, 0..query.grams.1.len(), gram),
        };
        chain(query, found, &runs, settings)
    };
    passages.sort_unstable_by_key(|one| (one.query, one.found));
    let covered = |len: usize, side: fn(&Measured) -> (usize, usize)| {
        let mut spans: Vec<(usize, usize)> = passages.iter().map(side).collect();
        spans.sort_unstable();
        let (mut sum, mut reach) = (0, 0);
        for (start, end) in spans {
            sum += end.saturating_sub(start.max(reach));
            reach = reach.max(end);
        }
        if len == 0 { 0.0 } else { sum as f64 / len as f64 }
    };
    let told = asked.slots.and_then(|filling| find_slots(query, found, &passages, filling.rule, scratch));
    let runs =
        if asked.runs { passages.iter().map(|one| tell_runs(query, found, &one.runs)).collect() } else { Vec::new() };
    Comparison {
        identical: false,
        query_covered: covered(query.words.len(), |one| one.query),
        found_covered: covered(found.words.len(), |one| one.found),
        resemblance: if passages.is_empty() { 0.0 } else { query.resemblance(found) },
        passages: passages
            .iter()
            .map(|one| Passage {
                query: query.span(one.query.0, one.query.1),
                found: found.span(one.found.0, one.found.1),
                words: one.halves.div_ceil(2) as u32,
                changed: one.changed as u32,
            })
            .collect(),
        slots: told.unwrap_or_default(),
        runs,
        whole: false,
    }
}

/// All equal words of a passage, in numbers of the whole articles.
fn tell_runs(query: &Prepared, found: &Prepared, runs: &[Run]) -> Vec<Run> {
    let (mut longest, mut all) = (Vec::new(), Vec::new());
    let weight = |at: usize| query.weight(at, at + 1) as u16;
    refine(&query.words, &found.words, runs, weight, &mut longest, &mut all);
    cut(&all, [query, found].map(|side| side.numbers.as_deref()))
}

/// The slots of each passage; None if the kinds of words are not known.
fn find_slots(
    query: &Prepared,
    found: &Prepared,
    passages: &[Measured],
    rule: slots::Rule,
    scratch: &mut slots::Scratch,
) -> Option<Vec<Slots>> {
    let (mine, theirs) = (query.filled()?, found.filled()?);
    let edges = |len: usize, side: fn(&Measured) -> (usize, usize)| {
        let (mut starts, mut ends): (Vec<usize>, Vec<usize>) = passages.iter().map(side).unzip();
        starts.push(len);
        ends.push(0);
        starts.sort_unstable();
        ends.sort_unstable();
        move |(start, end): (usize, usize)| {
            let before = ends.partition_point(|one| *one <= start).saturating_sub(1);
            (ends[before], starts[starts.partition_point(|one| *one < end).min(starts.len() - 1)])
        }
    };
    let free_query = edges(query.words.len(), |one| one.query);
    let free_found = edges(found.words.len(), |one| one.found);
    let mut tell = |one: &Measured| {
        slots::find(mine, theirs, &one.runs, [free_query(one.query), free_found(one.found)], rule, scratch)
    };
    Some(passages.iter().map(&mut tell).collect())
}

/// A chain of runs, measured.
struct Measured {
    query: (usize, usize),
    found: (usize, usize),
    halves: usize,
    changed: usize,
    runs: Vec<Run>,
}

/// Join runs into passages: the heaviest chain first, then what does not overlap it on both sides.
fn chain(query: &Prepared, found: &Prepared, runs: &[Run], settings: Settings) -> Vec<Measured> {
    let worth = |words: usize| words.saturating_mul(settings.gap_words_a_word);
    let characters = query.halves.is_some() || found.halves.is_some();
    let bridged = settings.bridged_words.saturating_mul(1 + usize::from(characters));
    let mut best: Vec<(usize, usize)> = Vec::with_capacity(runs.len());
    for (i, run) in runs.iter().enumerate() {
        let mut top = (worth(run.len), usize::MAX);
        for before in (i.saturating_sub(LOOK_BACK)..i).rev() {
            let earlier = runs[before];
            if let Some((trimmed, gap)) = follow(earlier, *run)
                && gap <= bridged
                && best[before].0 > gap
            {
                let score = best[before].0 - gap + worth(trimmed.len);
                if score > top.0 {
                    top = (score, before);
                }
            }
        }
        best.push(top);
    }
    let mut ends: Vec<usize> = (0..runs.len()).collect();
    ends.sort_unstable_by_key(|i| (std::cmp::Reverse(best[*i].0), runs[*i].found, runs[*i].query));
    let mut used = vec![false; runs.len()];
    let mut accepted: Vec<Measured> = Vec::new();
    let mut members = Vec::new();
    for end in ends {
        if accepted.len() >= MOST_PASSAGES || best[end].0 < worth(settings.min_passage_words) / 4 {
            break;
        }
        members.clear();
        let mut at = end;
        while at != usize::MAX && !used[at] && !accepted.iter().any(|one| overlaps(one, runs[at], runs[end])) {
            used[at] = true;
            let later = members.last().copied();
            members.push(runs[at]);
            if let Some(later) = later
                && let Some((trimmed, _)) = follow(runs[at], later)
            {
                let place = members.len() - 2;
                members[place] = trimmed;
            }
            at = best[at].1;
        }
        members.reverse();
        if !members.is_empty() {
            let measured = measure(query, found, &members);
            let share = |span: (usize, usize), side: &Prepared| (span.1 - span.0) as f64 / side.words.len() as f64;
            let whole = share(measured.query, query).max(share(measured.found, found)) >= settings.covered;
            if measured.halves >= 2 * settings.min_passage_words / (1 + usize::from(whole)) {
                accepted.push(measured);
            }
        }
    }
    accepted
}

/// Whether a chain from `first` to `last` overlaps a passage on both sides.
fn overlaps(one: &Measured, first: Run, last: Run) -> bool {
    first.query < one.query.1
        && one.query.0 < last.query + last.len
        && first.found < one.found.1
        && one.found.0 < last.found + last.len
}

/// What is left of `run` behind `earlier`, and the longer of the two gaps between them.
fn follow(earlier: Run, run: Run) -> Option<(Run, usize)> {
    if run.query <= earlier.query || run.found <= earlier.found {
        return None;
    }
    let (query_end, found_end) = (earlier.query + earlier.len, earlier.found + earlier.len);
    let cut = query_end.saturating_sub(run.query).max(found_end.saturating_sub(run.found));
    if cut >= run.len {
        return None;
    }
    let trimmed = Run { query: run.query + cut, found: run.found + cut, len: run.len - cut };
    Some((trimmed, (trimmed.query - query_end).max(trimmed.found - found_end)))
}

fn measure(query: &Prepared, found: &Prepared, runs: &[Run]) -> Measured {
    let (first, last) = (runs[0], runs[runs.len() - 1]);
    let mut halves: usize = runs.iter().map(|run| query.weight(run.query, run.query + run.len)).sum();
    for pair in runs.windows(2) {
        let one = pair[0].query + pair[0].len..pair[1].query;
        let other = pair[0].found + pair[0].len..pair[1].found;
        halves += common_halves(query, one, &found.words[other]);
    }
    let (from, to) = ((first.query, last.query + last.len), (first.found, last.found + last.len));
    let longer = query.weight(from.0, from.1).max(found.weight(to.0, to.1));
    Measured { query: from, found: to, halves, changed: (longer - halves).div_ceil(2), runs: runs.to_vec() }
}

/// Weight of the longest common subsequence of two gaps; 0 for gaps too large to be worth it.
fn common_halves(query: &Prepared, gap: Range<usize>, other: &[u64]) -> usize {
    if gap.is_empty() || other.is_empty() || gap.len() * other.len() > GAP_CELLS {
        return 0;
    }
    let mut row = vec![0_usize; other.len() + 1];
    for at in gap {
        let (word, weight) = (query.words[at], query.weight(at, at + 1));
        let mut diagonal = 0;
        for (place, candidate) in other.iter().enumerate() {
            let above = row[place + 1];
            row[place + 1] = if word == *candidate { diagonal + weight } else { above.max(row[place]) };
            diagonal = above;
        }
    }
    row[other.len()]
}
