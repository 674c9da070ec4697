//! Articles as sets of hashes: ragged rows, what they share, which values are known.

use std::borrow::Cow;

use crate::shingles::check_offsets;
use crate::{Invalid, Result};

/// Ragged rows: row i is `values[starts[i]..ends[i]]`. Several rows may be the same stretch.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a, T> {
    values: &'a [T],
    starts: &'a [i64],
    ends: &'a [i64],
}

impl<'a, T> Rows<'a, T> {
    /// Rows of these values.
    ///
    /// # Errors
    /// When a row is not within the values.
    pub fn new(values: &'a [T], starts: &'a [i64], ends: &'a [i64]) -> Result<Self> {
        if starts.len() != ends.len() {
            return Err(Invalid(format!("expected as many starts as ends, got {} and {}", starts.len(), ends.len())));
        }
        let within = |(start, end): (&i64, &i64)| 0 <= *start && start <= end && *end <= values.len() as i64;
        if !starts.iter().zip(ends).all(within) {
            return Err(Invalid(format!("expected rows within {} values", values.len())));
        }
        Ok(Self { values, starts, ends })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// One row.
    pub fn row(&self, row: usize) -> &'a [T] {
        &self.values[self.starts[row] as usize..self.ends[row] as usize]
    }

    /// Where a row starts in the values.
    pub fn start(&self, row: usize) -> usize {
        self.starts[row] as usize
    }

    /// How many values there are, in rows or not.
    pub fn span(&self) -> usize {
        self.values.len()
    }

    /// Row i here beside row i there.
    ///
    /// # Errors
    /// When there are more on one side.
    pub fn zip<U>(self, other: Rows<'a, U>) -> Result<impl Iterator<Item = (&'a [T], &'a [U])>> {
        if self.len() != other.len() {
            return Err(Invalid(format!(
                "expected as many rows on both sides, got {} and {}",
                self.len(),
                other.len()
            )));
        }
        Ok((0..self.len()).map(move |row| (self.row(row), other.row(row))))
    }
}

/// The values of each row sorted, each once: (values, offsets).
///
/// # Errors
/// When the offsets do not fit the values.
pub fn distinct(values: &[u64], offsets: &[i64]) -> Result<(Vec<u64>, Vec<i64>)> {
    check_offsets(offsets, values.len(), "values")?;
    let (mut kept, mut ends) = (Vec::with_capacity(values.len()), vec![0]);
    let mut row = Vec::new();
    for bounds in offsets.windows(2) {
        row.clear();
        row.extend_from_slice(&values[bounds[0] as usize..bounds[1] as usize]);
        row.sort_unstable();
        row.dedup();
        kept.extend_from_slice(&row);
        ends.push(kept.len() as i64);
    }
    Ok((kept, ends))
}

/// How many distinct values rows have and share.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// In both rows.
    pub shared: Vec<i64>,
    /// In the query's row.
    pub query: Vec<i64>,
    /// In the found row.
    pub found: Vec<i64>,
}

/// Row i of one side against row i of the other; rows that are sorted and distinct are fastest.
///
/// # Errors
/// When the sides differ in rows.
pub fn count_shared(query: Rows<u64>, found: Rows<u64>) -> Result<Shared> {
    let mut counts = Shared::default();
    for (one, other) in query.zip(found)? {
        let (one, other) = (as_set(one), as_set(other));
        counts.shared.push(shared(&one, &other) as i64);
        counts.query.push(one.len() as i64);
        counts.found.push(other.len() as i64);
    }
    Ok(counts)
}

fn as_set(row: &[u64]) -> Cow<'_, [u64]> {
    if row.is_sorted_by(|one, other| one < other) {
        return Cow::Borrowed(row);
    }
    let mut row = row.to_vec();
    row.sort_unstable();
    row.dedup();
    Cow::Owned(row)
}

fn shared(one: &[u64], other: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < one.len() && j < other.len() {
        let (left, right) = (one[i], other[j]);
        count += usize::from(left == right);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
    count
}

/// A number for each of some distinct hashes, in an open table at most half full.
#[derive(Debug)]
pub struct Numbers {
    slots: Vec<(u64, u32)>,
}

/// What a hash without a number has.
pub const NO_NUMBER: u32 = u32::MAX;

impl Numbers {
    /// The table of these hashes.
    ///
    /// # Errors
    /// When there are not as many numbers, or one of them is `NO_NUMBER`.
    pub fn new(hashes: &[u64], numbers: &[u32]) -> Result<Self> {
        if hashes.len() != numbers.len() || numbers.contains(&NO_NUMBER) {
            return Err(Invalid(format!(
                "expected a number below {NO_NUMBER} for each of {} hashes, got {}",
                hashes.len(),
                numbers.len()
            )));
        }
        let mut table = Self { slots: vec![(0, NO_NUMBER); (hashes.len() * 2).next_power_of_two()] };
        for (hash, number) in hashes.iter().zip(numbers) {
            let place = table.place(*hash);
            table.slots[place] = (*hash, *number);
        }
        Ok(table)
    }

    fn place(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        while self.slots[place].1 != NO_NUMBER && self.slots[place].0 != hash {
            place = (place + 1) & mask;
        }
        place
    }

    /// The number of a hash, or `NO_NUMBER`.
    pub fn get(&self, hash: u64) -> u32 {
        self.slots[self.place(hash)].1
    }
}
