//! Sentence lengths (Chang, Wang 2008): an article as the numbers of words in its sentences, cut into windows.
//!
//! A window is a run of `window` lengths. An article files one at every `step`-th sentence, and the one that ends the
//! article; `dynamic` leaves out a window whose first `step` lengths stand before and behind them as well. A query is
//! read at every sentence. A match needs a *block*: `contiguous` windows that are filed one after another, all of
//! them equal to windows of the query at the same distances.
//!
//! The windows of a block that touch are one *run* of lengths. Without `dynamic` a block is a single run, as long
//! as the paper's minimum matching length, or shorter where it ends the article. Wherever the query has the lengths
//! of a block's longest run, its other runs are compared. Blocks that are equal are looked up once, those whose
//! longest runs are of one length in one pass over the query. Lengths are compared by hashes from sums over the
//! whole article, modulo the prime 2^61 - 1, so that it costs the same for any number of them.
//!
//! Cost of a pair: n log n in its sentences, and `contiguous` steps for each place that matches, however often
//! windows repeat. With `dynamic` and blocks of more than one window there are more passes, one for each length of
//! runs, at most `window * contiguous`; and a block that leaves out more than a window of equal lengths has several
//! runs, of which the longest may be common. A text made for that costs its blocks times the places of such a run
//! in the query, which are one in `window`: seconds for 100,000 sentences on both sides.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::sets::Rows;
use crate::shingles::check_offsets;
use crate::{Invalid, Result};

const LONGEST: usize = 1 << 16;

/// The number of words in each sentence, up to the next one or the end of the article.
///
/// # Errors
/// When the offsets do not fit, or the sentences of an article do not rise within its words.
pub fn sentence_lengths(sentences: &[u32], sentence_offsets: &[i64], word_offsets: &[i64]) -> Result<Vec<u32>> {
    check_offsets(sentence_offsets, sentences.len(), "sentences")?;
    check_offsets(word_offsets, word_offsets.last().map_or(0, |words| *words as usize), "words")?;
    if sentence_offsets.len() != word_offsets.len() {
        return Err(Invalid(format!(
            "expected sentences and words of the same articles, got {} and {}",
            sentence_offsets.len() - 1,
            word_offsets.len() - 1
        )));
    }
    let mut lengths = Vec::with_capacity(sentences.len());
    for (bounds, words) in sentence_offsets.windows(2).zip(word_offsets.windows(2)) {
        let starts = &sentences[bounds[0] as usize..bounds[1] as usize];
        let words = words[1] - words[0];
        for (sentence, start) in starts.iter().enumerate() {
            let end = starts.get(sentence + 1).map_or(words, |next| i64::from(*next));
            let length = u32::try_from(end - i64::from(*start)).map_err(|_| {
                Invalid(format!("expected sentences that rise within {words} words, got {start} before {end}"))
            })?;
            lengths.push(length);
        }
    }
    Ok(lengths)
}

/// Which windows an article files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    window: usize,
    step: usize,
    dynamic: bool,
}

impl Windows {
    /// Windows of `window` lengths, one every `step`; `dynamic` leaves out repetitions.
    ///
    /// # Errors
    /// When a size is 0 or beyond 65536, or a step leaves sentences between windows.
    pub fn new(window: usize, step: usize, dynamic: bool) -> Result<Self> {
        if !(1..=LONGEST).contains(&window) || !(1..=window).contains(&step) {
            return Err(Invalid(format!(
                "expected a window from 1 to {LONGEST} and a step from 1 to the window, got {window} and {step}"
            )));
        }
        Ok(Self { window, step, dynamic })
    }

    /// Where the filed windows start.
    fn filed(self, lengths: &[u32]) -> impl Iterator<Item = usize> + '_ {
        let last = lengths.len().checked_sub(self.window);
        let starts = last.into_iter().flat_map(move |last| (0..last).step_by(self.step).chain([last]));
        starts.filter(move |start| !(self.dynamic && self.repeats(lengths, *start)))
    }

    fn repeats(self, lengths: &[u32], start: usize) -> bool {
        let step = self.step;
        start >= step && start + 2 * step <= lengths.len() && {
            let leading = &lengths[start..start + step];
            leading == &lengths[start - step..start] && leading == &lengths[start + step..start + 2 * step]
        }
    }
}

