//! From a batch's keys to postings, and from keys back to their postings.
//!
//! `file` turns a batch's keys into postings, cut into `SHARDS` shards by the key's first bits. A posting carries the
//! words around its shingle, four bits each: most keys that unrelated articles share are accidents, and these words tell.

use crate::segments::read_number;
use crate::shingles::check_offsets;
use crate::{Invalid, Result};

/// Number of shards: one for each value of a key's first bits.
pub const SHARDS: usize = 1 << SHARD_BITS;
pub(crate) const SHARD_BITS: usize = 6;
/// Words kept on each side of a shingle, four bits each.
pub(crate) const CONTEXT: usize = 16;
/// One key of one article: where it stands and the words around it. Four bits of 0 are outside the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub key: u64,
    pub left: u64,
    pub right: u64,
    /// The row in its batch, and above `ROW_BITS` the words of the shingle.
    pub row: u32,
    pub position: u32,
}

pub(crate) const ROW_BITS: u32 = 24;

impl Posting {
    /// The article's number in its batch.
    pub fn article(&self) -> usize {
        (self.row & ((1 << ROW_BITS) - 1)) as usize
    }

    /// The number of words in the shingle.
    pub fn words(&self) -> u32 {
        self.row >> ROW_BITS
    }

    /// The same posting with another article.
    pub fn of(self, article: u32) -> Self {
        Self { row: article | self.words() << ROW_BITS, ..self }
    }
}

/// One shard of a batch's postings.
#[derive(Debug, Default, Clone)]
pub struct Postings(pub(crate) Vec<Posting>);

impl Postings {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The postings of a batch's keys, shard by shard. Keys without positions (`None`) have no context and are always evidence.
///
/// # Errors
/// When offsets and arrays do not fit each other.
pub fn file(
    hashes: &[u64],
    word_offsets: &[i64],
    keys: &[u64],
    key_offsets: &[i64],
    positions: Option<&[u32]>,
    ends: Option<&[u32]>,
) -> Result<Vec<Postings>> {
    check_offsets(word_offsets, hashes.len(), "words")?;
    check_offsets(key_offsets, keys.len(), "keys")?;
    if word_offsets.len() != key_offsets.len() {
        return Err(Invalid(format!(
            "expected words and keys of the same articles, got {} and {}",
            word_offsets.len() - 1,
            key_offsets.len() - 1
        )));
    }
    if positions.is_some_and(|p| p.len() != keys.len()) || ends.map(<[u32]>::len) != positions.map(<[u32]>::len) {
        return Err(Invalid("expected a position and an end for every key".into()));
    }
    if key_offsets.len() > 1 << ROW_BITS {
        return Err(Invalid(format!("expected fewer than {} articles in a batch", 1 << ROW_BITS)));
    }
    let mut sizes = [0; SHARDS];
    for key in keys {
        sizes[shard_of(*key)] += 1;
    }
    let mut shards: Vec<Postings> = sizes.into_iter().map(|size| Postings(Vec::with_capacity(size))).collect();
    for row in 0..key_offsets.len() - 1 {
        let words = &hashes[word_offsets[row] as usize..word_offsets[row + 1] as usize];
        for at in key_offsets[row] as usize..key_offsets[row + 1] as usize {
            let (mut left, mut right, mut position, mut words_long) = (0, 0, 0, 0);
            if let (Some(positions), Some(ends)) = (positions, ends) {
                let (start, end) = (positions[at] as usize, ends[at] as usize);
                if start > end || end > words.len() {
                    return Err(Invalid(format!(
                        "expected keys within the {} words of row {row}, got {start}..{end}",
                        words.len()
                    )));
                }
                position = positions[at];
                words_long = (end - start).min(255) as u32;
                left = context(words[start.saturating_sub(CONTEXT)..start].iter().rev());
                right = context(words[end..words.len().min(end + CONTEXT)].iter());
            }
            let row = row as u32 | words_long << ROW_BITS;
            shards[shard_of(keys[at])].0.push(Posting { key: keys[at], left, right, row, position });
        }
    }
    Ok(shards)
}

pub(crate) fn shard_of(key: u64) -> usize {
    (key >> (64 - SHARD_BITS)) as usize
}

/// Four bits for each word, the nearest lowest; never 0.
fn context<'a>(words: impl Iterator<Item = &'a u64>) -> u64 {
    words.enumerate().fold(0, |bits, (i, word)| bits | ((((word & 0xFFFF) * 15) >> 16) + 1) << (4 * i))
}

/// Bytes of a packed posting: key, words on its left and right, row, position, little-endian.
const PACKED: usize = 32;
const MOST_PARTS: usize = 1 << 16;

/// The postings of a batch for each of `parts` equal ranges of keys, by rising key, as bytes that can be kept on a disk.
///
/// # Errors
/// When there are no parts, or too many.
pub fn pack(shards: &[&Postings], parts: usize) -> Result<Vec<Vec<u8>>> {
    if !(1..=MOST_PARTS).contains(&parts) {
        return Err(Invalid(format!("expected 1 to {MOST_PARTS} parts, got {parts}")));
    }
    let all = || shards.iter().flat_map(|shard| &shard.0);
    let part_of = |key: u64| ((u128::from(key) * parts as u128) >> 64) as usize;
    let mut sizes = vec![0; parts];
    all().for_each(|posting| sizes[part_of(posting.key)] += PACKED);
    let mut packed: Vec<Vec<u8>> = sizes.into_iter().map(Vec::with_capacity).collect();
    for posting in all() {
        let mut bytes = [0; PACKED];
        bytes[..8].copy_from_slice(&posting.key.to_le_bytes());
        bytes[8..16].copy_from_slice(&posting.left.to_le_bytes());
        bytes[16..24].copy_from_slice(&posting.right.to_le_bytes());
        bytes[24..28].copy_from_slice(&posting.row.to_le_bytes());
        bytes[28..].copy_from_slice(&posting.position.to_le_bytes());
        packed[part_of(posting.key)].extend_from_slice(&bytes);
    }
    Ok(packed)
}

