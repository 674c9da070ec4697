//! Shingles and winnowing.
//!
//! A shingle is a run of `shingle_words` words. Where a word is a character of a script without spaces it counts
//! half, so a shingle is the shortest run from its first word that weighs `2 * shingle_words` halves or more: a
//! property of the words alone, the same wherever the run stands.
//!
//! Winnowing (Schleimer, Wilkerson, Aiken 2003) keeps the smallest shingle of every window of `window_words`
//! shingles, the last one where several are smallest. Two texts that share a run of
//! `shingle_words + window_words - 1` words share a whole window, and so a kept shingle: for weighted words, a run
//! of that many words leaves `2 * window_words - 1` halves of starting places once its last shingle is taken
//! away; a window of an article with such words weighs a quarter of that, since an edited character spoils more
//! shingles there. The first and the last half window of a text keep theirs as well, so that
//! a shorter run is enough at its edges, where leads and briefs are copied. A text too short for a window keeps its
//! smallest shingle; one too short for a shingle keeps none.
//!
//! "Smallest" is by a cheap rolling mix of the word hashes; only kept shingles pay for the real hash.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{Invalid, Result};

/// The words of a batch of articles, as `text::Tokens` has them.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Word hashes.
    pub hashes: &'a [u64],
    /// Article i has words `offsets[i]..offsets[i + 1]`.
    pub offsets: &'a [i64],
    /// 1 for a word of half weight, else 2; None if no word has half weight.
    pub halves: Option<&'a [u8]>,
}

impl<'a> Batch<'a> {
    /// How many articles there are.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The words and weights of one article; weights only if a word has half weight.
    pub fn article(&self, row: usize) -> (&'a [u64], Option<&'a [u8]>) {
        let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        (&self.hashes[range.clone()], self.halves.map(|halves| &halves[range]).filter(|halves| halves.contains(&1)))
    }

    /// The words and weights of each article.
    pub fn articles(self) -> impl Iterator<Item = (&'a [u64], Option<&'a [u8]>)> {
        (0..self.rows()).map(move |row| self.article(row))
    }

    /// Checks that the columns fit each other.
    ///
    /// # Errors
    /// When they do not.
    pub fn check(&self) -> Result<()> {
        let words = self.hashes.len();
        check_offsets(self.offsets, words, "words")?;
        match self.halves {
            Some(halves) if halves.len() != words => {
                Err(Invalid(format!("expected a weight for each of {words} words, got {}", halves.len())))
            }
            _ => Ok(()),
        }
    }
}

/// Keys of a batch, in Arrow's list layout, with the word number each was taken from.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Shingle hashes.
    pub values: Vec<u64>,
    /// Article i has `values[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<i64>,
    /// Word number of the shingle's first word, within its article.
    pub starts: Vec<u32>,
    /// Word number after its last word.
    pub ends: Vec<u32>,
}

