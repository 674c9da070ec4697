//! What single published methods need.

use numpy::IntoPyArray;
use pyo3::prelude::*;

use super::{Array, Slice, run};
use crate::{codet, digests, lengths, sets, signatures, weights};

/// The signature of each article, none where it has no words: (values, offsets).
#[pyfunction]
#[pyo3(name = "signatures")]
pub(crate) fn make_signatures<'py>(
    py: Python<'py>,
    hashes: Slice<'py, u64>,
    offsets: Slice<'py, i64>,
    halves: Option<Slice<'py, u8>>,
    shingle_words: usize,
    signature_values: usize,
) -> PyResult<(Array<'py, u32>, Array<'py, i64>)> {
    let (hashes, offsets, halves) = (hashes.as_slice()?, offsets.as_slice()?, optional!(halves));
    let kernel = || signatures::signatures(hashes, offsets, halves, shingle_words, signature_values);
    let (values, offsets) = run(py, kernel)?;
    Ok((values.into_pyarray(py), offsets.into_pyarray(py)))
}

/// One key for each band of a signature: (values, offsets).
#[pyfunction]
pub(crate) fn band_keys<'py>(
    py: Python<'py>,
    values: Slice<'py, u32>,
    offsets: Slice<'py, i64>,
    bands: usize,
    rows: usize,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>)> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    let (keys, offsets) = run(py, || signatures::band_keys(values, offsets, bands, rows))?;
    Ok((keys.into_pyarray(py), offsets.into_pyarray(py)))
}

/// How many values of its signature row i of one side has in common with row i of the other.
#[pyfunction]
pub(crate) fn count_equal<'py>(
    py: Python<'py>,
    query: Slice<'py, u32>,
    query_starts: Slice<'py, i64>,
    query_ends: Slice<'py, i64>,
    found: Slice<'py, u32>,
    found_starts: Slice<'py, i64>,
    found_ends: Slice<'py, i64>,
) -> PyResult<Array<'py, i64>> {
    let (query, query_starts, query_ends) = (query.as_slice()?, query_starts.as_slice()?, query_ends.as_slice()?);
    let (found, found_starts, found_ends) = (found.as_slice()?, found_starts.as_slice()?, found_ends.as_slice()?);
    let kernel = || {
        let query = sets::Rows::new(query, query_starts, query_ends)?;
        signatures::count_equal(query, sets::Rows::new(found, found_starts, found_ends)?)
    };
    Ok(run(py, kernel)?.into_pyarray(py))
}

/// Words of a batch with their spelling.
fn spelt_words<'a>(
    hashes: &'a Slice<'_, u64>,
    offsets: &'a Slice<'_, i64>,
    words: &'a Slice<'_, u8>,
    word_offsets: &'a Slice<'_, i64>,
    frequencies: Option<&'a Slice<'_, u32>>,
) -> PyResult<digests::Words<'a>> {
    Ok(digests::Words {
        hashes: hashes.as_slice()?,
        offsets: offsets.as_slice()?,
        spelling: words.as_slice()?,
        spelling_offsets: word_offsets.as_slice()?,
        frequencies: optional!(frequencies),
    })
}

/// The MD5 of each sentence's words: (first 64 bits, last 64 bits, offsets).
#[pyfunction]
pub(crate) fn sentence_digests<'py>(
    py: Python<'py>,
    hashes: Slice<'py, u64>,
    offsets: Slice<'py, i64>,
    words: Slice<'py, u8>,
    word_offsets: Slice<'py, i64>,
    sentences: Slice<'py, u32>,
    sentence_offsets: Slice<'py, i64>,
    frequencies: Option<Slice<'py, u32>>,
    most_articles: u32,
    sorted: bool,
) -> PyResult<(Array<'py, u64>, Array<'py, u64>, Array<'py, i64>)> {
    let words = spelt_words(&hashes, &offsets, &words, &word_offsets, frequencies.as_ref())?;
    let (sentences, sentence_offsets) = (sentences.as_slice()?, sentence_offsets.as_slice()?);
    let kernel = || digests::sentence_digests(words, sentences, sentence_offsets, most_articles, sorted);
    let found = run(py, kernel)?;
    Ok((found.first.into_pyarray(py), found.second.into_pyarray(py), found.offsets.into_pyarray(py)))
}

