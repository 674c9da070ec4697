//! Words by weight: what stands for an article, how alike two weighted articles are, how far two rankings differ.
//!
//! An article is cut into `max(1, ⌊words / piece_words⌋)` pieces whose sizes differ by at most one word, the longer ones
//! first. Its image (Uwamahoro et al. 2014) is the union of the `image_terms` heaviest terms of each piece, by
//! (1 + log10 tf) · log10(N / df). Weights are compared to twelve decimals, so that what ties on paper (ten occurrences
//! at N / df = 4, one at 16) ties here, whoever made the logarithm.
//!
//! A vector (Salton, Wong, Yang 1975) has tf · (ln(N / df) + 1) for each term, at unit length, rare terms first. Its key
//! terms are the first, as many as it takes for the length of the rest to fall below a threshold. Two vectors whose product
//! reaches the threshold share a key term: of both, take the one whose key terms end first in the common order; if none of
//! them is a key term of the other, all that is shared is in its rest, which is too short (Bayardo, Ma, Srikant 2007).

use std::cmp::Reverse;

use crate::sets::Rows;
use crate::shingles::{Batch, check_offsets};
use crate::{Invalid, Result};

/// Longest piece, in words.
const LONGEST: usize = 1 << 16;
/// Decimals to which weights and products are held equal.
const DECIMALS: f64 = 1e12;
/// By how much the rest of a vector must fall short of the threshold: far above what rounding can add.
const SLACK: f64 = 1e-9;

/// In how many documents of a collection the words of a batch occur.
#[derive(Debug, Clone, Copy)]
pub struct Frequencies<'a> {
    /// One for each word; 0, for a word that was never seen, counts as 1.
    pub words: &'a [u32],
    /// How many documents there are.
    pub documents: u64,
}

impl Frequencies<'_> {
    fn check(&self, words: usize) -> Result<()> {
        if self.words.len() == words {
            return Ok(());
        }
        Err(Invalid(format!("expected a frequency for each of {words} words, got {}", self.words.len())))
    }

    /// The frequency of a word, and N / df.
    fn rarity(&self, word: usize) -> (u32, f64) {
        let held = self.words[word].max(1);
        (held, self.documents.max(u64::from(held)) as f64 / f64::from(held))
    }
}

/// How an article is cut: `longer` pieces of `words + 1` words, then the others of `words`.
#[derive(Debug, Clone, Copy)]
struct Cut {
    pieces: usize,
    words: usize,
    longer: usize,
}

impl Cut {
    fn new(words: usize, halves: Option<&[u8]>, piece_words: usize) -> Self {
        let weight = halves.map_or(2 * words, |halves| halves.iter().map(|half| usize::from(*half)).sum());
        let pieces = (weight / (2 * piece_words)).clamp(1, words.max(1));
        Self { pieces, words: words / pieces, longer: words % pieces }
    }

    /// Where piece i begins; where the last one ends for i = `pieces`.
    fn start(&self, piece: usize) -> usize {
        piece * self.words + piece.min(self.longer)
    }

    /// The piece a word is in.
    fn piece(&self, word: usize) -> usize {
        let shorter = self.start(self.longer);
        if word < shorter { word / (self.words + 1) } else { self.longer + (word - shorter) / self.words }
    }
}

fn check_pieces(batch: Batch<'_>, piece_words: usize) -> Result<()> {
    batch.check()?;
    if !(1..=LONGEST).contains(&piece_words) {
        return Err(Invalid(format!("expected pieces of 1 to {LONGEST} words, got {piece_words}")));
    }
    Ok(())
}

/// The offsets of the pieces into which the articles of a batch are cut; an article without words has none.
///
/// # Errors
/// When the offsets or weights do not fit the words, or the size of a piece is out of range.
pub fn cut_pieces(batch: Batch<'_>, piece_words: usize) -> Result<Vec<i64>> {
    check_pieces(batch, piece_words)?;
    let mut ends = vec![0];
    for ((words, halves), first) in batch.articles().zip(batch.offsets).filter(|((words, _), _)| !words.is_empty()) {
        let cut = Cut::new(words.len(), halves, piece_words);
        ends.extend((1..=cut.pieces).map(|piece| first + cut.start(piece) as i64));
    }
    Ok(ends)
}

/// One term of one piece.
#[derive(Debug, Clone, Copy)]
struct Term {
    hash: u64,
    piece: usize,
    /// In units of the last decimal that counts.
    weight: i64,
    occurrences: usize,
    first: usize,
}

