//! Which articles share keys, for any method, without a limit of ours.
//!
//! `file_part` sorts one range of all keys; `Index` joins the ranges: the holders of each key, and the keys of each article by
//! number. Where an accepted pair must share several keys, `Index::limit` looks at the rarest of each article only: of n keys of
//! which `least` must be shared, the rarest n - least + l hold l shared ones (prefix filtering: Chaudhuri, Ganti,
//! Kaushik 2006; for l above 1: Wang, Li, Feng 2012). `Index::pairs` then counts, article by article, over the
//! earlier holders of its keys, so that no pair comes twice and none is kept but the answer.

use crate::sets::Rows;
use crate::{Invalid, Result};

/// Into how many ranges keys are cut.
pub const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 4;
/// The number of a key that was left out.
const LEFT_OUT: u32 = u32::MAX;
/// Of the rarest keys that are looked up, so many must be shared at most. More of them leave fewer pairs, but take more
/// keys to look up: one more, as long as it has no more holders than all before it.
const RARE_SHARED: usize = 8;

/// The keys of one range, sorted.
#[derive(Debug, Default)]
pub struct Part {
    keys: Vec<u64>,
    /// How often each occurs.
    occurrences: Vec<u32>,
    /// How many articles hold each, and which.
    sizes: Vec<u32>,
    holders: Vec<u32>,
    /// Where in the values each occurrence stands, and the number of its key in this part.
    slots: Vec<u32>,
    numbers: Vec<u32>,
    /// The holders of keys that only one article holds, if these are left out.
    alone: Vec<u32>,
}

/// Sorts the keys of one range; row i is the article of rank i. Unless `all`, keys that only one article holds, the most by far,
/// are counted but not kept.
///
/// # Errors
/// When there is no such part, or there are 2³² values.
pub fn file_part(rows: Rows<u64>, part: usize, all: bool) -> Result<Part> {
    if part >= PARTS || u32::try_from(rows.span()).is_err() {
        return Err(Invalid(format!("expected a part below {PARTS} and fewer than 2^32 keys, got part {part}")));
    }
    let mut entries: Vec<(u64, u32, u32)> = Vec::new();
    for rank in 0..rows.len() {
        for (slot, key) in (rows.start(rank)..).zip(rows.row(rank)) {
            if key >> (64 - PART_BITS) == part as u64 {
                entries.push((*key, rank as u32, slot as u32));
            }
        }
    }
    entries.sort_unstable();
    let mut filed = Part::default();
    for group in entries.chunk_by(|one, other| one.0 == other.0) {
        if !all && group[0].1 == group[group.len() - 1].1 {
            filed.alone.push(group[0].1);
            continue;
        }
        let number = filed.keys.len() as u32;
        let before = filed.holders.len();
        for same in group.chunk_by(|one, other| one.1 == other.1) {
            filed.holders.push(same[0].1);
        }
        filed.keys.push(group[0].0);
        filed.occurrences.push(group.len() as u32);
        filed.sizes.push((filed.holders.len() - before) as u32);
        filed.slots.extend(group.iter().map(|entry| entry.2));
        filed.numbers.extend(std::iter::repeat_n(number, group.len()));
    }
    Ok(filed)
}

/// Lists on end: list i is `values[starts[i]..starts[i + 1]]`.
#[derive(Debug, Default)]
struct Lists {
    starts: Vec<usize>,
    values: Vec<u32>,
}

impl Lists {
    fn get(&self, number: u32) -> &[u32] {
        &self.values[self.starts[number as usize]..self.starts[number as usize + 1]]
    }

    fn retain(&mut self, keep: impl Fn(usize, u32) -> bool) {
        let (mut kept, mut start) = (0, 0);
        for list in 1..self.starts.len() {
            let end = std::mem::replace(&mut self.starts[list], 0);
            for at in start..end {
                if keep(list - 1, self.values[at]) {
                    self.values[kept] = self.values[at];
                    kept += 1;
                }
            }
            (self.starts[list], start) = (kept, end);
        }
        self.values.truncate(kept);
    }
}

/// The keys of a collection and who holds them.
#[derive(Debug, Default)]
pub struct Index {
    /// All keys, rising.
    pub keys: Vec<u64>,
    /// How often each occurs.
    pub occurrences: Vec<i64>,
    holders: Lists,
    /// The distinct keys of each article, by number.
    articles: Lists,
    /// How many more keys each article has that no other holds.
    alone: Vec<u32>,
}