impl Keys {
    fn push(&mut self, words: &[u64], start: usize, end: usize, shingle_words: usize) {
        self.values.push(shingle_hash(&words[start..end], shingle_words));
        self.starts.push(start as u32);
        self.ends.push(end as u32);
    }
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const MIXER: u64 = 0xBF58_476D_1CE4_E5B9;

/// The order in which shingles are "small", from the sum of their words; never 0.
fn rank(sum: u64) -> u64 {
    let mixed = (sum ^ (sum >> 29)).wrapping_mul(MIXER);
    (mixed ^ (mixed >> 32)).max(1)
}

/// The hash of one shingle: xxh3-64, seeded with `shingle_words`, of its little-endian word hashes.
pub fn shingle_hash(words: &[u64], shingle_words: usize) -> u64 {
    match words.len() {
        0..=8 => hash_within::<64>(words, shingle_words),
        9..=64 => hash_within::<512>(words, shingle_words),
        _ => {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            xxh3_64_with_seed(&bytes, shingle_words as u64)
        }
    }
}

fn hash_within<const BYTES: usize>(words: &[u64], seed: usize) -> u64 {
    let mut bytes = [0_u8; BYTES];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    xxh3_64_with_seed(&bytes[..words.len() * 8], seed as u64)
}

/// The exclusive end of the shingle that starts at each word, up to the last word that starts one.
pub fn shingle_ends(words: usize, halves: Option<&[u8]>, shingle_words: usize) -> Vec<usize> {
    runs(words, halves, 2 * shingle_words)
}

/// Exclusive end of the shortest run from each start that weighs `least` halves; starts without one are left out.
fn runs(words: usize, halves: Option<&[u8]>, least: usize) -> Vec<usize> {
    let weight = |i: usize| halves.map_or(2, |h| usize::from(h[i]));
    let (mut ends, mut end, mut sum) = (Vec::with_capacity(words), 0, 0);
    for start in 0..words {
        while sum < least && end < words {
            sum += weight(end);
            end += 1;
        }
        if sum < least {
            break;
        }
        ends.push(end);
        sum -= weight(start);
    }
    ends
}

/// The winnowed shingles of each article of a batch.
///
/// # Errors
/// When a parameter is zero or the offsets do not fit the words.
pub fn winnow(batch: Batch<'_>, shingle_words: usize, window_words: usize) -> Result<Keys> {
    if shingle_words == 0 || window_words == 0 || shingle_words > 1 << 16 || window_words > 1 << 16 {
        return Err(Invalid(format!(
            "expected shingle_words and window_words from 1 to 65536, got {shingle_words} and {window_words}"
        )));
    }
    batch.check()?;
    let expected = batch.hashes.len() * 9 / (4 * (window_words + 1)) + batch.offsets.len();
    let mut keys = Keys {
        values: Vec::with_capacity(expected),
        offsets: Vec::with_capacity(batch.offsets.len()),
        starts: Vec::with_capacity(expected),
        ends: Vec::with_capacity(expected),
    };
    keys.offsets.push(0);
    let mut ranks = Vec::new();
    for (words, halves) in batch.articles() {
        match halves {
            None => winnow_words(words, shingle_words, window_words, &mut ranks, &mut keys),
            Some(weights) => winnow_weighted(words, weights, shingle_words, window_words, &mut ranks, &mut keys),
        }
        keys.offsets.push(keys.values.len() as i64);
    }
    Ok(keys)
}

/// Checks that offsets are sorted, from 0 to `len`.
///
/// # Errors
/// When they do not.
pub fn check_offsets(offsets: &[i64], len: usize, what: &str) -> Result<()> {
    let rising = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
    if rising && offsets.first() == Some(&0) && offsets.last() == Some(&(len as i64)) {
        return Ok(());
    }
    Err(Invalid(format!("expected offsets that rise from 0 to {len}, the number of {what}")))
}

fn winnow_words(words: &[u64], shingle: usize, window: usize, ranks: &mut Vec<u64>, keys: &mut Keys) {
    if words.len() < shingle {
        return;
    }
    mix_runs(words, shingle, ranks);
    let (edge, window) = (window.div_ceil(2).min(ranks.len()), window.min(ranks.len()));
    let mut keep = |place: usize| keys.push(words, place, place + shingle, shingle);
    let first = last_smallest(&ranks[..edge]);
    let mut smallest = last_smallest(&ranks[..window]);
    if first != smallest {
        keep(first);
    }
    keep(smallest);
    for end in window + 1..=ranks.len() {
        let start = end - window;
        if smallest < start {
            smallest = last_smallest(&ranks[start..end]) + start;
        } else if ranks[end - 1] <= ranks[smallest] {
            smallest = end - 1;
        } else {
            continue;
        }
        keep(smallest);
    }
    let last = last_smallest(&ranks[ranks.len() - edge..]) + ranks.len() - edge;
    if last != smallest && last != first {
        keep(last);
    }
}

fn winnow_weighted(words: &[u64], halves: &[u8], shingle: usize, window: usize, ranks: &mut Vec<u64>, keys: &mut Keys) {
    let ends = shingle_ends(words.len(), Some(halves), shingle);
    if ends.is_empty() {
        return;
    }
    ranks.clear();
    ranks.extend(ends.iter().enumerate().map(|(start, end)| mix(&words[start..*end])));
    let mut windows = runs(ranks.len(), Some(halves), window.div_ceil(2));
    if windows.is_empty() {
        windows.push(ranks.len());
    }
    let mut kept = vec![last_smallest(&ranks[..edge(halves.iter(), window).min(ranks.len())])];
    let (mut smallest, mut seen) = (usize::MAX, 0);
    for (start, end) in windows.into_iter().enumerate() {
        if smallest == usize::MAX || smallest < start {
            smallest = last_smallest(&ranks[start..end]) + start;
        } else if seen < end {
            let newest = last_smallest(&ranks[seen..end]) + seen;
            if ranks[newest] <= ranks[smallest] {
                smallest = newest;
            }
        }
        seen = end;
        kept.push(smallest);
    }
    let tail = ranks.len() - edge(halves[..ranks.len()].iter().rev(), window).min(ranks.len());
    kept.push(last_smallest(&ranks[tail..]) + tail);
    kept.sort_unstable();
    kept.dedup();
    for place in kept {
        keys.push(words, place, ends[place], shingle);
    }
}

/// Starting places of half a window, counted from one end.
fn edge<'a>(halves: impl Iterator<Item = &'a u8>, window: usize) -> usize {
    let mut before = halves.scan(0, |sum, half| Some(std::mem::replace(sum, *sum + usize::from(*half))));
    before.by_ref().take_while(|sum| *sum < window).count()
}

