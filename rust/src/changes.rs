//! What one version of a text changed of another, in words.
//!
//! Two texts are laid side by side as far as they begin and end alike; between that, at the pairs of words that each has once there,
//! as many of these as stand in one order in both, and from there on as far as the words are equal. What lies between is added, cut, or stands in the place of something else; but a
//! stretch of `MOVED_WORDS` words or more that both have, each in such a gap, was moved. Cost: n log n in the words.

use crate::shingles::Batch;
use crate::{Invalid, Result};

/// The least words that count as moved.
pub const MOVED_WORDS: usize = 8;
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// Words added, cut, reworded and moved, a column each.
pub type Counts = (Vec<u32>, Vec<u32>, Vec<u32>, Vec<u32>);
/// Two places, one in each text.
type Places = (usize, usize);

/// How many words each `queries[i]` has added, cut, reworded and moved of `founds[i]`, as four columns; both are rows of the batch.
///
/// # Errors
/// When columns do not fit each other.
pub fn count_changes(batch: Batch<'_>, queries: &[u32], founds: &[u32]) -> Result<Counts> {
    batch.check()?;
    let rows = batch.rows();
    if queries.len() != founds.len() || queries.iter().chain(founds).any(|row| *row as usize >= rows) {
        return Err(Invalid(format!("expected pairs of rows under {rows}")));
    }
    let mut columns = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (query, found) in queries.iter().zip(founds) {
        let words = [query, found].map(|row| batch.article(*row as usize).0);
        let [added, cut, reworded, moved] = count(words[0], words[1]).map(|number| number as u32);
        columns.0.push(added);
        columns.1.push(cut);
        columns.2.push(reworded);
        columns.3.push(moved);
    }
    Ok(columns)
}

fn count(query: &[u64], found: &[u64]) -> [usize; 4] {
    let gaps = find_gaps(query, found);
    let are_long = |side: fn(&[Places; 2]) -> usize| gaps.iter().any(|gap| side(gap) >= MOVED_WORDS);
    let marks = (are_long(|[from, to]| to.0 - from.0) && are_long(|[from, to]| to.1 - from.1))
        .then(|| find_moved(query, found, &gaps));
    let [mut added, mut cut, mut reworded] = [0; 3];
    for [from, to] in &gaps {
        let (mut more, mut less) = (to.0 - from.0, to.1 - from.1);
        if let Some((ours, theirs)) = &marks {
            more -= ours[from.0..to.0].iter().filter(|is_moved| **is_moved).count();
            less -= theirs[from.1..to.1].iter().filter(|is_moved| **is_moved).count();
        }
        let both = more.min(less);
        added += more - both;
        cut += less - both;
        reworded += both;
    }
    [added, cut, reworded, marks.map_or(0, |(ours, _)| ours.iter().filter(|is_moved| **is_moved).count())]
}

/// What lies between equal words: where each gap begins and ends, in both texts.
fn find_gaps(query: &[u64], found: &[u64]) -> Vec<[Places; 2]> {
    let (first, last) = find_ends(query, found);
    let (inner, their_inner) = (&query[first..query.len() - last], &found[first..found.len() - last]);
    let mut gaps = Vec::new();
    let mut from = (0, 0);
    for to in find_anchors(inner, their_inner).into_iter().chain([(inner.len(), their_inner.len())]) {
        let (forward, backward) = find_ends(&inner[from.0..to.0], &their_inner[from.1..to.1]);
        let gap = [(from.0 + forward, from.1 + forward), (to.0 - backward, to.1 - backward)];
        if gap[0] != gap[1] {
            gaps.push(gap.map(|(here, there)| (first + here, first + there)));
        }
        from = (to.0 + 1, to.1 + 1);
    }
    gaps
}

