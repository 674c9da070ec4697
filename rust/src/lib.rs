//! The inner loops of wirecopy: pure functions over slices.
//!
//! One file a kernel family; `python` is the only one that knows Python. Nothing here does I/O, keeps state or
//! starts threads. Each kernel has a slow twin in `tests/reference/`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod align;
pub mod boilerplate;
pub mod bridges;
pub mod candidates;
pub mod cells;
pub mod changes;
pub mod codet;
pub mod collisions;
pub mod columns;
pub mod crf;
pub mod crowds;
pub mod dates;
pub mod digests;
pub mod encoding;
pub mod extract;
pub mod features;
pub mod fold;
pub mod html;
pub mod jsonl;
pub mod kinds;
pub mod lengths;
pub mod lines;
pub mod matches;
pub mod metadata;
pub mod models;
pub mod pieces;
pub mod postings;
pub mod runs;
pub mod scan;
pub mod segments;
pub mod sentences;
pub mod sets;
pub mod sharing;
pub mod shingles;
pub mod sides;
pub mod signatures;
pub mod slots;
pub mod statistics;
pub mod stems;
pub mod text;
pub mod trees;
pub mod weights;
pub mod words;

#[cfg(feature = "python")]
mod python;

/// A bad argument: what was expected and what came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid(pub String);

/// What every kernel that checks its arguments returns.
pub type Result<T> = std::result::Result<T, Invalid>;
