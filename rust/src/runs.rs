//! Runs of equal words of two texts.
//!
//! Every maximal run of at least a gram is found through an index of the found article's grams. A gram that stands more than
//! `OFTEN` times in it only goes on along the run before, or starts where nothing was found yet, and the words walked over are
//! budgeted: a text of one repeated word stays linear. Shorter ones are found between these, by the heaviest common subsequence of
//! a gap of at most `GAP_CELLS`.

use std::cell::OnceCell;

/// Occurrences of a gram in one article that are all tried.
const OFTEN: usize = 16;
/// Words that may be walked over for each word of both articles.
const BUDGET: usize = 64;
/// Largest gap, in cells, whose common words are told and counted.
pub const GAP_CELLS: usize = 1 << 14;

/// Equal words: where they start on both sides, and how many they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Place in the query.
    pub query: usize,
    /// Place in the found article.
    pub found: usize,
    /// Words.
    pub len: usize,
}

/// Where each gram of an article stands: heads of chains by hash, chains in rising order of place.
///
/// Chance puts few other grams on a chain, whoever knows the hash as many as they like. Behind `STRANGERS` of them the
/// places of a gram are looked up among all grams, sorted.
#[derive(Debug, Default)]
pub struct Index {
    heads: Vec<u32>,
    next: Vec<u32>,
    grams: Vec<u64>,
    sorted: OnceCell<Vec<(u64, u32)>>,
}

const END: u32 = u32::MAX;
/// Other grams that are passed over on a chain.
const STRANGERS: usize = 64;

impl Index {
    /// Makes it that of an article with these grams.
    pub fn build(&mut self, grams: &[u64]) {
        let size = (grams.len() * 2).next_power_of_two().max(2);
        self.heads.clear();
        self.heads.resize(size, END);
        self.grams.clear();
        self.grams.extend_from_slice(grams);
        self.next.clear();
        self.next.resize(grams.len(), END);
        self.sorted.take();
        for (place, hash) in grams.iter().enumerate().rev() {
            let head = &mut self.heads[*hash as usize & (size - 1)];
            self.next[place] = std::mem::replace(head, place as u32);
        }
    }

    /// Places of a gram, in rising order; other grams with the same hash may be among them.
    fn places(&self, hash: u64) -> impl Iterator<Item = usize> {
        let (mut at, mut strangers) = (self.heads[hash as usize & (self.heads.len() - 1)], 0);
        std::iter::from_fn(move || {
            while at != END {
                let place = at as usize;
                if strangers == STRANGERS {
                    let found = self.place_from(hash, at);
                    at = found.map_or(END, |place| place + 1);
                    return found.map(|place| place as usize);
                }
                at = self.next[place];
                if self.grams[place] == hash {
                    return Some(place);
                }
                strangers += 1;
            }
            None
        })
    }

    /// The first place of a gram from one on, by the sorted grams.
    #[cold]
    fn place_from(&self, hash: u64, from: u32) -> Option<u32> {
        let sorted = self.sorted.get_or_init(|| sort_grams(&self.grams));
        let (gram, place) = *sorted.get(sorted.partition_point(|one| *one < (hash, from)))?;
        (gram == hash).then_some(place)
    }
}

/// Grams with their places, by hash.
pub fn sort_grams(grams: &[u64]) -> Vec<(u64, u32)> {
    let mut sorted: Vec<(u64, u32)> = grams.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    sorted
}

/// The maximal runs of equal words of at least `gram` words, by their place in the query, whose grams are given; `starts` are the
/// places there to look at, `index` that of the found article.
pub fn find_runs(
    (query, grams): (&[u64], &[u64]),
    found: &[u64],
    index: &Index,
    starts: impl Iterator<Item = usize>,
    gram: usize,
) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut budget = BUDGET * (query.len() + found.len());
    let (mut reach, mut places) = (0, Vec::with_capacity(OFTEN + 1));
    for start in starts {
        places.clear();
        places.extend(index.places(grams[start]).take(OFTEN + 1));
        if places.len() > OFTEN {
            places.truncate(usize::from(start >= reach));
            if let Some(last) = runs.last() {
                let onward = (start + last.found).checked_sub(last.query);
                places.extend(onward.filter(|place| place + gram <= found.len()));
            }
        }
        for place in &places {
            let goes_on = start > 0 && *place > 0 && query[start - 1] == found[*place - 1];
            if goes_on || query[start..start + gram] != found[*place..*place + gram] {
                continue;
            }
            let len = query[start..]
                .iter()
                .zip(&found[*place..])
                .take(budget)
                .take_while(|(one, other)| one == other)
                .count();
            if len < gram {
                return runs;
            }
            budget -= len;
            reach = reach.max(start + len);
            runs.push(Run { query: start, found: *place, len });
        }
    }
    runs
}

