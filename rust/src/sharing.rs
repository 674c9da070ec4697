//! Which articles share enough keys, for any method, without a limit of ours.
//!
//! What two articles share is the sum, over the keys of both, of the products of their weights: a count, if all weigh 1. A
//! method says how much a pair must share to be accepted: what one of both articles needs, or the mean of what both need.
//!
//! `file_part` sorts one range of all keys; `Index` joins the ranges. `Index::limit` puts the keys of every article in one order,
//! rare ones first, and cuts them where what is left cannot be all that the article needs: a pair that shares enough shares a key
//! before the cut of one of both (prefix filtering: Chaudhuri, Ganti, Kaushik 2006; by length: Bayardo, Ma, Srikant 2007). So
//! `Index::pairs` looks up the keys before an article's cut with all earlier holders, those behind it with holders that have them
//! before theirs. What it adds up is all that is shared up to the later cut; what two rests may add is bounded by the heaviest
//! holders of their keys and by the product of their lengths (Anastasiu, Karypis 2014). Article by article, so that no pair comes twice and
//! none is kept but the answer.

use crate::sets::Rows;
use crate::{Invalid, Result};

mod lists;

use lists::{Lists, Posting, Postings};

/// Into how many ranges keys are cut.
pub const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 4;
/// What is left behind a cut is at most so much of what the article needs, as long as no key before it has more holders than all
/// rarer ones. At 1 fewer keys would be looked up, but hardly a pair ruled out: of 20,000 news by single words, 4,394,938 remain at
/// 1 and 7,529 at 0.9, for 456,597,549 and 678,534,821 look-ups.
const LEFT_BEHIND: f64 = 0.9;
/// By how much sums of a few rounded weights may be off, far more than they are.
const SLACK: f32 = 1e-5;

/// Which articles were met is listed where at most one in so many can be; else all are looked at, so many together.
const LISTED: i64 = 8;
const CHUNK: usize = 16;

/// The keys of one range, sorted.
#[derive(Debug, Default)]
pub struct Part {
    keys: Vec<u64>,
    /// How often each occurs.
    occurrences: Vec<u32>,
    /// How many articles hold each, which, and the weights, if there are any.
    sizes: Vec<u32>,
    holders: Vec<u32>,
    weights: Vec<f32>,
    /// The holders of keys that only one article holds, if these are left out.
    alone: Vec<Posting>,
}

/// The keys of one range, sorted; row i is the article of rank i. Without weights, a key weighs 1, however often it occurs
/// in an article. Unless `all`, a key that only one article holds, as by far the most are, is weighed but not kept.
///
/// # Errors
/// When there is no such part, not one weight a key, or there are 2³² keys.
pub fn file_part(rows: Rows<u64>, weights: Option<&[f64]>, part: usize, all: bool) -> Result<Part> {
    let keys = rows.span();
    if part >= PARTS || weights.is_some_and(|weights| weights.len() != keys) || u32::try_from(keys).is_err() {
        return Err(Invalid(format!(
            "expected a part below {PARTS} of fewer than 2^32 keys with a weight each, got part {part} of {keys}"
        )));
    }
    let mut entries: Vec<(u64, u32, u32)> = Vec::new();
    for rank in 0..rows.len() {
        for (slot, key) in (rows.start(rank)..).zip(rows.row(rank)) {
            if key >> (64 - PART_BITS) == part as u64 {
                let weight = weights.map_or(1.0, |weights| weights[slot] as f32);
                entries.push((*key, rank as u32, weight.to_bits()));
            }
        }
    }
    entries.sort_unstable();
    let mut filed = Part::default();
    for group in entries.chunk_by(|one, other| one.0 == other.0) {
        let holders = group.chunk_by(|one, other| one.1 == other.1).map(|same| (same[0].1, f32::from_bits(same[0].2)));
        if !all && group[0].1 == group[group.len() - 1].1 {
            filed.alone.extend(holders);
            continue;
        }
        filed.keys.push(group[0].0);
        filed.occurrences.push(group.len() as u32);
        filed.sizes.push(holders.clone().count() as u32);
        filed.holders.extend(holders.clone().map(|(rank, _)| rank));
        filed.weights.extend(holders.map(|(_, weight)| weight).filter(|_| weights.is_some()));
    }
    Ok(filed)
}

