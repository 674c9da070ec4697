//! Candidates to answers: boilerplate, alignment, lines of JSON.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;

use super::arrays::{Boilerplate, Compared, Scored, Tokens};
use super::{Array, IntoArrays, Slice, run, run_to_arrays};
use crate::{align, boilerplate, cells, changes, matches, pieces, slots};

/// Pieces as columns, and the offsets of each pair's.
type Laid<'py> = (
    Array<'py, u8>,
    Array<'py, u32>,
    Array<'py, u32>,
    Array<'py, u32>,
    Array<'py, u32>,
    Array<'py, u32>,
    Array<'py, i64>,
);

/// The shingles that occur around at least `least` of the given places, sorted; a place is a row and a word number.
#[pyfunction]
#[pyo3(signature = (tokens, rows, places, *, reach_words, least))]
pub(crate) fn common_shingles<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    rows: Slice<'py, u32>,
    places: Slice<'py, u32>,
    reach_words: usize,
    least: usize,
) -> PyResult<Array<'py, u64>> {
    let batch = tokens.batch()?;
    let (rows, places) = (rows.as_slice()?, places.as_slice()?);
    let kernel = || boilerplate::common_shingles(batch, rows, places, reach_words, least);
    run_to_arrays(py, kernel)
}

/// A mark for each word: 1 where it is boilerplate.
#[pyfunction]
pub(crate) fn mark_boilerplate<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    boilerplate: Boilerplate<'py>,
) -> PyResult<Array<'py, u8>> {
    let (batch, (shingles, gap_words)) = (tokens.batch()?, boilerplate.parts()?);
    let kernel = || boilerplate::mark_boilerplate(batch, &boilerplate::Formulas::new(shingles, gap_words));
    run_to_arrays(py, kernel)
}

/// How many words each of `queries` has added, cut, reworded and moved of its `founds`, both rows.
#[pyfunction]
pub(crate) fn count_changes<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    queries: Slice<'py, u32>,
    founds: Slice<'py, u32>,
) -> PyResult<(Array<'py, u32>, Array<'py, u32>, Array<'py, u32>, Array<'py, u32>)> {
    let (batch, queries, founds) = (tokens.batch()?, queries.as_slice()?, founds.as_slice()?);
    run_to_arrays(py, || changes::count_changes(batch, queries, founds))
}

/// Whether each article, by its traces, may hold one of the shingles.
#[pyfunction]
pub(crate) fn may_hold<'py>(
    py: Python<'py>,
    traces: Slice<'py, u32>,
    offsets: Slice<'py, i64>,
    shingles: Slice<'py, u64>,
) -> PyResult<Array<'py, bool>> {
    let (traces, offsets, shingles) = (traces.as_slice()?, offsets.as_slice()?, shingles.as_slice()?);
    run_to_arrays(py, || boilerplate::may_hold(traces, offsets, shingles))
}

