//! The only folder that knows Python, a file a kernel family: arguments in, GIL released, kernel called, error converted.
#![allow(clippy::needless_pass_by_value, clippy::wildcard_imports, clippy::too_many_arguments, clippy::type_complexity)]

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyDict;

use crate::{
    Result, align, boilerplate, candidates, dates, jsonl, matches, postings, sets, sharing, shingles, signatures,
    statistics, text,
};

type Array<'py, T> = Bound<'py, PyArray1<T>>;
type Slice<'py, T> = PyReadonlyArray1<'py, T>;

type JsonLines<'py> = (
    Array<'py, u8>,
    Array<'py, i64>,
    Vec<String>,
    Array<'py, i64>,
    Vec<(usize, String)>,
    Vec<Vec<String>>,
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

/// An optional array as an optional slice.
macro_rules! optional {
    ($array:expr) => {
        $array.as_ref().map(|array| array.as_slice()).transpose()?
    };
}

mod methods;
mod pages;
mod segments;

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

    /// Records of JSON lines: (text, offsets, ids, published, other dates, a column for each names in `about_names`,
    /// lines, bad lines).
    #[pyfunction]
    fn read_jsonl<'py>(
        py: Python<'py>,
        data: PyReadonlyArray1<'py, u8>,
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
            records.text.into_pyarray(py),
            records.offsets.into_pyarray(py),
            records.ids,
            records.published.into_pyarray(py),
            records.other_dates,
            records.about,
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
    pub struct Postings(pub postings::Postings);

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

    #[pymodule_export]
    use super::methods::{
        band_keys, containment_similarities, count_collisions, count_different_bits, count_discordant, count_equal,
        cut_pieces, imatch, make_images, make_signatures, make_vectors, match_windows, may_reach, multiply_vectors,
        plant, sentence_digests, sentence_lengths, simhash, simhash_keys, window_hashes,
    };

    #[pymodule_export]
    use super::pages::{
        Model, crf_expect, crf_label, dateline, extract_pages, feature_names, grow_tree, look_at, page_blocks,
        page_metadata, read_date, spell_words, split_words, walk_tree,
    };

    #[pymodule_export]
    use super::segments::{Segment, ask, block_sums, distinct_keys, encode_segment, look_up, merge_segments};

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
        columns.set_item("common_names", evidence.common_names.into_pyarray(py))?;
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
