//! Articles out of pages: extraction, what training looks at, metadata.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::{Array, IntoArrays, Slice, run, run_to_arrays};
use crate::{crf, dates, encoding, extract, features, html, metadata, models, trees, words};

/// A block's text, whether it is content, its score, path and reasons.
type PlainBlock = (String, bool, f64, String, Vec<(String, f64)>);

/// Title, author, published, location, source, language, url and agency.
fn plain_metadata(found: metadata::Metadata) -> [Option<String>; 8] {
    [found.title, found.author, found.published, found.location, found.source, found.language, found.url, found.agency]
}

/// Content, charset, url, received and what is known: the same eight, and when it was changed.
type PlainPage = (PyBackedBytes, Option<String>, Option<String>, Option<i64>, [String; 9]);

/// A tree's value, at, yes, no and score.
type PlainTree = (Vec<i32>, Vec<f32>, Vec<u32>, Vec<u32>, Vec<f32>);

/// A model of which blocks are the article, from its JSON form.
#[pyclass(frozen)]
pub(crate) struct Model(models::Model);

#[pymethods]
impl Model {
    #[new]
    fn new(py: Python<'_>, json: &str) -> PyResult<Self> {
        Ok(Self(run(py, || models::Model::parse(json))?))
    }
}

/// The article of each page: (text, complaint, metadata, blocks). A page is (content, charset, url, received, known), the metadata
/// are title, author, published, location, source, language, url and agency, a block is (text, content, score, path, reasons).
#[pyfunction]
pub(crate) fn extract_pages(
    py: Python<'_>,
    pages: Vec<PlainPage>,
    model: &Model,
    min_block_words: f32,
    blocks: bool,
    max_bytes: usize,
    max_tags: usize,
) -> PyResult<Vec<(String, Option<String>, [Option<String>; 8], Vec<PlainBlock>)>> {
    let limits = html::Limits { bytes: max_bytes, tags: max_tags };
    let wanted = extract::Wanted { min_block_words, blocks, limits };
    let take = |(content, charset, url, received, known): PlainPage| {
        let [title, author, published, location, source, language, address, agency, changed] = known;
        let known =
            metadata::Known { title, author, published, location, source, language, url: address, agency, changed };
        let (charset, url) = (charset.as_deref(), url.as_deref());
        let page = extract::Received { content: &content, charset, url, received, known: &known };
        match extract::extract(page, &model.0, wanted) {
            Ok(found) => {
                let plain = |block: extract::Told| (block.text, block.content, block.score, block.path, block.reasons);
                (found.text, None, plain_metadata(found.metadata), found.blocks.into_iter().map(plain).collect())
            }
            Err(invalid) => {
                let said = metadata::metadata(&html::Page::default(), url, received, &known);
                (String::new(), Some(invalid.0), plain_metadata(said), Vec::new())
            }
        }
    };
    run(py, || Ok(pages.into_iter().map(take).collect()))
}

/// The name of each value of a block, and whether it is an amount.
#[pyfunction]
pub(crate) fn feature_names(with_context: bool) -> Vec<(String, bool)> {
    features::names(with_context).into_iter().map(|(name, kind)| (name, kind == features::Kind::Amount)).collect()
}