/// The SHA-1 of each article's chosen words, for each lexicon: (first 64 bits, next 64 bits, offsets).
#[pyfunction]
#[pyo3(signature = (hashes, offsets, words, word_offsets, frequencies, *, least_articles, most_articles, rarest_first, skip_words, hash_words, lexicons, left_out_share))]
pub(crate) fn imatch<'py>(
    py: Python<'py>,
    hashes: Slice<'py, u64>,
    offsets: Slice<'py, i64>,
    words: Slice<'py, u8>,
    word_offsets: Slice<'py, i64>,
    frequencies: Slice<'py, u32>,
    least_articles: u32,
    most_articles: u32,
    rarest_first: bool,
    skip_words: usize,
    hash_words: usize,
    lexicons: usize,
    left_out_share: f64,
) -> PyResult<(Array<'py, u64>, Array<'py, u64>, Array<'py, i64>)> {
    let words = spelt_words(&hashes, &offsets, &words, &word_offsets, Some(&frequencies))?;
    let choice = digests::Choice { least_articles, most_articles, rarest_first, skip_words, hash_words };
    let found = run(py, || digests::imatch(words, choice, lexicons, left_out_share))?;
    Ok((found.first.into_pyarray(py), found.second.into_pyarray(py), found.offsets.into_pyarray(py)))
}

/// How many digests of each row stand in the other, each time they occur: (query in found, found in query).
#[pyfunction]
pub(crate) fn count_collisions<'py>(
    py: Python<'py>,
    query_first: Slice<'py, u64>,
    query_second: Slice<'py, u64>,
    query_starts: Slice<'py, i64>,
    query_ends: Slice<'py, i64>,
    found_first: Slice<'py, u64>,
    found_second: Slice<'py, u64>,
    found_starts: Slice<'py, i64>,
    found_ends: Slice<'py, i64>,
) -> PyResult<(Array<'py, i64>, Array<'py, i64>)> {
    let query = [query_first.as_slice()?, query_second.as_slice()?];
    let found = [found_first.as_slice()?, found_second.as_slice()?];
    let (query_starts, query_ends) = (query_starts.as_slice()?, query_ends.as_slice()?);
    let (found_starts, found_ends) = (found_starts.as_slice()?, found_ends.as_slice()?);
    let kernel = || {
        let query_rows = |column| sets::Rows::new(column, query_starts, query_ends);
        let found_rows = |column| sets::Rows::new(column, found_starts, found_ends);
        let query = [query_rows(query[0])?, query_rows(query[1])?];
        digests::count_collisions(query, [found_rows(found[0])?, found_rows(found[1])?])
    };
    let (query_in_found, found_in_query) = run(py, kernel)?;
    Ok((query_in_found.into_pyarray(py), found_in_query.into_pyarray(py)))
}

/// The `SimHash` of each article: (values, offsets).
#[pyfunction]
pub(crate) fn simhash<'py>(
    py: Python<'py>,
    hashes: Slice<'py, u64>,
    offsets: Slice<'py, i64>,
    words: Slice<'py, u8>,
    word_offsets: Slice<'py, i64>,
    frequencies: Slice<'py, u32>,
    articles: u64,
    skip_words: usize,
    bits: usize,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>)> {
    let words = spelt_words(&hashes, &offsets, &words, &word_offsets, Some(&frequencies))?;
    let (values, offsets) = run(py, || digests::simhash(words, articles, skip_words, bits))?;
    Ok((values.into_pyarray(py), offsets.into_pyarray(py)))
}

