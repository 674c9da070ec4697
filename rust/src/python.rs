//! The only file that knows Python: arguments in, GIL released, kernel called, error converted.
#![allow(clippy::needless_pass_by_value, clippy::wildcard_imports, clippy::too_many_arguments, clippy::type_complexity)]

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyDict;

use crate::{
    Result, align, boilerplate, candidates, codet, crf, dates, digests, encoding, extract, features, html, jsonl,
    lengths, matches, metadata, models, postings, sets, sharing, shingles, signatures, statistics, text, trees,
    weights, words,
};

type Array<'py, T> = Bound<'py, PyArray1<T>>;
type Slice<'py, T> = PyReadonlyArray1<'py, T>;

type JsonLines<'py> = (
    Array<'py, u8>,
    Array<'py, i64>,
    Vec<String>,
    Array<'py, i64>,
    Vec<(usize, String)>,
    Option<Vec<String>>,
    Array<'py, i64>,
    Vec<(i64, String)>,
);

/// Every binding goes through here: the kernel runs without the GIL, its complaint becomes a `ValueError`.
fn run<T: Send>(py: Python<'_>, kernel: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(kernel).map_err(|invalid| PyValueError::new_err(invalid.0))
}

type Spans<'py> = Option<Array<'py, u32>>;
type Tokens<'py> = (
    Array<'py, u64>,
    Array<'py, i64>,
    Option<Array<'py, u8>>,
    Spans<'py>,
    Spans<'py>,
    Spans<'py>,
    Option<Array<'py, i64>>,
    Option<Array<'py, u8>>,
    Option<Array<'py, i64>>,
);

/// A block's text, whether it is content, its score, path and reasons.
type PlainBlock = (String, bool, f64, String, Vec<(String, f64)>);

/// Title, author, published, location, source, language, url and agency.
fn plain_metadata(found: metadata::Metadata) -> [Option<String>; 8] {
    [found.title, found.author, found.published, found.location, found.source, found.language, found.url, found.agency]
}

/// A tree's value, at, yes, no and score.
type PlainTree = (Vec<i32>, Vec<f32>, Vec<u32>, Vec<u32>, Vec<f32>);

/// An optional array as an optional slice.
macro_rules! optional {
    ($array:expr) => {
        $array.as_ref().map(|array| array.as_slice()).transpose()?
    };
}

#[pymodule]
mod _core {
    use super::*;

    /// What reading a text depends on.
    #[pymodule_export]
    const TEXT_VERSION: &str = text::TEXT_VERSION;

