//! Shingles and sets of them.

use pyo3::prelude::*;

use super::arrays::{First, Sketches, Tokens};
use super::{Array, IntoArrays, Lists, Slice, run, run_to_arrays};
use crate::{sets, shingles};

/// The winnowed shingles of each article: (values, offsets, starts, ends).
#[pyfunction]
pub(crate) fn winnow<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    shingle_words: usize,
    window_words: usize,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>, Array<'py, u32>, Array<'py, u32>)> {
    let batch = tokens.batch()?;
    let keys = run(py, || shingles::winnow(batch, shingle_words, window_words))?;
    Ok((keys.values, keys.offsets, keys.starts, keys.ends).into_arrays(py))
}

/// One hash for all words of each article: (values, offsets).
#[pyfunction]
pub(crate) fn whole_hashes<'py>(py: Python<'py>, tokens: Tokens<'py>) -> PyResult<Lists<'py, u64>> {
    let batch = tokens.batch()?;
    run_to_arrays(py, || shingles::whole_hashes(batch.hashes, batch.offsets))
}

/// The distinct values of each row, sorted: (values, offsets).
#[pyfunction]
pub(crate) fn distinct<'py>(
    py: Python<'py>,
    values: Slice<'py, u64>,
    offsets: Slice<'py, i64>,
) -> PyResult<Lists<'py, u64>> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    run_to_arrays(py, || sets::distinct(values, offsets))
}

/// The distinct shingles of words of each article, sorted: (values, offsets).
#[pyfunction]
#[pyo3(signature = (tokens, shingle_words, *, step_words=1, modulus=1, whole=true))]
pub(crate) fn shingle_sets<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    shingle_words: usize,
    step_words: usize,
    modulus: u64,
    whole: bool,
) -> PyResult<Lists<'py, u64>> {
    let batch = tokens.batch()?;
    let shingling = sets::Shingling { length: shingle_words, step: step_words, modulus, whole };
    run_to_arrays(py, || sets::shingle_sets(batch, shingling))
}

/// The distinct shingles of characters of each article, sorted: (values, offsets).
#[pyfunction]
pub(crate) fn character_sets<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    shingle_characters: usize,
    modulus: u64,
) -> PyResult<Lists<'py, u64>> {
    let (offsets, (text, word_offsets)) = (tokens.offsets.as_slice()?, tokens.spelling()?);
    let shingling = sets::Shingling { length: shingle_characters, step: 1, modulus, whole: true };
    run_to_arrays(py, || sets::character_sets(text, word_offsets, offsets, shingling))
}

/// How many distinct values row i of both sides has in common, and how many each has: (shared, query, found).
#[pyfunction]
pub(crate) fn count_shared<'py>(
    py: Python<'py>,
    query: Sketches<'py, First<'py, u64>>,
    found: Sketches<'py, First<'py, u64>>,
) -> PyResult<(Array<'py, i64>, Array<'py, i64>, Array<'py, i64>)> {
    let (query, found) = (query.first()?, found.first()?);
    run_to_arrays(py, || sets::count_shared(query, found))
}

/// A number for each of some hashes, opaque to Python.
#[pyclass(frozen, module = "_core")]
pub(crate) struct Numbers(sets::Numbers);

#[pymethods]
impl Numbers {
    #[new]
    fn new<'py>(py: Python<'py>, hashes: Slice<'py, u64>, numbers: Slice<'py, u32>) -> PyResult<Self> {
        let (hashes, numbers) = (hashes.as_slice()?, numbers.as_slice()?);
        Ok(Self(run(py, || sets::Numbers::new(hashes, numbers))?))
    }

    /// The number of each hash, the largest uint32 where it has none.
    fn look_up<'py>(&self, py: Python<'py>, hashes: Slice<'py, u64>) -> PyResult<Array<'py, u32>> {
        let hashes = hashes.as_slice()?;
        run_to_arrays(py, || Ok(hashes.iter().map(|hash| self.0.get(*hash)).collect::<Vec<u32>>()))
    }
}
