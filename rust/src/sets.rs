//! Articles as sets of hashes: ragged rows, their shingles, what they share, which values are known.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::shingles::{Batch, check_offsets, shingle_ends, shingle_hash};
use crate::{Invalid, Result};

/// Longest shingle and longest step.
pub const LONGEST: usize = 1 << 16;

/// Rows of different lengths: row i is `values[starts[i]..ends[i]]`. Rows may overlap.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a, T> {
    values: &'a [T],
    starts: &'a [i64],
    ends: &'a [i64],
}

impl<'a, T> Rows<'a, T> {
    /// Rows of these values.
    ///
    /// # Errors
    /// When a row is not within the values.
    pub fn new(values: &'a [T], starts: &'a [i64], ends: &'a [i64]) -> Result<Self> {
        if starts.len() != ends.len() {
            return Err(Invalid(format!("expected as many starts as ends, got {} and {}", starts.len(), ends.len())));
        }
        let within = |(start, end): (&i64, &i64)| 0 <= *start && start <= end && *end <= values.len() as i64;
        if !starts.iter().zip(ends).all(within) {
            return Err(Invalid(format!("expected rows within {} values", values.len())));
        }
        Ok(Self { values, starts, ends })
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// One row.
    pub fn row(&self, row: usize) -> &'a [T] {
        &self.values[self.starts[row] as usize..self.ends[row] as usize]
    }

    /// Where a row starts in the values.
    pub fn start(&self, row: usize) -> usize {
        self.starts[row] as usize
    }

    /// The number of values, whether in a row or not.
    pub fn span(&self) -> usize {
        self.values.len()
    }

    /// All rows, in order.
    pub fn iter(self) -> impl Iterator<Item = &'a [T]> {
        (0..self.len()).map(move |row| self.row(row))
    }

    /// Pairs of row i of both.
    ///
    /// # Errors
    /// When they differ in rows.
    pub fn zip<U>(self, other: Rows<'a, U>) -> Result<impl Iterator<Item = (&'a [T], &'a [U])>> {
        if self.len() != other.len() {
            return Err(Invalid(format!(
                "expected as many rows on both sides, got {} and {}",
                self.len(),
                other.len()
            )));
        }
        Ok(self.iter().zip(other.iter()))
    }
}

/// The distinct values of each row, sorted: (values, offsets).
///
/// # Errors
/// When the offsets do not fit the values.
pub fn distinct(values: &[u64], offsets: &[i64]) -> Result<(Vec<u64>, Vec<i64>)> {
    check_offsets(offsets, values.len(), "values")?;
    let rows = offsets.windows(2).map(|bounds| &values[bounds[0] as usize..bounds[1] as usize]);
    Ok(collect_sets(rows, |values, row| row.extend_from_slice(values)))
}

/// A set for each article, of the values that `fill` adds for it: (values, offsets).
fn collect_sets<T>(articles: impl Iterator<Item = T>, mut fill: impl FnMut(T, &mut Vec<u64>)) -> (Vec<u64>, Vec<i64>) {
    let (mut kept, mut ends) = (Vec::new(), vec![0]);
    let (mut row, mut sorted) = (Vec::new(), Vec::new());
    for article in articles {
        row.clear();
        fill(article, &mut row);
        sort_hashes(&row, &mut sorted);
        sorted.dedup();
        kept.extend_from_slice(&sorted);
        ends.push(kept.len() as i64);
    }
    (kept, ends)
}

/// The hashes sorted: put where their first bits belong, about one a place, then each place by itself.
fn sort_hashes(hashes: &[u64], sorted: &mut Vec<u64>) {
    sorted.clear();
    sorted.extend_from_slice(hashes);
    if hashes.len() < 32 {
        sorted.sort_unstable();
        return;
    }
    let bits = hashes.len().ilog2().min(12);
    let place = |hash: u64| (hash >> (64 - bits)) as usize;
    let mut ends = vec![0_usize; (1 << bits) + 1];
    for hash in hashes {
        ends[place(*hash) + 1] += 1;
    }
    for at in 1..ends.len() {
        ends[at] += ends[at - 1];
    }
    for hash in hashes {
        let end = &mut ends[place(*hash)];
        sorted[*end] = *hash;
        *end += 1;
    }
    let mut start = 0;
    for end in &ends[..1 << bits] {
        if end - start > 1 {
            sorted[start..*end].sort_unstable();
        }
        start = *end;
    }
}

