//! Texts cut into cells, one a word.
//!
//! A cell is the word with the marks and the white space around it up to its neighbours: what stands between two words belongs to the
//! first up to its last white space, or else all but opening marks. Cells cover a text, so that pieces made of them do.
//! Cost: one walk over the characters.

use std::ops::Range;

use crate::shingles::Batch;
use crate::{Invalid, Result};

const OPENING: &str = "([{<«‹“‘„‚‟「『《〈（【〔［｛｟〖¿¡";
/// Marks that end a sentence, and that end a part of one.
const STOPS: &str = ".!?…。！？؟।\"”»";
const PAUSES: &str = ",;:–—)]、，；：،؛";

/// The texts of a batch and where their words stand.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    /// The words.
    pub batch: Batch<'a>,
    /// Code points of the text before each word.
    pub starts: &'a [u32],
    /// Code points up to its end.
    pub ends: &'a [u32],
    /// The texts in UTF-8.
    pub text: &'a [u8],
    /// Text i is `text[offsets[i]..offsets[i + 1]]`.
    pub offsets: &'a [i64],
}

/// An article: its words, which of them are boilerplate, how many that are not stand before each, and its cells.
pub(crate) struct Row<'a> {
    pub(crate) words: &'a [u64],
    halves: Option<&'a [u8]>,
    pub(crate) marks: &'a [u8],
    pub(crate) ranks: Vec<u32>,
    text: &'a str,
    /// Where cells begin and end: places as they are told, and bytes.
    pub(crate) edges: Vec<u32>,
    bytes: Vec<usize>,
}

impl<'a> Row<'a> {
    pub(crate) fn new(texts: Texts<'a>, marks: &'a [u8], row: usize, utf16: bool) -> Result<Self> {
        let own = texts.batch.offsets[row] as usize..texts.batch.offsets[row + 1] as usize;
        let bytes = &texts.text[texts.offsets[row] as usize..texts.offsets[row + 1] as usize];
        let text = std::str::from_utf8(bytes).map_err(|_| Invalid(format!("expected UTF-8 in row {row}")))?;
        let (words, halves) = texts.batch.article(row);
        let (starts, ends, marks) = (&texts.starts[own.clone()], &texts.ends[own.clone()], &marks[own]);
        let ranks = marks.iter().scan(0, |kept, mark| {
            let rank = *kept;
            *kept += u32::from(*mark == 0);
            Some(rank)
        });
        let (edges, bytes) = cut_cells(text, starts, ends, utf16)
            .ok_or_else(|| Invalid(format!("expected spans of words in row {row} that rise and lie in its text")))?;
        Ok(Self { words, halves, marks, ranks: ranks.collect(), text, edges, bytes })
    }

    pub(crate) fn weight(&self, words: Range<usize>) -> usize {
        self.halves.map_or(2 * words.len(), |h| h[words].iter().map(|half| usize::from(*half)).sum())
    }

    /// How much ends with a word: 3 a line, 2 a sentence, 1 a part of one, 0 nothing.
    pub(crate) fn ends_at(&self, word: usize) -> u8 {
        let cell = &self.text[self.bytes[word]..self.bytes[word + 1]];
        match cell.trim_end().chars().next_back() {
            _ if cell.contains('\n') => 3,
            Some(last) if STOPS.contains(last) => 2,
            Some(last) if PAUSES.contains(last) => 1,
            _ => 0,
        }
    }

    /// Whether a word is written as one of another article, but for white space.
    pub(crate) fn is_written_as(&self, word: usize, other: &Self, theirs: usize) -> bool {
        let [mine, theirs] =
            [(self, word), (other, theirs)].map(|(row, word)| &row.text[row.bytes[word]..row.bytes[word + 1]]);
        let written = |cell: &'a str| cell.chars().filter(|one| !one.is_whitespace());
        mine == theirs || written(mine).eq(written(theirs))
    }
}

/// Where cells begin, and the last ends, in places and in bytes; one cell for a text without words. None where spans do not fit.
fn cut_cells(text: &str, starts: &[u32], ends: &[u32], utf16: bool) -> Option<(Vec<u32>, Vec<usize>)> {
    let (mut edges, mut bytes) = (vec![0], vec![0]);
    let mut characters = text.chars();
    // Code points, places and bytes that lie behind.
    let mut at = (0_u32, 0_u32, 0_usize);
    let mut step = |at: &mut (u32, u32, usize)| {
        let one = characters.next()?;
        *at = (at.0 + 1, at.1 + if utf16 { one.len_utf16() as u32 } else { 1 }, at.2 + one.len_utf8());
        Some(one)
    };
    for (end, start) in ends.iter().zip(starts.iter().skip(1)) {
        while at.0 < *end.min(start) {
            step(&mut at)?;
        }
        let (mut edge, mut spaced) = (at, false);
        while at.0 < *start {
            let one = step(&mut at)?;
            spaced |= one.is_whitespace();
            if one.is_whitespace() || !spaced && !OPENING.contains(one) {
                edge = at;
            }
        }
        if at.0 != *start {
            return None;
        }
        edges.push(edge.1);
        bytes.push(edge.2);
    }
    while step(&mut at).is_some() {}
    edges.push(at.1);
    bytes.push(at.2);
    let fit = ends.last().is_none_or(|end| *end <= at.0) && starts.iter().zip(ends).all(|(start, end)| start <= end);
    fit.then_some((edges, bytes))
}