/// Keys of `SimHashes`, one for each block of bits: (values, offsets).
#[pyfunction]
pub(crate) fn simhash_keys<'py>(
    py: Python<'py>,
    values: Slice<'py, u64>,
    offsets: Slice<'py, i64>,
    bits: usize,
    blocks: usize,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>)> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    let (keys, offsets) = run(py, || digests::simhash_keys(values, offsets, bits, blocks))?;
    Ok((keys.into_pyarray(py), offsets.into_pyarray(py)))
}

/// In how many bits row i of one side differs from row i of the other, -1 where one of them is empty.
#[pyfunction]
pub(crate) fn count_different_bits<'py>(
    py: Python<'py>,
    query: Slice<'py, u64>,
    query_starts: Slice<'py, i64>,
    query_ends: Slice<'py, i64>,
    found: Slice<'py, u64>,
    found_starts: Slice<'py, i64>,
    found_ends: Slice<'py, i64>,
) -> PyResult<Array<'py, i64>> {
    let (query, query_starts, query_ends) = (query.as_slice()?, query_starts.as_slice()?, query_ends.as_slice()?);
    let (found, found_starts, found_ends) = (found.as_slice()?, found_starts.as_slice()?, found_ends.as_slice()?);
    let kernel = || {
        let query = sets::Rows::new(query, query_starts, query_ends)?;
        digests::count_different_bits(query, sets::Rows::new(found, found_starts, found_ends)?)
    };
    Ok(run(py, kernel)?.into_pyarray(py))
}

/// The number of words in each sentence of a batch.
#[pyfunction]
pub(crate) fn sentence_lengths<'py>(
    py: Python<'py>,
    sentences: Slice<'py, u32>,
    sentence_offsets: Slice<'py, i64>,
    word_offsets: Slice<'py, i64>,
) -> PyResult<Array<'py, u32>> {
    let (sentences, sentence_offsets) = (sentences.as_slice()?, sentence_offsets.as_slice()?);
    let word_offsets = word_offsets.as_slice()?;
    Ok(run(py, || lengths::sentence_lengths(sentences, sentence_offsets, word_offsets))?.into_pyarray(py))
}

/// Hashes of the windows of sentence lengths that articles file: (values, offsets).
#[pyfunction]
pub(crate) fn window_hashes<'py>(
    py: Python<'py>,
    lengths: Slice<'py, u32>,
    offsets: Slice<'py, i64>,
    window: usize,
    step: usize,
    dynamic: bool,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>)> {
    let (lengths, offsets) = (lengths.as_slice()?, offsets.as_slice()?);
    let kernel = || lengths::window_hashes(lengths, offsets, lengths::Windows::new(window, step, dynamic)?);
    let (values, offsets) = run(py, kernel)?;
    Ok((values.into_pyarray(py), offsets.into_pyarray(py)))
}

/// How many windows of row i of either side match, and how many each files: (query, found, query filed, found filed).
#[pyfunction]
pub(crate) fn match_windows<'py>(
    py: Python<'py>,
    query: Slice<'py, u32>,
    query_starts: Slice<'py, i64>,
    query_ends: Slice<'py, i64>,
    found: Slice<'py, u32>,
    found_starts: Slice<'py, i64>,
    found_ends: Slice<'py, i64>,
    window: usize,
    step: usize,
    dynamic: bool,
    contiguous: usize,
) -> PyResult<(Array<'py, i64>, Array<'py, i64>, Array<'py, i64>, Array<'py, i64>)> {
    let (query, query_starts, query_ends) = (query.as_slice()?, query_starts.as_slice()?, query_ends.as_slice()?);
    let (found, found_starts, found_ends) = (found.as_slice()?, found_starts.as_slice()?, found_ends.as_slice()?);
    let kernel = || {
        let query = sets::Rows::new(query, query_starts, query_ends)?;
        let found = sets::Rows::new(found, found_starts, found_ends)?;
        lengths::match_windows(query, found, lengths::Windows::new(window, step, dynamic)?, contiguous)
    };
    let matched = run(py, kernel)?;
    Ok((
        matched.query.into_pyarray(py),
        matched.found.into_pyarray(py),
        matched.query_filed.into_pyarray(py),
        matched.found_filed.into_pyarray(py),
    ))
}