/// A hash of each filed window: (values, offsets).
pub fn window_hashes(lengths: Rows<u32>, windows: Windows) -> (Vec<u64>, Vec<i64>) {
    let run = Run::new(0, windows.window);
    let (mut values, mut ends) = (Vec::new(), vec![0]);
    for lengths in lengths.iter() {
        let sums = sum(lengths);
        values.extend(windows.filed(lengths).map(|start| {
            let hash = run.hash(&sums, start);
            xxh3_64_with_seed(&hash.to_le_bytes(), windows.window as u64)
        }));
        ends.push(values.len() as i64);
    }
    (values, ends)
}

/// How many windows of pairs of articles match.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// Windows of the query, at every sentence, that match.
    pub query: Vec<i64>,
    /// Filed windows of the found article that match.
    pub found: Vec<i64>,
    /// Windows that the query would file.
    pub query_filed: Vec<i64>,
    /// Windows that the found article files.
    pub found_filed: Vec<i64>,
}

/// How many windows of row i of the query match row i of the found side, and the reverse.
///
/// # Errors
/// When the sides differ in rows, or `contiguous` is 0 or beyond 65536.
pub fn match_windows(query: Rows<u32>, found: Rows<u32>, windows: Windows, contiguous: usize) -> Result<Matched> {
    if !(1..=LONGEST).contains(&contiguous) {
        return Err(Invalid(format!("expected contiguous windows from 1 to {LONGEST}, got {contiguous}")));
    }
    let mut matched = Matched::default();
    for (query, found) in query.zip(found)? {
        let mut starts = Vec::with_capacity(found.len());
        starts.extend(windows.filed(found));
        let (in_query, in_found) = match_pair(query, found, &starts, windows.window, contiguous);
        matched.query.push(in_query as i64);
        matched.found.push(in_found as i64);
        matched.query_filed.push(windows.filed(query).count() as i64);
        matched.found_filed.push(starts.len() as i64);
    }
    Ok(matched)
}

/// How many windows of the query match, and how many of those filed at `starts`.
fn match_pair(query: &[u32], found: &[u32], starts: &[usize], window: usize, contiguous: usize) -> (usize, usize) {
    if starts.len() < contiguous || query.len() < window {
        return (0, 0);
    }
    let (query_sums, found_sums) = (sum(query), sum(found));
    let gaps: Vec<usize> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (shapes, blocks) = find_blocks(&found_sums, starts, &gaps, window, contiguous);
    let mut distinct = Vec::with_capacity(blocks.len());
    distinct.extend(blocks.chunk_by(Block::equals));
    let mut in_query = vec![false; query.len() - window + 1];
    let mut in_found = vec![false; starts.len()];
    let mut met = vec![false; distinct.len()];
    let mut first = 0;
    for alike in distinct.chunk_by(|one, other| one[0].longest == other[0].longest) {
        let run = Run::new(0, alike[0][0].longest);
        for place in 0..(query.len() + 1).saturating_sub(run.end) {
            let key = run.hash(&query_sums, place);
            let below = alike.partition_point(|block| block[0].key < key);
            for (number, block) in alike.iter().enumerate().skip(below).take_while(|(_, block)| block[0].key == key) {
                let shape = &shapes[block[0].shape];
                let Some(start) = place.checked_sub(shape.longest().start) else { continue };
                if start + shape.len() <= query.len() && shape.hash(&query_sums, start) == block[0].hash {
                    met[first + number] = true;
                    shape.starts(start).for_each(|at| in_query[at] = true);
                }
            }
        }
        first += alike.len();
    }
    for block in distinct.iter().zip(met).filter(|(_, met)| *met).flat_map(|(blocks, _)| *blocks) {
        in_found[block.first..block.first + contiguous].fill(true);
    }
    let count = |marks: &[bool]| marks.iter().filter(|mark| **mark).count();
    (count(&in_query), count(&in_found))
}

/// Windows filed one after another. Sorted so that those to be looked up in one pass, and equal ones, stand together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Block {
    /// How many lengths its longest run has.
    longest: usize,
    /// The hash of that run.
    key: u64,
    /// The number of its shape.
    shape: usize,
    /// The hash of all its runs.
    hash: u64,
    /// The number of its first window.
    first: usize,
}

