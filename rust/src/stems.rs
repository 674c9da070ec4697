//! What becomes of a folded word before it is hashed for a view: left out as a stopword, cut to its stem.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use waken_snowball::{Algorithm, stem};
use xxhash_rust::xxh3::xxh3_64;

use crate::fold::fold;
use crate::{Invalid, Result};

/// Words whose stems are kept at hand.
const AT_HAND: usize = 1 << 20;
/// Longest word, in bytes, that a Snowball algorithm is asked about; longer ones are no words of a language.
const LONGEST: usize = 256;

/// A map by word hash, which is random already.
pub type ByHash<T> = HashMap<u64, T, BuildHasherDefault<Identity>>;

/// Takes a hash as it is.
#[derive(Debug, Default, Clone, Copy)]
pub struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only hashes are hashed");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// How a word is cut.
#[derive(Debug, Clone, Copy)]
enum Stemmer {
    Whole,
    /// To its first so many code points.
    First(usize),
    Snowball(Algorithm),
}

/// A word as the view has it.
#[derive(Debug, Clone)]
pub struct Stem {
    /// xxh3-64 of `text`.
    pub hash: u64,
    /// What is left of the folded word.
    pub text: Box<str>,
}

/// Stopwords and a stemmer, and the words seen before.
#[derive(Debug)]
pub struct Stems {
    stemmer: Stemmer,
    stopwords: usize,
    /// None is a stopword.
    known: ByHash<Option<Stem>>,
}

impl Stems {
    /// Stems without these stopwords; None if both arguments are empty. `stopwords` is the code of a language, or words with
    /// spaces or commas between or after them; `stemmer` is `first5` or the like, or the name of a Snowball algorithm.
    ///
    /// # Errors
    /// When there is no such language or stemmer.
    pub fn new(stopwords: &str, stemmer: &str, diacritics: bool) -> Result<Option<Self>> {
        let length = stemmer.strip_prefix("first").and_then(|length| length.parse().ok()).filter(|length| *length > 0);
        let stemmer = match (stemmer, length, Algorithm::from_str(stemmer)) {
            ("", ..) => Stemmer::Whole,
            (_, Some(length), _) => Stemmer::First(length),
            (_, _, Some(algorithm)) => Stemmer::Snowball(algorithm),
            _ => {
                return Err(Invalid(format!(
                    "expected a stemmer, first5 or one of Snowball's such as porter or english, got {stemmer}"
                )));
            }
        };
        if stopwords.is_empty() && matches!(stemmer, Stemmer::Whole) {
            return Ok(None);
        }
        let mut known = ByHash::default();
        let mut leave_out = |word: &str| {
            known.insert(xxh3_64(fold(word, diacritics).as_bytes()), None);
        };
        let separates = |c: char| c == ',' || c.is_whitespace();
        match stop_words::lookup(stopwords) {
            Some(words) => words.iter().for_each(|word| leave_out(word)),
            None if stopwords.is_empty() || stopwords.contains(separates) => {
                stopwords.split(separates).filter(|word| !word.is_empty()).for_each(leave_out);
            }
            None => {
                return Err(Invalid(format!(
                    "expected stopwords, the code of a language or words with spaces or commas between them (one alone as \
                     \"{stopwords},\"), got {stopwords}; the languages are: {}",
                    stop_words::available_languages().join(" ")
                )));
            }
        }
        Ok(Some(Self { stemmer, stopwords: known.len(), known }))
    }

    /// The stem of a word by its hash, None for a stopword; `spell` gives the folded word.
    pub fn stem(&mut self, hash: u64, spell: impl FnOnce() -> String) -> Option<&Stem> {
        if self.known.len() > self.stopwords + AT_HAND {
            self.known.retain(|_, stem| stem.is_none());
        }
        let stemmer = self.stemmer;
        self.known
            .entry(hash)
            .or_insert_with(|| {
                let word = spell();
                let text: Box<str> = match stemmer {
                    Stemmer::First(length) => word.chars().take(length).collect::<String>().into(),
                    Stemmer::Snowball(algorithm) if word.len() <= LONGEST => stem(algorithm, &word).into(),
                    Stemmer::Whole | Stemmer::Snowball(_) => word.into(),
                };
                Some(Stem { hash: xxh3_64(text.as_bytes()), text })
            })
            .as_ref()
    }
}