/// The values and words of a page's blocks: (values, words, word offsets). With `likely`, the probability of each block, the
/// values are those of the second look, and only of blocks of probability `again` or more.
#[pyfunction]
pub(crate) fn look_at<'py>(
    py: Python<'py>,
    page: PyBackedBytes,
    charset: Option<String>,
    likely: Option<Slice<'py, f32>>,
    again: f32,
    max_bytes: usize,
    max_tags: usize,
) -> PyResult<(Array<'py, f32>, Array<'py, u64>, Array<'py, i64>)> {
    let likely = optional!(likely);
    run_to_arrays(py, || {
        let limits = html::Limits { bytes: max_bytes, tags: max_tags };
        limits.check(page.len())?;
        let text = encoding::decode(&page, charset.as_deref());
        let page = html::read(&text, limits, html::Reading::Rendered)?;
        if let Some(likely) = likely.filter(|likely| likely.len() != page.blocks.len()) {
            let message = format!("expected {} likelihoods, got {}", page.blocks.len(), likely.len());
            return Err(crate::Invalid(message));
        }
        let sight = features::Sight::of(&page);
        let (words, offsets) = sight.words();
        let words: Vec<u64> = words.iter().map(|word| word.hash).collect();
        let offsets: Vec<i64> = offsets.iter().map(|offset| *offset as i64).collect();
        let context = likely.map(|likely| features::context::Context::of(&sight, likely));
        let wanted = |block: &usize| likely.is_none_or(|likely| likely[*block] >= again);
        let blocks: Vec<usize> = (0..sight.blocks()).filter(wanted).collect();
        let values = sight.rows(&blocks, context.as_ref());
        Ok((values, words, offsets))
    })
}

/// The text of a page's bytes, markup and all, or of any other file's.
#[pyfunction]
pub(crate) fn decode(py: Python<'_>, page: PyBackedBytes) -> PyResult<String> {
    run(py, || Ok(encoding::decode(&page, None).into_owned()))
}

/// The hash and the lower-case spelling of each word of a page.
#[pyfunction]
pub(crate) fn spell_words(
    py: Python<'_>,
    page: PyBackedBytes,
    charset: Option<String>,
    max_bytes: usize,
    max_tags: usize,
) -> PyResult<Vec<(u64, String)>> {
    run(py, || {
        let limits = html::Limits { bytes: max_bytes, tags: max_tags };
        limits.check(page.len())?;
        let text = encoding::decode(&page, charset.as_deref());
        let page = html::read(&text, limits, html::Reading::Rendered)?;
        let sight = features::Sight::of(&page);
        Ok((0..page.blocks.len()).flat_map(|block| sight.spelt(block)).collect())
    })
}

/// The hashes of a text's words, as content extraction splits them.
#[pyfunction]
pub(crate) fn split_words<'py>(py: Python<'py>, text: &str) -> PyResult<Array<'py, u64>> {
    run_to_arrays(py, || {
        let mut found = Vec::new();
        words::split(text, &mut found);
        Ok(found.iter().map(|word| word.hash).collect::<Vec<u64>>())
    })
}

/// The score of each row by a tree over bins.
#[pyfunction]
pub(crate) fn walk_tree<'py>(
    py: Python<'py>,
    bins: Slice<'py, u8>,
    is_amount: Vec<bool>,
    tree: PlainTree,
) -> PyResult<Array<'py, f32>> {
    let bins = bins.as_slice()?;
    let (value, at, yes, no, score) = tree;
    let tree = trees::Tree { value, at, yes, no, score };
    run_to_arrays(py, || {
        let rows = bins.len() / is_amount.len().max(1);
        tree.check(is_amount.len())?;
        Ok(trees::walk_bins(&tree, trees::Binned { bins, rows, columns: &[], is_amount: &is_amount }))
    })
}

/// The best label and the probability of CONTENT for each score in sequences of scores.
#[pyfunction]
pub(crate) fn crf_label<'py>(
    py: Python<'py>,
    scores: Slice<'py, f64>,
    sequences: Slice<'py, i64>,
    transitions: crf::Transitions,
) -> PyResult<(Array<'py, bool>, Array<'py, f64>)> {
    let (scores, sequences) = (scores.as_slice()?, sequences.as_slice()?);
    run_to_arrays(py, || {
        let mut labels = Vec::with_capacity(scores.len());
        let mut likely = Vec::with_capacity(scores.len());
        for ends in sequences.windows(2) {
            let scores = scores
                .get(ends[0] as usize..ends[1] as usize)
                .ok_or_else(|| crate::Invalid("sequences beyond the scores".into()))?;
            labels.extend(crf::decode(scores, &transitions));
            likely.extend(crf::marginals(scores, &transitions).content);
        }
        Ok((labels, likely))
    })
}