impl Block {
    fn equals(&self, other: &Self) -> bool {
        (self.key, self.shape, self.hash) == (other.key, other.shape, other.hash)
    }
}

fn find_blocks<'a>(
    sums: &[u64],
    starts: &[usize],
    gaps: &'a [usize],
    window: usize,
    contiguous: usize,
) -> (Vec<Shape<'a>>, Vec<Block>) {
    let gaps_of = |first: usize| &gaps[first..first + contiguous - 1];
    let mut firsts: Vec<usize> = (0..=starts.len() - contiguous).collect();
    firsts.sort_by(|one, other| gaps_of(*one).cmp(gaps_of(*other)));
    let (mut shapes, mut blocks) = (Vec::with_capacity(2), Vec::with_capacity(firsts.len()));
    for firsts in firsts.chunk_by(|one, other| gaps_of(*one) == gaps_of(*other)) {
        let shape = Shape::new(window, gaps_of(firsts[0]));
        blocks.extend(firsts.iter().map(|first| Block {
            longest: shape.longest().len(),
            key: shape.longest().hash(sums, starts[*first]),
            shape: shapes.len(),
            hash: shape.hash(sums, starts[*first]),
            first: *first,
        }));
        shapes.push(shape);
    }
    blocks.sort_unstable();
    (shapes, blocks)
}

const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0C6A_4A79_35BD_1E99;

fn times(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    reduce((product as u64 & PRIME) + (product >> 61) as u64)
}

fn reduce(sum: u64) -> u64 {
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// What `BASE` is multiplied to over so many lengths.
fn power(lengths: usize) -> u64 {
    let (mut result, mut square, mut left) = (1, BASE, lengths);
    while left > 0 {
        if left % 2 == 1 {
            result = times(result, square);
        }
        square = times(square, square);
        left /= 2;
    }
    result
}

/// The hash of the lengths before each place.
fn sum(lengths: &[u32]) -> Vec<u64> {
    let mut sums = Vec::with_capacity(lengths.len() + 1);
    let mut sum = 0;
    sums.push(sum);
    sums.extend(lengths.iter().map(|length| {
        sum = reduce(times(sum, BASE) + u64::from(*length));
        sum
    }));
    sums
}

/// Lengths from one place of an article to another.
struct Run {
    start: usize,
    end: usize,
    power: u64,
}

impl Run {
    fn new(start: usize, end: usize) -> Self {
        Self { start, end, power: power(end - start) }
    }

    fn len(&self) -> usize {
        self.end - self.start
    }

    /// The hash of its lengths, counted from a place; `sums` are those of an article it fits in.
    fn hash(&self, sums: &[u64], place: usize) -> u64 {
        reduce(sums[place + self.end] + PRIME - times(sums[place + self.start], self.power))
    }
}

/// The lengths that windows at certain distances look at, counted from the first.
struct Shape<'a> {
    gaps: &'a [usize],
    runs: Vec<Run>,
    longest: usize,
}

impl<'a> Shape<'a> {
    /// Windows of `window` lengths whose starts are these gaps apart.
    fn new(window: usize, gaps: &'a [usize]) -> Self {
        let (mut at, mut start, mut end) = (0, 0, window);
        let mut runs = Vec::with_capacity(1);
        for gap in gaps {
            at += gap;
            if at > end {
                runs.push(Run::new(start, end));
                start = at;
            }
            end = at + window;
        }
        runs.push(Run::new(start, end));
        let longest = (0..runs.len()).max_by_key(|run| runs[*run].len()).unwrap_or_default();
        Self { gaps, runs, longest }
    }

    fn longest(&self) -> &Run {
        &self.runs[self.longest]
    }

    fn len(&self) -> usize {
        self.runs.last().map_or(0, |run| run.end)
    }

    /// The hash of its runs on end.
    fn hash(&self, sums: &[u64], place: usize) -> u64 {
        self.runs.iter().fold(0, |hash, run| reduce(times(hash, run.power) + run.hash(sums, place)))
    }

    /// Where its windows start if the first does at a place.
    fn starts(&self, place: usize) -> impl Iterator<Item = usize> + '_ {
        let rest = self.gaps.iter().scan(place, |at, gap| {
            *at += gap;
            Some(*at)
        });
        std::iter::once(place).chain(rest)
    }
}
