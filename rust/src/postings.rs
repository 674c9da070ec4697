//! From filed keys to candidate pairs.
//!
//! `file` turns a batch's keys into postings, cut into `SHARDS` shards by the key's first bits. `collide` takes one
//! shard of all batches, sorts it and looks at each key with two holders or more. Most keys that unrelated articles
//! share are accidents, so a posting carries the words around its shingle, four bits each, and two postings are
//! *evidence* only if `settled_words` of these agree outwards from the shingle, with at most two mismatches on each
//! side (in a short text, half of its words); others are counted as weak. Nothing but the shard is touched, so this is fast.
//!
//! A key with more than `all_holders` holders is a common phrase, a formula or a big family. Its holders are grouped by
//! the exact words on its right, and again by those on its left: whoever shares a run as long as winnowing
//! guarantees agrees with the other on one side at least. A group that is still too big links each holder to
//! its `links` earliest holders instead of pairing all with all. So no key vanishes for being common, and the cost
//! stays linear.
//!
//! `nominate` joins the evidence of all shards into pairs and tells boilerplate from families (see there).

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::shingles::check_offsets;
use crate::{Invalid, Result};

/// Number of shards: one for each value of a key's first bits.
pub const SHARDS: usize = 1 << SHARD_BITS;
pub(crate) const SHARD_BITS: usize = 6;
/// Words kept on each side of a shingle, four bits each.
const CONTEXT: usize = 16;
/// Mismatches that end the agreement on one side.
const MISMATCHES: u32 = 2;
/// Postings of one key in one article that are looked at; more only stand in periodic text.
pub(crate) const REPEATS: usize = 8;
/// Marks evidence whose key is not common.
const RARE: u32 = u32::MAX;
/// Marks evidence that only links some holders of a key that many hold.
pub const LINKED: u32 = u32::MAX - 1;

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

/// One shard of a batch's postings.
#[derive(Debug, Default, Clone)]
pub struct Postings(pub(crate) Vec<Posting>);

impl Postings {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// How `collide` treats keys with few and with many holders.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Up to so many holders of a key are paired all with all.
    pub all_holders: usize,
    /// Earliest holders that each holder of a more common key is linked to.
    pub links: usize,
    /// Context words that must agree for a collision to be evidence.
    pub settled_words: u32,
    /// Words of an ordinary shingle; what a shingle of half words has more counts as context that agrees.
    pub shingle_words: u32,
    /// Context words on one side that make a common key's holders one group.
    pub grouped_words: usize,
    /// Holders from which on a key is reported as common.
    pub common_holders: usize,
}

/// Pairs as columns; articles are ranks, `later > earlier`.
#[derive(Debug, Default)]
pub struct Evidence {
    /// Rank of the later article of each collision.
    pub later: Vec<u32>,
    /// Rank of the earlier one.
    pub earlier: Vec<u32>,
    /// Word number of the key in the later article.
    pub later_position: Vec<u32>,
    /// Word number of the key in the earlier article.
    pub earlier_position: Vec<u32>,
    /// Which common key it comes from; `u32::MAX` for none, `LINKED` for some holders of a key that many hold.
    pub common: Vec<u32>,
    /// How many collisions the words around them do not support.
    pub weak: usize,
    /// Holders of each common key: ranks, in rising order.
    pub common_holders: Vec<u32>,
    /// Where each holder has it.
    pub common_positions: Vec<u32>,
    /// How many holders each common key has.
    pub common_sizes: Vec<i64>,
    /// What each common key is called: the key itself, or a key with the words on one side.
    pub common_names: Vec<u64>,
}

/// File a batch's keys, shard by shard. Keys without positions (`None`) carry no context and are always evidence.
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

/// The high bit of every four that are 0.
pub(crate) fn outside(bits: u64) -> u64 {
    const LOW: u64 = 0x7777_7777_7777_7777;
    !(((bits & LOW) + LOW) | bits | LOW)
}

/// Words that agree outwards on one side, up to the third mismatch.
fn agreement(one: u64, other: u64) -> u32 {
    let mut differ = !outside(one ^ other) & 0x8888_8888_8888_8888 | outside(one);
    for mismatches in 0..MISMATCHES {
        if differ == 0 {
            return CONTEXT as u32 - mismatches;
        }
        differ &= differ - 1;
    }
    differ.trailing_zeros() / 4 - MISMATCHES
}