/// How many words two texts begin with alike, and how many they end with alike behind those.
fn find_ends(query: &[u64], found: &[u64]) -> (usize, usize) {
    let forward = query.iter().zip(found).take_while(|(one, other)| one == other).count();
    let rest = query[forward..].iter().rev().zip(found[forward..].iter().rev());
    (forward, rest.take_while(|(one, other)| one == other).count())
}

/// The places of pairs of words that both texts have once, as many as there are in order in both.
fn find_anchors(query: &[u64], found: &[u64]) -> Vec<Places> {
    let bits = usize::BITS - query.len().max(found.len()).leading_zeros();
    let (mine, theirs) = (find_once(query, bits), find_once(found, bits));
    let mut common = Vec::new();
    let mut rest = theirs.iter().peekable();
    for pair in mine {
        while rest.next_if(|other| **other >> bits < pair >> bits).is_some() {}
        if let Some(other) = rest.next_if(|other| **other >> bits == pair >> bits) {
            let [here, there] = [pair, *other].map(|packed| (packed & ((1 << bits) - 1)) as usize);
            if query[here..here + 2] == found[there..there + 2] {
                common.push((here, there));
            }
        }
    }
    common.sort_unstable();
    keep_rising(&common)
}

/// The pairs of words that a text has once, sorted, each as one number, with its place in the lowest `bits`.
fn find_once(words: &[u64], bits: u32) -> Vec<u64> {
    let pairs = words.windows(2).map(|pair| (pair[0].wrapping_mul(MIX) ^ pair[1]).wrapping_mul(MIX) >> bits << bits);
    let mut pairs: Vec<_> = pairs.zip(0..).map(|(pair, place)| pair | place).collect();
    pairs.sort_unstable();
    pairs
        .chunk_by(|one, other| one >> bits == other >> bits)
        .filter(|same| same.len() == 1)
        .map(|same| same[0])
        .collect()
}

/// As many of some places, sorted by the first text, as are sorted by the second too.
fn keep_rising(places: &[Places]) -> Vec<Places> {
    let (mut ends, mut before): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for (number, (_, there)) in places.iter().enumerate() {
        let at = ends.partition_point(|end| places[*end].1 < *there);
        before.push(if at > 0 { ends[at - 1] } else { usize::MAX });
        if at == ends.len() {
            ends.push(number);
        } else {
            ends[at] = number;
        }
    }
    let mut kept = Vec::new();
    let mut last = ends.last().copied();
    while let Some(number) = last.filter(|number| *number != usize::MAX) {
        kept.push(places[number]);
        last = Some(before[number]);
    }
    kept.reverse();
    kept
}

/// Which words of both texts are moved: those of stretches that stand in a gap of each.
fn find_moved(query: &[u64], found: &[u64], gaps: &[[Places; 2]]) -> (Vec<bool>, Vec<bool>) {
    let starts = |from: usize, to: usize| from..(to + 1).saturating_sub(MOVED_WORDS).max(from);
    let mut theirs: Vec<_> =
        gaps.iter().flat_map(|[from, to]| starts(from.1, to.1)).map(|at| (mix(found, at), at)).collect();
    theirs.sort_unstable();
    let mut marks = (vec![false; query.len()], vec![false; found.len()]);
    for here in gaps.iter().flat_map(|[from, to]| starts(from.0, to.0)) {
        let mixed = mix(query, here);
        // Of equal stretches the last.
        let Some((_, there)) = theirs[..theirs.partition_point(|one| one.0 <= mixed)].last() else { continue };
        if query[here..here + MOVED_WORDS] == found[*there..there + MOVED_WORDS] {
            marks.0[here..here + MOVED_WORDS].fill(true);
            marks.1[*there..there + MOVED_WORDS].fill(true);
        }
    }
    marks
}

/// The words of a stretch as one number.
fn mix(words: &[u64], at: usize) -> u64 {
    words[at..at + MOVED_WORDS].iter().fold(0, |sum: u64, word| (sum.rotate_left(5) ^ word).wrapping_mul(MIX))
}
