//! The only file that knows Python: arguments in, GIL released, kernel called, error converted.
// Arguments come from Python by value; the module sees what this file sees.
#![allow(clippy::needless_pass_by_value, clippy::wildcard_imports)]

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::{Result, shingles, statistics, text};

type Array<'py, T> = Bound<'py, PyArray1<T>>;

/// Every binding goes through here: the kernel runs without the GIL, its complaint becomes a `ValueError`.
fn run<T: Send>(py: Python<'_>, kernel: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(kernel).map_err(|invalid| PyValueError::new_err(invalid.0))
}

type Spans<'py> = Option<Array<'py, u32>>;
type Tokens<'py> = (
    Array<'py, u64>,
    Array<'py, i64>,
    Option<Array<'py, u8>>,
    Spans<'py>,
    Spans<'py>,
    Spans<'py>,
    Option<Array<'py, i64>>,
    Option<Vec<Vec<String>>>,
);

#[pymodule]
mod _core {
    use super::*;

    /// What reading a text depends on.
    #[pymodule_export]
    const TEXT_VERSION: &str = text::TEXT_VERSION;

    /// Words of a batch: (hashes, offsets, halves, starts, ends, sentences, sentence offsets, words).
    #[pyfunction]
    #[pyo3(signature = (text, offsets, *, diacritics, spans, sentences, words))]
    fn tokenise<'py>(
        py: Python<'py>,
        text: PyReadonlyArray1<'py, u8>,
        offsets: PyReadonlyArray1<'py, i64>,
        diacritics: bool,
        spans: bool,
        sentences: Option<String>,
        words: bool,
    ) -> PyResult<Tokens<'py>> {
        let (bytes, offsets) = (text.as_slice()?, offsets.as_slice()?);
        let view = text::View { diacritics, sentences };
        let tokens = run(py, || {
            text::tokenise(bytes, offsets, &view, text::Want { spans, words })
        })?;
        let (starts, ends) = tokens.spans.unzip();
        let (sentences, sentence_offsets) = tokens.sentences.unzip();
        Ok((
            tokens.hashes.into_pyarray(py),
            tokens.offsets.into_pyarray(py),
            tokens.halves.map(|part| part.into_pyarray(py)),
            starts.map(|part| part.into_pyarray(py)),
            ends.map(|part| part.into_pyarray(py)),
            sentences.map(|part| part.into_pyarray(py)),
            sentence_offsets.map(|part| part.into_pyarray(py)),
            tokens.words,
        ))
    }

    /// Distinct words of a batch, sorted, and in how many articles each occurs.
    #[pyfunction]
    fn count_articles<'py>(
        py: Python<'py>,
        hashes: PyReadonlyArray1<'py, u64>,
        offsets: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<(Array<'py, u64>, Array<'py, u32>)> {
        let (hashes, offsets) = (hashes.as_slice()?, offsets.as_slice()?);
        let (words, articles) = run(py, || statistics::count_articles(hashes, offsets))?;
        Ok((words.into_pyarray(py), articles.into_pyarray(py)))
    }

    /// Keys of a batch: (values, offsets, word positions).
    #[pyfunction]
    fn winnow<'py>(
        py: Python<'py>,
        hashes: PyReadonlyArray1<'py, u64>,
        offsets: PyReadonlyArray1<'py, i64>,
        halves: Option<PyReadonlyArray1<'py, u8>>,
        shingle_words: usize,
        window_words: usize,
    ) -> PyResult<(Array<'py, u64>, Array<'py, i64>, Array<'py, u32>)> {
        let (hashes, offsets) = (hashes.as_slice()?, offsets.as_slice()?);
        let halves = halves.as_ref().map(|h| h.as_slice()).transpose()?;
        let keys = run(py, || shingles::winnow(hashes, offsets, halves, shingle_words, window_words))?;
        Ok((keys.values.into_pyarray(py), keys.offsets.into_pyarray(py), keys.positions.into_pyarray(py)))
    }
}