fn last_smallest(ranks: &[u64]) -> usize {
    let mut best = 0;
    for (i, rank) in ranks.iter().enumerate() {
        if *rank <= ranks[best] {
            best = i;
        }
    }
    best
}

/// One hash of all words of each article that has words: (values, offsets).
///
/// # Errors
/// When the offsets do not fit the words.
pub fn whole_hashes(hashes: &[u64], offsets: &[i64]) -> Result<(Vec<u64>, Vec<i64>)> {
    check_offsets(offsets, hashes.len(), "words")?;
    let (mut values, mut ends) = (Vec::with_capacity(offsets.len()), vec![0]);
    for bounds in offsets.windows(2) {
        let words = &hashes[bounds[0] as usize..bounds[1] as usize];
        if !words.is_empty() {
            values.push(shingle_hash(words, 0));
        }
        ends.push(values.len() as i64);
    }
    Ok((values, ends))
}

/// A cheap hash of a few words, never 0, for the order of winnowing and for tables that do not outlive a call.
pub fn mix(words: &[u64]) -> u64 {
    rank(words.iter().fold(0, |sum: u64, word| sum.wrapping_mul(FACTOR).wrapping_add(*word)))
}

/// Replaces `mixed` by the mixed hash of every run of `length` words.
pub fn mix_runs(words: &[u64], length: usize, mixed: &mut Vec<u64>) {
    mixed.clear();
    if length == 0 || words.len() < length {
        return;
    }
    let leave = (1..length).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
    let mut sum = words[..length - 1].iter().fold(0_u64, |sum, word| sum.wrapping_mul(FACTOR).wrapping_add(*word));
    mixed.extend(words.iter().zip(&words[length - 1..]).map(|(first, last)| {
        sum = sum.wrapping_mul(FACTOR).wrapping_add(*last);
        let hash = rank(sum);
        sum = sum.wrapping_sub(first.wrapping_mul(leave));
        hash
    }));
}

/// The mixed hash of every shingle of an article.
pub fn mix_shingles(words: &[u64], halves: Option<&[u8]>, shingle_words: usize) -> Vec<u64> {
    let mut mixed = Vec::new();
    if halves.is_some_and(|h| h.contains(&1)) {
        let spans = shingle_spans(words.len(), halves, shingle_words);
        mixed.extend(spans.into_iter().map(|(start, end)| mix(&words[start..end])));
    } else {
        mix_runs(words, shingle_words, &mut mixed);
    }
    mixed
}

/// Where each shingle of an article starts and ends.
pub fn shingle_spans(words: usize, halves: Option<&[u8]>, shingle_words: usize) -> Vec<(usize, usize)> {
    match halves.filter(|h| h.contains(&1)) {
        None => (shingle_words..=words).map(|end| (end - shingle_words, end)).collect(),
        Some(halves) => shingle_ends(words, Some(halves), shingle_words).into_iter().enumerate().collect(),
    }
}

/// Distinct mixed shingles, with an open-addressing table at most a quarter full; 0 is an empty place.
///
/// Whoever knows the hash can make shingles that want one place. None stands `REACH` places behind the one it wants; where
/// that does not do, there is no table, and the values are sorted.
#[derive(Debug)]
pub struct ShingleSet {
    values: Vec<u64>,
    table: Vec<u64>,
}

