//! Formulas: which shingles stand around a common key in many articles, and which words they cover.
//!
//! Both are linear in the words; the set of formula shingles is small, so looking up every shingle of an article
//! that is compared costs next to nothing.

use std::collections::HashSet;

use crate::align::SHINGLE_WORDS;
use crate::shingles::{Batch, ShingleSet, check_offsets, mix_shingles, shingle_spans};
use crate::{Invalid, Result};

/// The shingles of all formulas, and the gaps between them that still belong to a formula.
#[derive(Debug, Default)]
pub struct Formulas {
    shingles: Option<ShingleSet>,
    gap_words: usize,
}

impl Formulas {
    /// Formulas of these mixed shingles; gaps of at most `gap_words` between the words they cover are covered too.
    pub fn new(shingles: &[u64], gap_words: usize) -> Self {
        Self { shingles: (!shingles.is_empty()).then(|| ShingleSet::new(shingles)), gap_words }
    }

    /// Whether each word of an article is boilerplate, from its mixed shingles; None if no word is.
    pub fn mark(&self, words: usize, halves: Option<&[u8]>, mixed: &[u64]) -> Option<Vec<bool>> {
        let known = self.shingles.as_ref()?;
        let mut common = (0..mixed.len()).filter(|start| known.contains(mixed[*start])).peekable();
        common.peek()?;
        let spans = halves.map(|_| shingle_spans(words, halves, SHINGLE_WORDS));
        let (mut marks, mut reach) = (vec![false; words], None);
        for start in common {
            let end = spans.as_ref().map_or(start + SHINGLE_WORDS, |spans| spans[start].1);
            let from = reach
                .filter(|reach: &usize| start <= reach.saturating_add(self.gap_words))
                .map_or(start, |reach: usize| reach.min(start));
            marks[from..end].fill(true);
            reach = Some(end);
        }
        Some(marks)
    }
}

/// 1 for each word of a batch that is boilerplate, else 0.
///
/// # Errors
/// When columns do not fit each other.
pub fn mark_boilerplate(batch: Batch<'_>, formulas: &Formulas) -> Result<Vec<u8>> {
    batch.check()?;
    let marks = batch.articles().flat_map(|(words, halves)| {
        let mixed = mix_shingles(words, halves, SHINGLE_WORDS);
        formulas.mark(words.len(), halves, &mixed).unwrap_or_else(|| vec![false; words.len()])
    });
    Ok(marks.map(u8::from).collect())
}

/// The shingles that occur around at least `least` of the given places, sorted. A place is a row and a word number; around
/// it is up to `reach_words` away.
///
/// # Errors
/// When columns do not fit each other.
pub fn common_shingles(
    batch: Batch<'_>,
    rows: &[u32],
    places: &[u32],
    reach_words: usize,
    least: usize,
) -> Result<Vec<u64>> {
    batch.check()?;
    if rows.len() != places.len() || rows.iter().any(|row| *row as usize >= batch.rows()) {
        return Err(Invalid(format!("expected a place for each row, rows under {}", batch.rows())));
    }
    let mut all = Vec::new();
    for (row, place) in rows.iter().zip(places) {
        let (words, halves) = batch.article(*row as usize);
        let near = (*place as usize).saturating_sub(reach_words)..(*place as usize).saturating_add(reach_words);
        let mixed = mix_shingles(words, halves, SHINGLE_WORDS);
        let mut own = mixed[near.start.min(mixed.len())..near.end.min(mixed.len())].to_vec();
        own.sort_unstable();
        own.dedup();
        all.append(&mut own);
    }
    all.sort_unstable();
    Ok(all.chunk_by(|one, other| one == other).filter(|same| same.len() >= least).map(|same| same[0]).collect())
}

/// Whether each article may hold one of the shingles, by its traces (`align::Compared`): true for every article that does,
/// and rarely for another.
///
/// # Errors
/// When columns do not fit each other.
pub fn may_hold(traces: &[u32], offsets: &[i64], shingles: &[u64]) -> Result<Vec<bool>> {
    check_offsets(offsets, traces.len(), "traces")?;
    let wanted: HashSet<u32> = shingles.iter().map(|shingle| *shingle as u32).collect();
    let mut seen = vec![0_u64; 1 << 10];
    for trace in &wanted {
        seen[(trace & 0xFFFF) as usize / 64] |= 1 << (trace % 64);
    }
    let holds = |trace: &u32| seen[(trace & 0xFFFF) as usize / 64] >> (trace % 64) & 1 == 1 && wanted.contains(trace);
    Ok(offsets.windows(2).map(|edges| traces[edges[0] as usize..edges[1] as usize].iter().any(holds)).collect())
}