/// The images of the articles of a batch, each sorted: (term hashes, offsets).
///
/// Without `frequencies`, N and df are over the pieces of the one article.
///
/// # Errors
/// When a parameter is zero or too large, or the columns do not fit the words.
pub fn make_images(
    batch: Batch<'_>,
    piece_words: usize,
    image_terms: usize,
    frequencies: Option<Frequencies>,
) -> Result<(Vec<u64>, Vec<i64>)> {
    check_pieces(batch, piece_words)?;
    frequencies.map_or(Ok(()), |frequencies| frequencies.check(batch.hashes.len()))?;
    if image_terms == 0 {
        return Err(Invalid("expected at least 1 term of a piece, got 0".into()));
    }
    let (mut images, mut ends) = (Vec::new(), vec![0]);
    let (mut places, mut terms) = (Vec::new(), Vec::new());
    for ((words, halves), first) in batch.articles().zip(batch.offsets) {
        sort_places(words, &mut places);
        let cut = Cut::new(words.len(), halves, piece_words);
        terms.clear();
        for places in places.chunk_by(|one, other| one.0 == other.0) {
            let pieces = || places.chunk_by(|one, other| cut.piece(one.1) == cut.piece(other.1));
            let rarity = match frequencies {
                Some(frequencies) => frequencies.rarity(*first as usize + places[0].1).1,
                None => cut.pieces as f64 / pieces().count() as f64,
            };
            let rarity = rarity.log10();
            terms.extend(pieces().map(|places| Term {
                hash: places[0].0,
                piece: cut.piece(places[0].1),
                weight: ((1.0 + (places.len() as f64).log10()) * rarity * DECIMALS).round() as i64,
                occurrences: places.len(),
                first: places[0].1,
            }));
        }
        terms.sort_unstable_by_key(|term| (term.piece, Reverse(term.weight), Reverse(term.occurrences), term.first));
        let start = images.len();
        let pieces = terms.chunk_by(|one, other| one.piece == other.piece);
        images.extend(pieces.flat_map(|piece| piece.iter().take(image_terms)).map(|term| term.hash));
        images[start..].sort_unstable();
        dedup_from(&mut images, start);
        ends.push(images.len() as i64);
    }
    Ok((images, ends))
}

/// The words of an article with their places, by hash, then by place.
fn sort_places(words: &[u64], places: &mut Vec<(u64, usize)>) {
    places.clear();
    places.extend(words.iter().copied().zip(0..));
    places.sort_unstable();
}

/// Leave out repeated values of the sorted part that begins at `start`.
fn dedup_from(values: &mut Vec<u64>, start: usize) {
    let mut kept = start;
    for next in start..values.len() {
        if kept == start || values[kept - 1] != values[next] {
            values[kept] = values[next];
            kept += 1;
        }
    }
    values.truncate(kept);
}

/// A term in the order of rarity: its document frequency, to an eighth of an octave, in the first byte, then 56 bits of its
/// hash. Of a million words of one frequency two are alike once in a hundred thousand collections.
fn code(hash: u64, held: u32) -> u64 {
    let eighth_octaves = ((held.max(1) as f32).to_bits() >> 20) - (1_f32.to_bits() >> 20);
    u64::from(eighth_octaves.min(255)) << 56 | hash >> 8
}

/// The vectors of a batch.
#[derive(Debug, Default, PartialEq)]
pub struct Vectors {
    /// Terms as codes, sorted by rarity within an article.
    pub terms: Vec<u64>,
    /// The weight of each.
    pub weights: Vec<f64>,
    /// 1 for a key term.
    pub keys: Vec<u8>,
    /// Article i has `terms[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<i64>,
}

/// The unit vectors of the articles of a batch, with their key terms for products of at least `threshold`.
///
/// # Errors
/// When the columns do not fit the words, or the threshold is not between 0 and 1.
pub fn make_vectors(hashes: &[u64], offsets: &[i64], frequencies: Frequencies, threshold: f64) -> Result<Vectors> {
    check_offsets(offsets, hashes.len(), "words")?;
    frequencies.check(hashes.len())?;
    if !(threshold > 0.0 && threshold <= 1.0) {
        return Err(Invalid(format!("expected 0 < threshold <= 1, got {threshold}")));
    }
    let too_short = (threshold - SLACK).max(0.0).powi(2);
    let mut vectors = Vectors { offsets: vec![0], ..Vectors::default() };
    let (mut places, mut terms) = (Vec::new(), Vec::new());
    for bounds in offsets.windows(2) {
        let first = bounds[0] as usize;
        sort_places(&hashes[first..bounds[1] as usize], &mut places);
        terms.clear();
        terms.extend(places.chunk_by(|one, other| one.0 == other.0).map(|places| {
            let (held, rarity) = frequencies.rarity(first + places[0].1);
            (code(places[0].0, held), places.len() as f64 * (rarity.ln() + 1.0))
        }));
        let length = terms.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        terms.sort_unstable_by_key(|(term, _)| *term);
        vectors.terms.extend(terms.iter().map(|(term, _)| *term));
        vectors.weights.extend(terms.iter().map(|(_, weight)| weight / length));
        let start = vectors.keys.len();
        vectors.keys.resize(vectors.terms.len(), 0);
        let mut rest = 0.0;
        for term in (start..vectors.terms.len()).rev() {
            rest += vectors.weights[term] * vectors.weights[term];
            vectors.keys[term] = u8::from(rest >= too_short);
        }
        vectors.offsets.push(vectors.terms.len() as i64);
    }
    Ok(vectors)
}