/// The runs, with those of the heaviest common subsequence of each gap between them; runs that touch are one. `weight` is that of a
/// word of the query.
pub fn refine(
    query: &[u64],
    found: &[u64],
    runs: &[Run],
    weight: impl Fn(usize) -> u16,
    longest: &mut Vec<u16>,
    all: &mut Vec<Run>,
) {
    all.clear();
    let mut push = |run: Run| match all.last_mut() {
        Some(last) if last.query + last.len == run.query && last.found + last.len == run.found => last.len += run.len,
        _ => all.push(run),
    };
    let mut before = None::<Run>;
    for run in runs {
        if let Some(before) = before {
            let (one, other) = (before.query + before.len, before.found + before.len);
            common(
                &query[one..run.query],
                &found[other..run.found],
                |i| weight(one + i),
                longest,
                |i, j| {
                    push(Run { query: one + i, found: other + j, len: 1 });
                },
            );
        }
        push(*run);
        before = Some(*run);
    }
}

/// Tells the places of a heaviest common subsequence; none where the gaps are too large to be worth it.
fn common(
    one: &[u64],
    other: &[u64],
    weight: impl Fn(usize) -> u16,
    longest: &mut Vec<u16>,
    mut tell: impl FnMut(usize, usize),
) {
    let wide = other.len() + 1;
    if one.is_empty() || other.is_empty() || one.len() * other.len() > GAP_CELLS {
        return;
    }
    longest.clear();
    longest.resize((one.len() + 1) * wide, 0);
    for i in (0..one.len()).rev() {
        for j in (0..other.len()).rev() {
            longest[i * wide + j] = if one[i] == other[j] {
                longest[(i + 1) * wide + j + 1] + weight(i)
            } else {
                longest[(i + 1) * wide + j].max(longest[i * wide + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < one.len() && j < other.len() {
        if one[i] == other[j] {
            tell(i, j);
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * wide + j] >= longest[i * wide + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
}

/// Runs of what was kept of two texts as runs of the whole of them, cut where something was taken out; `numbers` are those of the
/// kept words, if not all were.
pub fn cut(runs: &[Run], numbers: [Option<&[u32]>; 2]) -> Vec<Run> {
    if numbers.iter().all(Option::is_none) {
        return runs.to_vec();
    }
    let [query, found] = numbers.map(|kept| move |at: usize| kept.map_or(at, |kept| kept[at] as usize));
    let mut all: Vec<Run> = Vec::with_capacity(runs.len());
    for run in runs {
        let begun = all.len();
        for at in 0..run.len {
            let (one, other) = (query(run.query + at), found(run.found + at));
            match all[begun..].last_mut() {
                Some(last) if last.query + last.len == one && last.found + last.len == other => last.len += 1,
                _ => all.push(Run { query: one, found: other, len: 1 }),
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shingles::{mix_runs, words_of_grams};

    const GRAM: usize = 5;

    fn cut_grams(words: &[u64]) -> Vec<u64> {
        let mut grams = Vec::new();
        mix_runs(words, GRAM, &mut grams);
        grams
    }

    /// Whether the grams had to be sorted to look every gram of one article up in the other, and the runs found.
    fn look_up(query: &[u64], found: &[u64]) -> (bool, Vec<(usize, usize, usize)>) {
        let grams = cut_grams(query);
        let mut index = Index::default();
        index.build(&cut_grams(found));
        let runs = find_runs((query, &grams), found, &index, 0..grams.len(), GRAM);
        (index.sorted.get().is_some(), runs.iter().map(|run| (run.query, run.found, run.len)).collect())
    }

    #[test]
    fn grams_made_to_fall_on_one_chain_are_sorted_instead_of_walked_over() {
        let count = 1 << 13;
        let same_place = |from: u64| (from..from + count).map(|gram| gram << 32 | 1);
        let query = words_of_grams(same_place(1 << 20), GRAM);
        let found = words_of_grams(same_place(1 << 25), GRAM);
        assert_eq!(look_up(&query, &found), (true, vec![]));
    }

    #[test]
    fn a_gram_that_is_repeated_costs_those_that_share_its_place_little() {
        let count = 1 << 13;
        let found = vec![7_u64; count];
        let repeated = cut_grams(&found)[0];
        let others = (1..count as u64).map(|gram| repeated ^ gram << 32);
        assert!(look_up(&words_of_grams(others, GRAM), &found).0);
        assert!(!look_up(&found, &found).0);
    }

    #[test]
    fn places_are_the_same_by_chains_and_sorted() {
        let words = words_of_grams((1..2000).map(|gram| gram << 32 | 1), GRAM);
        let found: Vec<u64> = words[300..900].iter().chain(&words[100..500]).chain(&words[300..900]).copied().collect();
        let grams = cut_grams(&found);
        let mut index = Index::default();
        index.build(&grams);
        for gram in &cut_grams(&words) {
            let every: Vec<usize> = (0..grams.len()).filter(|place| grams[*place] == *gram).collect();
            assert_eq!(index.places(*gram).collect::<Vec<_>>(), every);
        }
        assert!(index.sorted.get().is_some());
    }
}
