//! Segments of an archive.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::pairs::Postings;
use super::{Array, IntoArrays, Slice, run, run_to_arrays};
use crate::{collisions, crowds, postings, segments};

/// The segment of these articles, as bytes; ranked, if the place of each in time is given.
#[pyfunction]
#[pyo3(signature = (shards, rows, words, places = None))]
pub fn encode_segment<'py>(
    py: Python<'py>,
    shards: Vec<PyRef<'py, Postings>>,
    rows: Slice<'py, u64>,
    words: Slice<'py, u32>,
    places: Option<Slice<'py, u32>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let shards: Vec<&postings::Postings> = shards.iter().map(|shard| &shard.0).collect();
    let (rows, words, places) = (rows.as_slice()?, words.as_slice()?, optional!(places));
    Ok(PyBytes::new(py, &run(py, || segments::encode(&shards, rows, words, places))?))
}

/// The checksums of a segment's blocks.
#[pyfunction]
pub fn block_sums<'py>(py: Python<'py>, bytes: Slice<'py, u8>) -> PyResult<Array<'py, u64>> {
    let bytes = bytes.as_slice()?;
    run_to_arrays(py, || Ok(segments::block_sums(bytes)))
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

    /// The row of each article in the store, and its number of words.
    fn articles<'py>(&self, py: Python<'py>, bytes: Slice<'py, u8>) -> PyResult<(Array<'py, u64>, Array<'py, u32>)> {
        let bytes = bytes.as_slice()?;
        run_to_arrays(py, || {
            let segment = segments::Segment::new(bytes, &self.0)?;
            Ok((segment.rows()?, segment.words()?))
        })
    }

    /// The postings of one shard.
    fn shard(&self, py: Python<'_>, bytes: Slice<'_, u8>, number: usize) -> PyResult<Postings> {
        let bytes = bytes.as_slice()?;
        Ok(Postings(run(py, || segments::Segment::new(bytes, &self.0)?.shard(number))?))
    }

    /// The postings of some sorted keys, and the sorted numbers of the articles that hold them.
    fn look_up<'py>(
        &self,
        py: Python<'py>,
        bytes: Slice<'py, u8>,
        keys: Slice<'py, u64>,
    ) -> PyResult<(Postings, Array<'py, u32>)> {
        let (bytes, keys) = (bytes.as_slice()?, keys.as_slice()?);
        let (postings, articles) = run(py, || segments::Segment::new(bytes, &self.0)?.look_up(keys))?;
        Ok((Postings(postings), articles.into_arrays(py)))
    }

    /// The same of the keys that have up to `most` postings, and the other keys; if the segment is not ranked, of all keys.
    fn look_up_rare<'py>(
        &self,
        py: Python<'py>,
        bytes: Slice<'py, u8>,
        keys: Slice<'py, u64>,
        most: usize,
    ) -> PyResult<(Postings, Array<'py, u32>, Array<'py, u64>)> {
        let (bytes, keys) = (bytes.as_slice()?, keys.as_slice()?);
        let (postings, articles, crowded) =
            run(py, || segments::Segment::new(bytes, &self.0)?.look_up_rare(keys, most))?;
        Ok((Postings(postings), articles.into_arrays(py), crowded.into_arrays(py)))
    }

    /// Whether articles are numbered by their places in time.
    fn is_ranked(&self, py: Python<'_>, bytes: Slice<'_, u8>) -> PyResult<bool> {
        let bytes = bytes.as_slice()?;
        run(py, || Ok(segments::Segment::new(bytes, &self.0)?.is_ranked()))
    }

    /// The postings of some sorted keys that can matter to queries, and the sorted numbers of their articles.
    fn earliest<'py>(
        &self,
        py: Python<'py>,
        bytes: Slice<'py, u8>,
        keys: Slice<'py, u64>,
        asking: Vec<PyRef<'py, Postings>>,
        kept: Slice<'py, bool>,
        limits: collisions::Limits,
    ) -> PyResult<(Postings, Array<'py, u32>)> {
        let shards: Vec<&postings::Postings> = asking.iter().map(|shard| &shard.0).collect();
        let (bytes, keys, kept) = (bytes.as_slice()?, keys.as_slice()?, kept.as_slice()?);
        let (postings, articles) =
            run(py, || crowds::earliest(&segments::Segment::new(bytes, &self.0)?, keys, &shards, kept, limits))?;
        Ok((Postings(postings), articles.into_arrays(py)))
    }

    /// The sorted numbers of the articles that hold a key.
    fn holders<'py>(&self, py: Python<'py>, bytes: Slice<'py, u8>, key: u64) -> PyResult<Array<'py, u32>> {
        let bytes = bytes.as_slice()?;
        run_to_arrays(py, || crowds::holders(&segments::Segment::new(bytes, &self.0)?, key))
    }

    /// How many articles hold a key and are kept, and the numbers of the first of these.
    fn tally<'py>(
        &self,
        py: Python<'py>,
        bytes: Slice<'py, u8>,
        key: u64,
        kept: Slice<'py, bool>,
        most: usize,
    ) -> PyResult<(usize, Array<'py, u32>)> {
        let (bytes, kept) = (bytes.as_slice()?, kept.as_slice()?);
        let (count, first) = run(py, || crowds::tally(&segments::Segment::new(bytes, &self.0)?, key, kept, most))?;
        Ok((count, first.into_arrays(py)))
    }

    /// How many postings each of some keys has.
    fn count<'py>(&self, py: Python<'py>, bytes: Slice<'py, u8>, keys: Slice<'py, u64>) -> PyResult<Array<'py, i64>> {
        let (bytes, keys) = (bytes.as_slice()?, keys.as_slice()?);
        run_to_arrays(py, || crowds::count(&segments::Segment::new(bytes, &self.0)?, keys))
    }

    /// How many postings of each of some keys are of one article.
    fn repeats<'py>(
        &self,
        py: Python<'py>,
        bytes: Slice<'py, u8>,
        keys: Slice<'py, u64>,
        article: u32,
    ) -> PyResult<Array<'py, i64>> {
        let (bytes, keys) = (bytes.as_slice()?, keys.as_slice()?);
        run_to_arrays(py, || crowds::repeats(&segments::Segment::new(bytes, &self.0)?, keys, article))
    }

    /// Whether an article that is not known has evidence in common with some postings of a query, outside boilerplate.
    #[pyo3(signature = (bytes, asking, limits, *, kept, counted, rows, boilerplate))]
    #[expect(clippy::too_many_arguments)]
    fn holds_another<'py>(
        &self,
        py: Python<'py>,
        bytes: Slice<'py, u8>,
        asking: PyRef<'py, Postings>,
        limits: collisions::Limits,
        kept: Slice<'py, bool>,
        counted: Slice<'py, bool>,
        rows: Slice<'py, u64>,
        boilerplate: Slice<'py, u64>,
    ) -> PyResult<bool> {
        let (bytes, asking) = (bytes.as_slice()?, &asking.0);
        let known = crowds::Known {
            kept: kept.as_slice()?,
            counted: counted.as_slice()?,
            rows: rows.as_slice()?,
            boilerplate: boilerplate.as_slice()?,
        };
        run(py, || crowds::holds_another(&segments::Segment::new(bytes, &self.0)?, asking, known, limits))
    }
}

/// One segment, as bytes, of the articles of several that are kept; ranked, if the place of each of these in time is given.
#[pyfunction]
#[pyo3(signature = (parts, places = None))]
pub fn merge_segments<'py>(
    py: Python<'py>,
    parts: Vec<(PyRef<'py, Segment>, Slice<'py, u8>, Slice<'py, bool>)>,
    places: Option<Slice<'py, u32>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let places = optional!(places);
    let (mut sealed, mut kept) = (Vec::new(), Vec::new());
    for (segment, bytes, keep) in &parts {
        sealed.push((&segment.0, bytes.as_slice()?));
        kept.push(keep.as_slice()?);
    }
    let merged = run(py, || {
        let opened: crate::Result<Vec<_>> =
            sealed.iter().map(|(seal, bytes)| segments::Segment::new(bytes, seal)).collect();
        segments::merge(&opened?, &kept, places)
    })?;
    Ok(PyBytes::new(py, &merged))
}