/// What each pair of rows shares, by the first preset that finds a passage: a dictionary of columns, passages in word numbers.
/// With a rule of slots, also those of all pairs; pair i has `slot_offsets[i]..slot_offsets[i + 1]`.
#[pyfunction]
#[pyo3(signature = (tokens, queries, founds, presets, boilerplate=None, *, slots=None, trace=false))]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    queries: Slice<'py, u32>,
    founds: Slice<'py, u32>,
    presets: Vec<align::Settings>,
    boilerplate: Option<Boilerplate<'py>>,
    slots: Option<slots::Rule>,
    trace: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (batch, queries, founds) = (tokens.batch()?, queries.as_slice()?, founds.as_slice()?);
    let known = boilerplate.as_ref().map(Boilerplate::parts).transpose()?;
    let slots = slots.map(|rule| tokens.filling(rule)).transpose()?;
    let asked = align::Asked { slots, runs: false, trace };
    let align::Compared { pairs: answers, tried, traces, trace_offsets } = run(py, || {
        let formulas = known.map(|(shingles, gap_words)| boilerplate::Formulas::new(shingles, gap_words));
        align::compare(batch, &formulas.unwrap_or_default(), queries, founds, &presets, asked)
    })?;
    let ragged = |count: fn(&align::Comparison) -> usize| {
        let mut offsets = vec![0_i64];
        offsets.extend(answers.iter().scan(0, |sum, answer| {
            *sum += count(answer) as i64;
            Some(*sum)
        }));
        offsets.into_arrays(py)
    };
    let passages = || answers.iter().flat_map(|answer| &answer.passages);
    let columns = PyDict::new(py);
    let identical: Vec<u8> = answers.iter().map(|answer| u8::from(answer.identical)).collect();
    columns.set_item("identical", identical.into_arrays(py))?;
    let share = |get: fn(&align::Comparison) -> f64| answers.iter().map(get).collect::<Vec<f64>>().into_arrays(py);
    columns.set_item("query_covered", share(|answer| answer.query_covered))?;
    columns.set_item("found_covered", share(|answer| answer.found_covered))?;
    columns.set_item("resemblance", share(|answer| answer.resemblance))?;
    columns.set_item("passage_offsets", ragged(|answer| answer.passages.len()))?;
    columns.set_item("tried", tried.into_arrays(py))?;
    columns.set_item("traces", traces.into_arrays(py))?;
    columns.set_item("trace_offsets", trace_offsets.into_arrays(py))?;
    let number = |get: fn(&align::Passage) -> u32| passages().map(get).collect::<Vec<u32>>().into_arrays(py);
    columns.set_item("query_start", number(|passage| passage.query.0))?;
    columns.set_item("query_end", number(|passage| passage.query.1))?;
    columns.set_item("found_start", number(|passage| passage.found.0))?;
    columns.set_item("found_end", number(|passage| passage.found.1))?;
    columns.set_item("words", number(|passage| passage.words))?;
    columns.set_item("changed", number(|passage| passage.changed))?;
    let same = answers.iter().flat_map(|answer| {
        let told = answer.slots.iter().map(|slots| slots.same);
        told.chain(std::iter::repeat_n(0, answer.passages.len() - answer.slots.len()))
    });
    columns.set_item("same", same.collect::<Vec<u32>>().into_arrays(py))?;
    columns.set_item("slot_offsets", ragged(|answer| answer.slots.iter().map(|slots| slots.other.len()).sum()))?;
    let each = || {
        answers
            .iter()
            .flat_map(|answer| answer.slots.iter().zip(0_u32..))
            .flat_map(|(slots, passage)| slots.other.iter().map(move |slot| (passage, slot)))
    };
    columns.set_item("slot_passage", each().map(|(passage, _)| passage).collect::<Vec<u32>>().into_arrays(py))?;
    let byte = |get: fn(&slots::Slot) -> u8| each().map(|(_, slot)| get(slot)).collect::<Vec<u8>>().into_arrays(py);
    columns.set_item("slot_value", byte(|slot| u8::from(slot.value)))?;
    columns.set_item("slot_inner", byte(|slot| u8::from(slot.inner)))?;
    columns.set_item("slot_long", byte(|slot| u8::from(slot.long)))?;
    let hash = |get: fn(&slots::Slot) -> u64| each().map(|(_, slot)| get(slot)).collect::<Vec<u64>>().into_arrays(py);
    columns.set_item("slot_name", hash(|slot| slot.name))?;
    columns.set_item("slot_query", hash(|slot| slot.query))?;
    columns.set_item("slot_found", hash(|slot| slot.found))?;
    columns.set_item("slot_place", each().map(|(_, slot)| slot.place).collect::<Vec<u32>>().into_arrays(py))?;
    Ok(columns)
}

