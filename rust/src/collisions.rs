//! From postings to evidence: which articles share a key, and whether the words around it agree.
//!
//! `collide` takes one shard of all batches, sorts it and looks at each key with two holders or more. Two postings are
//! *evidence* only if `settled_words` of the words around them agree outwards from the shingle, with at most two mismatches on
//! each side (in a short text, half of its words); others are counted as weak. Nothing but the shard is touched, so this is fast.
//!
//! A key with more than `all_holders` holders is a common phrase, a formula or a big family. Its holders are grouped by
//! the exact words on its right, and again by those on its left: whoever shares a run as long as winnowing
//! guarantees agrees with the other on one side at least. A group that is still too big links each holder to
//! its `links` earliest holders instead of pairing all with all. So no key vanishes for being common, and the cost
//! stays linear.
//!
//! Queries do not belong to the collection: they are later than all its articles, count neither towards boilerplate, which is known by
//! name, nor towards the holders that make a key common, and do not see each other.

use crate::postings::{CONTEXT, Filed, Posting, Postings, numbered};
use crate::sides::{Level, SIDES, Side};
use crate::{Invalid, Result};

/// Mismatches that end the agreement on one side.
const MISMATCHES: u32 = 2;
/// Postings of one key in one article that are looked at; more only stand in periodic text.
pub(crate) const REPEATS: usize = 8;
/// The number of a key that is not common.
pub const RARE: u32 = LINKED - 1;
/// The bit that marks evidence of a key that only links its holders.
pub const LINKED: u32 = 1 << 31;

/// How `collide` treats keys with few and with many holders.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most holders of a key that are paired all with all.
    pub all_holders: usize,
    /// Earliest holders that each holder of a more common key is linked to; None pairs them all.
    pub links: Option<usize>,
    /// Context words that must agree for a collision to be evidence.
    pub settled_words: u32,
    /// Words of an ordinary shingle; the words that a shingle of half words has beyond these count as context that agrees.
    pub shingle_words: u32,
    /// Context words on one side that make a common key's holders one group.
    pub grouped_words: usize,
    /// How many holders make a key common, so that it is reported.
    pub common_holders: usize,
}

impl Limits {
    /// How many of the earliest of so many holders each is paired with, and the bit that says if that only links them.
    fn partners(self, holders: usize) -> (usize, u32) {
        self.links.filter(|_| holders > self.all_holders).map_or((usize::MAX, 0), |links| (links, LINKED))
    }
}

/// Collisions as columns; articles are ranks, `later > earlier`.
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
    /// The number of the common key that it comes from, or `RARE`; with `LINKED`, a key with so many holders that it only links.
    pub common: Vec<u32>,
    /// How many collisions are no evidence, because the words around them differ.
    pub weak: usize,
    /// The ranks of the holders of each common key, sorted, concatenated.
    pub common_holders: Vec<u32>,
    /// The word number of the key in each holder.
    pub common_positions: Vec<u32>,
    /// How many holders each common key has.
    pub common_sizes: Vec<i64>,
    /// The name of each common key: the key itself, or a hash of the key and the words on one side.
    pub common_names: Vec<u64>,
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

#[derive(Debug, Clone, Copy)]
pub(crate) struct Holder {
    rank: u32,
    /// Words of the shingle.
    words: u32,
    position: u32,
    pub(crate) left: u64,
    pub(crate) right: u64,
}

impl Holder {
    pub(crate) fn new(rank: u32, posting: &Posting) -> Self {
        let Posting { left, right, position, .. } = *posting;
        Self { rank, words: posting.words(), position, left, right }
    }
}

/// What is looked up in a collection, and does not belong to it.
#[derive(Debug, Clone, Copy)]
pub struct Queries<'a> {
    /// The postings of the queries. Their ranks follow those of the collection.
    pub postings: &'a [&'a Postings],
    /// The rank of the article that each query is itself, which it is not paired with; `u32::MAX` for none.
    pub own: &'a [u32],
    /// The rank of the first query.
    pub first: u32,
}

