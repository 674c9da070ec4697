//! Segments of an archive.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::pairs::Postings;
use super::{Array, IntoArrays, Slice, run, run_to_arrays};
use crate::{postings, segments};

/// The segment of these articles, as bytes.
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
}

/// One segment, as bytes, of the articles of several that are kept.
#[pyfunction]
pub fn merge_segments<'py>(
    py: Python<'py>,
    parts: Vec<(PyRef<'py, Segment>, Slice<'py, u8>, Slice<'py, bool>)>,
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