/// How an article is cut into shingles, and which of them are kept.
#[derive(Debug, Clone, Copy)]
pub struct Shingling {
    /// Words, or characters, of a shingle.
    pub length: usize,
    /// From the start of one shingle to that of the next.
    pub step: usize,
    /// Only shingles whose hash is a multiple of this are kept.
    pub modulus: u64,
    /// Whether an article that is too short for a shingle is one shingle as a whole.
    pub whole: bool,
}

impl Shingling {
    fn check(&self) -> Result<()> {
        let sizes = 1..=LONGEST;
        if sizes.contains(&self.length) && sizes.contains(&self.step) && self.modulus > 0 {
            return Ok(());
        }
        Err(Invalid(format!(
            "expected a shingle and a step from 1 to {LONGEST} and a modulus from 1, got {}, {} and {}",
            self.length, self.step, self.modulus
        )))
    }

    fn keeps(&self, hash: u64) -> bool {
        self.modulus == 1 || hash.is_multiple_of(self.modulus)
    }
}

/// The distinct shingles of words of each article, sorted: (values, offsets).
///
/// A step of 1 takes them all. A longer one counts half words too: it takes the first shingle that starts at or after
/// each multiple of it.
///
/// # Errors
/// When a size is zero or too large, or the offsets or weights do not fit the words.
pub fn shingle_sets(batch: Batch<'_>, shingling: Shingling) -> Result<(Vec<u64>, Vec<i64>)> {
    shingling.check()?;
    batch.check()?;
    let Shingling { length, step, whole, .. } = shingling;
    let hash = |words: &[u64]| Some(shingle_hash(words, length)).filter(|hash| shingling.keeps(*hash));
    Ok(collect_sets(batch.articles(), |(words, halves), row| {
        let ends = halves.map(|halves| shingle_ends(words.len(), Some(halves), length));
        let shingles = ends.as_ref().map_or((words.len() + 1).saturating_sub(length), Vec::len);
        if shingles == 0 && whole && !words.is_empty() {
            row.extend(hash(words));
        }
        let (Some(halves), Some(ends)) = (halves, ends) else {
            row.extend(words.windows(length).step_by(step).filter_map(hash));
            return;
        };
        let (mut before, mut next) = (0, 0);
        for (start, end) in ends.into_iter().enumerate() {
            if step == 1 || before >= next {
                row.extend(hash(&words[start..end]));
                next += 2 * step;
            }
            before += usize::from(halves[start]);
        }
    }))
}

/// The distinct shingles of characters of each article, sorted: (values, offsets).
///
/// The hash of a shingle is the xxh3-64 of its UTF-8, seeded with its length. Bytes that are not UTF-8 do no harm.
///
/// # Errors
/// When a size is zero or too large, or the offsets of words do not fit the text or those of articles the words.
pub fn character_sets(
    text: &[u8],
    word_offsets: &[i64],
    offsets: &[i64],
    shingling: Shingling,
) -> Result<(Vec<u64>, Vec<i64>)> {
    shingling.check()?;
    check_offsets(word_offsets, text.len(), "bytes")?;
    check_offsets(offsets, word_offsets.len() - 1, "words")?;
    let place = |word: i64| word_offsets[word as usize] as usize;
    let articles = offsets.windows(2).map(|words| (place(words[0]), place(words[1])));
    let Shingling { length, step, whole, .. } = shingling;
    let hash = |start: usize, end: usize| {
        Some(xxh3_64_with_seed(&text[start..end], length as u64)).filter(|hash| shingling.keeps(*hash))
    };
    let mut edges = Vec::new();
    Ok(collect_sets(articles, |(start, end), row| {
        edges.clear();
        edges.extend((start..end).filter(|at| text[*at] & 0xC0 != 0x80));
        edges.push(end);
        if edges.len() <= length && whole && start < end {
            row.extend(hash(start, end));
        }
        row.extend(edges.windows(length + 1).step_by(step).filter_map(|edges| hash(edges[0], edges[length])));
    }))
}

