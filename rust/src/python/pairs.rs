//! Keys to candidates: postings and their evidence; all pairs that share keys.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{Array, Slice, run};
use crate::{candidates, postings, sets, sharing};

/// One shard of a batch's postings, opaque to Python.
#[pyclass(frozen, module = "_core")]
pub(crate) struct Postings(pub(crate) postings::Postings);

#[pymethods]
impl Postings {
    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// File a batch's keys, shard by shard.
#[pyfunction]
pub(crate) fn file<'py>(
    py: Python<'py>,
    hashes: Slice<'py, u64>,
    word_offsets: Slice<'py, i64>,
    keys: Slice<'py, u64>,
    key_offsets: Slice<'py, i64>,
    starts: Option<Slice<'py, u32>>,
    ends: Option<Slice<'py, u32>>,
) -> PyResult<Vec<Postings>> {
    let (hashes, word_offsets) = (hashes.as_slice()?, word_offsets.as_slice()?);
    let (keys, key_offsets) = (keys.as_slice()?, key_offsets.as_slice()?);
    let (starts, ends) = (optional!(starts), optional!(ends));
    let shards = run(py, || postings::file(hashes, word_offsets, keys, key_offsets, starts, ends))?;
    Ok(shards.into_iter().map(Postings).collect())
}

/// The evidence of one shard, as a dictionary of columns.
#[pyfunction]
pub(crate) fn collide<'py>(
    py: Python<'py>,
    shard: Vec<PyRef<'py, Postings>>,
    firsts: Vec<usize>,
    ranks: Slice<'py, u32>,
    all_holders: usize,
    links: usize,
    settled_words: u32,
    shingle_words: u32,
    grouped_words: usize,
    common_holders: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let shard: Vec<&postings::Postings> = shard.iter().map(|batch| &batch.0).collect();
    let ranks = ranks.as_slice()?;
    let limits = postings::Limits { all_holders, links, settled_words, shingle_words, grouped_words, common_holders };
    let evidence = run(py, || postings::collide(&shard, &firsts, ranks, limits))?;
    let columns = PyDict::new(py);
    columns.set_item("later", evidence.later.into_pyarray(py))?;
    columns.set_item("earlier", evidence.earlier.into_pyarray(py))?;
    columns.set_item("later_position", evidence.later_position.into_pyarray(py))?;
    columns.set_item("earlier_position", evidence.earlier_position.into_pyarray(py))?;
    columns.set_item("common", evidence.common.into_pyarray(py))?;
    columns.set_item("weak", evidence.weak)?;
    columns.set_item("common_holders", evidence.common_holders.into_pyarray(py))?;
    columns.set_item("common_positions", evidence.common_positions.into_pyarray(py))?;
    columns.set_item("common_sizes", evidence.common_sizes.into_pyarray(py))?;
    columns.set_item("common_names", evidence.common_names.into_pyarray(py))?;
    Ok(columns)
}

/// The common keys that may be boilerplate, as a dictionary of columns.
#[pyfunction]
pub(crate) fn suspect<'py>(
    py: Python<'py>,
    later: Slice<'py, u32>,
    earlier: Slice<'py, u32>,
    later_position: Slice<'py, u32>,
    earlier_position: Slice<'py, u32>,
    common: Slice<'py, u32>,
    common_holders: Slice<'py, u32>,
    common_positions: Slice<'py, u32>,
    common_offsets: Slice<'py, i64>,
    words: Slice<'py, u32>,
    boilerplate_articles: usize,
    examples: usize,
    agree_gap_words: u32,
    key_words: u32,
    agree_share: f64,
    family_share: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let evidence = candidates::Columns {
        later: later.as_slice()?,
        earlier: earlier.as_slice()?,
        later_position: later_position.as_slice()?,
        earlier_position: earlier_position.as_slice()?,
        common: common.as_slice()?,
    };
    let commons = candidates::Commons {
        holders: common_holders.as_slice()?,
        positions: common_positions.as_slice()?,
        offsets: common_offsets.as_slice()?,
    };
    let words = words.as_slice()?;
    let rule =
        candidates::Rule { boilerplate_articles, examples, agree_gap_words, key_words, agree_share, family_share };
    let answer = run(py, || candidates::suspect(evidence, commons, words, rule))?;
    let columns = PyDict::new(py);
    columns.set_item("order", answer.order.into_pyarray(py))?;
    columns.set_item("agreed", answer.agreed.into_pyarray(py))?;
    columns.set_item("commons", answer.commons.into_pyarray(py))?;
    columns.set_item("example_ranks", answer.example_ranks.into_pyarray(py))?;
    columns.set_item("example_positions", answer.example_positions.into_pyarray(py))?;
    columns.set_item("example_offsets", answer.example_offsets.into_pyarray(py))?;
    Ok(columns)
}

