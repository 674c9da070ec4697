//! What single published methods need.

use numpy::ToPyArray;
use pyo3::prelude::*;

use super::arrays::{First, Sketches, Statistics, Tokens};
use super::{Array, IntoArrays, Lists, Slice, run, run_to_arrays};
use crate::shingles::Batch;
use crate::{codet, digests, lengths, signatures, weights};

/// Sketches of which only the first column counts.
type Values<'py, T> = Sketches<'py, First<'py, T>>;
type Fingerprints<'py> = Sketches<'py, (Slice<'py, u64>, Slice<'py, u64>)>;
type Vectors<'py> = Sketches<'py, (Slice<'py, u64>, Slice<'py, f64>, Slice<'py, u8>)>;
type Nodes<'py> = Sketches<'py, (Slice<'py, u64>, Slice<'py, u32>, Slice<'py, u32>, Slice<'py, f64>)>;

/// The signature of each article that has words: (values, offsets).
#[pyfunction]
#[pyo3(name = "signatures")]
pub(crate) fn make_signatures<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    shingle_words: usize,
    signature_values: usize,
) -> PyResult<Lists<'py, u32>> {
    let batch = tokens.batch()?;
    run_to_arrays(py, || signatures::signatures(batch, shingle_words, signature_values))
}

/// One key for each band of a signature: (values, offsets).
#[pyfunction]
pub(crate) fn band_keys<'py>(
    py: Python<'py>,
    sketches: Values<'py, u32>,
    bands: usize,
    rows: usize,
) -> PyResult<Lists<'py, u64>> {
    let values = sketches.first()?;
    run_to_arrays(py, || signatures::band_keys(values, bands, rows))
}

/// The number of places at which the signatures in row i of both sides have the same value.
#[pyfunction]
pub(crate) fn count_equal<'py>(
    py: Python<'py>,
    query: Values<'py, u32>,
    found: Values<'py, u32>,
) -> PyResult<Array<'py, i64>> {
    let (query, found) = (query.first()?, found.first()?);
    run_to_arrays(py, || signatures::count_equal(query, found))
}

/// The words of a batch with their spelling and, where they are known, their frequencies.
fn spell<'a>(tokens: &'a Tokens<'_>, frequencies: Option<&'a Slice<'_, u32>>) -> PyResult<digests::Words<'a>> {
    let (Batch { hashes, offsets, .. }, (spelling, spelling_offsets)) = (tokens.batch()?, tokens.spelling()?);
    Ok(digests::Words { hashes, offsets, spelling, spelling_offsets, frequencies: optional!(frequencies) })
}

/// The MD5 of the words of each sentence, with statistics only of the rarer ones, sorted: (first 64 bits, offsets, last 64 bits).
#[pyfunction]
#[pyo3(signature = (tokens, statistics=None, *, most_articles=u64::MAX))]
pub(crate) fn sentence_digests<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    statistics: Option<Statistics<'py>>,
    most_articles: u64,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>, Array<'py, u64>)> {
    let frequencies = statistics.map(|statistics| statistics.frequencies(&tokens)).transpose()?;
    let (words, (sentences, sentence_offsets)) = (spell(&tokens, frequencies.as_ref())?, tokens.sentences()?);
    let found = run(py, || digests::sentence_digests(words, sentences, sentence_offsets, most_articles))?;
    Ok((found.first, found.offsets, found.second).into_arrays(py))
}

/// The SHA-1 of each article's chosen words, for each lexicon: (first 64 bits, offsets, next 64 bits).
#[pyfunction]
#[pyo3(signature = (tokens, statistics, *, least_articles=0, most_articles=u64::MAX, rarest_first=false, skip_words=0, hash_words=usize::MAX, lexicons, left_out_share))]
pub(crate) fn imatch<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    statistics: Statistics<'py>,
    least_articles: u64,
    most_articles: u64,
    rarest_first: bool,
    skip_words: usize,
    hash_words: usize,
    lexicons: usize,
    left_out_share: f64,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>, Array<'py, u64>)> {
    let frequencies = statistics.frequencies(&tokens)?;
    let words = spell(&tokens, Some(&frequencies))?;
    let choice = digests::Choice { least_articles, most_articles, rarest_first, skip_words, hash_words };
    let found = run(py, || digests::imatch(words, choice, lexicons, left_out_share))?;
    Ok((found.first, found.offsets, found.second).into_arrays(py))
}