/// Whether the words around a shared key support it: `settled_words` of them agree, or half of those there are.
pub(crate) fn settles(later: &Holder, earlier: &Holder, limits: Limits) -> bool {
    let around =
        |holder: &Holder| 2 * CONTEXT as u32 - outside(holder.left).count_ones() - outside(holder.right).count_ones();
    let settled_words = limits.settled_words.saturating_sub(later.words.saturating_sub(limits.shingle_words));
    let enough = settled_words.min(around(later).min(around(earlier)).div_ceil(2));
    agreement(later.left, earlier.left) + agreement(later.right, earlier.right) >= enough
}

pub(crate) struct Holder {
    pub rank: u32,
    /// Words of the shingle.
    pub words: u32,
    pub position: u32,
    pub left: u64,
    pub right: u64,
}

/// The evidence of one shard of all batches. `firsts` is the number of each batch's first article, `ranks` gives each
/// article's place in time; `u32::MAX` leaves an article out.
///
/// # Errors
/// When a row has no rank.
pub fn collide(shard: &[&Postings], firsts: &[usize], ranks: &[u32], limits: Limits) -> Result<Evidence> {
    if firsts.len() != shard.len() {
        return Err(Invalid(format!(
            "expected a first article for each of {} batches, got {}",
            shard.len(),
            firsts.len()
        )));
    }
    let total = shard.iter().map(|postings| postings.len()).sum();
    let mut order: Vec<(u64, u32, u32)> = Vec::with_capacity(total);
    let mut entries: Vec<Posting> = Vec::with_capacity(total);
    for (postings, first) in shard.iter().zip(firsts) {
        for entry in &postings.0 {
            let Some(&rank) = ranks.get(first.saturating_add((entry.row & ((1 << ROW_BITS) - 1)) as usize)) else {
                return Err(Invalid(format!("expected a rank for each article, got {}", ranks.len())));
            };
            if rank != u32::MAX {
                order.push((entry.key, rank, entries.len() as u32));
                entries.push(*entry);
            }
        }
    }
    order.sort_unstable();
    let mut evidence = Evidence::default();
    let mut holders: Vec<Holder> = Vec::new();
    for group in order.chunk_by(|one, other| one.0 == other.0) {
        if group[0].1 == group[group.len() - 1].1 {
            continue;
        }
        holders.clear();
        for same in group.chunk_by(|one, other| one.1 == other.1) {
            let mut places: Vec<&Posting> = same.iter().map(|entry| &entries[entry.2 as usize]).collect();
            places.sort_unstable_by_key(|posting| posting.position);
            holders.extend(places.into_iter().take(REPEATS).map(|posting| Holder {
                rank: same[0].1,
                words: posting.row >> ROW_BITS,
                position: posting.position,
                left: posting.left,
                right: posting.right,
            }));
        }
        let distinct = count_distinct(holders.iter());
        if distinct <= limits.all_holders {
            pair_all(group[0].0, &holders, distinct, limits, &mut evidence);
        } else {
            let key = group[0].0;
            link_to_earliest(key, &holders, limits, &mut evidence);
            for side in SIDES {
                group_by_side(key, &mut holders, side, limits, &mut evidence);
            }
        }
    }
    Ok(evidence)
}

/// The words on one side of a key, as far as they make its holders one group.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side {
    Right,
    Left,
}

pub(crate) const SIDES: [Side; 2] = [Side::Right, Side::Left];

impl Side {
    fn whole(self, holder: &Holder) -> u64 {
        match self {
            Self::Right => holder.right,
            Self::Left => holder.left,
        }
    }

    fn kept(limits: Limits) -> u64 {
        if limits.grouped_words >= CONTEXT { u64::MAX } else { (1 << (4 * limits.grouped_words)) - 1 }
    }

    /// The words that must be the same.
    pub fn of(self, holder: &Holder, limits: Limits) -> u64 {
        self.whole(holder) & Self::kept(limits)
    }

    /// Whether the edge of the text is among them; a key without any words around has no edge.
    pub fn is_cut_short(self, holder: &Holder, limits: Limits) -> bool {
        outside(self.whole(holder)) & Self::kept(limits) != 0 && holder.left | holder.right != 0
    }

