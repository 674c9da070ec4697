//! Formulas: which shingles stand around a common key in many articles, and which words they cover.
//!
//! Both are linear in the words; the set of formula shingles is small, so looking up every shingle of an article
//! that is compared costs next to nothing.

use crate::align::Batch;
use crate::shingles::{ShingleSet, check_offsets, mix, shingle_spans};
use crate::{Invalid, Result};

/// Marks (1) the words that stand in a boilerplate shingle, and gaps of at most `gap_words` between such words.
///
/// # Errors
/// When columns do not fit each other.
pub fn mark_boilerplate(batch: Batch<'_>, shingles: &[u64], shingle_words: usize, gap_words: usize) -> Result<Vec<u8>> {
    check_offsets(batch.offsets, batch.hashes.len(), "words")?;
    let set = ShingleSet::of_mixed(shingles);
    let mut marks = vec![0; batch.hashes.len()];
    for bounds in batch.offsets.windows(2) {
        let range = bounds[0] as usize..bounds[1] as usize;
        let words = &batch.hashes[range.clone()];
        let halves = batch.halves.map(|h| &h[range.clone()]);
        let marks = &mut marks[range];
        let mut reach = None;
        for (start, end) in shingle_spans(words.len(), halves, shingle_words) {
            if set.contains(mix(&words[start..end])) {
                let from =
                    reach.filter(|reach| start <= reach + gap_words).map_or(start, |reach: usize| reach.min(start));
                marks[from..end].fill(1);
                reach = Some(end);
            }
        }
    }
    Ok(marks)
}

/// Shingles within `reach_words` of a place that stand around `least` of the places given, one for each row.
///
/// # Errors
/// When columns do not fit each other.
pub fn common_shingles(
    batch: Batch<'_>,
    positions: &[u32],
    shingle_words: usize,
    reach_words: usize,
    least: usize,
) -> Result<Vec<u64>> {
    check_offsets(batch.offsets, batch.hashes.len(), "words")?;
    if positions.len() + 1 != batch.offsets.len() {
        return Err(Invalid(format!("expected {} positions, got {}", batch.offsets.len() - 1, positions.len())));
    }
    let mut all = Vec::new();
    let mut own = Vec::new();
    for (bounds, position) in batch.offsets.windows(2).zip(positions) {
        let range = bounds[0] as usize..bounds[1] as usize;
        let words = &batch.hashes[range.clone()];
        let halves = batch.halves.map(|h| &h[range]);
        let near = (*position as usize).saturating_sub(reach_words)..(*position as usize + reach_words);
        own.clear();
        own.extend(
            shingle_spans(words.len(), halves, shingle_words)
                .into_iter()
                .filter(|(start, _)| near.contains(start))
                .map(|(start, end)| mix(&words[start..end])),
        );
        own.sort_unstable();
        own.dedup();
        all.append(&mut own);
    }
    all.sort_unstable();
    Ok(all.chunk_by(|one, other| one == other).filter(|same| same.len() >= least).map(|same| same[0]).collect())
}
