//! Which articles share keys, for any method, without a limit of ours.
//!
//! `file_part` sorts one range of all keys; `Index` joins the ranges: the holders of each key, and the keys of each article by
//! number. `Index::limit` leaves out the keys a paper calls common and, where an accepted pair must share several keys,
//! all but the rarest of each article: of n keys of which `least` must be shared, one at least is among any n - least + 1
//! (prefix filtering: Chaudhuri, Ganti, Kaushik 2006). `Index::pairs` then walks, article by article, over the earlier
//! holders of its keys, so that no pair comes twice and none is kept but the answer.

use crate::sets::Rows;
use crate::{Invalid, Result};

/// Into how many ranges keys are cut.
pub const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 4;
/// The number of a key that was left out.
const LEFT_OUT: u32 = u32::MAX;

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
}

/// Sorts the keys of one range; row i is the article of rank i.
///
/// # Errors
/// When there is no such part, or there are 2³² values.
pub fn file_part(rows: Rows<u64>, part: usize) -> Result<Part> {
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
}

impl Index {
    /// Joins all parts, in order, of the same rows.
    ///
    /// # Errors
    /// When the parts are others'.
    pub fn new(rows: Rows<u64>, parts: &[&Part]) -> Result<Self> {
        let filed: usize = parts.iter().map(|part| part.slots.len()).sum();
        let within = |part: &&Part| {
            part.slots.iter().all(|slot| (*slot as usize) < rows.span())
                && part.holders.iter().all(|rank| (*rank as usize) < rows.len())
        };
        if filed != (0..rows.len()).map(|rank| rows.row(rank).len()).sum::<usize>() || !parts.iter().all(within) {
            return Err(Invalid(format!("expected the {PARTS} parts of these rows, got {} others", parts.len())));
        }
        let mut index = Self::default();
        let mut numbers = vec![0; rows.span()];
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
            for (slot, number) in part.slots.iter().zip(&part.numbers) {
                numbers[*slot as usize] = first + number;
            }
        }
        index.articles.starts.push(0);
        for rank in 0..rows.len() {
            let start = rows.start(rank);
            let mine = &mut numbers[start..start + rows.row(rank).len()];
            mine.sort_unstable();
            let mut last = None;
            index.articles.values.extend(mine.iter().filter(|number| last.replace(**number) != Some(**number)));
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
        self.articles.starts.windows(2).map(|bounds| (bounds[1] - bounds[0]) as i64).collect()
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
        let mut lengths = Vec::with_capacity(articles);
        let mut sizes = vec![0_usize; self.keys.len() + 1];
        for (bounds, least) in self.articles.starts.windows(2).zip(least) {
            let mine = &mut keys[bounds[0]..bounds[1]];
            let length = (mine.len() as i64 - (*least).max(1) + 1).clamp(0, mine.len() as i64) as usize;
            if length < mine.len() {
                mine.sort_unstable_by_key(|number| (self.holders.get(*number).len(), *number));
            }
            mine[..length].iter().for_each(|number| sizes[*number as usize + 1] += 1);
            lengths.push(length as u32);
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
        Ok(Prefixes { keys, lengths, holders, mutual })
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
        let mut pairs = Pairs::new(from, to, probes.len().min(self.articles.starts.len() - 1))?;
        let mut seen = vec![LEFT_OUT; self.articles.starts.len() - 1];
        while pairs.next < to && pairs.later.len() < most {
            let later = pairs.next as u32;
            for number in self.numbers(probes.row(pairs.next)) {
                pairs.add(later, self.holders.get(number), &mut seen);
            }
            pairs.next += 1;
        }
        Ok(pairs)
    }

    /// As `probe`, for articles that are looked up under their own keys, by their rarest.
    ///
    /// # Errors
    /// When there are no such articles.
    pub fn pairs(&self, prefixes: &Prefixes, from: usize, to: usize, most: usize) -> Result<Pairs> {
        if prefixes.keys.len() != self.articles.values.len() || prefixes.holders.starts.len() != self.keys.len() + 1 {
            return Err(Invalid("expected the prefixes of this index".into()));
        }
        let mut pairs = Pairs::new(from, to, prefixes.lengths.len().min(self.articles.starts.len() - 1))?;
        let mut seen = vec![LEFT_OUT; self.articles.starts.len() - 1];
        while pairs.next < to && pairs.later.len() < most {
            let later = pairs.next as u32;
            let bounds = &self.articles.starts[pairs.next..pairs.next + 2];
            let (rare, rest) = prefixes.keys[bounds[0]..bounds[1]].split_at(prefixes.lengths[pairs.next] as usize);
            let holders = if prefixes.mutual { &prefixes.holders } else { &self.holders };
            for number in rare {
                pairs.add(later, holders.get(*number), &mut seen);
            }
            for number in rest.iter().filter(|_| !prefixes.mutual) {
                pairs.add(later, prefixes.holders.get(*number), &mut seen);
            }
            pairs.next += 1;
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
    holders: Lists,
    mutual: bool,
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

    fn add(&mut self, later: u32, holders: &[u32], seen: &mut [u32]) {
        for earlier in holders.iter().take_while(|holder| **holder < later) {
            if std::mem::replace(&mut seen[*earlier as usize], later) != later {
                self.later.push(later);
                self.earlier.push(*earlier);
            }
        }
    }
}