/// The evidence of some postings: between all articles of a collection, or between each query and the collection.
///
/// `ranks` is the rank of each article by its number, `u32::MAX` for one to leave out. If `known` gives the sorted names of
/// common keys, a common key has its number there, and no others are reported. Of each key only the `level` is looked at.
///
/// # Errors
/// When an article has no rank, or a query no own one.
pub fn collide(
    filed: &[Filed<'_>],
    ranks: &[u32],
    queries: Option<Queries<'_>>,
    known: Option<&[u64]>,
    limits: Limits,
    level: Level,
) -> Result<Evidence> {
    let members = Sorted::new(filed, "article", |number| ranks.get(number).copied())?;
    let mut collider = Collider { limits, level, known, evidence: Evidence::default() };
    let mut holders: Vec<Holder> = Vec::new();
    let Some(queries) = queries else {
        for group in members.order.chunk_by(|one, other| one.0 == other.0) {
            if group[0].1 != group[group.len() - 1].1 {
                members.gather(group, &mut holders);
                collider.collide(group[0].0, &mut holders);
            }
        }
        return Ok(collider.evidence);
    };
    let asked: Vec<Filed<'_>> = queries.postings.iter().map(|postings| (*postings, 0)).collect();
    let asking =
        Sorted::new(&asked, "query", |number| queries.own.get(number).and(queries.first.checked_add(number as u32)))?;
    let (mut key, mut places) = (None, Vec::new());
    for group in asking.order.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        if key.replace(group[0].0) != Some(group[0].0) {
            members.gather(members.of_key(group[0].0), &mut holders);
        }
        asking.gather(group, &mut places);
        let own = queries.own[(group[0].1 - queries.first) as usize];
        let others: Vec<&Holder> = holders.iter().filter(|holder| holder.rank != own).collect();
        for place in &places {
            collider.look_up(group[0].0, place, &others);
        }
    }
    Ok(collider.evidence)
}

/// Holders of keys, by key, then by rank: key, rank, and place among the holders.
struct Sorted {
    order: Vec<(u64, u32, u32)>,
    holders: Vec<Holder>,
}

impl Sorted {
    fn new(filed: &[Filed<'_>], what: &str, rank_of: impl Fn(usize) -> Option<u32>) -> Result<Self> {
        let total = filed.iter().map(|(postings, _)| postings.len()).sum();
        let (mut order, mut holders) = (Vec::with_capacity(total), Vec::with_capacity(total));
        for (number, posting) in numbered(filed) {
            let none = || Invalid(format!("expected a rank for each {what}, got none for number {number}"));
            let rank = rank_of(number).ok_or_else(none)?;
            if rank != u32::MAX {
                order.push((posting.key, rank, holders.len() as u32));
                holders.push(Holder::new(rank, posting));
            }
        }
        order.sort_unstable();
        Ok(Self { order, holders })
    }

    fn of_key(&self, key: u64) -> &[(u64, u32, u32)] {
        let from = self.order.partition_point(|one| one.0 < key);
        &self.order[from..from + self.order[from..].partition_point(|one| one.0 == key)]
    }

    /// Puts the holders of one key, by rank and place, few places of each, in place of what was there.
    fn gather(&self, group: &[(u64, u32, u32)], holders: &mut Vec<Holder>) {
        holders.clear();
        for same in group.chunk_by(|one, other| one.1 == other.1) {
            let first = holders.len();
            holders.extend(same.iter().map(|one| self.holders[one.2 as usize]));
            holders[first..].sort_unstable_by_key(|holder| holder.position);
            holders.truncate(first + REPEATS);
        }
    }
}

fn count_distinct<'a>(holders: impl IntoIterator<Item = &'a Holder>) -> usize {
    let mut last = None;
    holders.into_iter().filter(|holder| last.replace(holder.rank) != Some(holder.rank)).count()
}

/// Collects the evidence of keys.
struct Collider<'a> {
    limits: Limits,
    level: Level,
    known: Option<&'a [u64]>,
    evidence: Evidence,
}

