//! Nested columns to lines of JSON.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyTuple};

use super::{Slice, run};
use crate::lines;

/// Records in records, or lists in lists, are this deep at most.
const MOST_DEEP: usize = 16;

/// A column as Python has it.
enum Column<'py> {
    Texts(Vec<Option<PyBackedStr>>, Slice<'py, i64>),
    Whole(Slice<'py, i64>),
    Real(Slice<'py, f64>),
    Truth(Slice<'py, bool>),
    Lists(Slice<'py, i64>, Box<Column<'py>>),
    Records(Vec<(String, Column<'py>)>),
    Maybe(Slice<'py, bool>, Box<Column<'py>>),
}

impl<'py> Column<'py> {
    fn read(value: &Bound<'py, PyAny>, deep: usize) -> PyResult<Self> {
        if deep > MOST_DEEP {
            return Err(PyValueError::new_err(format!("expected columns that are at most {MOST_DEEP} deep")));
        }
        if let Ok(fields) = value.cast::<PyDict>() {
            let read = |(name, field): (Bound<'py, PyAny>, _)| Ok((name.extract()?, Self::read(&field, deep + 1)?));
            return Ok(Self::Records(fields.iter().map(read).collect::<PyResult<_>>()?));
        }
        if let Ok(both) = value.cast::<PyTuple>()
            && both.len() == 2
        {
            let (first, second) = (both.get_item(0)?, both.get_item(1)?);
            if let Ok(offsets) = first.extract() {
                return Ok(Self::Lists(offsets, Box::new(Self::read(&second, deep + 1)?)));
            }
            return Ok(match first.extract() {
                Ok(present) => Self::Maybe(present, Box::new(Self::read(&second, deep + 1)?)),
                Err(_) => Self::Texts(first.extract()?, second.extract()?),
            });
        }
        if let Ok(values) = value.extract() {
            return Ok(Self::Whole(values));
        }
        if let Ok(values) = value.extract() {
            return Ok(Self::Real(values));
        }
        value.extract().map(Self::Truth).map_err(|_| PyTypeError::new_err("expected a column, got something else"))
    }

    fn slices(&self) -> PyResult<lines::Column<'_>> {
        Ok(match self {
            Self::Texts(texts, places) => {
                lines::Column::Texts(texts.iter().map(Option::as_deref).collect(), places.as_slice()?)
            }
            Self::Whole(values) => lines::Column::Whole(values.as_slice()?),
            Self::Real(values) => lines::Column::Real(values.as_slice()?),
            Self::Truth(values) => lines::Column::Truth(values.as_slice()?),
            Self::Lists(offsets, of) => lines::Column::Lists(offsets.as_slice()?, Box::new(of.slices()?)),
            Self::Maybe(present, of) => lines::Column::Maybe(present.as_slice()?, Box::new(of.slices()?)),
            Self::Records(fields) => {
                let slices = fields.iter().map(|(name, field)| Ok((name.clone(), field.slices()?)));
                lines::Column::Records(slices.collect::<PyResult<_>>()?)
            }
        })
    }
}

/// The rows of a column as lines of JSON. It is numbers or truths; `(texts, places)`, texts by their places, null at -1; `(offsets, column)`,
/// lists; a dict of columns, records; or `(present, column)`, values some of which are null.
#[pyfunction]
pub(crate) fn json_lines(py: Python<'_>, column: &Bound<'_, PyAny>) -> PyResult<String> {
    let owned = Column::read(column, 0)?;
    let slices = owned.slices()?;
    run(py, || lines::json_lines(&slices))
}