/// A tree fitted to the slopes, and its score of each row: ((value, at, yes, no, score), scores); `at` holds bins.
#[pyfunction]
pub(crate) fn grow_tree<'py>(
    py: Python<'py>,
    bins: Slice<'py, u8>,
    columns: Slice<'py, u32>,
    is_amount: Vec<bool>,
    chosen: Slice<'py, u32>,
    slopes: Slice<'py, f32>,
    weights: Slice<'py, f32>,
    growth: (usize, f64, f64, f64),
) -> PyResult<(PlainTree, Array<'py, f32>)> {
    let (bins, columns, chosen) = (bins.as_slice()?, columns.as_slice()?, chosen.as_slice()?);
    let (slopes, weights) = (slopes.as_slice()?, weights.as_slice()?);
    let data = trees::Binned { bins, rows: slopes.len(), columns, is_amount: &is_amount };
    let growth = trees::Growth { leaves: growth.0, least: growth.1, shrinkage: growth.2, rate: growth.3 };
    let (tree, scores) = run(py, || {
        let tree = trees::grow(data, chosen, slopes, weights, growth)?;
        let scores = trees::walk_bins(&tree, data);
        Ok((tree, scores))
    })?;
    Ok(((tree.value, tree.at, tree.yes, tree.no, tree.score), scores.into_arrays(py)))
}

/// The probability of CONTENT for each score of labelled sequences, the gradient of the transitions, and the loss.
#[pyfunction]
pub(crate) fn crf_expect<'py>(
    py: Python<'py>,
    scores: Slice<'py, f64>,
    sequences: Slice<'py, i64>,
    labels: Slice<'py, u8>,
    importance: Slice<'py, f64>,
    transitions: crf::Transitions,
) -> PyResult<(Array<'py, f64>, crf::Transitions, f64)> {
    let (scores, sequences, labels, importance) =
        (scores.as_slice()?, sequences.as_slice()?, labels.as_slice()?, importance.as_slice()?);
    let (likely, gradient, loss) = run(py, || crf::expect(scores, sequences, labels, importance, &transitions))?;
    Ok((likely.into_arrays(py), gradient, loss))
}

/// What a page says about its article: (title, author, published, location, source, language, url, agency).
#[pyfunction]
#[pyo3(signature = (page, charset=None, url=None, received=None))]
pub(crate) fn page_metadata(
    py: Python<'_>,
    page: PyBackedBytes,
    charset: Option<String>,
    url: Option<String>,
    received: Option<i64>,
) -> PyResult<[Option<String>; 8]> {
    run(py, || {
        let limits = html::Limits { bytes: 20 << 20, tags: 1_000_000 };
        limits.check(page.len())?;
        let text = encoding::decode(&page, charset.as_deref());
        let page = html::read(&text, limits, html::Reading::Rendered)?;
        let found = metadata::metadata(&page, url.as_deref(), received, &metadata::Known::default());
        Ok(plain_metadata(found))
    })
}

/// The place and the agency that a text names in its dateline: (location, agency).
#[pyfunction]
pub(crate) fn dateline(py: Python<'_>, text: String) -> PyResult<(Option<String>, Option<&'static str>)> {
    run(py, || Ok(metadata::agencies::dateline(&text)))
}

/// The first date in a text, in ISO 8601.
#[pyfunction]
pub(crate) fn read_date(py: Python<'_>, text: String, month_first: bool) -> PyResult<Option<String>> {
    run(py, || Ok(dates::read(&text, month_first).map(|date| date.iso)))
}

/// The texts of a page's blocks; bounded as in the paper, or as they are rendered.
#[pyfunction]
pub(crate) fn page_blocks(py: Python<'_>, page: String, as_in_paper: bool) -> PyResult<Vec<String>> {
    run(py, || {
        let limits = html::Limits { bytes: 20 << 20, tags: 1_000_000 };
        let reading = if as_in_paper { html::Reading::Paper } else { html::Reading::Rendered };
        let page = html::read(&page, limits, reading)?;
        Ok(page.blocks.iter().map(|block| page.text[block.start..block.end].to_owned()).collect())
    })
}
