//! The only file that knows Python: arguments in, GIL released, kernel called, error converted.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::{Result, shingles};

type Array<'py, T> = Bound<'py, PyArray1<T>>;

/// Every binding goes through here: the kernel runs without the GIL, its complaint becomes a `ValueError`.
fn run<T: Send>(py: Python<'_>, kernel: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(kernel).map_err(|invalid| PyValueError::new_err(invalid.0))
}

#[pymodule]
mod _core {
    use super::*;

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