/// How many digests of each row occur in the other, repeats counted: (query in found, found in query).
#[pyfunction]
pub(crate) fn count_collisions<'py>(
    py: Python<'py>,
    query: Fingerprints<'py>,
    found: Fingerprints<'py>,
) -> PyResult<(Array<'py, i64>, Array<'py, i64>)> {
    let query = [query.rows(&query.columns.0)?, query.rows(&query.columns.1)?];
    let found = [found.rows(&found.columns.0)?, found.rows(&found.columns.1)?];
    run_to_arrays(py, || digests::count_collisions(query, found))
}

/// The `SimHash` of each article: (values, offsets).
#[pyfunction]
#[pyo3(signature = (tokens, statistics, *, skip_words, bits))]
pub(crate) fn simhash<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    statistics: Statistics<'py>,
    skip_words: usize,
    bits: usize,
) -> PyResult<Lists<'py, u64>> {
    let frequencies = statistics.frequencies(&tokens)?;
    let words = spell(&tokens, Some(&frequencies))?;
    run_to_arrays(py, || digests::simhash(words, statistics.articles, skip_words, bits))
}

/// The keys of each `SimHash`, one for each block of its bits: (values, offsets).
#[pyfunction]
pub(crate) fn simhash_keys<'py>(
    py: Python<'py>,
    sketches: Values<'py, u64>,
    bits: usize,
    blocks: usize,
) -> PyResult<Lists<'py, u64>> {
    let values = sketches.first()?;
    run_to_arrays(py, || digests::simhash_keys(values, bits, blocks))
}

/// The number of bits in which row i of both sides differ, -1 where one of them is empty.
#[pyfunction]
pub(crate) fn count_different_bits<'py>(
    py: Python<'py>,
    query: Values<'py, u64>,
    found: Values<'py, u64>,
) -> PyResult<Array<'py, i64>> {
    let (query, found) = (query.first()?, found.first()?);
    run_to_arrays(py, || digests::count_different_bits(query, found))
}

/// The number of words in each sentence of each article: (values, offsets).
#[pyfunction]
pub(crate) fn sentence_lengths<'py>(py: Python<'py>, tokens: Tokens<'py>) -> PyResult<Lists<'py, u32>> {
    let (offsets, (sentences, sentence_offsets)) = (tokens.offsets.as_slice()?, tokens.sentences()?);
    let lengths = run(py, || lengths::sentence_lengths(sentences, sentence_offsets, offsets))?;
    Ok((lengths.into_arrays(py), sentence_offsets.to_pyarray(py)))
}

/// The hashes of the windows of sentence lengths that each article files: (values, offsets).
#[pyfunction]
#[pyo3(signature = (sketches, *, window, step, dynamic))]
pub(crate) fn window_hashes<'py>(
    py: Python<'py>,
    sketches: Values<'py, u32>,
    window: usize,
    step: usize,
    dynamic: bool,
) -> PyResult<Lists<'py, u64>> {
    let (lengths, windows) = (sketches.first()?, lengths::Windows::new(window, step, dynamic)?);
    run_to_arrays(py, || Ok(lengths::window_hashes(lengths, windows)))
}

/// How many windows of row i of each side match, and how many it files: (query, found, query filed, found filed).
#[pyfunction]
#[pyo3(signature = (query, found, *, window, step, dynamic, contiguous))]
pub(crate) fn match_windows<'py>(
    py: Python<'py>,
    query: Values<'py, u32>,
    found: Values<'py, u32>,
    window: usize,
    step: usize,
    dynamic: bool,
    contiguous: usize,
) -> PyResult<(Array<'py, i64>, Array<'py, i64>, Array<'py, i64>, Array<'py, i64>)> {
    let (query, found) = (query.first()?, found.first()?);
    let windows = lengths::Windows::new(window, step, dynamic)?;
    let matched = run(py, || lengths::match_windows(query, found, windows, contiguous))?;
    Ok((matched.query, matched.found, matched.query_filed, matched.found_filed).into_arrays(py))
}

/// The offsets of the pieces that the articles of a batch are cut into.
#[pyfunction]
pub(crate) fn cut_pieces<'py>(py: Python<'py>, tokens: Tokens<'py>, piece_words: usize) -> PyResult<Array<'py, i64>> {
    let batch = tokens.batch()?;
    run_to_arrays(py, || weights::cut_pieces(batch, piece_words))
}

