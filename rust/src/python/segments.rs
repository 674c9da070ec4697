//! Segments of an archive, and questions to a collection.

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::pairs::Postings;
use super::{Array, Slice, run};
use crate::{asking, candidates, postings, segments};

type Columns<'py> =
    (Array<'py, u32>, Array<'py, u32>, Array<'py, u32>, Array<'py, u8>, Array<'py, u64>, Array<'py, u64>);

fn columns(py: Python<'_>, found: segments::Found) -> Columns<'_> {
    (
        found.which.into_pyarray(py),
        found.article.into_pyarray(py),
        found.position.into_pyarray(py),
        found.words.into_pyarray(py),
        found.left.into_pyarray(py),
        found.right.into_pyarray(py),
    )
}

/// A segment of these articles, as bytes.
#[pyfunction]
pub fn encode_segment<'py>(
    py: Python<'py>,
    shards: Vec<PyRef<'py, Postings>>,
    rows: Slice<'py, u64>,
    words: Slice<'py, u32>,
) -> PyResult<Bound<'py, PyBytes>> {
    let shards: Vec<&postings::Postings> = shards.iter().map(|shard| &shard.0).collect();
    let (rows, words) = (rows.as_slice()?, words.as_slice()?);
    Ok(PyBytes::new(py, &run(py, || segments::encode(&shards, rows, words))?))
}

/// The checksums of a segment's blocks.
#[pyfunction]
pub fn block_sums<'py>(py: Python<'py>, bytes: Slice<'py, u8>) -> PyResult<Array<'py, u64>> {
    let bytes = bytes.as_slice()?;
    Ok(run(py, || Ok(segments::block_sums(bytes)))?.into_pyarray(py))
}

/// A segment's checksums and which of its blocks were found sound; its bytes are given with every call.
#[pyclass(frozen)]
pub struct Segment(segments::Seal);

#[pymethods]
impl Segment {
    #[new]
    fn new(sums: Slice<'_, u64>) -> PyResult<Self> {
        Ok(Self(segments::Seal::new(sums.as_slice()?.to_vec())))
    }

    /// The row of each article in the store, and its words.
    fn articles<'py>(&self, py: Python<'py>, bytes: Slice<'py, u8>) -> PyResult<(Array<'py, u64>, Array<'py, u32>)> {
        let bytes = bytes.as_slice()?;
        let (rows, words) = run(py, || {
            let segment = segments::Segment::new(bytes, &self.0)?;
            Ok((segment.rows()?, segment.words()?))
        })?;
        Ok((rows.into_pyarray(py), words.into_pyarray(py)))
    }

    /// The postings of one shard.
    fn shard(&self, py: Python<'_>, bytes: Slice<'_, u8>, number: usize) -> PyResult<Postings> {
        let bytes = bytes.as_slice()?;
        Ok(Postings(run(py, || segments::Segment::new(bytes, &self.0)?.shard(number))?))
    }

    /// The holders of some keys, which rise: (which, article, position, words, left, right).
    fn look_up<'py>(&self, py: Python<'py>, bytes: Slice<'py, u8>, keys: Slice<'py, u64>) -> PyResult<Columns<'py>> {
        let (bytes, keys) = (bytes.as_slice()?, keys.as_slice()?);
        let found = run(py, || {
            let mut found = segments::Found::default();
            segments::Segment::new(bytes, &self.0)?.look_up(keys, &mut found)?;
            Ok(found)
        })?;
        Ok(columns(py, found))
    }
}

/// One segment of several, without the articles that are not kept.
#[pyfunction]
pub fn merge_segments<'py>(
    py: Python<'py>,
    parts: Vec<(PyRef<'py, Segment>, Slice<'py, u8>, PyReadonlyArray1<'py, bool>)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (mut sealed, mut kept) = (Vec::new(), Vec::new());
    for (segment, bytes, keep) in &parts {
        sealed.push((&segment.0, bytes.as_slice()?));
        kept.push(keep.as_slice()?);
    }
    let merged = run(py, || {
        let opened: crate::Result<Vec<_>> =
            sealed.iter().map(|(seal, bytes)| segments::Segment::new(bytes, seal)).collect();
        segments::merge(&opened?, &kept)
    })?;
    Ok(PyBytes::new(py, &merged))
}

/// The distinct keys of some postings, rising.
#[pyfunction]
pub fn distinct_keys<'py>(py: Python<'py>, shards: Vec<PyRef<'py, Postings>>) -> PyResult<Array<'py, u64>> {
    let shards: Vec<&postings::Postings> = shards.iter().map(|shard| &shard.0).collect();
    Ok(run(py, || Ok(asking::distinct_keys(&shards)))?.into_pyarray(py))
}

/// The holders of some keys among one shard of all batches, as `Segment.look_up` gives them.
#[pyfunction]
pub fn look_up<'py>(
    py: Python<'py>,
    shard: Vec<PyRef<'py, Postings>>,
    firsts: Vec<usize>,
    keys: Slice<'py, u64>,
) -> PyResult<Columns<'py>> {
    let shard: Vec<&postings::Postings> = shard.iter().map(|batch| &batch.0).collect();
    let keys = keys.as_slice()?;
    let found = run(py, || {
        let mut found = segments::Found::default();
        asking::look_up(&shard, &firsts, keys, &mut found)?;
        Ok(found)
    })?;
    Ok(columns(py, found))
}

/// The candidates of some queries: (query, rank).
#[pyfunction]
#[pyo3(signature = (asked, keys, which, rank, position, words, left, right, *, query_words, own, found_words, boilerplate, all_holders, links, settled_words, shingle_words, grouped_words, agree_gap_words, key_words, agree_share))]
pub fn ask<'py>(
    py: Python<'py>,
    asked: Vec<PyRef<'py, Postings>>,
    keys: Slice<'py, u64>,
    which: Slice<'py, u32>,
    rank: Slice<'py, u32>,
    position: Slice<'py, u32>,
    words: Slice<'py, u8>,
    left: Slice<'py, u64>,
    right: Slice<'py, u64>,
    query_words: Slice<'py, u32>,
    own: Slice<'py, u32>,
    found_words: Slice<'py, u32>,
    boilerplate: Slice<'py, u64>,
    all_holders: usize,
    links: usize,
    settled_words: u32,
    shingle_words: u32,
    grouped_words: usize,
    agree_gap_words: u32,
    key_words: u32,
    agree_share: f64,
) -> PyResult<(Array<'py, u32>, Array<'py, u32>)> {
    let asked: Vec<&postings::Postings> = asked.iter().map(|shard| &shard.0).collect();
    let holders = asking::Holders {
        which: which.as_slice()?,
        rank: rank.as_slice()?,
        position: position.as_slice()?,
        words: words.as_slice()?,
        left: left.as_slice()?,
        right: right.as_slice()?,
    };
    let sides = asking::Sides {
        query_words: query_words.as_slice()?,
        own: own.as_slice()?,
        found_words: found_words.as_slice()?,
    };
    let limits = postings::Limits {
        all_holders,
        links,
        settled_words,
        shingle_words,
        grouped_words,
        common_holders: usize::MAX,
    };
    let rule = candidates::Rule {
        boilerplate_articles: 0,
        examples: 0,
        agree_gap_words,
        key_words,
        agree_share,
        family_share: 0.0,
    };
    let (keys, boilerplate) = (keys.as_slice()?, boilerplate.as_slice()?);
    let (queries, ranks) = run(py, || asking::ask(&asked, keys, holders, sides, boilerplate, limits, rule))?;
    Ok((queries.into_pyarray(py), ranks.into_pyarray(py)))
}