/// The offsets of the pieces that the articles of a batch are cut into.
#[pyfunction]
pub(crate) fn cut_pieces<'py>(
    py: Python<'py>,
    words: usize,
    offsets: Slice<'py, i64>,
    halves: Option<Slice<'py, u8>>,
    piece_words: usize,
) -> PyResult<Array<'py, i64>> {
    let (offsets, halves) = (offsets.as_slice()?, optional!(halves));
    Ok(run(py, || weights::cut_pieces(words, offsets, halves, piece_words))?.into_pyarray(py))
}

/// The heaviest terms of each piece of each article: (term hashes, offsets).
#[pyfunction]
pub(crate) fn make_images<'py>(
    py: Python<'py>,
    hashes: Slice<'py, u64>,
    offsets: Slice<'py, i64>,
    halves: Option<Slice<'py, u8>>,
    piece_words: usize,
    image_terms: usize,
    frequencies: Option<Slice<'py, u32>>,
    documents: u32,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>)> {
    let (hashes, offsets, halves) = (hashes.as_slice()?, offsets.as_slice()?, optional!(halves));
    let frequencies = optional!(frequencies).map(|words| weights::Frequencies { words, documents });
    let kernel = || weights::make_images(hashes, offsets, halves, piece_words, image_terms, frequencies);
    let (terms, offsets) = run(py, kernel)?;
    Ok((terms.into_pyarray(py), offsets.into_pyarray(py)))
}

/// Unit vectors of a batch: (terms by rarity, weights, 1 for each key term, offsets).
#[pyfunction]
pub(crate) fn make_vectors<'py>(
    py: Python<'py>,
    hashes: Slice<'py, u64>,
    offsets: Slice<'py, i64>,
    frequencies: Slice<'py, u32>,
    documents: u32,
    threshold: f64,
) -> PyResult<(Array<'py, u64>, Array<'py, f64>, Array<'py, u8>, Array<'py, i64>)> {
    let (hashes, offsets) = (hashes.as_slice()?, offsets.as_slice()?);
    let frequencies = weights::Frequencies { words: frequencies.as_slice()?, documents };
    let vectors = run(py, || weights::make_vectors(hashes, offsets, frequencies, threshold))?;
    Ok((
        vectors.terms.into_pyarray(py),
        vectors.weights.into_pyarray(py),
        vectors.keys.into_pyarray(py),
        vectors.offsets.into_pyarray(py),
    ))
}

/// The cosine of row i of one side and row i of the other.
#[pyfunction]
pub(crate) fn multiply_vectors<'py>(
    py: Python<'py>,
    query: Slice<'py, u64>,
    query_weights: Slice<'py, f64>,
    query_starts: Slice<'py, i64>,
    query_ends: Slice<'py, i64>,
    found: Slice<'py, u64>,
    found_weights: Slice<'py, f64>,
    found_starts: Slice<'py, i64>,
    found_ends: Slice<'py, i64>,
) -> PyResult<Array<'py, f64>> {
    let (query, query_starts, query_ends) = (query.as_slice()?, query_starts.as_slice()?, query_ends.as_slice()?);
    let (found, found_starts, found_ends) = (found.as_slice()?, found_starts.as_slice()?, found_ends.as_slice()?);
    let (query_weights, found_weights) = (query_weights.as_slice()?, found_weights.as_slice()?);
    let kernel = || {
        let query = weights::Terms::new(query, query_weights, query_starts, query_ends)?;
        weights::multiply_vectors(query, weights::Terms::new(found, found_weights, found_starts, found_ends)?)
    };
    Ok(run(py, kernel)?.into_pyarray(py))
}

