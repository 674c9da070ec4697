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
//! away, and that is what a window weighs. A text too short for a window keeps its smallest shingle; one too short
//! for a shingle keeps none.
//!
//! "Smallest" is by a cheap rolling mix of the word hashes; only kept shingles pay for the real hash.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{Invalid, Result};

/// Keys of a batch, in Arrow's list layout, with the word number each was taken from.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Shingle hashes.
    pub values: Vec<u64>,
    /// Article i has `values[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<i64>,
    /// Word number of the shingle's first word, within its article.
    pub positions: Vec<u32>,
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// The order in which shingles are "small"; public so that twins in both languages can state it.
fn rank(sum: u64) -> u64 {
    let mixed = (sum ^ (sum >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 32)
}

/// The hash of one shingle: xxh3-64, seeded with `shingle_words`, of its little-endian word hashes.
pub fn shingle_hash(words: &[u64], shingle_words: usize) -> u64 {
    let mut bytes = [0_u8; 512];
    if words.len() * 8 <= bytes.len() {
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        return xxh3_64_with_seed(&bytes[..words.len() * 8], shingle_words as u64);
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    xxh3_64_with_seed(&bytes, shingle_words as u64)
}

/// Exclusive end of the shingle that starts at each word, as far as there are shingles.
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
pub fn winnow(
    hashes: &[u64],
    offsets: &[i64],
    halves: Option<&[u8]>,
    shingle_words: usize,
    window_words: usize,
) -> Result<Keys> {
    if shingle_words == 0 || window_words == 0 || shingle_words > 1 << 16 || window_words > 1 << 16 {
        return Err(Invalid(format!(
            "expected shingle_words and window_words from 1 to 65536, got {shingle_words} and {window_words}"
        )));
    }
    check_offsets(offsets, hashes.len(), "words")?;
    let expected = hashes.len() * 9 / (4 * (window_words + 1)) + offsets.len();
    let mut keys = Keys {
        values: Vec::with_capacity(expected),
        offsets: Vec::with_capacity(offsets.len()),
        positions: Vec::with_capacity(expected),
    };
    keys.offsets.push(0);
    let mut ranks = Vec::new();
    for bounds in offsets.windows(2) {
        let range = bounds[0] as usize..bounds[1] as usize;
        let words = &hashes[range.clone()];
        match halves.map(|h| &h[range]).filter(|h| h.contains(&1)) {
            None => winnow_words(words, shingle_words, window_words, &mut ranks, &mut keys),
            Some(weights) => winnow_weighted(words, weights, shingle_words, window_words, &mut ranks, &mut keys),
        }
        keys.offsets.push(keys.values.len() as i64);
    }
    Ok(keys)
}

/// Offsets rise from 0 to `len`.
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
    let leave = (1..shingle).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
    ranks.clear();
    let mut sum = words[..shingle - 1].iter().fold(0_u64, |sum, word| sum.wrapping_mul(FACTOR).wrapping_add(*word));
    for (first, last) in words.iter().zip(&words[shingle - 1..]) {
        sum = sum.wrapping_mul(FACTOR).wrapping_add(*last);
        ranks.push(rank(sum));
        sum = sum.wrapping_sub(first.wrapping_mul(leave));
    }
    let window = window.min(ranks.len());
    let mut smallest = usize::MAX;
    for end in window..=ranks.len() {
        let start = end - window;
        if smallest != usize::MAX && smallest >= start {
            if ranks[end - 1] > ranks[smallest] {
                continue;
            }
            smallest = end - 1;
        } else {
            smallest = last_smallest(&ranks[start..end]) + start;
        }
        keys.values.push(shingle_hash(&words[smallest..smallest + shingle], shingle));
        keys.positions.push(smallest as u32);
    }
}

fn winnow_weighted(words: &[u64], halves: &[u8], shingle: usize, window: usize, ranks: &mut Vec<u64>, keys: &mut Keys) {
    let ends = shingle_ends(words.len(), Some(halves), shingle);
    if ends.is_empty() {
        return;
    }
    ranks.clear();
    ranks.extend(ends.iter().enumerate().map(|(start, end)| {
        rank(words[start..*end].iter().fold(0, |sum: u64, word| sum.wrapping_mul(FACTOR).wrapping_add(*word)))
    }));
    let mut windows = runs(ranks.len(), Some(halves), 2 * window - 1);
    if windows.is_empty() {
        windows.push(ranks.len());
    }
    let (mut smallest, mut seen) = (usize::MAX, 0);
    for (start, end) in windows.into_iter().enumerate() {
        let before = smallest;
        if smallest == usize::MAX || smallest < start {
            smallest = last_smallest(&ranks[start..end]) + start;
        } else if seen < end {
            let newest = last_smallest(&ranks[seen..end]) + seen;
            if ranks[newest] <= ranks[smallest] {
                smallest = newest;
            }
        }
        seen = end;
        if smallest != before {
            keys.values.push(shingle_hash(&words[smallest..ends[smallest]], shingle));
            keys.positions.push(smallest as u32);
        }
    }
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
