//! One text against many: which articles of a collection its keys make candidates.
//!
//! What `postings` and `candidates` do for all pairs of a collection, for the pairs of a query alone, from the holders of
//! its keys. The query counts neither towards boilerplate, which is known by name, nor towards the number of holders that
//! makes a key a common one; several queries do not see each other. All holders are earlier than any query.

use crate::candidates::Rule;
use crate::postings::{Holder, Limits, Postings, REPEATS, ROW_BITS, SIDES, count_distinct, settles};
use crate::segments::Found;
use crate::{Invalid, Result};

/// The distinct keys of some postings, rising.
pub fn distinct_keys(shards: &[&Postings]) -> Vec<u64> {
    let mut keys: Vec<u64> = shards.iter().flat_map(|shard| &shard.0).map(|posting| posting.key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The holders of some keys, which rise, among one shard of all batches; `firsts` is the number of each batch's first article.
///
/// # Errors
/// When there is not one first article a batch, or their numbers are too large.
pub fn look_up(shard: &[&Postings], firsts: &[usize], keys: &[u64], found: &mut Found) -> Result<()> {
    if shard.len() != firsts.len() || firsts.iter().any(|first| *first > (u32::MAX - (1 << ROW_BITS)) as usize) {
        return Err(Invalid(format!("expected the first article of each of {} batches", shard.len())));
    }
    for (postings, first) in shard.iter().zip(firsts) {
        for posting in &postings.0 {
            if let Ok(which) = keys.binary_search(&posting.key) {
                found.push(which as u32, posting, *first as u32);
            }
        }
    }
    Ok(())
}

/// Holders of keys as columns, see `segments::Found`; an article is its rank, `u32::MAX` leaves it out.
#[derive(Debug, Clone, Copy)]
pub struct Holders<'a> {
    /// The number of the key.
    pub which: &'a [u32],
    /// The rank of the article.
    pub rank: &'a [u32],
    /// The word at which it has the key.
    pub position: &'a [u32],
    /// Words of the shingle.
    pub words: &'a [u8],
    /// The words on the left.
    pub left: &'a [u64],
    /// The words on the right.
    pub right: &'a [u64],
}

impl Holders<'_> {
    fn check(&self, keys: usize, ranks: usize) -> Result<()> {
        let lengths = [self.rank.len(), self.position.len(), self.words.len(), self.left.len(), self.right.len()];
        if lengths != [self.which.len(); 5] {
            return Err(Invalid(format!("expected columns of {} holders, got {lengths:?}", self.which.len())));
        }
        if self.which.iter().any(|which| *which as usize >= keys)
            || self.rank.iter().any(|rank| *rank != u32::MAX && *rank as usize >= ranks)
        {
            return Err(Invalid(format!("expected holders of {keys} keys with ranks under {ranks}")));
        }
        Ok(())
    }

    /// The holders of each key by rank and place, few places of each.
    fn by_key(&self, keys: usize) -> Vec<Vec<Holder>> {
        let mut order: Vec<usize> = (0..self.which.len()).filter(|row| self.rank[*row] != u32::MAX).collect();
        order.sort_unstable_by_key(|row| (self.which[*row], self.rank[*row], self.position[*row]));
        let mut found: Vec<Vec<Holder>> = (0..keys).map(|_| Vec::new()).collect();
        for same in
            order.chunk_by(|one, other| (self.which[*one], self.rank[*one]) == (self.which[*other], self.rank[*other]))
        {
            found[self.which[same[0]] as usize].extend(same.iter().take(REPEATS).map(|row| Holder {
                rank: self.rank[*row],
                words: self.words[*row].into(),
                position: self.position[*row],
                left: self.left[*row],
                right: self.right[*row],
            }));
        }
        found
    }
}

/// What is known of both sides.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// The words of each query.
    pub query_words: &'a [u32],
    /// The rank of the article that is the query itself, or `u32::MAX`.
    pub own: &'a [u32],
    /// The words of the article at each rank.
    pub found_words: &'a [u32],
}

/// One collision of a query's key.
struct Row {
    query: u32,
    rank: u32,
    query_position: u32,
    found_position: u32,
    linked: bool,
    boilerplate: bool,
}