/// Pairs of each row that two rankings put in opposite order, and that only the second puts level.
#[pyfunction]
pub(crate) fn count_discordant<'py>(
    py: Python<'py>,
    expected: Slice<'py, f64>,
    got: Slice<'py, f64>,
    width: usize,
) -> PyResult<(Array<'py, i64>, Array<'py, i64>)> {
    let (expected, got) = (expected.as_slice()?, got.as_slice()?);
    let (discordant, level) = run(py, || weights::count_discordant(expected, got, width))?;
    Ok((discordant.into_pyarray(py), level.into_pyarray(py)))
}

/// Nodes of the corpus tree that each article visits: (nodes, offsets, visits, depths, impacts).
#[pyfunction]
pub(crate) fn plant<'py>(
    py: Python<'py>,
    hashes: Slice<'py, u64>,
    offsets: Slice<'py, i64>,
    sentences: Slice<'py, u32>,
    sentence_offsets: Slice<'py, i64>,
    words: Slice<'py, u8>,
    word_offsets: Slice<'py, i64>,
    frequencies: Slice<'py, u32>,
    articles: u64,
    suffixes: usize,
    depth: usize,
    sort: bool,
    tree: bool,
) -> PyResult<(Array<'py, u64>, Array<'py, i64>, Array<'py, u32>, Array<'py, u32>, Array<'py, f64>)> {
    let batch = codet::Batch {
        hashes: hashes.as_slice()?,
        offsets: offsets.as_slice()?,
        sentences: sentences.as_slice()?,
        sentence_offsets: sentence_offsets.as_slice()?,
        words: words.as_slice()?,
        word_offsets: word_offsets.as_slice()?,
        frequencies: frequencies.as_slice()?,
        articles,
    };
    let planted = run(py, || codet::plant(batch, codet::Shape { suffixes, depth, sort, tree }))?;
    Ok((
        planted.nodes.into_pyarray(py),
        planted.offsets.into_pyarray(py),
        planted.visits.into_pyarray(py),
        planted.depths.into_pyarray(py),
        planted.impacts.into_pyarray(py),
    ))
}

/// Containment similarities of pairs: (of query and found, of the query to itself, of the found article to itself).
#[pyfunction]
pub(crate) fn containment_similarities<'py>(
    py: Python<'py>,
    query_nodes: Slice<'py, u64>,
    query_visits: Slice<'py, u32>,
    query_depths: Slice<'py, u32>,
    query_impacts: Slice<'py, f64>,
    query_starts: Slice<'py, i64>,
    query_ends: Slice<'py, i64>,
    found_nodes: Slice<'py, u64>,
    found_visits: Slice<'py, u32>,
    found_depths: Slice<'py, u32>,
    found_impacts: Slice<'py, f64>,
    found_starts: Slice<'py, i64>,
    found_ends: Slice<'py, i64>,
) -> PyResult<(Array<'py, f64>, Array<'py, f64>, Array<'py, f64>)> {
    let (query_nodes, query_visits) = (query_nodes.as_slice()?, query_visits.as_slice()?);
    let (query_depths, query_impacts) = (query_depths.as_slice()?, query_impacts.as_slice()?);
    let (query_starts, query_ends) = (query_starts.as_slice()?, query_ends.as_slice()?);
    let (found_nodes, found_visits) = (found_nodes.as_slice()?, found_visits.as_slice()?);
    let (found_depths, found_impacts) = (found_depths.as_slice()?, found_impacts.as_slice()?);
    let (found_starts, found_ends) = (found_starts.as_slice()?, found_ends.as_slice()?);
    let kernel = || {
        codet::compare(
            codet::Side::new(query_nodes, query_visits, query_depths, query_impacts, query_starts, query_ends)?,
            codet::Side::new(found_nodes, found_visits, found_depths, found_impacts, found_starts, found_ends)?,
        )
    };
    let similarities = run(py, kernel)?;
    Ok((similarities.shared.into_pyarray(py), similarities.query.into_pyarray(py), similarities.found.into_pyarray(py)))
}