/// The candidates: (later, earlier).
#[pyfunction]
pub(crate) fn nominate<'py>(
    py: Python<'py>,
    later: Slice<'py, u32>,
    earlier: Slice<'py, u32>,
    common: Slice<'py, u32>,
    order: Slice<'py, u32>,
    agreed: Slice<'py, u8>,
    boilerplate: Slice<'py, u32>,
    common_sizes: Slice<'py, i64>,
    all_holders: i64,
    links: usize,
) -> PyResult<(Array<'py, u32>, Array<'py, u32>)> {
    let evidence = candidates::Columns {
        later: later.as_slice()?,
        earlier: earlier.as_slice()?,
        later_position: &[],
        earlier_position: &[],
        common: common.as_slice()?,
    };
    let (boilerplate, sizes) = (boilerplate.as_slice()?, common_sizes.as_slice()?);
    let families = candidates::Families { boilerplate, sizes, all_holders, links };
    let (order, agreed) = (order.as_slice()?, agreed.as_slice()?);
    let (later, earlier) = run(py, || candidates::nominate(evidence, order, agreed, families))?;
    Ok((later.into_pyarray(py), earlier.into_pyarray(py)))
}

/// The component of each article under the given links.
#[pyfunction]
pub(crate) fn components<'py>(
    py: Python<'py>,
    articles: usize,
    later: Slice<'py, u32>,
    earlier: Slice<'py, u32>,
) -> PyResult<Array<'py, u32>> {
    let (later, earlier) = (later.as_slice()?, earlier.as_slice()?);
    Ok(run(py, || candidates::components(articles, later, earlier))?.into_pyarray(py))
}

/// The sorted keys of one range, opaque to Python.
#[pyclass(frozen, module = "_core")]
pub(crate) struct Part(sharing::Part);

/// Sorts the keys of one range.
#[pyfunction]
pub(crate) fn file_part<'py>(
    py: Python<'py>,
    values: Slice<'py, u64>,
    starts: Slice<'py, i64>,
    ends: Slice<'py, i64>,
    weights: Option<Slice<'py, f64>>,
    part: usize,
    all: bool,
) -> PyResult<Part> {
    let (values, starts, ends) = (values.as_slice()?, starts.as_slice()?, ends.as_slice()?);
    let weights = optional!(weights);
    Ok(Part(run(py, || sharing::file_part(sets::Rows::new(values, starts, ends)?, weights, part, all))?))
}

/// The keys of a collection and who holds them.
#[pyclass(module = "_core")]
pub(crate) struct Index(sharing::Index);

#[pymethods]
impl Index {
    #[new]
    fn new<'py>(py: Python<'py>, articles: usize, parts: Vec<PyRef<'py, Part>>) -> PyResult<Self> {
        let parts: Vec<&sharing::Part> = parts.iter().map(|part| &part.0).collect();
        Ok(Self(run(py, || sharing::Index::new(articles, &parts))?))
    }

    /// All keys, how often each occurs, and in how many articles.
    fn counts<'py>(&self, py: Python<'py>) -> (Array<'py, u64>, Array<'py, i64>, Array<'py, i64>) {
        (
            PyArray1::from_slice(py, &self.0.keys),
            PyArray1::from_slice(py, &self.0.occurrences),
            self.0.holder_counts().into_pyarray(py),
        )
    }

    /// Leaves out some keys.
    fn leave_out<'py>(&mut self, py: Python<'py>, common: Slice<'py, bool>) -> PyResult<()> {
        let common = common.as_slice()?;
        run(py, || self.0.leave_out(common))
    }

    /// What each article shares with itself.
    fn totals<'py>(&self, py: Python<'py>) -> Array<'py, f64> {
        PyArray1::from_slice(py, &self.0.totals)
    }

    /// Prepares `pairs`; how many earlier articles each later one is looked up in at most, repeats included.
    fn limit<'py>(&mut self, py: Python<'py>, least: Slice<'py, f64>, mutual: bool) -> PyResult<Array<'py, i64>> {
        let least = least.as_slice()?;
        run(py, || self.0.limit(least, mutual))?;
        Ok(PyArray1::from_slice(py, &self.0.work))
    }

    /// Pairs that share enough, and the article to go on with.
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        from_rank: usize,
        to_rank: usize,
        most: usize,
    ) -> PyResult<(Array<'py, u32>, Array<'py, u32>, usize)> {
        let pairs = run(py, || self.0.pairs(from_rank, to_rank, most))?;
        Ok((pairs.later.into_pyarray(py), pairs.earlier.into_pyarray(py), pairs.next))
    }

    /// Pairs of which the later article's probes are keys of the earlier, and the article to go on with.
    fn probe<'py>(
        &self,
        py: Python<'py>,
        values: Slice<'py, u64>,
        starts: Slice<'py, i64>,
        ends: Slice<'py, i64>,
        from_rank: usize,
        to_rank: usize,
        most: usize,
    ) -> PyResult<(Array<'py, u32>, Array<'py, u32>, usize)> {
        let (values, starts, ends) = (values.as_slice()?, starts.as_slice()?, ends.as_slice()?);
        let kernel = || self.0.probe(sets::Rows::new(values, starts, ends)?, from_rank, to_rank, most);
        let pairs = run(py, kernel)?;
        Ok((pairs.later.into_pyarray(py), pairs.earlier.into_pyarray(py), pairs.next))
    }
}