/// The heaviest terms of each piece of each article: (term hashes, offsets).
#[pyfunction]
#[pyo3(signature = (tokens, statistics=None, *, piece_words, image_terms))]
pub(crate) fn make_images<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    statistics: Option<Statistics<'py>>,
    piece_words: usize,
    image_terms: usize,
) -> PyResult<Lists<'py, u64>> {
    let batch = tokens.batch()?;
    let held = statistics.map(|held| held.frequencies(&tokens).map(|words| (words, held.articles))).transpose()?;
    let frequencies = match &held {
        Some((words, documents)) => Some(weights::Frequencies { words: words.as_slice()?, documents: *documents }),
        None => None,
    };
    run_to_arrays(py, || weights::make_images(batch, piece_words, image_terms, frequencies))
}

/// The unit vector of each article: (terms by rarity, offsets, weights, 1 for each key term).
#[pyfunction]
pub(crate) fn make_vectors<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    statistics: Statistics<'py>,
    threshold: f64,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>, Array<'py, f64>, Array<'py, u8>)> {
    let (batch, held) = (tokens.batch()?, statistics.frequencies(&tokens)?);
    let frequencies = weights::Frequencies { words: held.as_slice()?, documents: statistics.articles };
    let vectors = run(py, || weights::make_vectors(batch.hashes, batch.offsets, frequencies, threshold))?;
    Ok((vectors.terms, vectors.offsets, vectors.weights, vectors.keys).into_arrays(py))
}

fn terms<'a>(vectors: &'a Vectors<'_>) -> PyResult<weights::Terms<'a>> {
    let (terms, weights, _) = &vectors.columns;
    Ok(weights::Terms { terms: vectors.rows(terms)?, weights: vectors.rows(weights)? })
}

/// The cosine of row i of one side and row i of the other.
#[pyfunction]
pub(crate) fn multiply_vectors<'py>(
    py: Python<'py>,
    query: Vectors<'py>,
    found: Vectors<'py>,
) -> PyResult<Array<'py, f64>> {
    let (query, found) = (terms(&query)?, terms(&found)?);
    run_to_arrays(py, || weights::multiply_vectors(query, found))
}

/// How many pairs of each row two rankings put in opposite order, and how many only the second puts level.
#[pyfunction]
pub(crate) fn count_discordant<'py>(
    py: Python<'py>,
    expected: Slice<'py, f64>,
    got: Slice<'py, f64>,
    width: usize,
) -> PyResult<(Array<'py, i64>, Array<'py, i64>)> {
    let (expected, got) = (expected.as_slice()?, got.as_slice()?);
    run_to_arrays(py, || weights::count_discordant(expected, got, width))
}

/// The nodes of the corpus tree that each article visits: (nodes, offsets, visits, depths, impacts).
#[pyfunction]
#[pyo3(signature = (tokens, statistics, *, suffixes, depth, sort, tree))]
pub(crate) fn plant<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    statistics: Statistics<'py>,
    suffixes: usize,
    depth: usize,
    sort: bool,
    tree: bool,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>, Array<'py, u32>, Array<'py, u32>, Array<'py, f64>)> {
    let (Batch { hashes, offsets, .. }, held) = (tokens.batch()?, statistics.frequencies(&tokens)?);
    let ((sentences, sentence_offsets), (words, word_offsets)) = (tokens.sentences()?, tokens.spelling()?);
    let (frequencies, articles) = (held.as_slice()?, statistics.articles);
    let batch =
        codet::Batch { hashes, offsets, sentences, sentence_offsets, words, word_offsets, frequencies, articles };
    let planted = run(py, || codet::plant(batch, codet::Shape { suffixes, depth, sort, tree }))?;
    Ok((planted.nodes, planted.offsets, planted.visits, planted.depths, planted.impacts).into_arrays(py))
}

fn side<'a>(nodes: &'a Nodes<'_>) -> PyResult<codet::Side<'a>> {
    let (hashes, visits, depths, impacts) = &nodes.columns;
    let (visits, depths) = (nodes.rows(visits)?, nodes.rows(depths)?);
    Ok(codet::Side { nodes: nodes.rows(hashes)?, visits, depths, impacts: nodes.rows(impacts)? })
}

/// The containment similarities of each pair: (of query and found, of the query to itself, of the found article to itself).
#[pyfunction]
pub(crate) fn containment_similarities<'py>(
    py: Python<'py>,
    query: Nodes<'py>,
    found: Nodes<'py>,
) -> PyResult<(Array<'py, f64>, Array<'py, f64>, Array<'py, f64>)> {
    let (query, found) = (side(&query)?, side(&found)?);
    run_to_arrays(py, || codet::compare(query, found))
}
