//! Text in: records, words, dates, digests, and in how many articles words occur.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::arrays::Tokens;
use super::{Array, IntoArrays, Lists, Slice, run, run_to_arrays};
use crate::{columns, dates, jsonl, statistics, text};

type JsonLines<'py> = (
    Array<'py, u8>,
    Array<'py, i64>,
    Vec<String>,
    Array<'py, i64>,
    Vec<(usize, String)>,
    Vec<Vec<String>>,
    Array<'py, i64>,
    (Array<'py, i64>, Array<'py, u32>, Vec<String>),
);

type Spans<'py> = Option<Array<'py, u32>>;
type Tokenised<'py> = (
    Array<'py, u64>,
    Array<'py, i64>,
    Option<Array<'py, u8>>,
    Spans<'py>,
    Spans<'py>,
    Spans<'py>,
    Option<Array<'py, i64>>,
    Option<Array<'py, u8>>,
    Option<Array<'py, i64>>,
    Option<Array<'py, u8>>,
    Option<Array<'py, u64>>,
);

/// The words of each article: (hashes, offsets, halves, starts, ends, sentences, sentence offsets, words, word offsets,
/// kinds, values).
#[pyfunction]
#[pyo3(signature = (text, offsets, view, *, spans, words, kinds=false))]
pub(crate) fn tokenise<'py>(
    py: Python<'py>,
    text: Slice<'py, u8>,
    offsets: Slice<'py, i64>,
    view: text::View,
    spans: bool,
    words: bool,
    kinds: bool,
) -> PyResult<Tokenised<'py>> {
    let (bytes, offsets) = (text.as_slice()?, offsets.as_slice()?);
    let tokens = run(py, || text::tokenise(bytes, offsets, &view, text::Want { spans, words, kinds }))?;
    let (starts, ends) = tokens.spans.unzip();
    let (sentences, sentence_offsets) = tokens.sentences.unzip();
    let (words, word_offsets) = tokens.words.unzip();
    let (kinds, values) = tokens.kinds.unzip();
    let (hashes, offsets, halves) = (tokens.hashes, tokens.offsets, tokens.halves);
    Ok((hashes, offsets, halves, starts, ends, sentences, sentence_offsets, words, word_offsets, kinds, values)
        .into_arrays(py))
}

/// The records of JSON lines: (text, offsets, ids, published, other dates, a column for each names in `about_names`,
/// lines, (bad lines, the place of the reason of each, the reasons)).
#[pyfunction]
pub(crate) fn read_jsonl<'py>(
    py: Python<'py>,
    data: Slice<'py, u8>,
    text_names: Vec<String>,
    id_names: Vec<String>,
    published_names: Vec<String>,
    about_names: Vec<Vec<String>>,
    max_record_bytes: usize,
) -> PyResult<JsonLines<'py>> {
    let data = data.as_slice()?;
    let names = jsonl::Names { text: &text_names, id: &id_names, published: &published_names, about: &about_names };
    let records = run(py, || Ok(jsonl::read_jsonl(data, names, max_record_bytes)))?;
    Ok((
        records.text.into_arrays(py),
        records.offsets.into_arrays(py),
        records.ids,
        records.published.into_arrays(py),
        records.other_dates,
        records.about,
        records.lines.into_arrays(py),
        (records.bad.lines.into_arrays(py), records.bad.which.into_arrays(py), records.bad.reasons),
    ))
}

/// The values of fields of JSON lines: (values and offsets for each of `names`, lines, (bad lines, the place of the reason of
/// each, the reasons)).
#[pyfunction]
pub(crate) fn read_columns<'py>(
    py: Python<'py>,
    data: Slice<'py, u8>,
    names: Vec<String>,
    max_record_bytes: usize,
) -> PyResult<(Vec<Lists<'py, u8>>, Array<'py, i64>, (Array<'py, i64>, Array<'py, u32>, Vec<String>))> {
    let data = data.as_slice()?;
    let (columns, lines, bad) = run(py, || Ok(jsonl::read_columns(data, &names, max_record_bytes)))?;
    Ok((
        columns.into_iter().map(|column| (column.text, column.offsets).into_arrays(py)).collect(),
        lines.into_arrays(py),
        (bad.lines.into_arrays(py), bad.which.into_arrays(py), bad.reasons),
    ))
}

/// The xxh3-64 of each text.
#[pyfunction]
pub(crate) fn hash_texts<'py>(
    py: Python<'py>,
    text: Slice<'py, u8>,
    offsets: Slice<'py, i64>,
) -> PyResult<Array<'py, u64>> {
    let (text, offsets) = (text.as_slice()?, offsets.as_slice()?);
    run_to_arrays(py, || columns::hash_texts(text, offsets))
}

/// The number that each text is, NaN where it is none.
#[pyfunction]
pub(crate) fn read_numbers<'py>(
    py: Python<'py>,
    text: Slice<'py, u8>,
    offsets: Slice<'py, i64>,
) -> PyResult<Array<'py, f64>> {
    let (text, offsets) = (text.as_slice()?, offsets.as_slice()?);
    run_to_arrays(py, || columns::read_numbers(text, offsets))
}

/// How many lines end in the data, and where the last of them ends.
#[pyfunction]
pub(crate) fn line_ends(py: Python<'_>, data: Slice<'_, u8>) -> PyResult<(usize, usize)> {
    let data = data.as_slice()?;
    run(py, || Ok((memchr::memchr_iter(b'\n', data).count(), memchr::memrchr(b'\n', data).map_or(0, |at| at + 1))))
}

/// Why a record with these names has no text, and what to do.
#[pyfunction]
pub(crate) fn no_text(py: Python<'_>, names: Vec<String>, wanted: Vec<String>, what: String) -> PyResult<String> {
    run(py, || Ok(jsonl::no_text(&names, &wanted, &what)))
}

/// The microseconds since 1970 UTC of each date, the largest int64 for a text that is none or could be two.
#[pyfunction]
pub(crate) fn moments(py: Python<'_>, dates: Vec<String>) -> PyResult<Array<'_, i64>> {
    let moment = |date: &String| dates::moment(date).unwrap_or(dates::UNDATED);
    run_to_arrays(py, || Ok(dates.iter().map(moment).collect::<Vec<i64>>()))
}

/// The BLAKE3 of each text, as 64 hex digits.
#[pyfunction]
pub(crate) fn blake3_hex(py: Python<'_>, texts: Vec<PyBackedBytes>) -> PyResult<Vec<String>> {
    run(py, || Ok(texts.iter().map(|text| blake3::hash(text).to_hex().to_string()).collect()))
}

/// The distinct words of a batch, sorted, and in how many articles each occurs: (words, articles).
#[pyfunction]
pub(crate) fn count_articles<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
) -> PyResult<(Array<'py, u64>, Array<'py, u32>)> {
    let batch = tokens.batch()?;
    run_to_arrays(py, || statistics::count_articles(batch.hashes, batch.offsets))
}