/// The candidates, (query, rank), rising. `keys` are the distinct keys of the `asked` postings; `boilerplate` the names
/// of common keys that are boilerplate, rising.
///
/// # Errors
/// When columns do not fit each other.
pub fn ask(
    asked: &[&Postings],
    keys: &[u64],
    holders: Holders<'_>,
    sides: Sides<'_>,
    boilerplate: &[u64],
    limits: Limits,
    rule: Rule,
) -> Result<(Vec<u32>, Vec<u32>)> {
    holders.check(keys.len(), sides.found_words.len())?;
    let queries = sides.query_words.len();
    if sides.own.len() != queries {
        return Err(Invalid(format!("expected {queries} own ranks, got {}", sides.own.len())));
    }
    let by_key = holders.by_key(keys.len());
    let mut postings: Vec<(u64, Holder)> = Vec::new();
    for posting in asked.iter().flat_map(|shard| &shard.0) {
        let query = posting.row & ((1 << ROW_BITS) - 1);
        if query as usize >= queries {
            return Err(Invalid(format!("expected postings of {queries} queries")));
        }
        let words = posting.row >> ROW_BITS;
        let (position, left, right) = (posting.position, posting.left, posting.right);
        postings.push((posting.key, Holder { rank: query, words, position, left, right }));
    }
    postings.sort_unstable_by_key(|(key, place)| (*key, place.rank, place.position));
    let mut rows = Vec::new();
    for mine in postings.chunk_by(|one, other| (one.0, one.1.rank) == (other.0, other.1.rank)) {
        let (key, query) = (mine[0].0, mine[0].1.rank);
        let Ok(which) = keys.binary_search(&key) else {
            return Err(Invalid("expected all keys of the queries".into()));
        };
        let own = sides.own[query as usize];
        let others: Vec<&Holder> = by_key[which].iter().filter(|holder| holder.rank != own).collect();
        for (_, place) in mine.iter().take(REPEATS) {
            meet(key, query, place, &others, boilerplate, limits, &mut rows);
        }
    }
    Ok(nominate(&mut rows, sides, limits.links, rule))
}

/// The rows of one key of a query.
fn meet(
    key: u64,
    query: u32,
    place: &Holder,
    others: &[&Holder],
    boilerplate: &[u64],
    limits: Limits,
    rows: &mut Vec<Row>,
) {
    let mut push = |holder: &Holder, linked: bool, name: u64| {
        rows.push(Row {
            query,
            rank: holder.rank,
            query_position: place.position,
            found_position: holder.position,
            linked,
            boilerplate: boilerplate.binary_search(&name).is_ok(),
        });
    };
    let settled = |holder: &&&Holder| settles(place, holder, limits);
    if count_distinct(others.iter().copied()) <= limits.all_holders {
        others.iter().filter(settled).for_each(|holder| push(holder, false, key));
        return;
    }
    let earliest = others.iter().take(limits.links.saturating_mul(2));
    earliest.filter(settled).take(limits.links).for_each(|holder| push(holder, true, key));
    for side in SIDES {
        let same = |holder: &&&Holder| side.of(holder, limits) == side.of(place, limits);
        let group: Vec<&&Holder> = others.iter().filter(same).collect();
        let Some(first) = group.first() else { continue };
        if side.is_cut_short(first, limits) {
            continue;
        }
        let linked = count_distinct(group.iter().map(|holder| **holder)) > limits.all_holders;
        let name = side.name(key, first, limits);
        let (mut partners, mut last) = (0, None);
        for holder in group {
            if last.replace(holder.rank) != Some(holder.rank) {
                partners += 1;
                if linked && partners > limits.links {
                    break;
                }
            }
            if settles(place, holder, limits) {
                push(holder, linked, name);
            }
        }
    }
}

/// The pairs that agree or that a key outside boilerplate supports; of those that only links support, the closest.
fn nominate(rows: &mut [Row], sides: Sides<'_>, links: usize, rule: Rule) -> (Vec<u32>, Vec<u32>) {
    rows.sort_unstable_by_key(|row| (row.query, row.rank));
    let mut kept: Vec<(u32, u32)> = Vec::new();
    let mut linked: Vec<(usize, u32)> = Vec::new();
    let mut places = Vec::new();
    for mine in rows.chunk_by(|one, other| one.query == other.query) {
        let query = mine[0].query;
        linked.clear();
        for pair in mine.chunk_by(|one, other| one.rank == other.rank) {
            let rank = pair[0].rank;
            let mut covers = |get: fn(&Row) -> u32, words: u32| {
                places.clear();
                places.extend(pair.iter().map(get));
                f64::from(rule.spanned(&mut places)) / f64::from(words.max(1)) >= rule.agree_share
            };
            let supported = pair.iter().any(|row| !row.boilerplate)
                || covers(|row| row.query_position, sides.query_words[query as usize])
                || covers(|row| row.found_position, sides.found_words[rank as usize]);
            if supported && pair.iter().all(|row| row.linked) {
                linked.push((pair.len(), rank));
            } else if supported {
                kept.push((query, rank));
            }
        }
        linked.sort_unstable_by_key(|(keys, rank)| (std::cmp::Reverse(*keys), *rank));
        kept.extend(linked.iter().take(links).map(|(_, rank)| (query, *rank)));
    }
    kept.sort_unstable();
    kept.into_iter().unzip()
}
