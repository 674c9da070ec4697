//! The only folder that knows Python, a file a kernel family: arguments in, GIL released, kernel called, error converted.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments, clippy::type_complexity)]

use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::{Invalid, Result};

type Array<'py, T> = Bound<'py, PyArray1<T>>;
type Slice<'py, T> = PyReadonlyArray1<'py, T>;
/// The values of all rows, concatenated, and the offsets: row i is `values[offsets[i]..offsets[i + 1]]`.
type Lists<'py, T> = (Array<'py, T>, Array<'py, i64>);

impl From<Invalid> for PyErr {
    fn from(invalid: Invalid) -> Self {
        PyValueError::new_err(invalid.0)
    }
}

/// Every binding goes through here: the kernel runs without the GIL, its complaint becomes a `ValueError`.
fn run<T: Send>(py: Python<'_>, kernel: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    Ok(py.detach(kernel)?)
}

/// As `run`, for a kernel whose answer is one vector or a tuple of vectors.
fn run_to_arrays<'py, T: IntoArrays<'py> + Send>(
    py: Python<'py>,
    kernel: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T::Arrays> {
    Ok(run(py, kernel)?.into_arrays(py))
}

/// Vectors as arrays, which take over their memory.
trait IntoArrays<'py> {
    type Arrays;

    fn into_arrays(self, py: Python<'py>) -> Self::Arrays;
}

impl<'py, T: Element> IntoArrays<'py> for Vec<T> {
    type Arrays = Array<'py, T>;

    fn into_arrays(self, py: Python<'py>) -> Self::Arrays {
        self.into_pyarray(py)
    }
}

impl<'py, T: IntoArrays<'py>> IntoArrays<'py> for Option<T> {
    type Arrays = Option<T::Arrays>;

    fn into_arrays(self, py: Python<'py>) -> Self::Arrays {
        self.map(|part| part.into_arrays(py))
    }
}

macro_rules! tuples_into_arrays {
    ($(($($part:ident)*))*) => {$(
        #[allow(non_snake_case)]
        impl<'py, $($part: IntoArrays<'py>),*> IntoArrays<'py> for ($($part,)*) {
            type Arrays = ($($part::Arrays,)*);

            fn into_arrays(self, py: Python<'py>) -> Self::Arrays {
                let ($($part,)*) = self;
                ($($part.into_arrays(py),)*)
            }
        }
    )*};
}

tuples_into_arrays! { (A B) (A B C) (A B C D) (A B C D E) (A B C D E F G) (A B C D E F G H I J K) }

/// An optional array as an optional slice.
macro_rules! optional {
    ($array:expr) => {
        $array.as_ref().map(|array| array.as_slice()).transpose()?
    };
}

mod arrays;
mod comparison;
mod lines;
mod methods;
mod pages;
mod pairs;
mod segments;
mod sets;
mod text;

#[pymodule]
mod _core {
    /// What reading a text depends on.
    #[pymodule_export]
    const TEXT_VERSION: &str = crate::text::TEXT_VERSION;

    /// The number of a key that is not common.
    #[pymodule_export]
    const RARE: u32 = crate::collisions::RARE;

    /// The bit that marks evidence of a key that only links its holders.
    #[pymodule_export]
    const LINKED: u32 = crate::collisions::LINKED;

    /// Postings of one key in one article that are looked at.
    #[pymodule_export]
    const REPEATS: usize = crate::collisions::REPEATS;

    /// Into how many ranges keys are cut.
    #[pymodule_export]
    const PARTS: usize = crate::sharing::PARTS;

    /// Changes whenever the same words would get another signature.
    #[pymodule_export]
    const SIGNATURE_SCHEME: u64 = crate::signatures::SCHEME;

    #[pymodule_export]
    use super::text::{
        blake3_hex, count_articles, hash_texts, line_ends, moments, no_text, read_columns, read_jsonl, read_numbers,
        tokenise,
    };

    #[pymodule_export]
    use super::sets::{Numbers, character_sets, count_shared, distinct, shingle_sets, whole_hashes, winnow};

    #[pymodule_export]
    use super::methods::{
        band_keys, containment_similarities, count_collisions, count_different_bits, count_discordant, count_equal,
        cut_pieces, imatch, make_images, make_signatures, make_vectors, match_windows, multiply_vectors, plant,
        sentence_digests, sentence_lengths, simhash, simhash_keys, window_hashes,
    };

    #[pymodule_export]
    use super::pairs::{
        Index, Part, Postings, agree, collide, components, count_holders, distinct_keys, file, file_part, find_bridges,
        find_strangers, hold_common, look_up, name_sides, nominate, pack, postings_at, suspect, unpack,
    };

    #[pymodule_export]
    use super::comparison::{
        common_shingles, compare, count_changes, lay, mark_boilerplate, match_lines, may_hold, opinion_lines,
        varying_slots,
    };

    #[pymodule_export]
    use super::lines::json_lines;

    #[pymodule_export]
    use super::segments::{Segment, block_sums, encode_segment, merge_segments};

    #[pymodule_export]
    use super::pages::{
        Model, crf_expect, crf_label, dateline, decode, extract_pages, feature_names, grow_tree, look_at, page_blocks,
        page_metadata, read_date, spell_words, split_words, walk_tree,
    };
}
