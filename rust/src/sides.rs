//! Keys together with the words on one side of them, which `collide` groups the holders of a common key by, and what it looks at of a key.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::collisions::{Holder, Limits, outside};
use crate::postings::{CONTEXT, Posting};
use crate::{Invalid, Result};

/// The words on one side of a key, as far as they make its holders one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Behind it.
    Right,
    /// Before it.
    Left,
}

pub(crate) const SIDES: [Side; 2] = [Side::Right, Side::Left];

impl Side {
    fn whole(self, holder: &Holder) -> u64 {
        [holder.right, holder.left][self as usize]
    }

    pub(crate) fn kept(limits: Limits) -> u64 {
        if limits.grouped_words >= CONTEXT { u64::MAX } else { (1 << (4 * limits.grouped_words)) - 1 }
    }

    /// The words that must be the same.
    pub(crate) fn of(self, holder: &Holder, limits: Limits) -> u64 {
        self.whole(holder) & Self::kept(limits)
    }

    /// Whether the edge of the text is among them; a key without any words around has no edge.
    pub(crate) fn is_cut_short(self, holder: &Holder, limits: Limits) -> bool {
        outside(self.whole(holder)) & Self::kept(limits) != 0 && holder.left | holder.right != 0
    }

    /// What a key with these words is called.
    pub(crate) fn name(self, key: u64, holder: &Holder, limits: Limits) -> u64 {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&key.to_le_bytes());
        bytes[8..].copy_from_slice(&self.of(holder, limits).to_le_bytes());
        xxh3_64_with_seed(&bytes, self as u64)
    }
}

/// What is looked at of each key. The holders of a very common key may stand in several places, each with those of the others that it needs:
/// whoever has put them there knows that the key is common, and asks for one of its links at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// All there is to it, as its holders say.
    Whole,
    /// The links of a common key.
    Key,
    /// The holders of a common key that have the same words on this side.
    Beside(Side),
}

impl Level {
    /// The level with this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "whole" => Ok(Self::Whole),
            "key" => Ok(Self::Key),
            "right" => Ok(Self::Beside(Side::Right)),
            "left" => Ok(Self::Beside(Side::Left)),
            _ => Err(Invalid(format!("expected whole, key, right or left, got {name:?}"))),
        }
    }

    pub(crate) fn has(self, level: Self) -> bool {
        self == Self::Whole || self == level
    }
}

/// The words on one side of each of some keys that make its holders one group, what the key is called with them, and whether they are
/// too few to make one.
///
/// # Errors
/// When the columns differ in length, or the level is no side.
pub fn name_sides(
    keys: &[u64],
    left: &[u64],
    right: &[u64],
    limits: Limits,
    level: Level,
) -> Result<(Vec<u64>, Vec<u64>, Vec<bool>)> {
    let Level::Beside(side) = level else {
        return Err(Invalid(format!("expected the right or the left side, got {level:?}")));
    };
    if left.len() != keys.len() || right.len() != keys.len() {
        return Err(Invalid(format!(
            "expected words on both sides of {} keys, got {} and {}",
            keys.len(),
            left.len(),
            right.len()
        )));
    }
    let (mut words, mut names, mut cut_short) = (Vec::new(), Vec::new(), Vec::new());
    for ((key, left), right) in keys.iter().zip(left).zip(right) {
        let holder = Holder::new(0, &Posting { key: *key, left: *left, right: *right, row: 0, position: 0 });
        words.push(side.of(&holder, limits));
        names.push(side.name(*key, &holder, limits));
        cut_short.push(side.is_cut_short(&holder, limits));
    }
    Ok((words, names, cut_short))
}
