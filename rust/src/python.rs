//! The only file that knows Python: arguments in, GIL released, kernel called, error converted.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::{Result, dates, jsonl, shingles};

type Array<'py, T> = Bound<'py, PyArray1<T>>;

type JsonLines<'py> = (
    Array<'py, u8>,
    Array<'py, i64>,
    Vec<String>,
    Array<'py, i64>,
    Vec<(usize, String)>,
    Array<'py, i64>,
    Vec<(i64, String)>,
);

/// Every binding goes through here: the kernel runs without the GIL, its complaint becomes a `ValueError`.
fn run<T: Send>(py: Python<'_>, kernel: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(kernel).map_err(|invalid| PyValueError::new_err(invalid.0))
}

#[pymodule]
mod _core {
    use super::*;

    /// Records of JSON lines: (text, offsets, ids, published, other dates, lines, bad lines).
    #[pyfunction]
    fn read_jsonl<'py>(
        py: Python<'py>,
        data: PyReadonlyArray1<'py, u8>,
        text_names: Vec<String>,
        id_names: Vec<String>,
        published_names: Vec<String>,
        max_record_bytes: usize,
    ) -> PyResult<JsonLines<'py>> {
        let data = data.as_slice()?;
        let names = jsonl::Names { text: &text_names, id: &id_names, published: &published_names };
        let records = run(py, || Ok(jsonl::read_jsonl(data, names, max_record_bytes)))?;
        Ok((
            records.text.into_pyarray(py),
            records.offsets.into_pyarray(py),
            records.ids,
            records.published.into_pyarray(py),
            records.other_dates,
            records.lines.into_pyarray(py),
            records.bad,
        ))
    }

    /// How many lines end in the data, and where the last of them does.
    #[pyfunction]
    fn line_ends(py: Python<'_>, data: PyReadonlyArray1<'_, u8>) -> PyResult<(usize, usize)> {
        let data = data.as_slice()?;
        run(py, || Ok((memchr::memchr_iter(b'\n', data).count(), memchr::memrchr(b'\n', data).map_or(0, |at| at + 1))))
    }

    /// Microseconds since 1970 UTC of ISO 8601 dates, the largest int64 for what is none.
    #[pyfunction]
    fn iso_microseconds(py: Python<'_>, dates: Vec<String>) -> PyResult<Array<'_, i64>> {
        let moment = |date: &String| dates::iso_microseconds(date.as_bytes()).unwrap_or(dates::UNDATED);
        let moments: Vec<i64> = run(py, || Ok(dates.iter().map(moment).collect()))?;
        Ok(moments.into_pyarray(py))
    }

    /// The BLAKE3 of each text, as 64 hex digits.
    #[pyfunction]
    fn blake3_hex(py: Python<'_>, texts: Vec<PyBackedBytes>) -> PyResult<Vec<String>> {
        run(py, || Ok(texts.iter().map(|text| blake3::hash(text).to_hex().to_string()).collect()))
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