/// The postings that `pack` made these bytes of.
///
/// # Errors
/// When it did not.
pub fn unpack(bytes: &[u8]) -> Result<Postings> {
    let (packed, rest) = bytes.as_chunks::<PACKED>();
    if !rest.is_empty() {
        return Err(Invalid(format!("expected packed postings of {PACKED} bytes each, got {} bytes", bytes.len())));
    }
    let read = |one: &[u8; PACKED]| {
        let wide = |at: usize| read_number(one, at / 8, 8);
        let narrow = |at: usize| read_number(one, at / 4, 4) as u32;
        Posting { key: wide(0), left: wide(8), right: wide(16), row: narrow(24), position: narrow(28) }
    };
    Ok(Postings(packed.iter().map(read).collect()))
}

/// Postings of one batch, and the number of its first article.
pub type Filed<'a> = (&'a Postings, usize);

/// Postings with the numbers of their articles.
pub(crate) fn numbered<'a>(filed: &'a [Filed<'a>]) -> impl Iterator<Item = (usize, &'a Posting)> {
    filed.iter().flat_map(|(postings, first)| {
        postings.0.iter().map(move |posting| (first.saturating_add(posting.article()), posting))
    })
}

/// The postings of some sorted keys, and the sorted numbers of the articles that hold them. Article i of the postings has
/// the i-th of these numbers.
///
/// # Errors
/// When the numbers of articles are too large, or too many hold these keys.
pub fn look_up(filed: &[Filed<'_>], keys: &[u64]) -> Result<(Postings, Vec<u32>)> {
    let mut found = Vec::new();
    for (number, posting) in numbered(filed).filter(|(_, posting)| keys.binary_search(&posting.key).is_ok()) {
        let number = u32::try_from(number).map_err(|_| Invalid("expected fewer than 2^32 articles".into()));
        found.push((number?, *posting));
    }
    number_by_place(&found)
}

/// The postings, with articles counted from 0, and the distinct numbers of these articles, sorted.
pub(crate) fn number_by_place(found: &[(u32, Posting)]) -> Result<(Postings, Vec<u32>)> {
    let mut numbers: Vec<u32> = found.iter().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() > 1 << ROW_BITS {
        return Err(Invalid(format!("expected up to {} holders, got {}", 1 << ROW_BITS, numbers.len())));
    }
    let place = |number: &u32| numbers.partition_point(|one| one < number) as u32;
    Ok((Postings(found.iter().map(|(number, posting)| posting.of(place(number))).collect()), numbers))
}

/// The distinct keys of some postings, sorted.
pub fn distinct_keys(shards: &[&Postings]) -> Vec<u64> {
    let mut keys: Vec<u64> = shards.iter().flat_map(|shard| &shard.0).map(|posting| posting.key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The postings of one article at some sorted positions, of some sorted keys.
pub fn postings_at(shards: &[&Postings], article: usize, positions: &[u32], keys: &[u64]) -> Postings {
    let is_there = |posting: &&Posting| {
        posting.article() == article
            && positions.binary_search(&posting.position).is_ok()
            && keys.binary_search(&posting.key).is_ok()
    };
    Postings(shards.iter().flat_map(|shard| &shard.0).filter(is_there).copied().collect())
}

/// How often each of some sorted keys occurs in articles that have a rank, and in how many of these: (occurrences, articles).
///
/// # Errors
/// When an article has no place among `ranks`.
pub fn count_holders(filed: &[Filed<'_>], ranks: &[u32], keys: &[u64]) -> Result<(Vec<i64>, Vec<i64>)> {
    let mut held = Vec::new();
    for (number, posting) in numbered(filed) {
        let Some(rank) = ranks.get(number) else {
            return Err(Invalid(format!("expected a rank for each article, got {}", ranks.len())));
        };
        if let (Ok(which), true) = (keys.binary_search(&posting.key), *rank != u32::MAX) {
            held.push((which, *rank));
        }
    }
    held.sort_unstable();
    let (mut occurrences, mut articles) = (vec![0; keys.len()], vec![0; keys.len()]);
    for same in held.chunk_by(|one, other| one == other) {
        occurrences[same[0].0] += same.len() as i64;
        articles[same[0].0] += 1;
    }
    Ok((occurrences, articles))
}

/// Whether each of the N `articles` holds a key that more than `most` of them hold.
///
/// # Errors
/// When there are more articles than numbers, or a posting is of none of them.
pub fn hold_common(filed: &[Filed<'_>], articles: usize, most: usize) -> Result<Vec<bool>> {
    let mut held: Vec<(u64, usize)> = numbered(filed).map(|(number, posting)| (posting.key, number)).collect();
    if u32::try_from(articles).is_err() || held.iter().any(|(_, article)| *article >= articles) {
        return Err(Invalid(format!("expected postings of {articles} articles, fewer than 2^32")));
    }
    held.sort_unstable();
    held.dedup();
    let mut common = vec![false; articles];
    for group in held.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > most) {
        for (_, article) in group {
            common[*article] = true;
        }
    }
    Ok(common)
}