type Sides<'a, T> = (&'a [T], &'a [T]);

/// Vectors of different lengths, in two columns with the same rows.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// Terms, sorted within a row.
    pub terms: Rows<'a, u64>,
    /// Their weights.
    pub weights: Rows<'a, f64>,
}

impl<'a> Terms<'a> {
    fn zip(self, other: Self) -> Result<impl Iterator<Item = (Sides<'a, u64>, Sides<'a, f64>)>> {
        Ok(self.terms.zip(other.terms)?.zip(self.weights.zip(other.weights)?))
    }
}

/// The cosine of row i of one side and row i of the other, to twelve decimals.
///
/// Products are summed in the order of the terms, so that swapping the sides changes nothing.
///
/// # Errors
/// When the sides differ in rows.
pub fn multiply_vectors(query: Terms, found: Terms) -> Result<Vec<f64>> {
    let mut shared = Vec::new();
    Ok(query
        .zip(found)?
        .map(|(terms, (query, found))| {
            let sum: f64 = find_shared(terms, &mut shared).map(|(i, j)| query[*i] * found[*j]).sum();
            (sum * DECIMALS).round() / DECIMALS
        })
        .collect())
}

/// The places of what two rising rows share, rising.
///
/// Merged from both ends at once and without a branch on equality: a third faster than the plain merge, which waits for its
/// own last step.
fn find_shared<'a>(
    (query, found): (&[u64], &[u64]),
    shared: &'a mut Vec<(usize, usize)>,
) -> impl Iterator<Item = &'a (usize, usize)> {
    shared.resize(shared.len().max(query.len().min(found.len()) + 2), (0, 0));
    let (mut i, mut j, mut first) = (0, 0, 0);
    let (mut k, mut l, mut last) = (query.len(), found.len(), shared.len());
    let forward = |i: &mut usize, j: &mut usize, shared: &mut [(usize, usize)], first: &mut usize| {
        let (left, right) = (query[*i], found[*j]);
        shared[*first] = (*i, *j);
        *first += usize::from(left == right);
        *i += usize::from(left <= right);
        *j += usize::from(right <= left);
    };
    while i + 1 < k && j + 1 < l {
        forward(&mut i, &mut j, shared, &mut first);
        let (left, right) = (query[k - 1], found[l - 1]);
        shared[last - 1] = (k - 1, l - 1);
        last -= usize::from(left == right);
        k -= usize::from(left >= right);
        l -= usize::from(right >= left);
    }
    while i < k && j < l {
        forward(&mut i, &mut j, shared, &mut first);
    }
    shared[..first].iter().chain(&shared[last..])
}

/// For each row of `width` articles, how many pairs `expected` and `got` put in opposite order, and how many `expected` puts
/// in an order and `got` level: (discordant, level).
///
/// # Errors
/// When the two do not hold the same whole rows.
pub fn count_discordant(expected: &[f64], got: &[f64], width: usize) -> Result<(Vec<i64>, Vec<i64>)> {
    if expected.len() != got.len() || !expected.len().is_multiple_of(width.max(1)) {
        return Err(Invalid(format!(
            "expected whole rows of {width} articles on both sides, got {} and {}",
            expected.len(),
            got.len()
        )));
    }
    let mut spare = Vec::new();
    let rows = expected.chunks_exact(width.max(1)).zip(got.chunks_exact(width.max(1)));
    Ok(rows
        .map(|(expected, got)| {
            let mut pairs: Vec<(f64, f64)> = expected.iter().copied().zip(got.iter().copied()).collect();
            pairs.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
            let level = count_level(&pairs);
            let mut got: Vec<f64> = pairs.into_iter().map(|pair| pair.1).collect();
            let discordant = sort_counting(&mut got, &mut spare);
            (discordant, count_level(&got) - level)
        })
        .unzip())
}

/// Pairs of equal values, of which equal ones stand together.
fn count_level<T: PartialEq>(values: &[T]) -> i64 {
    values.chunk_by(PartialEq::eq).map(|run| (run.len() * (run.len() - 1) / 2) as i64).sum()
}

/// Sort, and count the pairs that stood in falling order: a merge sort.
fn sort_counting(values: &mut [f64], spare: &mut Vec<f64>) -> i64 {
    if values.len() < 2 {
        return 0;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    let mut falling = sort_counting(left, spare) + sort_counting(right, spare);
    spare.clear();
    let mut taken = 0;
    for value in left.iter() {
        while taken < right.len() && right[taken].total_cmp(value).is_lt() {
            spare.push(right[taken]);
            taken += 1;
        }
        falling += taken as i64;
        spare.push(*value);
    }
    spare.extend_from_slice(&right[taken..]);
    values.copy_from_slice(spare);
    falling
}