    /// What a key with these words is called.
    pub fn name(self, key: u64, holder: &Holder, limits: Limits) -> u64 {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&key.to_le_bytes());
        bytes[8..].copy_from_slice(&self.of(holder, limits).to_le_bytes());
        xxh3_64_with_seed(&bytes, self as u64)
    }
}

pub(crate) fn count_distinct<'a>(holders: impl Iterator<Item = &'a Holder>) -> usize {
    let mut last = None;
    holders.filter(|holder| last.replace(holder.rank) != Some(holder.rank)).count()
}

fn pair_all(key: u64, holders: &[Holder], distinct: usize, limits: Limits, evidence: &mut Evidence) {
    let before = evidence.later.len();
    for (i, later) in holders.iter().enumerate() {
        for earlier in holders[..i].iter().take_while(|earlier| earlier.rank != later.rank) {
            if settles(later, earlier, limits) {
                evidence.push(later, earlier, RARE);
            } else {
                evidence.weak += 1;
            }
        }
    }
    if distinct >= limits.common_holders {
        evidence.note_common(key, before, holders, limits);
    }
}

/// Links holders that settle with one of the earliest: a formula with words that vary, a family with edits.
fn link_to_earliest(key: u64, holders: &[Holder], limits: Limits, evidence: &mut Evidence) {
    let before = evidence.later.len();
    for (i, later) in holders.iter().enumerate() {
        let earliest =
            holders[..i].iter().take_while(|earlier| earlier.rank != later.rank).take(limits.links.saturating_mul(2));
        for earlier in earliest.filter(|earlier| settles(later, earlier, limits)).take(limits.links) {
            evidence.push(later, earlier, LINKED);
        }
    }
    evidence.note_common(key, before, holders, limits);
}

fn group_by_side(key: u64, holders: &mut [Holder], side: Side, limits: Limits, evidence: &mut Evidence) {
    holders.sort_unstable_by_key(|holder| (side.of(holder, limits), holder.rank, holder.position));
    for group in holders.chunk_by(|one, other| side.of(one, limits) == side.of(other, limits)) {
        let distinct = count_distinct(group.iter());
        if side.is_cut_short(&group[0], limits) || distinct < 2 {
            continue;
        }
        let common = if distinct >= limits.common_holders { evidence.common_sizes.len() as u32 } else { RARE };
        let linked = if distinct > limits.all_holders { limits.links } else { usize::MAX };
        for (i, later) in group.iter().enumerate() {
            let (mut partners, mut last) = (0, None);
            for earlier in &group[..i] {
                if earlier.rank == later.rank {
                    break;
                }
                if last.replace(earlier.rank) != Some(earlier.rank) {
                    partners += 1;
                    if partners > linked {
                        break;
                    }
                }
                if settles(later, earlier, limits) {
                    evidence.push(later, earlier, common);
                }
            }
        }
        if common != RARE {
            evidence.push_common(side.name(key, &group[0], limits), group.iter());
        }
    }
}

impl Evidence {
    fn push(&mut self, later: &Holder, earlier: &Holder, common: u32) {
        self.later.push(later.rank);
        self.earlier.push(earlier.rank);
        self.later_position.push(later.position);
        self.earlier_position.push(earlier.position);
        self.common.push(common);
    }

    /// Makes the evidence since `before` that of a common key, if it has enough holders.
    fn note_common(&mut self, key: u64, before: usize, holders: &[Holder], limits: Limits) {
        let mut supported: Vec<u32> = [&self.later[before..], &self.earlier[before..]].concat();
        supported.sort_unstable();
        supported.dedup();
        if supported.len() >= limits.common_holders {
            self.common[before..].fill(self.common_sizes.len() as u32);
            self.push_common(key, holders.iter().filter(|holder| supported.binary_search(&holder.rank).is_ok()));
        }
    }

    fn push_common<'a>(&mut self, name: u64, holders: impl Iterator<Item = &'a Holder>) {
        let (before, mut last) = (self.common_holders.len(), None);
        for holder in holders {
            if last.replace(holder.rank) != Some(holder.rank) {
                self.common_holders.push(holder.rank);
                self.common_positions.push(holder.position);
            }
        }
        self.common_sizes.push((self.common_holders.len() - before) as i64);
        self.common_names.push(name);
    }
}
