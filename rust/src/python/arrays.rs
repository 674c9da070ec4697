//! What Python keeps in dataclasses, read without copying: each struct has the name and the attributes of one.

use numpy::Element;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{Borrowed, intern};

use super::Slice;
use super::pairs::Postings;
use crate::{align, candidates, collisions, matches, sets, shingles, slots, text};

/// Reads a struct from the attributes of a Python object, as the derive of `FromPyObject` does, but a wrong object is
/// a `TypeError`.
macro_rules! attributes {
    ($class:expr, [$($columns:ident)?] $type:ty { $($field:ident),* }) => {
        impl<'py $(, $columns: FromPyObjectOwned<'py>)?> FromPyObject<'_, 'py> for $type {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                Ok(Self { $($field: read(object, $class, intern!(object.py(), stringify!($field)))?,)* })
            }
        }
    };
}

macro_rules! mirror {
    ($(#[$about:meta])* $name:ident<'py $(, $columns:ident)?> { $($field:ident: $type:ty,)* }) => {
        $(#[$about])*
        pub(crate) struct $name<'py $(, $columns)?> {
            $(pub(crate) $field: $type,)*
        }

        attributes!(stringify!($name), [$($columns)?] $name<'py $(, $columns)?> { $($field),* });
    };
}

/// A mirror that has nothing but columns, which a kernel takes as one struct of slices.
macro_rules! columns {
    ($(#[$about:meta])* $name:ident<'py> => $slices:ident::$of:ident { $($field:ident: $type:ty,)* }) => {
        mirror! { $(#[$about])* $name<'py> { $($field: Slice<'py, $type>,)* } }

        impl $name<'_> {
            pub(crate) fn columns(&self) -> PyResult<$slices::$of<'_>> {
                Ok($slices::$of { $($field: self.$field.as_slice()?,)* })
            }
        }
    };
}

attributes!("View", [] text::View { diacritics, sentences, stopwords, stemmer });
attributes!("Limits", [] collisions::Limits {
    all_holders, links, settled_words, shingle_words, grouped_words, common_holders
});
attributes!("Rule", [] candidates::Rule { articles, examples, agree_gap_words, key_words, agree_share, family_share });
attributes!("SlotRule", [] slots::Rule { slot_words, edge_words, before_words, after_words, inner_words });
attributes!("Preset", [] align::Settings { seed_words, bridged_words, min_passage_words, covered, gap_words_a_word });

fn read<'py, T: FromPyObjectOwned<'py>>(
    object: Borrowed<'_, 'py, PyAny>,
    class: &str,
    name: &Bound<'py, PyString>,
) -> PyResult<T> {
    let value = object.getattr(name).and_then(|value| value.extract().map_err(Into::into));
    value.map_err(|error| PyTypeError::new_err(format!("expected {class} with its {name}: {error}")))
}

mirror! {
    /// The words of a batch.
    Tokens<'py> {
        hashes: Slice<'py, u64>,
        offsets: Slice<'py, i64>,
        halves: Option<Slice<'py, u8>>,
        starts: Option<Slice<'py, u32>>,
        ends: Option<Slice<'py, u32>>,
        sentences: Option<Slice<'py, u32>>,
        sentence_offsets: Option<Slice<'py, i64>>,
        words: Option<Slice<'py, u8>>,
        word_offsets: Option<Slice<'py, i64>>,
        kinds: Option<Slice<'py, u8>>,
        values: Option<Slice<'py, u64>>,
    }
}

impl Tokens<'_> {
    pub(crate) fn batch(&self) -> PyResult<shingles::Batch<'_>> {
        let halves = optional!(self.halves);
        Ok(shingles::Batch { hashes: self.hashes.as_slice()?, offsets: self.offsets.as_slice()?, halves })
    }

    /// Where words start and end.
    pub(crate) fn spans(&self) -> PyResult<(&[u32], &[u32])> {
        both(self.starts.as_ref(), self.ends.as_ref(), "spans")
    }

    /// Where sentences begin, and which are whose.
    pub(crate) fn sentences(&self) -> PyResult<(&[u32], &[i64])> {
        both(self.sentences.as_ref(), self.sentence_offsets.as_ref(), "sentences")
    }

    /// The kinds and values of the words.
    pub(crate) fn filling(&self, rule: slots::Rule) -> PyResult<align::Filling<'_>> {
        let (Some(kinds), Some(values)) = (&self.kinds, &self.values) else {
            return Err(PyValueError::new_err("expected Tokens with kinds, got them without"));
        };
        Ok(align::Filling { kinds: kinds.as_slice()?, values: values.as_slice()?, rule })
    }

    /// How the words are spelt, and where each begins.
    pub(crate) fn spelling(&self) -> PyResult<(&[u8], &[i64])> {
        both(self.words.as_ref(), self.word_offsets.as_ref(), "words")
    }
}