/// In a table a quarter full, a run of so many places comes by chance once in 10^17.
const REACH: usize = 64;

impl ShingleSet {
    /// The set of some mixed shingles.
    pub fn new(shingles: &[u64]) -> Self {
        let places = (shingles.len() * 4).next_power_of_two().max(4);
        let mut set = Self { values: Vec::with_capacity(shingles.len()), table: vec![0; places] };
        for shingle in shingles {
            let Some(place) = set.place(*shingle) else {
                set.values = shingles.to_vec();
                set.values.sort_unstable();
                set.values.dedup();
                set.table.clear();
                break;
            };
            if set.table[place] == 0 {
                set.table[place] = *shingle;
                set.values.push(*shingle);
            }
        }
        set
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Where a shingle stands or would stand; None if that is out of reach.
    fn place(&self, shingle: u64) -> Option<usize> {
        let mask = self.table.len() - 1;
        let mut place = (shingle >> 32) as usize & mask;
        for _ in 0..REACH {
            if self.table[place] == 0 || self.table[place] == shingle {
                return Some(place);
            }
            place = (place + 1) & mask;
        }
        None
    }

    /// Whether a mixed shingle is among them.
    pub fn contains(&self, shingle: u64) -> bool {
        if self.table.is_empty() {
            return self.values.binary_search(&shingle).is_ok();
        }
        self.place(shingle).is_some_and(|place| self.table[place] != 0)
    }

    /// How many shingles are in both sets.
    pub fn shared(&self, other: &Self) -> usize {
        let (few, many) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        few.values.iter().filter(|shingle| many.contains(**shingle)).count()
    }
}

/// Words whose runs of `length` have these mixed hashes: `mix_runs` backwards, as somebody who attacks it would.
#[cfg(test)]
pub fn words_of_grams(hashes: impl Iterator<Item = u64>, length: usize) -> Vec<u64> {
    // The inverse of an odd factor, by Newton's iteration.
    let inverse = (0..6).fold(1_u64, |x, _| x.wrapping_mul(2_u64.wrapping_sub(MIXER.wrapping_mul(x))));
    let mut words = vec![0; length - 1];
    for hash in hashes {
        let mixed = (hash ^ hash >> 32).wrapping_mul(inverse);
        let sum = mixed ^ mixed >> 29 ^ mixed >> 58;
        let before = &words[words.len() + 1 - length..];
        let known = before.iter().fold(0_u64, |sum, word| sum.wrapping_mul(FACTOR).wrapping_add(*word));
        words.push(sum.wrapping_sub(known.wrapping_mul(FACTOR)));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_be_made_for_any_hashes() {
        let wanted: Vec<u64> = (1..500).map(|n: u64| n.wrapping_mul(0x1234_5678_9ABC_DEF1)).collect();
        let mut mixed = Vec::new();
        mix_runs(&words_of_grams(wanted.iter().copied(), 5), 5, &mut mixed);
        assert_eq!(mixed, wanted);
    }

    #[test]
    fn shingles_that_want_one_place_are_a_set_all_the_same() {
        let crafted: Vec<u64> = (1..20_000).collect();
        let set = ShingleSet::new(&crafted);
        assert!(set.table.is_empty(), "a table would be walked through for each");
        let other = ShingleSet::new(&(10_000..30_000).chain(10_000..30_000).collect::<Vec<u64>>());
        assert_eq!((set.len(), other.len(), set.shared(&other), other.shared(&set)), (19_999, 20_000, 10_000, 10_000));
        assert!(set.contains(19_999) && !set.contains(20_000));
    }

    #[test]
    fn a_shingle_is_sought_no_further_than_one_is_put() {
        // Each stands where it wants, all in one run.
        let set = ShingleSet::new(&(1..1000).map(|n| n << 32 | 1).collect::<Vec<u64>>());
        assert_eq!(set.table.iter().filter(|one| **one != 0).count(), 999);
        assert_eq!(set.place(1 << 32 | 2), None);
        assert!(!set.contains(1 << 32 | 2) && set.contains(999 << 32 | 1));
    }
}
