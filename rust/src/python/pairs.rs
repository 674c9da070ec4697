//! Keys to candidates: postings and their evidence; all pairs that share keys.

use numpy::PyArray1;
use pyo3::prelude::*;

use super::arrays::{Agreement, Commons, Evidence, Keys, Queries, Strangers, Tokens};
use super::{Array, IntoArrays, Slice, run, run_to_arrays};
use crate::sides::Level;
use crate::{bridges, candidates, collisions, postings, sets, sharing, sides};

/// One shard of a batch's postings, opaque to Python.
#[pyclass(frozen, module = "_core")]
pub(crate) struct Postings(pub(crate) postings::Postings);

#[pymethods]
impl Postings {
    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// Postings of some batches, with the number of each batch's first article.
type Filed<'py> = Vec<(PyRef<'py, Postings>, usize)>;

fn numbered<'a>(filed: &'a Filed<'_>) -> Vec<postings::Filed<'a>> {
    filed.iter().map(|(batch, first)| (&batch.0, *first)).collect()
}

/// The postings of a batch's keys, shard by shard.
#[pyfunction]
pub(crate) fn file<'py>(py: Python<'py>, tokens: Tokens<'py>, keys: Keys<'py>) -> PyResult<Vec<Postings>> {
    let (batch, values, offsets) = (tokens.batch()?, keys.values.as_slice()?, keys.offsets.as_slice()?);
    let (starts, ends) = (optional!(keys.starts), optional!(keys.ends));
    let shards = run(py, || postings::file(batch.hashes, batch.offsets, values, offsets, starts, ends))?;
    Ok(shards.into_iter().map(Postings).collect())
}

/// The postings of a batch for each of some equal ranges of keys, as bytes.
#[pyfunction]
pub(crate) fn pack<'py>(
    py: Python<'py>,
    shards: Vec<PyRef<'py, Postings>>,
    parts: usize,
) -> PyResult<Vec<Array<'py, u8>>> {
    let shards: Vec<&postings::Postings> = shards.iter().map(|shard| &shard.0).collect();
    let packed = run(py, || postings::pack(&shards, parts))?;
    Ok(packed.into_iter().map(|part| part.into_arrays(py)).collect())
}

/// The postings that were packed.
#[pyfunction]
pub(crate) fn unpack<'py>(py: Python<'py>, bytes: Slice<'py, u8>) -> PyResult<Postings> {
    let bytes = bytes.as_slice()?;
    Ok(Postings(run(py, || postings::unpack(bytes))?))
}

/// The distinct keys of some postings, sorted.
#[pyfunction]
pub(crate) fn distinct_keys<'py>(py: Python<'py>, shards: Vec<PyRef<'py, Postings>>) -> PyResult<Array<'py, u64>> {
    let shards: Vec<&postings::Postings> = shards.iter().map(|shard| &shard.0).collect();
    run_to_arrays(py, || Ok(postings::distinct_keys(&shards)))
}

/// The postings of one article at some sorted positions, of some sorted keys.
#[pyfunction]
pub(crate) fn postings_at<'py>(
    py: Python<'py>,
    shards: Vec<PyRef<'py, Postings>>,
    article: usize,
    positions: Slice<'py, u32>,
    keys: Slice<'py, u64>,
) -> PyResult<Postings> {
    let shards: Vec<&postings::Postings> = shards.iter().map(|shard| &shard.0).collect();
    let (positions, keys) = (positions.as_slice()?, keys.as_slice()?);
    Ok(Postings(run(py, || Ok(postings::postings_at(&shards, article, positions, keys)))?))
}

/// The postings of some sorted keys, and the sorted numbers of the articles that hold them.
#[pyfunction]
pub(crate) fn look_up<'py>(
    py: Python<'py>,
    filed: Filed<'py>,
    keys: Slice<'py, u64>,
) -> PyResult<(Postings, Array<'py, u32>)> {
    let filed = numbered(&filed);
    let keys = keys.as_slice()?;
    let (found, numbers) = run(py, || postings::look_up(&filed, keys))?;
    Ok((Postings(found), numbers.into_arrays(py)))
}