/// The pieces of pairs of rows: kinds, where each starts and ends in the query and in the found article, flags, and the offsets of
/// each pair's. Text i is `text[offsets[i]..offsets[i + 1]]`, its words are row i of the tokens.
#[pyfunction]
#[pyo3(signature = (tokens, text, offsets, queries, founds, presets, boilerplate=None, *, minor_words, utf16=false))]
pub(crate) fn lay<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    text: Slice<'py, u8>,
    offsets: Slice<'py, i64>,
    queries: Slice<'py, u32>,
    founds: Slice<'py, u32>,
    presets: Vec<align::Settings>,
    boilerplate: Option<Boilerplate<'py>>,
    minor_words: usize,
    utf16: bool,
) -> PyResult<Laid<'py>> {
    let (starts, ends) = tokens.spans()?;
    let (text, offsets, pairs) = (text.as_slice()?, offsets.as_slice()?, [queries.as_slice()?, founds.as_slice()?]);
    let texts = cells::Texts { batch: tokens.batch()?, starts, ends, text, offsets };
    let known = boilerplate.as_ref().map(Boilerplate::parts).transpose()?;
    run_to_arrays(py, || {
        let formulas = known.map(|(shingles, gap_words)| boilerplate::Formulas::new(shingles, gap_words));
        let rule = pieces::Rule { minor_words, utf16 };
        let laid = pieces::lay(texts, &formulas.unwrap_or_default(), pairs, &presets, rule)?;
        let [query_starts, query_ends, found_starts, found_ends] = laid.edges;
        Ok((laid.kinds, query_starts, query_ends, found_starts, found_ends, laid.flags, laid.offsets))
    })
}

/// The names of slots that vary: filled with at least `least` values in as many articles, none in more than a share `commonest` of
/// them. Sorted.
#[pyfunction]
#[pyo3(signature = (names, queries, founds, query_values, found_values, *, least, commonest))]
pub(crate) fn varying_slots<'py>(
    py: Python<'py>,
    names: Slice<'py, u64>,
    queries: Slice<'py, u32>,
    founds: Slice<'py, u32>,
    query_values: Slice<'py, u64>,
    found_values: Slice<'py, u64>,
    least: usize,
    commonest: f64,
) -> PyResult<Array<'py, u64>> {
    let slots = slots::Columns {
        names: names.as_slice()?,
        values: [query_values.as_slice()?, found_values.as_slice()?],
        articles: [queries.as_slice()?, founds.as_slice()?],
    };
    run_to_arrays(py, || slots::varying(slots, least, commonest))
}

/// The matches from `start` to before `end` as lines of JSON; articles are places among the ids of their side.
#[pyfunction]
pub(crate) fn match_lines<'py>(
    py: Python<'py>,
    queries: Slice<'py, u32>,
    founds: Slice<'py, u32>,
    compared: Compared<'py>,
    nominated: Slice<'py, u16>,
    start: usize,
    end: usize,
    query_ids: Vec<PyBackedStr>,
    found_ids: Vec<PyBackedStr>,
    relation_names: Vec<String>,
    method_names: Vec<String>,
) -> PyResult<String> {
    let columns = matches::Columns {
        articles: [queries.as_slice()?, founds.as_slice()?],
        relations: compared.relation.as_slice()?,
        shares: [
            compared.query_covered.as_slice()?,
            compared.found_covered.as_slice()?,
            compared.resemblance.as_slice()?,
        ],
        passage_offsets: compared.passage_offsets.as_slice()?,
        passages: compared.passages.columns()?,
        nominated: nominated.as_slice()?,
    };
    run(py, || matches::match_lines(columns, start..end, [&query_ids, &found_ids], &relation_names, &method_names))
}

/// The opinions as lines of JSON; articles are places among the ids of their side.
#[pyfunction]
pub(crate) fn opinion_lines<'py>(
    py: Python<'py>,
    scored: Scored<'py>,
    query_ids: Vec<PyBackedStr>,
    found_ids: Vec<PyBackedStr>,
    relation_names: Vec<String>,
    method_names: String,
) -> PyResult<String> {
    let (articles, relations) = ([scored.query.as_slice()?, scored.found.as_slice()?], scored.relation.as_slice()?);
    let scores = [scored.query_in_found.as_slice()?, scored.found_in_query.as_slice()?, scored.rank.as_slice()?];
    let ids = [&*query_ids, &*found_ids];
    run(py, || matches::opinion_lines(articles, relations, scores, ids, &relation_names, &method_names))
}