impl Index {
    /// Joins all parts, in order, of the same rows.
    ///
    /// # Errors
    /// When the parts are others'.
    pub fn new(rows: Rows<u64>, parts: &[&Part]) -> Result<Self> {
        let within = |part: &&Part| {
            part.slots.iter().all(|slot| (*slot as usize) < rows.span())
                && part.holders.iter().chain(&part.alone).all(|rank| (*rank as usize) < rows.len())
        };
        if parts.len() != PARTS || !parts.iter().all(within) {
            return Err(Invalid(format!("expected the {PARTS} parts of these rows, got {} others", parts.len())));
        }
        let mut index = Self::default();
        let mut numbers = vec![LEFT_OUT; rows.span()];
        index.alone.resize(rows.len(), 0);
        index.holders.starts.push(0);
        for part in parts {
            let first = index.keys.len() as u32;
            index.keys.extend_from_slice(&part.keys);
            index.occurrences.extend(part.occurrences.iter().map(|count| i64::from(*count)));
            for size in &part.sizes {
                let end = index.holders.starts.last().unwrap_or(&0) + *size as usize;
                index.holders.starts.push(end);
            }
            index.holders.values.extend_from_slice(&part.holders);
            part.alone.iter().for_each(|rank| index.alone[*rank as usize] += 1);
            for (slot, number) in part.slots.iter().zip(&part.numbers) {
                numbers[*slot as usize] = first + number;
            }
        }
        index.articles.starts.push(0);
        for rank in 0..rows.len() {
            let start = rows.start(rank);
            let mine = &mut numbers[start..start + rows.row(rank).len()];
            mine.sort_unstable();
            let mut last = LEFT_OUT;
            let kept = mine.iter().take_while(|number| **number != LEFT_OUT);
            index.articles.values.extend(kept.filter(|number| std::mem::replace(&mut last, **number) != **number));
            index.articles.starts.push(index.articles.values.len());
        }
        Ok(index)
    }

    /// In how many articles each key occurs.
    pub fn holder_counts(&self) -> Vec<i64> {
        self.holders.starts.windows(2).map(|bounds| (bounds[1] - bounds[0]) as i64).collect()
    }

    /// Leaves out some keys.
    ///
    /// # Errors
    /// When there is not one flag a key.
    pub fn leave_out(&mut self, common: &[bool]) -> Result<()> {
        if common.len() != self.keys.len() {
            return Err(Invalid(format!("expected a flag for each of {} keys, got {}", self.keys.len(), common.len())));
        }
        self.articles.retain(|_, number| !common[number as usize]);
        self.holders.retain(|number, _| !common[number]);
        Ok(())
    }

    /// How many distinct keys each article has.
    pub fn sizes(&self) -> Vec<i64> {
        let listed = self.articles.starts.windows(2).map(|bounds| (bounds[1] - bounds[0]) as i64);
        listed.zip(&self.alone).map(|(keys, alone)| keys + i64::from(*alone)).collect()
    }

    /// What finds the pairs of which one article, or if `mutual` both, shares at least so many of its keys.
    ///
    /// # Errors
    /// When there is not one number an article.
    pub fn limit(&self, least: &[i64], mutual: bool) -> Result<Prefixes> {
        let articles = self.articles.starts.len() - 1;
        if least.len() != articles {
            return Err(Invalid(format!("expected a number for each of {articles} articles, got {}", least.len())));
        }
        let mut keys = self.articles.values.clone();
        let (mut lengths, mut shared) = (Vec::with_capacity(articles), Vec::with_capacity(articles));
        let mut sizes = vec![0_usize; self.keys.len() + 1];
        for ((bounds, least), alone) in self.articles.starts.windows(2).zip(least).zip(&self.alone) {
            let mine = &mut keys[bounds[0]..bounds[1]];
            let least = (*least).max(1) as usize;
            if least > 1 {
                mine.sort_unstable_by_key(|number| (self.holders.get(*number).len(), *number));
            }
            let looked_at = (mine.len() + *alone as usize + 1).saturating_sub(least);
            let mut length = looked_at.saturating_sub(*alone as usize).min(mine.len());
            let mut rare = 1;
            // Keys that no other article holds are among the rarest, and cost nothing.
            let free = (*alone as usize).saturating_sub(looked_at).min(least.min(RARE_SHARED) - 1);
            rare += free;
            let mut work: usize = mine[..length].iter().map(|number| self.holders.get(*number).len()).sum();
            while rare < least.min(RARE_SHARED) && length < mine.len() {
                let more = self.holders.get(mine[length]).len();
                if more > work.max(1) {
                    break;
                }
                (work, length, rare) = (work + more, length + 1, rare + 1);
            }
            mine[..length].iter().for_each(|number| sizes[*number as usize + 1] += 1);
            lengths.push(length as u32);
            shared.push(rare as u16);
        }
        for number in 1..sizes.len() {
            sizes[number] += sizes[number - 1];
        }
        let mut holders = Lists { values: vec![0; *sizes.last().unwrap_or(&0)], starts: sizes.clone() };
        for (rank, (bounds, length)) in self.articles.starts.windows(2).zip(&lengths).enumerate() {
            for number in &keys[bounds[0]..bounds[0] + *length as usize] {
                holders.values[sizes[*number as usize]] = rank as u32;
                sizes[*number as usize] += 1;
            }
        }
        Ok(Prefixes { keys, lengths, shared, holders, mutual })
    }

    /// The numbers of other keys, those that no article holds left out.
    fn numbers<'a>(&'a self, keys: &'a [u64]) -> impl Iterator<Item = u32> + 'a {
        keys.iter().filter_map(|key| self.keys.binary_search(key).ok()).map(|number| number as u32)
    }