/// How often each of some sorted keys occurs in articles that have a rank, and in how many of these: (occurrences, articles).
#[pyfunction]
pub(crate) fn count_holders<'py>(
    py: Python<'py>,
    filed: Filed<'py>,
    ranks: Slice<'py, u32>,
    keys: Slice<'py, u64>,
) -> PyResult<(Array<'py, i64>, Array<'py, i64>)> {
    let filed = numbered(&filed);
    let (ranks, keys) = (ranks.as_slice()?, keys.as_slice()?);
    run_to_arrays(py, || postings::count_holders(&filed, ranks, keys))
}

/// Whether each of the N `articles` holds a key that more than `most` of them hold.
#[pyfunction]
pub(crate) fn hold_common<'py>(
    py: Python<'py>,
    filed: Filed<'py>,
    articles: usize,
    most: usize,
) -> PyResult<Array<'py, bool>> {
    let filed = numbered(&filed);
    run_to_arrays(py, || postings::hold_common(&filed, articles, most))
}

/// The evidence of some postings: (columns, number of weak collisions, columns of common keys).
#[pyfunction]
#[pyo3(signature = (filed, ranks, limits, *, queries = None, known = None, level = "whole"))]
pub(crate) fn collide<'py>(
    py: Python<'py>,
    filed: Filed<'py>,
    ranks: Slice<'py, u32>,
    limits: collisions::Limits,
    queries: Option<Queries<'py>>,
    known: Option<Slice<'py, u64>>,
    level: &str,
) -> PyResult<([Array<'py, u32>; 5], usize, (Array<'py, u32>, Array<'py, u32>, Array<'py, i64>, Array<'py, u64>))> {
    let filed = numbered(&filed);
    let (ranks, known) = (ranks.as_slice()?, optional!(known));
    let shards: Vec<&postings::Postings> =
        queries.iter().flat_map(|queries| &queries.postings).map(|shard| &shard.0).collect();
    let queries = match &queries {
        Some(one) => Some(collisions::Queries { postings: &shards, own: one.own.as_slice()?, first: one.first }),
        None => None,
    };
    let found = run(py, || collisions::collide(&filed, ranks, queries, known, limits, Level::named(level)?))?;
    let columns = [found.later, found.earlier, found.later_position, found.earlier_position, found.common];
    let commons = (found.common_holders, found.common_positions, found.common_sizes, found.common_names);
    Ok((columns.map(|column| column.into_arrays(py)), found.weak, commons.into_arrays(py)))
}

/// The words on one side of keys, as far as they make holders one group: (words, names with them, whether they are too few).
#[pyfunction]
pub(crate) fn name_sides<'py>(
    py: Python<'py>,
    keys: Slice<'py, u64>,
    left: Slice<'py, u64>,
    right: Slice<'py, u64>,
    limits: collisions::Limits,
    level: &str,
) -> PyResult<(Array<'py, u64>, Array<'py, u64>, Array<'py, bool>)> {
    let (keys, left, right) = (keys.as_slice()?, left.as_slice()?, right.as_slice()?);
    run_to_arrays(py, || sides::name_sides(keys, left, right, limits, Level::named(level)?))
}

/// Which pairs agree: (rows sorted by pair, 1 for each row that agrees, later and earlier articles of pairs of one family).
#[pyfunction]
pub(crate) fn agree<'py>(
    py: Python<'py>,
    evidence: Evidence<'py>,
    words: Slice<'py, u32>,
    rule: candidates::Rule,
) -> PyResult<(Array<'py, u32>, Array<'py, u8>, Array<'py, u32>, Array<'py, u32>)> {
    let (columns, words) = (evidence.columns()?, words.as_slice()?);
    let answer = run(py, || candidates::agree(columns, words, rule))?;
    let (later, earlier) = answer.families;
    Ok((answer.order, answer.agreed, later, earlier).into_arrays(py))
}

/// Holders of common keys that agree with fewer than half of those they were paired with: (numbers of the keys, ranks), sorted.
#[pyfunction]
pub(crate) fn find_strangers<'py>(
    py: Python<'py>,
    evidence: Evidence<'py>,
    agreement: Agreement<'py>,
) -> PyResult<(Array<'py, u32>, Array<'py, u32>)> {
    let (columns, agreed) = (evidence.columns()?, agreement.agreed.as_slice()?);
    run_to_arrays(py, || candidates::find_strangers(columns, agreed))
}