fn both<'a, T: Element, O: Element>(
    values: Option<&'a Slice<'_, T>>,
    offsets: Option<&'a Slice<'_, O>>,
    part: &str,
) -> PyResult<(&'a [T], &'a [O])> {
    let (Some(values), Some(offsets)) = (values, offsets) else {
        return Err(PyValueError::new_err(format!("expected Tokens with {part}, got them without")));
    };
    Ok((values.as_slice()?, offsets.as_slice()?))
}

mirror! {
    /// What the articles of a batch are filed under.
    Keys<'py> {
        values: Slice<'py, u64>,
        offsets: Slice<'py, i64>,
        starts: Option<Slice<'py, u32>>,
        ends: Option<Slice<'py, u32>>,
    }
}

mirror! {
    /// What a method remembers of articles; `C` is the tuple of its columns.
    Sketches<'py, C> {
        columns: C,
        starts: Slice<'py, i64>,
        ends: Slice<'py, i64>,
    }
}

/// A tuple of columns, of which only the first is read.
pub(crate) struct First<'py, T: Element>(pub(crate) Slice<'py, T>);

impl<'py, T: Element + 'static> FromPyObject<'_, 'py> for First<'py, T> {
    type Error = PyErr;

    fn extract(columns: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(columns.get_item(0)?.extract()?))
    }
}

impl<'py, T: Element> Sketches<'py, First<'py, T>> {
    /// What each article has of the first column.
    pub(crate) fn first(&self) -> PyResult<sets::Rows<'_, T>> {
        self.rows(&self.columns.0)
    }
}

impl<C> Sketches<'_, C> {
    /// What each article has of a column.
    pub(crate) fn rows<'a, T: Element>(&'a self, column: &'a Slice<'_, T>) -> PyResult<sets::Rows<'a, T>> {
        Ok(sets::Rows::new(column.as_slice()?, self.starts.as_slice()?, self.ends.as_slice()?)?)
    }
}

mirror! {
    /// In how many articles of a collection words occur.
    Statistics<'py> {
        articles: u64,
        frequencies: Bound<'py, PyAny>,
    }
}

impl<'py> Statistics<'py> {
    /// In how many articles each word of the batch occurs, 0 for one never seen.
    pub(crate) fn frequencies(&self, tokens: &Tokens<'py>) -> PyResult<Slice<'py, u32>> {
        self.frequencies.call1((&*tokens.hashes,))?.extract()
    }
}

mirror! {
    /// What a comparison leaves out.
    Boilerplate<'py> {
        shingles: Slice<'py, u64>,
        gap_words: usize,
    }
}

impl Boilerplate<'_> {
    pub(crate) fn parts(&self) -> PyResult<(&[u64], usize)> {
        Ok((self.shingles.as_slice()?, self.gap_words))
    }
}

mirror! {
    /// What is looked up in a collection.
    Queries<'py> {
        postings: Vec<PyRef<'py, Postings>>,
        own: Slice<'py, u32>,
        first: u32,
    }
}

columns! {
    /// Collisions as columns.
    Evidence<'py> => candidates::Columns {
        later: u32,
        earlier: u32,
        later_position: u32,
        earlier_position: u32,
        common: u32,
    }
}

columns! {
    /// Common keys and who holds them.
    Commons<'py> => candidates::Commons {
        holders: u32,
        positions: u32,
        offsets: i64,
    }
}

mirror! {
    /// Which pairs of some evidence agree.
    Agreement<'py> {
        order: Slice<'py, u32>,
        agreed: Slice<'py, u8>,
    }
}

mirror! {
    /// Holders of common keys that hardly agree with others.
    Strangers<'py> {
        number: Slice<'py, u32>,
        rank: Slice<'py, u32>,
    }
}

columns! {
    /// Passages as columns.
    Passages<'py> => matches::Passages {
        query_start: u32,
        query_end: u32,
        found_start: u32,
        found_end: u32,
        words: u32,
        changed: u32,
        same: u32,
        other: u32,
    }
}

mirror! {
    /// Compared pairs as columns.
    Compared<'py> {
        relation: Slice<'py, i8>,
        query_covered: Slice<'py, f64>,
        found_covered: Slice<'py, f64>,
        resemblance: Slice<'py, f64>,
        passage_offsets: Slice<'py, i64>,
        passages: Passages<'py>,
    }
}

mirror! {
    /// Pairs that a method scored, as columns.
    Scored<'py> {
        query: Slice<'py, u32>,
        found: Slice<'py, u32>,
        relation: Slice<'py, u8>,
        query_in_found: Slice<'py, f64>,
        found_in_query: Slice<'py, f64>,
        rank: Slice<'py, f64>,
    }
}