    /// Words of a batch: (hashes, offsets, halves, starts, ends, sentences, sentence offsets, words, word offsets).
    #[pyfunction]
    #[pyo3(signature = (text, offsets, *, diacritics, sentences, stopwords, stemmer, spans, words))]
    fn tokenise<'py>(
        py: Python<'py>,
        text: PyReadonlyArray1<'py, u8>,
        offsets: PyReadonlyArray1<'py, i64>,
        diacritics: bool,
        sentences: Option<String>,
        stopwords: String,
        stemmer: String,
        spans: bool,
        words: bool,
    ) -> PyResult<Tokens<'py>> {
        let (bytes, offsets) = (text.as_slice()?, offsets.as_slice()?);
        let view = text::View { diacritics, sentences, stopwords, stemmer };
        let tokens = run(py, || text::tokenise(bytes, offsets, &view, text::Want { spans, words }))?;
        let (starts, ends) = tokens.spans.unzip();
        let (sentences, sentence_offsets) = tokens.sentences.unzip();
        let (words, word_offsets) = tokens.words.unzip();
        Ok((
            tokens.hashes.into_pyarray(py),
            tokens.offsets.into_pyarray(py),
            tokens.halves.map(|part| part.into_pyarray(py)),
            starts.map(|part| part.into_pyarray(py)),
            ends.map(|part| part.into_pyarray(py)),
            sentences.map(|part| part.into_pyarray(py)),
            sentence_offsets.map(|part| part.into_pyarray(py)),
            words.map(|part| part.into_pyarray(py)),
            word_offsets.map(|part| part.into_pyarray(py)),
        ))
    }

    /// Records of JSON lines: (text, offsets, ids, published, other dates, titles, lines, bad lines); no titles if they
    /// have no names.
    #[pyfunction]
    fn read_jsonl<'py>(
        py: Python<'py>,
        data: PyReadonlyArray1<'py, u8>,
        text_names: Vec<String>,
        id_names: Vec<String>,
        published_names: Vec<String>,
        title_names: Vec<String>,
        max_record_bytes: usize,
    ) -> PyResult<JsonLines<'py>> {
        let data = data.as_slice()?;
        let names = jsonl::Names { text: &text_names, id: &id_names, published: &published_names, title: &title_names };
        let records = run(py, || Ok(jsonl::read_jsonl(data, names, max_record_bytes)))?;
        Ok((
            records.text.into_pyarray(py),
            records.offsets.into_pyarray(py),
            records.ids,
            records.published.into_pyarray(py),
            records.other_dates,
            records.titles,
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

    /// Marks evidence of some holders of a key that many hold.
    #[pymodule_export]
    const LINKED: u32 = postings::LINKED;

    /// One shard of a batch's postings, opaque to Python.
    #[pyclass(frozen)]
    struct Postings(postings::Postings);

    #[pymethods]
    impl Postings {
        fn __len__(&self) -> usize {
            self.0.len()
        }
    }

    /// Distinct words of a batch, sorted, and in how many articles each occurs.
    #[pyfunction]
    fn count_articles<'py>(
        py: Python<'py>,
        hashes: Slice<'py, u64>,
        offsets: Slice<'py, i64>,
    ) -> PyResult<(Array<'py, u64>, Array<'py, u32>)> {
        let (hashes, offsets) = (hashes.as_slice()?, offsets.as_slice()?);
        let (words, articles) = run(py, || statistics::count_articles(hashes, offsets))?;
        Ok((words.into_pyarray(py), articles.into_pyarray(py)))
    }

    /// Winnowed shingles of a batch: (values, offsets, starts, ends).
    #[pyfunction]
    fn winnow<'py>(
        py: Python<'py>,
        hashes: Slice<'py, u64>,
        offsets: Slice<'py, i64>,
        halves: Option<Slice<'py, u8>>,
        shingle_words: usize,
        window_words: usize,
    ) -> PyResult<(Array<'py, u64>, Array<'py, i64>, Array<'py, u32>, Array<'py, u32>)> {
        let (hashes, offsets, halves) = (hashes.as_slice()?, offsets.as_slice()?, optional!(halves));
        let keys = run(py, || shingles::winnow(hashes, offsets, halves, shingle_words, window_words))?;
        Ok((
            keys.values.into_pyarray(py),
            keys.offsets.into_pyarray(py),
            keys.starts.into_pyarray(py),
            keys.ends.into_pyarray(py),
        ))
    }

    /// One hash for all words of each article: (values, offsets).
    #[pyfunction]
    fn whole_hashes<'py>(
        py: Python<'py>,
        hashes: Slice<'py, u64>,
        offsets: Slice<'py, i64>,
    ) -> PyResult<(Array<'py, u64>, Array<'py, i64>)> {
        let (hashes, offsets) = (hashes.as_slice()?, offsets.as_slice()?);
        let (values, offsets) = run(py, || shingles::whole_hashes(hashes, offsets))?;
        Ok((values.into_pyarray(py), offsets.into_pyarray(py)))
    }

    /// The values of each row sorted, each once: (values, offsets).
    #[pyfunction]
    fn distinct<'py>(
        py: Python<'py>,
        values: Slice<'py, u64>,
        offsets: Slice<'py, i64>,
    ) -> PyResult<(Array<'py, u64>, Array<'py, i64>)> {
        let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
        let (values, offsets) = run(py, || sets::distinct(values, offsets))?;
        Ok((values.into_pyarray(py), offsets.into_pyarray(py)))
    }

    /// How many distinct values row i of one side shares with row i of the other, and how many each has.
    #[pyfunction]
    fn count_shared<'py>(
        py: Python<'py>,
        query: Slice<'py, u64>,
        query_starts: Slice<'py, i64>,
        query_ends: Slice<'py, i64>,
        found: Slice<'py, u64>,
        found_starts: Slice<'py, i64>,
        found_ends: Slice<'py, i64>,
    ) -> PyResult<(Array<'py, i64>, Array<'py, i64>, Array<'py, i64>)> {
        let (query, query_starts, query_ends) = (query.as_slice()?, query_starts.as_slice()?, query_ends.as_slice()?);
        let (found, found_starts, found_ends) = (found.as_slice()?, found_starts.as_slice()?, found_ends.as_slice()?);
        let kernel = || {
            let query = sets::Rows::new(query, query_starts, query_ends)?;
            sets::count_shared(query, sets::Rows::new(found, found_starts, found_ends)?)
        };
        let counts = run(py, kernel)?;
        Ok((counts.shared.into_pyarray(py), counts.query.into_pyarray(py), counts.found.into_pyarray(py)))
    }

    /// A number for each of some hashes, opaque to Python.
    #[pyclass(frozen)]
    struct Numbers(sets::Numbers);

    #[pymethods]
    impl Numbers {
        #[new]
        fn new<'py>(py: Python<'py>, hashes: Slice<'py, u64>, numbers: Slice<'py, u32>) -> PyResult<Self> {
            let (hashes, numbers) = (hashes.as_slice()?, numbers.as_slice()?);
            Ok(Self(run(py, || sets::Numbers::new(hashes, numbers))?))
        }

        /// The number of each hash, the largest uint32 where it has none.
        fn look_up<'py>(&self, py: Python<'py>, hashes: Slice<'py, u64>) -> PyResult<Array<'py, u32>> {
            let hashes = hashes.as_slice()?;
            let numbers: Vec<u32> = run(py, || Ok(hashes.iter().map(|hash| self.0.get(*hash)).collect()))?;
            Ok(numbers.into_pyarray(py))
        }
    }

    /// Distinct shingles of words of each article, sorted: (values, offsets).
    #[pyfunction]
    #[pyo3(signature = (hashes, offsets, halves, shingle_words, *, step_words=1, modulus=1, whole=true))]
    fn shingle_sets<'py>(
        py: Python<'py>,
        hashes: Slice<'py, u64>,
        offsets: Slice<'py, i64>,
        halves: Option<Slice<'py, u8>>,
        shingle_words: usize,
        step_words: usize,
        modulus: u64,
        whole: bool,
    ) -> PyResult<(Array<'py, u64>, Array<'py, i64>)> {
        let (hashes, offsets, halves) = (hashes.as_slice()?, offsets.as_slice()?, optional!(halves));
        let shingling = sets::Shingling { length: shingle_words, step: step_words, modulus, whole };
        let (values, offsets) = run(py, || sets::shingle_sets(hashes, offsets, halves, shingling))?;
        Ok((values.into_pyarray(py), offsets.into_pyarray(py)))
    }

    /// Distinct shingles of characters of each article, sorted: (values, offsets).
    #[pyfunction]
    fn character_sets<'py>(
        py: Python<'py>,
        text: Slice<'py, u8>,
        offsets: Slice<'py, i64>,
        shingle_characters: usize,
        modulus: u64,
    ) -> PyResult<(Array<'py, u64>, Array<'py, i64>)> {
        let (text, offsets) = (text.as_slice()?, offsets.as_slice()?);
        let shingling = sets::Shingling { length: shingle_characters, step: 1, modulus, whole: true };
        let (values, offsets) = run(py, || sets::character_sets(text, offsets, shingling))?;
        Ok((values.into_pyarray(py), offsets.into_pyarray(py)))
    }

    /// Number of the way signatures are made.
    #[pymodule_export]
    const SIGNATURE_SCHEME: u64 = signatures::SCHEME;

    /// The signature of each article, none where it has no words: (values, offsets).
    #[pyfunction]
    #[pyo3(name = "signatures")]
    fn make_signatures<'py>(
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
    fn band_keys<'py>(
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
    fn count_equal<'py>(
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

    /// The MD5 of each sentence's words: (first 64 bits, last 64 bits, offsets).
    #[pyfunction]
    fn sentence_digests<'py>(
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
        let words = digests::Words {
            hashes: hashes.as_slice()?,
            offsets: offsets.as_slice()?,
            spelling: words.as_slice()?,
            spelling_offsets: word_offsets.as_slice()?,
            frequencies: optional!(frequencies),
        };
        let (sentences, sentence_offsets) = (sentences.as_slice()?, sentence_offsets.as_slice()?);
        let kernel = || digests::sentence_digests(words, sentences, sentence_offsets, most_articles, sorted);
        let found = run(py, kernel)?;
        Ok((found.first.into_pyarray(py), found.second.into_pyarray(py), found.offsets.into_pyarray(py)))
    }

    /// The SHA-1 of each article's chosen words, for each lexicon: (first 64 bits, next 64 bits, offsets).
    #[pyfunction]
    #[pyo3(signature = (hashes, offsets, words, word_offsets, frequencies, *, least_articles, most_articles, rarest_first, skip_words, hash_words, lexicons, left_out_share))]
    fn imatch<'py>(
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
        let words = digests::Words {
            hashes: hashes.as_slice()?,
            offsets: offsets.as_slice()?,
            spelling: words.as_slice()?,
            spelling_offsets: word_offsets.as_slice()?,
            frequencies: Some(frequencies.as_slice()?),
        };
        let choice = digests::Choice { least_articles, most_articles, rarest_first, skip_words, hash_words };
        let found = run(py, || digests::imatch(words, choice, lexicons, left_out_share))?;
        Ok((found.first.into_pyarray(py), found.second.into_pyarray(py), found.offsets.into_pyarray(py)))
    }

    /// How many digests of each row stand in the other, each time they occur: (query in found, found in query).
    #[pyfunction]
    fn count_collisions<'py>(
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
    fn simhash<'py>(
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
        let words = digests::Words {
            hashes: hashes.as_slice()?,
            offsets: offsets.as_slice()?,
            spelling: words.as_slice()?,
            spelling_offsets: word_offsets.as_slice()?,
            frequencies: Some(frequencies.as_slice()?),
        };
        let (values, offsets) = run(py, || digests::simhash(words, articles, skip_words, bits))?;
        Ok((values.into_pyarray(py), offsets.into_pyarray(py)))
    }

    /// Keys of `SimHashes`, one for each block of bits: (values, offsets).
    #[pyfunction]
    fn simhash_keys<'py>(
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
    fn count_different_bits<'py>(
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
    fn sentence_lengths<'py>(
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
    fn window_hashes<'py>(
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
    fn match_windows<'py>(
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
    fn cut_pieces<'py>(
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
    fn make_images<'py>(
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
    fn make_vectors<'py>(
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
    fn multiply_vectors<'py>(
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

    /// Whether the cosine of row i of one side and row i of the other may reach the threshold.
    #[pyfunction]
    fn may_reach<'py>(
        py: Python<'py>,
        query: Slice<'py, u64>,
        query_weights: Slice<'py, f64>,
        query_starts: Slice<'py, i64>,
        query_ends: Slice<'py, i64>,
        found: Slice<'py, u64>,
        found_weights: Slice<'py, f64>,
        found_starts: Slice<'py, i64>,
        found_ends: Slice<'py, i64>,
        threshold: f64,
    ) -> PyResult<Array<'py, bool>> {
        let (query, query_starts, query_ends) = (query.as_slice()?, query_starts.as_slice()?, query_ends.as_slice()?);
        let (found, found_starts, found_ends) = (found.as_slice()?, found_starts.as_slice()?, found_ends.as_slice()?);
        let (query_weights, found_weights) = (query_weights.as_slice()?, found_weights.as_slice()?);
        let kernel = || {
            let query = weights::Terms::new(query, query_weights, query_starts, query_ends)?;
            weights::may_reach(query, weights::Terms::new(found, found_weights, found_starts, found_ends)?, threshold)
        };
        Ok(run(py, kernel)?.into_pyarray(py))
    }

    /// Pairs of each row that two rankings put in opposite order, and that only the second puts level.
    #[pyfunction]
    fn count_discordant<'py>(
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
    fn plant<'py>(
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
    fn containment_similarities<'py>(
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
        Ok((
            similarities.shared.into_pyarray(py),
            similarities.query.into_pyarray(py),
            similarities.found.into_pyarray(py),
        ))
    }

    /// A model of which blocks are the article, from its JSON form.
    #[pyclass(frozen)]
    struct Model {
        model: models::Model,
    }

    #[pymethods]
    impl Model {
        #[new]
        fn new(py: Python<'_>, json: &str) -> PyResult<Self> {
            Ok(Self { model: run(py, || models::Model::parse(json))? })
        }
    }

    /// The articles of pages, given as (content, charset, url, received): (text, complaint, metadata, blocks) each. The
    /// metadata are title, author, published, location, source, language, url, agency; a block is (text, content, score, path, reasons).
    #[pyfunction]
    fn extract_pages(
        py: Python<'_>,
        pages: Vec<(PyBackedBytes, Option<String>, Option<String>, Option<i64>)>,
        model: &Model,
        min_block_words: f32,
        blocks: bool,
        max_bytes: usize,
        max_tags: usize,
    ) -> PyResult<Vec<(String, Option<String>, [Option<String>; 8], Vec<PlainBlock>)>> {
        let limits = html::Limits { bytes: max_bytes, tags: max_tags };
        let wanted = extract::Wanted { min_block_words, blocks, limits };
        let take =
            |(content, charset, url, received): &(PyBackedBytes, Option<String>, Option<String>, Option<i64>)| {
                let page = extract::Received {
                    content,
                    charset: charset.as_deref(),
                    url: url.as_deref(),
                    received: *received,
                };
                match extract::extract(page, &model.model, wanted) {
                    Ok(found) => {
                        let plain =
                            |block: extract::Told| (block.text, block.content, block.score, block.path, block.reasons);
                        (
                            found.text,
                            None,
                            plain_metadata(found.metadata),
                            found.blocks.into_iter().map(plain).collect(),
                        )
                    }
                    Err(invalid) => (String::new(), Some(invalid.0), Default::default(), Vec::new()),
                }
            };
        run(py, || Ok(pages.iter().map(take).collect()))
    }

    /// Names of the values of a block, and whether each is an amount.
    #[pyfunction]
    fn feature_names(with_context: bool) -> Vec<(String, bool)> {
        features::names(with_context).into_iter().map(|(name, kind)| (name, kind == features::Kind::Amount)).collect()
    }

    /// What can be seen of a page's blocks: (values, words, word offsets); with `likely`, only of those that are at least
    /// `again`, and with what it says about them.
    #[pyfunction]
    fn look_at<'py>(
        py: Python<'py>,
        page: PyBackedBytes,
        charset: Option<String>,
        likely: Option<Slice<'py, f32>>,
        again: f32,
        max_bytes: usize,
        max_tags: usize,
    ) -> PyResult<(Array<'py, f32>, Array<'py, u64>, Array<'py, i64>)> {
        let likely = optional!(likely);
        let (values, words, offsets) = run(py, || {
            let text = encoding::decode(&page, charset.as_deref());
            let limits = html::Limits { bytes: max_bytes, tags: max_tags };
            let page = html::read(&text, limits, html::Reading::Rendered)?;
            if let Some(likely) = likely.filter(|likely| likely.len() != page.blocks.len()) {
                let message = format!("expected {} likelihoods, got {}", page.blocks.len(), likely.len());
                return Err(crate::Invalid(message));
            }
            let sight = features::Sight::of(&page);
            let (words, offsets) = sight.words();
            let words: Vec<u64> = words.iter().map(|word| word.hash).collect();
            let offsets: Vec<i64> = offsets.iter().map(|offset| *offset as i64).collect();
            let values = match likely {
                None => sight.values(),
                Some(likely) => {
                    let open: Vec<usize> = (0..likely.len()).filter(|block| likely[*block] >= again).collect();
                    sight.values_again(likely, &open)
                }
            };
            Ok((values, words, offsets))
        })?;
        Ok((values.into_pyarray(py), words.into_pyarray(py), offsets.into_pyarray(py)))
    }

    /// Hash and spelling, in small letters, of each word of a page.
    #[pyfunction]
    fn spell_words(
        py: Python<'_>,
        page: PyBackedBytes,
        charset: Option<String>,
        max_bytes: usize,
        max_tags: usize,
    ) -> PyResult<Vec<(u64, String)>> {
        run(py, || {
            let text = encoding::decode(&page, charset.as_deref());
            let limits = html::Limits { bytes: max_bytes, tags: max_tags };
            let page = html::read(&text, limits, html::Reading::Rendered)?;
            let sight = features::Sight::of(&page);
            Ok((0..page.blocks.len()).flat_map(|block| sight.spelt(block)).collect())
        })
    }

    /// The hashes of a text's words, as content extraction splits them.
    #[pyfunction]
    fn split_words<'py>(py: Python<'py>, text: &str) -> PyResult<Array<'py, u64>> {
        let hashes: Vec<u64> = run(py, || {
            let mut found = Vec::new();
            words::split(text, &mut found);
            Ok(found.iter().map(|word| word.hash).collect())
        })?;
        Ok(hashes.into_pyarray(py))
    }

    /// The score of each row by a tree over bins.
    #[pyfunction]
    fn walk_tree<'py>(
        py: Python<'py>,
        bins: Slice<'py, u8>,
        is_amount: Vec<bool>,
        tree: PlainTree,
    ) -> PyResult<Array<'py, f32>> {
        let bins = bins.as_slice()?;
        let (value, at, yes, no, score) = tree;
        let tree = trees::Tree { value, at, yes, no, score };
        let scores = run(py, || {
            let rows = bins.len() / is_amount.len().max(1);
            trees::Forest::new(std::slice::from_ref(&tree), &is_amount)?;
            Ok(trees::walk_bins(&tree, trees::Binned { bins, rows, columns: &[], is_amount: &is_amount }))
        })?;
        Ok(scores.into_pyarray(py))
    }

    /// Best labels and how likely CONTENT is, for sequences of scores.
    #[pyfunction]
    fn crf_label<'py>(
        py: Python<'py>,
        scores: Slice<'py, f64>,
        sequences: Slice<'py, i64>,
        transitions: crf::Transitions,
    ) -> PyResult<(Array<'py, bool>, Array<'py, f64>)> {
        let (scores, sequences) = (scores.as_slice()?, sequences.as_slice()?);
        let (labels, likely) = run(py, || {
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
        })?;
        Ok((labels.into_pyarray(py), likely.into_pyarray(py)))
    }

    /// A tree grown where the slope points: ((value, at, yes, no, score), score of each row); `at` holds bins.
    #[pyfunction]
    fn grow_tree<'py>(
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
        Ok(((tree.value, tree.at, tree.yes, tree.no, tree.score), scores.into_pyarray(py)))
    }

    /// How likely CONTENT is, how often each transition is expected, and the loss, for labelled sequences of scores.
    #[pyfunction]
    fn crf_expect<'py>(
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
        Ok((likely.into_pyarray(py), gradient, loss))
    }

    /// What a page says about its article: (title, author, published, location, source, language, url, agency).
    #[pyfunction]
    #[pyo3(signature = (page, charset=None, url=None, received=None))]
    fn page_metadata(
        py: Python<'_>,
        page: PyBackedBytes,
        charset: Option<String>,
        url: Option<String>,
        received: Option<i64>,
    ) -> PyResult<[Option<String>; 8]> {
        run(py, || {
            let text = encoding::decode(&page, charset.as_deref());
            let page = html::read(&text, html::Limits { bytes: 20 << 20, tags: 1_000_000 }, html::Reading::Rendered)?;
            let found = metadata::metadata(&page, url.as_deref(), received);
            Ok(plain_metadata(found))
        })
    }

    /// Where a text was written and which agency it is from: (location, agency).
    #[pyfunction]
    fn dateline(py: Python<'_>, text: String) -> PyResult<(Option<String>, Option<&'static str>)> {
        run(py, || Ok(metadata::agencies::dateline(&text)))
    }

    /// The first date in a text, in ISO 8601.
    #[pyfunction]
    fn read_date(py: Python<'_>, text: String, month_first: bool) -> PyResult<Option<String>> {
        run(py, || Ok(metadata::dates::read(&text, month_first).map(|date| date.iso)))
    }

    /// File a batch's keys, shard by shard.
    #[pyfunction]
    fn file<'py>(
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

    /// Into how many ranges keys are cut.
    #[pymodule_export]
    const PARTS: usize = sharing::PARTS;

    /// The sorted keys of one range, opaque to Python.
    #[pyclass(frozen)]
    struct Part(sharing::Part);

    /// Sorts the keys of one range.
    #[pyfunction]
    fn file_part<'py>(
        py: Python<'py>,
        values: Slice<'py, u64>,
        starts: Slice<'py, i64>,
        ends: Slice<'py, i64>,
        part: usize,
        all: bool,
    ) -> PyResult<Part> {
        let (values, starts, ends) = (values.as_slice()?, starts.as_slice()?, ends.as_slice()?);
        Ok(Part(run(py, || sharing::file_part(sets::Rows::new(values, starts, ends)?, part, all))?))
    }

    /// The articles of a collection by their rarest keys, opaque to Python.
    #[pyclass(frozen)]
    struct Prefixes(sharing::Prefixes);

    /// The keys of a collection and who holds them.
    #[pyclass]
    struct Index(sharing::Index);

    #[pymethods]
    impl Index {
        #[new]
        fn new<'py>(
            py: Python<'py>,
            values: Slice<'py, u64>,
            starts: Slice<'py, i64>,
            ends: Slice<'py, i64>,
            parts: Vec<PyRef<'py, Part>>,
        ) -> PyResult<Self> {
            let (values, starts, ends) = (values.as_slice()?, starts.as_slice()?, ends.as_slice()?);
            let parts: Vec<&sharing::Part> = parts.iter().map(|part| &part.0).collect();
            Ok(Self(run(py, || sharing::Index::new(sets::Rows::new(values, starts, ends)?, &parts))?))
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

        /// How many distinct keys each article has.
        fn sizes<'py>(&self, py: Python<'py>) -> Array<'py, i64> {
            self.0.sizes().into_pyarray(py)
        }

        /// What finds the pairs that share at least so many keys.
        fn limit<'py>(&self, py: Python<'py>, least: Slice<'py, i64>, mutual: bool) -> PyResult<Prefixes> {
            let least = least.as_slice()?;
            Ok(Prefixes(run(py, || self.0.limit(least, mutual))?))
        }

        /// How many earlier articles each later one is looked up in at most, repeats included.
        fn work<'py>(&self, py: Python<'py>, prefixes: &Prefixes) -> PyResult<Array<'py, i64>> {
            Ok(run(py, || self.0.work(&prefixes.0))?.into_pyarray(py))
        }

        /// Pairs that share keys, and the article to go on with.
        fn pairs<'py>(
            &self,
            py: Python<'py>,
            prefixes: &Prefixes,
            from_rank: usize,
            to_rank: usize,
            most: usize,
        ) -> PyResult<(Array<'py, u32>, Array<'py, u32>, usize)> {
            let pairs = run(py, || self.0.pairs(&prefixes.0, from_rank, to_rank, most))?;
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

    /// The evidence of one shard, as a dictionary of columns.
    #[pyfunction]
    fn collide<'py>(
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
        let limits =
            postings::Limits { all_holders, links, settled_words, shingle_words, grouped_words, common_holders };
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
        Ok(columns)
    }

    /// The common keys that may be boilerplate, as a dictionary of columns.
    #[pyfunction]
    fn suspect<'py>(
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
    fn nominate<'py>(
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
    fn components<'py>(
        py: Python<'py>,
        articles: usize,
        later: Slice<'py, u32>,
        earlier: Slice<'py, u32>,
    ) -> PyResult<Array<'py, u32>> {
        let (later, earlier) = (later.as_slice()?, earlier.as_slice()?);
        Ok(run(py, || candidates::components(articles, later, earlier))?.into_pyarray(py))
    }

    /// Shingles around the given places that many of the articles share.
    #[pyfunction]
    fn common_shingles<'py>(
        py: Python<'py>,
        hashes: Slice<'py, u64>,
        offsets: Slice<'py, i64>,
        halves: Option<Slice<'py, u8>>,
        rows: Slice<'py, u32>,
        places: Slice<'py, u32>,
        reach_words: usize,
        least: usize,
    ) -> PyResult<Array<'py, u64>> {
        let batch =
            align::Batch { hashes: hashes.as_slice()?, offsets: offsets.as_slice()?, halves: optional!(halves) };
        let (rows, places) = (rows.as_slice()?, places.as_slice()?);
        let kernel = || boilerplate::common_shingles(batch, rows, places, reach_words, least);
        Ok(run(py, kernel)?.into_pyarray(py))
    }

    /// A mark for each word: 1 where it is boilerplate.
    #[pyfunction]
    fn mark_boilerplate<'py>(
        py: Python<'py>,
        hashes: Slice<'py, u64>,
        offsets: Slice<'py, i64>,
        halves: Option<Slice<'py, u8>>,
        shingles: Slice<'py, u64>,
        gap_words: usize,
    ) -> PyResult<Array<'py, u8>> {
        let batch =
            align::Batch { hashes: hashes.as_slice()?, offsets: offsets.as_slice()?, halves: optional!(halves) };
        let shingles = shingles.as_slice()?;
        let kernel = || boilerplate::mark_boilerplate(batch, &boilerplate::Formulas::new(shingles, gap_words));
        Ok(run(py, kernel)?.into_pyarray(py))
    }

    /// Compare pairs of rows; a dictionary of columns, passages in word numbers.
    #[pyfunction]
    fn compare<'py>(
        py: Python<'py>,
        hashes: Slice<'py, u64>,
        offsets: Slice<'py, i64>,
        halves: Option<Slice<'py, u8>>,
        formulas: Slice<'py, u64>,
        formula_gap_words: usize,
        queries: Slice<'py, u32>,
        founds: Slice<'py, u32>,
        seed_words: usize,
        bridged_words: usize,
        min_passage_words: usize,
        covered: f64,
        gap_words_a_word: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let batch =
            align::Batch { hashes: hashes.as_slice()?, offsets: offsets.as_slice()?, halves: optional!(halves) };
        let (formulas, queries, founds) = (formulas.as_slice()?, queries.as_slice()?, founds.as_slice()?);
        let settings = align::Settings { seed_words, bridged_words, min_passage_words, covered, gap_words_a_word };
        let answers = run(py, || {
            let formulas = boilerplate::Formulas::new(formulas, formula_gap_words);
            align::compare(batch, &formulas, queries, founds, settings)
        })?;
        let mut offsets = vec![0_i64];
        offsets.extend(answers.iter().scan(0, |sum, answer| {
            *sum += answer.passages.len() as i64;
            Some(*sum)
        }));
        let passages = || answers.iter().flat_map(|answer| &answer.passages);
        let columns = PyDict::new(py);
        let identical: Vec<u8> = answers.iter().map(|answer| u8::from(answer.identical)).collect();
        columns.set_item("identical", identical.into_pyarray(py))?;
        let share = |get: fn(&align::Comparison) -> f64| answers.iter().map(get).collect::<Vec<f64>>().into_pyarray(py);
        columns.set_item("query_covered", share(|answer| answer.query_covered))?;
        columns.set_item("found_covered", share(|answer| answer.found_covered))?;
        columns.set_item("resemblance", share(|answer| answer.resemblance))?;
        columns.set_item("passage_offsets", offsets.into_pyarray(py))?;
        let number = |get: fn(&align::Passage) -> u32| passages().map(get).collect::<Vec<u32>>().into_pyarray(py);
        columns.set_item("query_start", number(|passage| passage.query.0))?;
        columns.set_item("query_end", number(|passage| passage.query.1))?;
        columns.set_item("found_start", number(|passage| passage.found.0))?;
        columns.set_item("found_end", number(|passage| passage.found.1))?;
        columns.set_item("words", number(|passage| passage.words))?;
        columns.set_item("changed", number(|passage| passage.changed))?;
        Ok(columns)
    }

    /// Matches from `start` to `end` as lines of JSON.
    #[pyfunction]
    fn match_lines<'py>(
        py: Python<'py>,
        queries: Slice<'py, i64>,
        founds: Slice<'py, i64>,
        relations: Slice<'py, i8>,
        query_covered: Slice<'py, f64>,
        found_covered: Slice<'py, f64>,
        resemblance: Slice<'py, f64>,
        passage_offsets: Slice<'py, i64>,
        passages: Slice<'py, u32>,
        nominated: Slice<'py, u8>,
        start: usize,
        end: usize,
        ids: Vec<PyBackedStr>,
        relation_names: Vec<String>,
        method_names: Vec<String>,
    ) -> PyResult<String> {
        let columns = matches::Columns {
            queries: queries.as_slice()?,
            founds: founds.as_slice()?,
            relations: relations.as_slice()?,
            shares: [query_covered.as_slice()?, found_covered.as_slice()?, resemblance.as_slice()?],
            passage_offsets: passage_offsets.as_slice()?,
            passages: passages.as_slice()?,
            nominated: nominated.as_slice()?,
        };
        let ids: Vec<&str> = ids.iter().map(|id| &**id).collect();
        run(py, || matches::match_lines(columns, start..end, &ids, &relation_names, &method_names))
    }

    /// Opinions as lines of JSON.
    #[pyfunction]
    fn opinion_lines<'py>(
        py: Python<'py>,
        queries: Slice<'py, i64>,
        founds: Slice<'py, i64>,
        relations: Slice<'py, u8>,
        query_in_found: Slice<'py, f64>,
        found_in_query: Slice<'py, f64>,
        rank: Slice<'py, f64>,
        ids: Vec<PyBackedStr>,
        relation_names: Vec<String>,
        method_names: String,
    ) -> PyResult<String> {
        let articles = [queries.as_slice()?, founds.as_slice()?];
        let (relations, ids) = (relations.as_slice()?, ids.iter().map(|id| &**id).collect::<Vec<&str>>());
        let scores = [query_in_found.as_slice()?, found_in_query.as_slice()?, rank.as_slice()?];
        run(py, || matches::opinion_lines(articles, relations, scores, &ids, &relation_names, &method_names))
    }
}
