//! Formulas: which shingles stand around a common key in many articles, and which words they cover.
//!
//! Both are linear in the words; the set of formula shingles is small, so looking up every shingle of an article
//! that is compared costs next to nothing.

use crate::align::Batch;
use crate::shingles::{ShingleSet, mix, shingle_spans};
use crate::{Invalid, Result};

/// The shingles of all formulas, and how they are read.
#[derive(Debug, Default)]
pub struct Formulas {
    shingles: Option<ShingleSet>,
    shingle_words: usize,
    gap_words: usize,
}

impl Formulas {
    /// Mixed shingles; gaps of at most `gap_words` between words they cover are covered too.
    ///
    /// # Errors
    /// When shingles have no words.
    pub fn new(shingles: &[u64], shingle_words: usize, gap_words: usize) -> Result<Self> {
        if shingle_words == 0 {
            return Err(Invalid("expected shingles of at least 1 word, got 0".into()));
        }
        let shingles = (!shingles.is_empty()).then(|| ShingleSet::of_mixed(shingles));
        Ok(Self { shingles, shingle_words, gap_words })
    }

    /// Whether each word is boilerplate; None if no word is.
    pub fn mark(&self, words: &[u64], halves: Option<&[u8]>) -> Option<Vec<bool>> {
        let known = self.shingles.as_ref()?;
        let (mut marks, mut reach) = (None, 0);
        let mut cover = |start: usize, end: usize| {
            let marks = marks.get_or_insert_with(|| vec![false; words.len()]);
            let joined = reach > 0 && start <= reach + self.gap_words;
            marks[if joined { reach.min(start) } else { start }..end].fill(true);
            reach = end;
        };
        if halves.is_none() {
            for (start, shingle) in words.windows(self.shingle_words).enumerate() {
                if known.contains(mix(shingle)) {
                    cover(start, start + self.shingle_words);
                }
            }
        } else {
            for (start, end) in shingle_spans(words.len(), halves, self.shingle_words) {
                if known.contains(mix(&words[start..end])) {
                    cover(start, end);
                }
            }
        }
        marks
    }
}

/// 1 for each word of a batch that is boilerplate, else 0.
///
/// # Errors
/// When columns do not fit each other.
pub fn mark_boilerplate(batch: Batch<'_>, formulas: &Formulas) -> Result<Vec<u8>> {
    batch.check()?;
    let marks = (0..batch.rows()).flat_map(|row| {
        let (words, halves) = batch.article(row);
        formulas.mark(words, halves).unwrap_or_else(|| vec![false; words.len()])
    });
    Ok(marks.map(u8::from).collect())
}

/// Shingles within `reach_words` of a place that stand around `least` of the places given, as row and word number.
///
/// # Errors
/// When columns do not fit each other.
pub fn common_shingles(
    batch: Batch<'_>,
    rows: &[u32],
    places: &[u32],
    shingle_words: usize,
    reach_words: usize,
    least: usize,
) -> Result<Vec<u64>> {
    batch.check()?;
    if rows.len() != places.len() || rows.iter().any(|row| *row as usize >= batch.rows()) || shingle_words == 0 {
        return Err(Invalid(format!(
            "expected a place for each row, rows under {} and shingles of words",
            batch.rows()
        )));
    }
    let mut all = Vec::new();
    for (row, place) in rows.iter().zip(places) {
        let (words, halves) = batch.article(*row as usize);
        let near = (*place as usize).saturating_sub(reach_words)..(*place as usize + reach_words);
        let mut own: Vec<u64> = shingle_spans(words.len(), halves, shingle_words)
            .into_iter()
            .filter(|(start, _)| near.contains(start))
            .map(|(start, end)| mix(&words[start..end]))
            .collect();
        own.sort_unstable();
        own.dedup();
        all.append(&mut own);
    }
    all.sort_unstable();
    Ok(all.chunk_by(|one, other| one == other).filter(|same| same.len() >= least).map(|same| same[0]).collect())
}