    /// Pairs of a later and an earlier article of which the later one's `probes` are among the earlier one's keys; from the
    /// later article `from` on, up to `to` or until there are `most`. Returns the article to go on with.
    ///
    /// # Errors
    /// When there are no such articles.
    pub fn probe(&self, probes: Rows<u64>, from: usize, to: usize, most: usize) -> Result<Pairs> {
        let mut pairs = Pairs::new(from, to, probes.len().min(self.alone.len()))?;
        let mut counter = Counter::new(self.alone.len());
        while pairs.next < to && pairs.later.len() < most {
            for number in self.numbers(probes.row(pairs.next)) {
                counter.add(self.holders.get(number), pairs.next);
            }
            pairs.take(&mut counter, |_| 1);
        }
        Ok(pairs)
    }

    fn check(&self, prefixes: &Prefixes) -> Result<()> {
        let expected = [self.alone.len(), self.articles.values.len(), self.keys.len() + 1];
        if [prefixes.lengths.len(), prefixes.keys.len(), prefixes.holders.starts.len()] == expected {
            return Ok(());
        }
        Err(Invalid("expected the prefixes of this index".into()))
    }

    /// How many earlier articles each later one is looked up in at most, repeats included.
    ///
    /// # Errors
    /// When the prefixes are another's.
    pub fn work(&self, prefixes: &Prefixes) -> Result<Vec<i64>> {
        self.check(prefixes)?;
        let earlier = |rank: usize| {
            let keys = &prefixes.keys[self.articles.starts[rank]..self.articles.starts[rank + 1]];
            let (rare, rest) = keys.split_at(prefixes.lengths[rank] as usize);
            let all: usize = rare.iter().map(|number| self.holders.get(*number).len()).sum();
            let few: usize = rest.iter().map(|number| prefixes.holders.get(*number).len()).sum();
            (all + few) as i64
        };
        Ok((0..self.alone.len()).map(earlier).collect())
    }

    /// As `probe`, for articles that are looked up under their own keys, by their rarest.
    ///
    /// # Errors
    /// When there are no such articles.
    pub fn pairs(&self, prefixes: &Prefixes, from: usize, to: usize, most: usize) -> Result<Pairs> {
        self.check(prefixes)?;
        let mut pairs = Pairs::new(from, to, prefixes.lengths.len().min(self.alone.len()))?;
        let (mut counter, mut turned) = (Counter::new(self.alone.len()), Counter::new(self.alone.len()));
        while pairs.next < to && pairs.later.len() < most {
            let later = pairs.next;
            let keys = &prefixes.keys[self.articles.starts[later]..self.articles.starts[later + 1]];
            let rare = &keys[..prefixes.lengths[later] as usize];
            let mine = prefixes.shared[later];
            if prefixes.mutual {
                for number in rare {
                    counter.add(prefixes.holders.get(*number), later);
                }
                pairs.take(&mut counter, |earlier| mine.min(prefixes.shared[earlier]));
            } else {
                for number in rare {
                    counter.add(self.holders.get(*number), later);
                }
                for number in keys {
                    turned.add(prefixes.holders.get(*number), later);
                }
                counter.unite(&mut turned, mine, &prefixes.shared);
                pairs.take(&mut counter, |_| mine);
            }
        }
        Ok(pairs)
    }
}

/// The keys of each article, its rarest first, and the articles that have each key among these.
#[derive(Debug)]
pub struct Prefixes {
    keys: Vec<u32>,
    /// How many keys of each article count.
    lengths: Vec<u32>,
    /// How many of these a pair shares.
    shared: Vec<u16>,
    holders: Lists,
    mutual: bool,
}

/// Counts how many keys one later article shares with each earlier one.
struct Counter {
    counts: Vec<u16>,
    touched: Vec<u32>,
}

impl Counter {
    fn new(articles: usize) -> Self {
        Self { counts: vec![0; articles], touched: Vec::new() }
    }

    fn add(&mut self, holders: &[u32], later: usize) {
        for earlier in holders.iter().take_while(|holder| (**holder as usize) < later) {
            let count = &mut self.counts[*earlier as usize];
            if *count == 0 {
                self.touched.push(*earlier);
            }
            *count = count.saturating_add(1);
        }
    }

    /// Makes those that have enough in `turned` have enough, `needed`, here; empties `turned`.
    fn unite(&mut self, turned: &mut Self, needed: u16, enough: &[u16]) {
        for earlier in turned.touched.drain(..) {
            let count = std::mem::take(&mut turned.counts[earlier as usize]);
            if count >= enough[earlier as usize] {
                if self.counts[earlier as usize] == 0 {
                    self.touched.push(earlier);
                }
                self.counts[earlier as usize] = needed;
            }
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
    fn take(&mut self, counter: &mut Counter, needed: impl Fn(usize) -> u16) {
        for earlier in counter.touched.drain(..) {
            if std::mem::take(&mut counter.counts[earlier as usize]) >= needed(earlier as usize) {
                self.later.push(self.next as u32);
                self.earlier.push(earlier);
            }
        }
        self.next += 1;
    }
}