/// The number of distinct values that row i of both sides has in common, that of the query and that of the found row:
/// (shared, query, found). Rows that are sorted and distinct are fastest.
///
/// # Errors
/// When the sides differ in rows.
pub fn count_shared(query: Rows<u64>, found: Rows<u64>) -> Result<(Vec<i64>, Vec<i64>, Vec<i64>)> {
    let mut counts = (Vec::new(), Vec::new(), Vec::new());
    for (one, other) in query.zip(found)? {
        let (one, other) = (as_set(one), as_set(other));
        counts.0.push(shared(&one, &other) as i64);
        counts.1.push(one.len() as i64);
        counts.2.push(other.len() as i64);
    }
    Ok(counts)
}

fn as_set(row: &[u64]) -> Cow<'_, [u64]> {
    if row.is_sorted_by(|one, other| one < other) {
        return Cow::Borrowed(row);
    }
    let mut row = row.to_vec();
    row.sort_unstable();
    row.dedup();
    Cow::Owned(row)
}

/// Counted from both halves at once, cut at the same value: each step of a merge waits for the one before.
fn shared(one: &[u64], other: &[u64]) -> usize {
    let middle = one.len() / 2;
    let cut = one.get(middle).map_or(0, |value| other.partition_point(|below| below < value));
    let (mut low, mut high) = (Merge::new(&one[..middle], &other[..cut]), Merge::new(&one[middle..], &other[cut..]));
    while low.goes_on() && high.goes_on() {
        low.step();
        high.step();
    }
    for rest in [&mut low, &mut high] {
        while rest.goes_on() {
            rest.step();
        }
    }
    low.shared + high.shared
}

struct Merge<'a> {
    sides: [&'a [u64]; 2],
    at: [usize; 2],
    shared: usize,
}

impl<'a> Merge<'a> {
    fn new(one: &'a [u64], other: &'a [u64]) -> Self {
        Self { sides: [one, other], at: [0, 0], shared: 0 }
    }

    fn goes_on(&self) -> bool {
        self.at[0] < self.sides[0].len() && self.at[1] < self.sides[1].len()
    }

    fn step(&mut self) {
        let (left, right) = (self.sides[0][self.at[0]], self.sides[1][self.at[1]]);
        self.shared += usize::from(left == right);
        self.at[0] += usize::from(left <= right);
        self.at[1] += usize::from(right <= left);
    }
}

/// A number for each of some distinct hashes, in an open table at most half full.
#[derive(Debug)]
pub struct Numbers {
    slots: Vec<(u64, u32)>,
}

/// What a hash without a number has.
pub const NO_NUMBER: u32 = u32::MAX;

impl Numbers {
    /// The table of these hashes.
    ///
    /// # Errors
    /// When there are not as many numbers, or one of them is `NO_NUMBER`.
    pub fn new(hashes: &[u64], numbers: &[u32]) -> Result<Self> {
        if hashes.len() != numbers.len() || numbers.contains(&NO_NUMBER) {
            return Err(Invalid(format!(
                "expected a number below {NO_NUMBER} for each of {} hashes, got {}",
                hashes.len(),
                numbers.len()
            )));
        }
        let mut table = Self { slots: vec![(0, NO_NUMBER); (hashes.len() * 2).next_power_of_two()] };
        for (hash, number) in hashes.iter().zip(numbers) {
            let place = table.place(*hash);
            table.slots[place] = (*hash, *number);
        }
        Ok(table)
    }

    fn place(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        while self.slots[place].1 != NO_NUMBER && self.slots[place].0 != hash {
            place = (place + 1) & mask;
        }
        place
    }

    /// The number of a hash, or `NO_NUMBER`.
    pub fn get(&self, hash: u64) -> u32 {
        self.slots[self.place(hash)].1
    }
}