/// What is known of an article before it is compared.
#[derive(Debug, Clone, Copy, Default)]
struct Limit {
    needed: f32,
    /// What the keys behind the cut may add at most, whoever holds them.
    reach: f32,
    /// The length of their vector.
    length: f32,
}

/// The keys of a collection and who holds them.
#[derive(Debug, Default)]
pub struct Index {
    /// All keys, sorted.
    pub keys: Vec<u64>,
    /// How often each occurs.
    pub occurrences: Vec<i64>,
    /// The number of each in the order of rarity.
    lists: Vec<u32>,
    /// The holders of each key, the rarest first, by rank; in the first part, once there are limits, those that have it before their cut.
    holders: Lists,
    /// What each article shares with itself.
    pub totals: Vec<f64>,
    /// The keys of each article that anyone has before the cut; in the first part those before its own.
    articles: Lists,
    limits: Vec<Limit>,
    /// How many earlier articles each article is looked up in at most, repeats included.
    pub work: Vec<i64>,
    mutual: bool,
}

impl Index {
    /// The index of N `articles`, from all parts in order.
    ///
    /// # Errors
    /// When the parts are of more articles, or these are more than ranks.
    pub fn new(articles: usize, parts: &[&Part]) -> Result<Self> {
        let within = |part: &&Part| {
            let alone = part.alone.iter().map(|(rank, _)| rank);
            part.holders.iter().chain(alone).all(|rank| (*rank as usize) < articles)
        };
        if parts.len() != PARTS || !parts.iter().all(within) {
            return Err(Invalid(format!("expected {PARTS} parts of {articles} articles, got {} others", parts.len())));
        }
        if u32::try_from(articles).is_err() {
            return Err(Invalid(format!("expected fewer than 2^32 articles, got {articles}")));
        }
        let sizes: Vec<u32> = parts.iter().flat_map(|part| part.sizes.iter().copied()).collect();
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|key| sizes[*key]);
        let mut index = Self {
            lists: vec![0; sizes.len()],
            totals: vec![0.0; articles],
            limits: vec![Limit::default(); articles],
            ..Self::default()
        };
        for (list, key) in order.iter().enumerate() {
            index.lists[*key] = list as u32;
        }
        let weighted = parts.iter().any(|part| !part.weights.is_empty());
        index.holders = Lists::with_room(order.iter().map(|key| sizes[*key]), weighted);
        let mut lists = index.lists.iter();
        for part in parts {
            index.keys.extend_from_slice(&part.keys);
            index.occurrences.extend(part.occurrences.iter().map(|count| i64::from(*count)));
            let mut holders = Postings { numbers: &part.holders, weights: &part.weights }.iter();
            for (size, list) in part.sizes.iter().zip(lists.by_ref()) {
                for (rank, weight) in holders.by_ref().take(*size as usize) {
                    index.holders.push(*list, (rank, weight), false);
                    index.totals[rank as usize] += f64::from(weight).powi(2);
                }
            }
            for (rank, weight) in &part.alone {
                index.totals[*rank as usize] += f64::from(*weight).powi(2);
            }
        }
        Ok(index)
    }

    /// In how many articles each key occurs.
    pub fn holder_counts(&self) -> Vec<i64> {
        self.lists.iter().map(|list| self.holders.all(*list).numbers.len() as i64).collect()
    }

    /// Leaves out the keys whose flag in `common` is true.
    ///
    /// # Errors
    /// When there is not one flag a key.
    pub fn leave_out(&mut self, common: &[bool]) -> Result<()> {
        if common.len() != self.keys.len() {
            return Err(Invalid(format!("expected a flag for each of {} keys, got {}", self.keys.len(), common.len())));
        }
        for (list, _) in self.lists.iter().zip(common).filter(|(_, common)| **common) {
            for (rank, weight) in self.holders.all(*list).iter() {
                self.totals[rank as usize] -= f64::from(weight).powi(2);
            }
            self.holders.clear(*list);
        }
        Ok(())
    }

    /// Prepares `pairs`, for pairs that share at least what one article needs or, if `mutual`, the mean of what both need.
    ///
    /// # Errors
    /// When there is not one number an article.
    pub fn limit(&mut self, least: &[f64], mutual: bool) -> Result<()> {
        let articles = self.totals.len();
        if least.len() != articles || !self.work.is_empty() {
            return Err(Invalid(format!(
                "expected once a number for each of {articles} articles, got {}",
                least.len()
            )));
        }
        let cuts = self.cut(least, mutual);
        self.split(&cuts);
        self.mutual = mutual;
        Ok(())
    }

    /// How many of all keys are before the cut of each article.
    fn cut(&mut self, least: &[f64], mutual: bool) -> Vec<u32> {
        let mut cuts = vec![0; least.len()];
        let mut work = vec![0; least.len()];
        let keys = self.keys.len() as u32;
        for key in 0..keys {
            let holders = self.holders.all(key).numbers;
            for rank in holders {
                work[*rank as usize] += holders.len();
            }
        }
        // What the keys behind the cut may add, and the square of their length.
        let mut rests = vec![(0.0, 0.0); least.len()];
        for key in (0..keys).rev() {
            let holders = self.holders.all(key);
            let (held, heaviest) = (holders.numbers.len(), holders.iter().map(|holder| holder.1).fold(0.0, f32::max));
            for (rank, weight) in holders.iter() {
                let rank = rank as usize;
                if cuts[rank] > 0 {
                    continue;
                }
                let (reach, square) = rests[rank];
                let rest = (reach + f64::from(weight * heaviest), square + f64::from(weight * weight));
                let may_add = if mutual { rest.1 } else { rest.0 } * f64::from(1.0 + SLACK);
                work[rank] -= held;
                if may_add >= least[rank] || (may_add >= LEFT_BEHIND * least[rank] && held <= work[rank]) {
                    cuts[rank] = key + 1;
                } else {
                    rests[rank] = rest;
                }
            }
        }
        let limit = |(needed, (reach, square)): (&f64, (f64, f64))| Limit {
            needed: *needed as f32,
            reach: reach as f32,
            length: square.sqrt() as f32,
        };
        self.limits = least.iter().zip(rests).map(limit).collect();
        cuts
    }

    /// Parts the holders of each key, and lists the keys of each article that anyone has before the cut.
    fn split(&mut self, cuts: &[u32]) {
        let (mut sizes, mut parted) = (vec![0; cuts.len()], Vec::new());
        self.work = vec![0; cuts.len()];
        let before = |key: u32, (rank, _): &Posting| key < cuts[*rank as usize];
        for key in 0..self.keys.len() as u32 {
            let holders = self.holders.all(key);
            parted.clear();
            parted.extend(holders.iter().filter(|holder| before(key, holder)));
            let first = parted.len();
            parted.extend(holders.iter().filter(|holder| !before(key, holder)));
            self.holders.clear(key);
            for (number, holder) in parted.iter().enumerate() {
                self.holders.push(key, *holder, number < first);
                let rank = holder.0 as usize;
                sizes[rank] += u32::from(first > 0);
                self.work[rank] += if number < first { parted.len() } else { first } as i64;
            }
        }
        self.articles = Lists::with_room(sizes.into_iter(), !self.holders.weights.is_empty());
        for key in 0..self.keys.len() as u32 {
            let [first, others] = self.holders.parts(key);
            let Some(&earliest) = first.numbers.first() else { continue };
            let before_all = others.numbers.first().map_or(earliest, |other| earliest.min(*other));
            for (rank, weight) in first.iter().filter(|(rank, _)| *rank > before_all) {
                self.articles.push(rank, (key, weight), true);
            }
            for (rank, weight) in others.iter().filter(|(rank, _)| *rank > earliest) {
                self.articles.push(rank, (key, weight), false);
            }
        }
    }

    /// The pairs in which one of the later article's `probes` is a key of the earlier one. The later articles are those from
    /// `from` to before `to`, or until there are `most` pairs; then `next` is the article to go on with.
    ///
    /// # Errors
    /// When there are no such articles.
    pub fn probe(&self, probes: Rows<u64>, from: usize, to: usize, most: usize) -> Result<Pairs> {
        let mut pairs = Pairs::new(from, to, probes.len().min(self.totals.len()))?;
        let mut counter = Counter::new(self.totals.len());
        while pairs.next < to && pairs.later.len() < most {
            for key in probes.row(pairs.next).iter().filter_map(|key| self.keys.binary_search(key).ok()) {
                for part in self.holders.parts(self.lists[key]) {
                    counter.add(part, pairs.next, 1.0);
                }
            }
            pairs.take(&mut counter, &self.limits, |_, _| true);
        }
        Ok(pairs)
    }

    /// As `probe`, for articles that are looked up under their own keys, within the limits.
    ///
    /// # Errors
    /// When there are no such articles, or no limits.
    pub fn pairs(&self, from: usize, to: usize, most: usize) -> Result<Pairs> {
        let mut pairs = Pairs::new(from, to, self.work.len())?;
        let (mut counter, mut lists) = (Counter::new(self.totals.len()), Vec::new());
        while pairs.next < to && pairs.later.len() < most {
            let later = pairs.next;
            let (keys, mine) = (self.articles.parts(later as u32), self.limits[later]);
            counter.listing = self.work[later] < self.totals.len() as i64 / LISTED;
            // First all lists, then the first holder of each: so the waits for memory overlap.
            lists.clear();
            for (key, weight) in keys[0].iter() {
                lists.extend(self.holders.parts(key).map(|part| (part, weight)));
            }
            lists.extend(keys[1].iter().map(|(key, weight)| (self.holders.parts(key)[0], weight)));
            lists.retain(|(holders, _)| holders.numbers.first().is_some_and(|rank| (*rank as usize) < later));
            for (holders, weight) in &lists {
                counter.add(*holders, later, *weight);
            }
            let slack = 1.0 + SLACK + lists.len() as f32 * f32::EPSILON;
            pairs.take(&mut counter, &self.limits, |shared, other| {
                let rest = mine.reach.min(other.reach).min(mine.length * other.length);
                let needed =
                    if self.mutual { f32::midpoint(mine.needed, other.needed) } else { mine.needed.min(other.needed) };
                (shared + rest) * slack >= needed
            });
        }
        Ok(pairs)
    }
}

