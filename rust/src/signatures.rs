//! Signatures of shingle sets, whose equal values estimate resemblance.
//!
//! `MinHash` (Broder 1997) keeps the smallest of a set under each of k random orders; two sets agree in one with the
//! probability of their resemblance. Asking k orders about every shingle is k times the work, so the
//! orders are those of Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup 2017). In round i every shingle draws a bucket
//! and a value from a hash of itself and i. A bucket keeps the smallest value of the first round that reaches it; once
//! a whole round leaves no bucket empty the rest need not be drawn. From round k on all shingles go to bucket i - k,
//! so that 2 k rounds are enough for the smallest set. What a bucket keeps is the smallest of all (round, value) drawn for it: a
//! random order of the shingles, so the estimate is unbiased; it concentrates as with k independent
//! orders, and n shingles cost O(n + k log k).
//!
//! The order of a bucket depends on nothing but the shingle, k and `SCHEME`, so signatures made anywhere at any time
//! can be compared. Two different shingles leave the same 32 bits once in four thousand million times.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::sets::{LONGEST, Rows};
use crate::shingles::{Batch, mix, mix_shingles};
use crate::{Invalid, Result};

/// Changes whenever the same words would get another signature.
pub const SCHEME: u64 = 1;
/// Most values of a signature.
pub const MOST_VALUES: usize = 4096;

const EMPTY: u64 = u64::MAX;
/// A bucket holds the round above so many bits of the value.
const VALUE_BITS: u32 = 48;

/// The signature of the shingles of each article that has words: (values, offsets).
///
/// An article that is too short for a shingle is one shingle as a whole.
///
/// # Errors
/// When a size is zero or too large, or the offsets or weights do not fit the words.
pub fn signatures(batch: Batch<'_>, shingle_words: usize, signature_values: usize) -> Result<(Vec<u32>, Vec<i64>)> {
    if !(1..=LONGEST).contains(&shingle_words) || !(1..=MOST_VALUES).contains(&signature_values) {
        return Err(Invalid(format!(
            "expected shingle_words from 1 to {LONGEST} and signature_values from 1 to {MOST_VALUES}, got \
             {shingle_words} and {signature_values}"
        )));
    }
    batch.check()?;
    let seeds: Vec<u64> = (0..2 * signature_values as u64).map(|round| stir((SCHEME << 32) + round)).collect();
    let mut buckets = vec![EMPTY; signature_values];
    let (mut values, mut ends) = (Vec::with_capacity(batch.rows() * signature_values), vec![0]);
    for (words, halves) in batch.articles() {
        if !words.is_empty() {
            let mut shingles = mix_shingles(words, halves, shingle_words);
            if shingles.is_empty() {
                shingles.push(mix(words));
            }
            fill(&shingles, &seeds, &mut buckets);
            values.extend(buckets.iter().map(|kept| (kept.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32));
        }
        ends.push(values.len() as i64);
    }
    Ok((values, ends))
}

/// What each bucket keeps of some shingles, of which there is at least one.
fn fill(shingles: &[u64], seeds: &[u64], buckets: &mut [u64]) {
    buckets.fill(EMPTY);
    let mut empty = buckets.len();
    let (scattered, gathered) = seeds.split_at(buckets.len());
    for (round, seed) in scattered.iter().enumerate() {
        for shingle in shingles {
            let drawn = u128::from(stir(shingle ^ seed)) * buckets.len() as u128;
            let kept = &mut buckets[(drawn >> 64) as usize];
            empty -= usize::from(*kept == EMPTY);
            *kept = (*kept).min(label(round, drawn as u64));
        }
        if empty == 0 {
            return;
        }
    }
    for (bucket, (kept, seed)) in buckets.iter_mut().zip(gathered).enumerate() {
        if *kept == EMPTY {
            let smallest = shingles.iter().map(|shingle| stir(shingle ^ seed)).min().unwrap_or(EMPTY);
            *kept = label(scattered.len() + bucket, smallest);
        }
    }
}

fn label(round: usize, value: u64) -> u64 {
    (round as u64) << VALUE_BITS | value >> (64 - VALUE_BITS)
}

/// The finaliser of `SplitMix64`.
fn stir(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

/// One key for each band of a signature: (values, offsets).
///
/// A key is the xxh3-64 of the band's little-endian values, seeded with the number of the band.
///
/// # Errors
/// When the bands do not fit into a signature.
pub fn band_keys(signatures: Rows<u32>, bands: usize, rows: usize) -> Result<(Vec<u64>, Vec<i64>)> {
    let needed = bands.checked_mul(rows).filter(|needed| (1..=MOST_VALUES).contains(needed));
    let fits = |needed| signatures.iter().all(|signature| signature.is_empty() || signature.len() >= needed);
    if !needed.is_some_and(fits) {
        return Err(Invalid(format!("expected signatures of {bands} bands of {rows} values, or none")));
    }
    let (mut keys, mut ends) = (Vec::with_capacity(signatures.len() * bands), vec![0]);
    let mut bytes = Vec::with_capacity(4 * rows);
    for signature in signatures.iter() {
        keys.extend(signature.chunks_exact(rows).take(bands).enumerate().map(|(band, values)| {
            bytes.clear();
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            xxh3_64_with_seed(&bytes, band as u64)
        }));
        ends.push(keys.len() as i64);
    }
    Ok((keys, ends))
}

/// The number of places at which row i of both sides have the same value.
///
/// # Errors
/// When the sides differ in rows, or two signatures in length.
pub fn count_equal(query: Rows<u32>, found: Rows<u32>) -> Result<Vec<i64>> {
    let mut counts = Vec::with_capacity(query.len());
    for (one, other) in query.zip(found)? {
        if one.len() != other.len() && !one.is_empty() && !other.is_empty() {
            return Err(Invalid(format!(
                "expected signatures of the same length, got {} and {}",
                one.len(),
                other.len()
            )));
        }
        counts.push(i64::from(one.iter().zip(other).map(|(one, other)| u32::from(one == other)).sum::<u32>()));
    }
    Ok(counts)
}