impl Collider<'_> {
    fn is_common<'a>(&self, holders: impl Iterator<Item = &'a Holder>) -> bool {
        self.level != Level::Whole || count_distinct(holders) > self.limits.all_holders
    }

    /// The sides on which holders of a key are grouped.
    fn sides(&self, is_common: bool) -> impl Iterator<Item = Side> + use<> {
        let (grouped, level) = (is_common && self.limits.links.is_some(), self.level);
        SIDES.into_iter().filter(move |side| grouped && level.has(Level::Beside(*side)))
    }

    /// The evidence of a key between all its holders, which are sorted by rank.
    fn collide(&mut self, key: u64, holders: &mut [Holder]) {
        let (before, limits) = (self.evidence.later.len(), self.limits);
        let is_common = self.is_common(holders.iter());
        if self.level.has(Level::Key) {
            for (i, later) in holders.iter().enumerate() {
                self.meet(key, later, &holders[..i], is_common);
            }
            self.note_common(key, before, holders);
        }
        for side in self.sides(is_common) {
            holders.sort_unstable_by_key(|holder| (side.of(holder, limits), holder.rank, holder.position));
            for group in holders.chunk_by(|one, other| side.of(one, limits) == side.of(other, limits)) {
                self.collide_group(side, key, group);
            }
        }
    }

    /// The evidence between holders of a key that have the same words on one side.
    fn collide_group(&mut self, side: Side, key: u64, group: &[Holder]) {
        let distinct = count_distinct(group);
        if side.is_cut_short(&group[0], self.limits) || distinct < 2 {
            return;
        }
        let name = side.name(key, &group[0], self.limits);
        let reported = self.known.is_none() && distinct >= self.limits.common_holders;
        let common = if reported { self.evidence.common_sizes.len() as u32 } else { self.number(name) };
        let (partners, linked) = self.limits.partners(distinct);
        for (i, later) in group.iter().enumerate() {
            self.pair(later, &group[..i], partners, common | linked);
        }
        if reported {
            self.evidence.push_common(name, group.iter());
        }
    }

    /// The evidence between a place of a query and the holders of its key, which are sorted by rank.
    fn look_up(&mut self, key: u64, place: &Holder, holders: &[&Holder]) {
        let limits = self.limits;
        let is_common = self.is_common(holders.iter().copied());
        if self.level.has(Level::Key) {
            self.meet(key, place, holders.iter().copied(), is_common);
        }
        for side in self.sides(is_common) {
            let same = |holder: &&Holder| side.of(holder, limits) == side.of(place, limits);
            let group: Vec<&Holder> = holders.iter().copied().filter(same).collect();
            if group.first().is_some_and(|first| !side.is_cut_short(first, limits)) {
                let common = self.number(side.name(key, place, limits));
                let (partners, linked) = limits.partners(count_distinct(group.iter().copied()));
                self.pair(place, group, partners, common | linked);
            }
        }
    }

    /// The evidence of a key between a holder and those before it, which are sorted by rank.
    fn meet<'a>(&mut self, key: u64, later: &Holder, earlier: impl IntoIterator<Item = &'a Holder>, is_common: bool) {
        match self.limits.links {
            _ if !is_common => self.pair(later, earlier, usize::MAX, self.number(key)),
            Some(links) => self.link(later, earlier, links, self.number(key)),
            None => self.pair_by_sides(key, later, earlier),
        }
    }

    /// Pairs a holder with those of the earliest `partners` that it settles with.
    fn pair<'a>(
        &mut self,
        later: &Holder,
        earlier: impl IntoIterator<Item = &'a Holder>,
        partners: usize,
        common: u32,
    ) {
        let (mut met, mut last) = (0, None);
        for earlier in earlier.into_iter().take_while(|earlier| earlier.rank != later.rank) {
            if last.replace(earlier.rank) != Some(earlier.rank) {
                met += 1;
                if met > partners {
                    break;
                }
            }
            if settles(later, earlier, self.limits) {
                self.evidence.push(later, earlier, common);
            } else {
                self.evidence.weak += 1;
            }
        }
    }

    /// Links a holder to those it settles with of the earliest: a formula with words that vary, a family with edits.
    fn link<'a>(&mut self, later: &Holder, earlier: impl IntoIterator<Item = &'a Holder>, links: usize, common: u32) {
        let limits = self.limits;
        let others = earlier.into_iter().take_while(|earlier| earlier.rank != later.rank);
        let settled = others.take(links.saturating_mul(2)).filter(|earlier| settles(later, earlier, limits));
        settled.take(links).for_each(|earlier| self.evidence.push(later, earlier, common | LINKED));
    }

    /// Pairs a holder with all that it settles with, by the names of the sides that both have in common, or else by the key's own.
    fn pair_by_sides<'a>(&mut self, key: u64, later: &Holder, earlier: impl IntoIterator<Item = &'a Holder>) {
        let limits = self.limits;
        let whole = SIDES.map(|side| !side.is_cut_short(later, limits));
        let numbers = SIDES.map(|side| self.number(side.name(key, later, limits)));
        for earlier in earlier.into_iter().take_while(|earlier| earlier.rank != later.rank) {
            if !settles(later, earlier, limits) {
                self.evidence.weak += 1;
                continue;
            }
            let shared = SIDES.map(|side| whole[side as usize] && side.of(later, limits) == side.of(earlier, limits));
            for side in SIDES.into_iter().filter(|side| shared[*side as usize]) {
                self.evidence.push(later, earlier, numbers[side as usize]);
            }
            if shared == [false; 2] {
                self.evidence.push(later, earlier, self.number(key));
            }
        }
    }

    /// The number of a common key that is known by name.
    fn number(&self, name: u64) -> u32 {
        self.known.and_then(|known| known.binary_search(&name).ok()).map_or(RARE, |number| number as u32)
    }

    /// Makes the evidence since `before` that of a new common key, if it has enough holders.
    fn note_common(&mut self, key: u64, before: usize, holders: &[Holder]) {
        if self.known.is_some() || holders.len() < self.limits.common_holders {
            return;
        }
        let evidence = &mut self.evidence;
        let mut supported: Vec<u32> = [&evidence.later[before..], &evidence.earlier[before..]].concat();
        supported.sort_unstable();
        supported.dedup();
        if supported.len() >= self.limits.common_holders {
            let number = evidence.common_sizes.len() as u32;
            evidence.common[before..].iter_mut().for_each(|common| *common = number | *common & LINKED);
            evidence.push_common(key, holders.iter().filter(|holder| supported.binary_search(&holder.rank).is_ok()));
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