/// Adds up what one later article shares with each earlier one.
struct Counter {
    shared: Vec<f32>,
    touched: Vec<u32>,
    /// Whether `touched` is kept.
    listing: bool,
}

impl Counter {
    fn new(articles: usize) -> Self {
        Self { shared: vec![0.0; articles], touched: Vec::new(), listing: true }
    }

    fn add(&mut self, holders: Postings, later: usize, weight: f32) {
        if !self.listing && holders.weights.is_empty() {
            for earlier in holders.numbers.iter().take_while(|rank| (**rank as usize) < later) {
                self.shared[*earlier as usize] += weight;
            }
            return;
        }
        for (earlier, other) in holders.iter().take_while(|(rank, _)| (*rank as usize) < later) {
            let shared = &mut self.shared[earlier as usize];
            if self.listing && *shared == 0.0 {
                self.touched.push(earlier);
            }
            *shared += weight * other;
        }
    }
}

/// Pairs of ranks, by the later article.
#[derive(Debug)]
pub struct Pairs {
    /// The later article of each.
    pub later: Vec<u32>,
    /// The earlier one.
    pub earlier: Vec<u32>,
    /// The article to go on with.
    pub next: usize,
}

impl Pairs {
    fn new(from: usize, to: usize, articles: usize) -> Result<Self> {
        if from > to || to > articles {
            return Err(Invalid(format!("expected a range of {articles} articles, got {from}..{to}")));
        }
        Ok(Self { later: Vec::new(), earlier: Vec::new(), next: from })
    }

    /// Takes those that the next later article shares enough with, empties the counter, and goes on.
    fn take(&mut self, counter: &mut Counter, limits: &[Limit], enough: impl Fn(f32, &Limit) -> bool) {
        let later = self.next as u32;
        let mut take = |earlier: u32, shared: f32, limit: &Limit| {
            if shared > 0.0 && enough(shared, limit) {
                self.later.push(later);
                self.earlier.push(earlier);
            }
        };
        for earlier in counter.touched.drain(..) {
            let shared = std::mem::take(&mut counter.shared[earlier as usize]);
            take(earlier, shared, &limits[earlier as usize]);
        }
        if !counter.listing {
            let mut first = 0;
            let all = counter.shared[..later as usize].chunks_mut(CHUNK);
            for (shared, limits) in all.zip(limits.chunks(CHUNK)) {
                // Without a branch for each, which would take longer than all of the adding up.
                if shared.iter().zip(limits).fold(false, |any, (shared, limit)| any | enough(*shared, limit)) {
                    (first..)
                        .zip(shared.iter().zip(limits))
                        .for_each(|(earlier, (shared, limit))| take(earlier, *shared, limit));
                }
                shared.fill(0.0);
                first += CHUNK as u32;
            }
        }
        self.next += 1;
    }
}