/// The common keys that may be boilerplate, with examples of their holders: (numbers, ranks, positions, offsets of examples).
#[pyfunction]
pub(crate) fn suspect<'py>(
    py: Python<'py>,
    strangers: Strangers<'py>,
    family: Slice<'py, u32>,
    commons: Commons<'py>,
    rule: candidates::Rule,
) -> PyResult<(Array<'py, u32>, Array<'py, u32>, Array<'py, u32>, Array<'py, i64>)> {
    let (numbers, ranks, family) = (strangers.number.as_slice()?, strangers.rank.as_slice()?, family.as_slice()?);
    let commons = commons.columns()?;
    let answer = run(py, || candidates::suspect(numbers, ranks, family, commons, rule))?;
    Ok((answer.commons, answer.example_ranks, answer.example_positions, answer.example_offsets).into_arrays(py))
}

/// The candidates, sorted: (later, earlier).
#[pyfunction]
pub(crate) fn nominate<'py>(
    py: Python<'py>,
    evidence: Evidence<'py>,
    agreement: Agreement<'py>,
    boilerplate: Slice<'py, bool>,
    links: usize,
) -> PyResult<(Array<'py, u32>, Array<'py, u32>)> {
    let (columns, order, agreed) = (evidence.columns()?, agreement.order.as_slice()?, agreement.agreed.as_slice()?);
    let boilerplate = boilerplate.as_slice()?;
    run_to_arrays(py, || candidates::nominate(columns, order, agreed, boilerplate, links))
}

/// The component that the links put each article into, by the lowest rank in it.
#[pyfunction]
pub(crate) fn components<'py>(
    py: Python<'py>,
    articles: usize,
    later: Slice<'py, u32>,
    earlier: Slice<'py, u32>,
) -> PyResult<Array<'py, u32>> {
    let (later, earlier) = (later.as_slice()?, earlier.as_slice()?);
    run_to_arrays(py, || candidates::components(articles, later, earlier))
}

/// Whether each link is all that joins two parts.
#[pyfunction]
pub(crate) fn find_bridges<'py>(
    py: Python<'py>,
    articles: usize,
    later: Slice<'py, u32>,
    earlier: Slice<'py, u32>,
) -> PyResult<Array<'py, bool>> {
    let (later, earlier) = (later.as_slice()?, earlier.as_slice()?);
    run_to_arrays(py, || bridges::find_bridges(articles, later, earlier))
}

/// The sorted keys of one range, opaque to Python.
#[pyclass(frozen, module = "_core")]
pub(crate) struct Part(sharing::Part);

/// The keys of one range, sorted.
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
            self.0.holder_counts().into_arrays(py),
        )
    }

    /// Leaves out the keys whose flag in `common` is true.
    fn leave_out<'py>(&mut self, py: Python<'py>, common: Slice<'py, bool>) -> PyResult<()> {
        let common = common.as_slice()?;
        run(py, || self.0.leave_out(common))
    }

    /// What each article shares with itself.
    fn totals<'py>(&self, py: Python<'py>) -> Array<'py, f64> {
        PyArray1::from_slice(py, &self.0.totals)
    }

    /// At most how many earlier articles each later one is looked up in, repeats included. Must be called before `pairs`.
    fn limit<'py>(&mut self, py: Python<'py>, least: Slice<'py, f64>, mutual: bool) -> PyResult<Array<'py, i64>> {
        let least = least.as_slice()?;
        run(py, || self.0.limit(least, mutual))?;
        Ok(PyArray1::from_slice(py, &self.0.work))
    }

    /// The pairs that share enough, and the article to go on with: (later, earlier, next).
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        from_rank: usize,
        to_rank: usize,
        most: usize,
    ) -> PyResult<(Array<'py, u32>, Array<'py, u32>, usize)> {
        let pairs = run(py, || self.0.pairs(from_rank, to_rank, most))?;
        Ok((pairs.later.into_arrays(py), pairs.earlier.into_arrays(py), pairs.next))
    }

    /// The pairs in which a probe of the later article is a key of the earlier, and the article to go on with: (later, earlier, next).
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
        Ok((pairs.later.into_arrays(py), pairs.earlier.into_arrays(py), pairs.next))
    }
}
