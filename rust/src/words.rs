//! The words of a page, as content extraction sees them, and which of them are function words.
//!
//! Simpler and faster than [`crate::text`], which reads articles for comparing: here words are counted and weighed, never
//! compared between pages. A word is a run of letters, digits and marks; a character of a script without spaces is
//! half a word.

use std::array;
use std::sync::OnceLock;

use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};
use xxhash_rust::xxh3::xxh3_64;

use crate::stems::ByHash;

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Word {
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// xxh3-64 of its small letters, all apostrophes straight.
    pub hash: u64,
    /// Characters, as far as they can be counted.
    pub letters: u16,
    /// Whether it is one character of a script without spaces.
    pub unspaced: bool,
    /// Whether it begins with a capital.
    pub capital: bool,
    /// Whether it has no small letters, but capitals.
    pub shouted: bool,
    /// Whether it begins with a digit.
    pub number: bool,
}

impl Word {
    /// How much it counts: one word or half a word.
    pub fn weight(&self) -> f32 {
        if self.unspaced { 0.5 } else { 1.0 }
    }

    /// Its lower-case spelling, of which it has the hash.
    pub fn spelt(&self, text: &str) -> String {
        small_letters(&text[self.start as usize..self.end as usize]).collect()
    }
}

/// Each letter by itself, also at the end of a Greek word, and one kind of apostrophe: texts kept of pages often have another.
fn small_letters(word: &str) -> impl Iterator<Item = char> {
    word.chars().map(|letter| if letter == '’' { '\'' } else { letter }).flat_map(char::to_lowercase)
}

/// Appends the words of a text to `words`.
pub fn split(text: &str, words: &mut Vec<Word>) {
    let bytes = text.as_bytes();
    let mut small = String::new();
    let mut at = 0;
    while at < bytes.len() {
        let (letter, size) = letter_at(text, at);
        let kind = kind(letter);
        if kind & ALPHANUMERIC == 0 {
            at += size;
            continue;
        }
        let start = at;
        let mut word = Word {
            start: start as u32,
            end: 0,
            hash: 0,
            letters: 1,
            unspaced: kind & UNSPACED != 0,
            capital: kind & UPPER != 0,
            shouted: kind & UPPER != 0,
            number: kind & NUMERIC != 0,
        };
        at += size;
        while at < bytes.len() {
            let (letter, size) = letter_at(text, at);
            let goes_on = if word.unspaced { has(letter, MARK) } else { is_inside(letter, text, at + size) };
            if !goes_on {
                break;
            }
            word.shouted &= !has(letter, LOWER);
            word.letters = word.letters.saturating_add(1);
            at += size;
        }
        word.end = at as u32;
        let spelt = &text[start..at];
        word.hash = if spelt.is_ascii() && spelt.len() <= 32 {
            let mut buffer = [0; 32];
            let buffer = &mut buffer[..spelt.len()];
            buffer.copy_from_slice(spelt.as_bytes());
            buffer.make_ascii_lowercase();
            xxh3_64(buffer)
        } else {
            small.clear();
            small.extend(small_letters(spelt));
            xxh3_64(small.as_bytes())
        };
        words.push(word);
    }
}

fn letter_at(text: &str, at: usize) -> (char, usize) {
    let byte = text.as_bytes()[at];
    if byte < 128 {
        return (byte as char, 1);
    }
    let letter = text[at..].chars().next().unwrap_or(' ');
    (letter, letter.len_utf8())
}

fn is_inside(letter: char, text: &str, next: usize) -> bool {
    let kind = kind(letter);
    kind & (ALPHANUMERIC | UNSPACED) == ALPHANUMERIC
        || kind & MARK != 0
        || (matches!(letter, '\'' | '’') && text[next..].starts_with(|letter| has(letter, ALPHANUMERIC)))
}

const ALPHANUMERIC: u8 = 1;
const NUMERIC: u8 = 2;
const UPPER: u8 = 4;
const LOWER: u8 = 8;
const MARK: u8 = 16;
const UNSPACED: u8 = 32;
const SPACE: u8 = 64;

/// What a character is, from tables that fill themselves: Unicode's own are searched, at ten times the cost.
fn kind(letter: char) -> u8 {
    static TABLES: [OnceLock<[u8; 256]>; 256] = [const { OnceLock::new() }; 256];
    let number = letter as usize;
    let Some(table) = TABLES.get(number / 256) else { return look_up(letter) };
    let letter = |low: usize| char::from_u32((number / 256 * 256 + low) as u32).map_or(0, look_up);
    table.get_or_init(|| array::from_fn(letter))[number % 256]
}

fn look_up(letter: char) -> u8 {
    let bit = |on: bool, bit: u8| if on { bit } else { 0 };
    bit(letter.is_alphanumeric(), ALPHANUMERIC)
        | bit(letter.is_numeric(), NUMERIC)
        | bit(letter.is_uppercase(), UPPER)
        | bit(letter.is_lowercase(), LOWER)
        | bit(is_combining_mark(letter), MARK)
        | bit(is_unspaced(letter), UNSPACED)
        | bit(letter.is_whitespace(), SPACE)
}

fn has(letter: char, one: u8) -> bool {
    kind(letter) & one != 0
}

/// Whether a character is neither in words nor between them.
pub fn is_punctuation(letter: char) -> bool {
    !has(letter, ALPHANUMERIC | SPACE)
}

/// Whether a letter belongs to a script without spaces.
fn is_unspaced(letter: char) -> bool {
    letter as u32 >= 0xe00
        && matches!(
            letter.script(),
            Script::Han
                | Script::Hiragana
                | Script::Katakana
                | Script::Thai
                | Script::Lao
                | Script::Khmer
                | Script::Myanmar
                | Script::Bopomofo
        )
}

/// Languages whose function words are known; Chinese and Japanese by their particles.
pub const LANGUAGES: [&str; 32] = [
    "en", "de", "fr", "es", "it", "pt", "nl", "sv", "no", "da", "fi", "pl", "cs", "sk", "ru", "uk", "bg", "el", "tr",
    "hu", "ro", "hr", "id", "ar", "fa", "he", "hi", "ko", "vi", "zh", "ja", "th",
];

/// The languages in which each word is a function word, one bit each, by the word's hash.
pub fn function_words() -> &'static ByHash<u32> {
    static WORDS: OnceLock<ByHash<u32>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut languages = ByHash::default();
        for (bit, language) in LANGUAGES.iter().enumerate() {
            for word in stop_words::lookup(language).unwrap_or_default() {
                let mut parts = Vec::new();
                split(word, &mut parts);
                if let [part] = parts[..] {
                    *languages.entry(part.hash).or_insert(0) |= 1 << bit;
                }
            }
        }
        languages
    })
}

/// The number of the language whose function words are most of these words; None without a clear answer.
pub fn language<'a>(words: impl IntoIterator<Item = &'a Word>) -> Option<usize> {
    let known = function_words();
    let mut heard = [0u32; LANGUAGES.len()];
    for word in words {
        let mut mask = known.get(&word.hash).copied().unwrap_or(0);
        while mask != 0 {
            heard[mask.trailing_zeros() as usize] += 1;
            mask &= mask - 1;
        }
    }
    let best = (0..LANGUAGES.len()).rev().max_by_key(|language| heard[*language])?;
    (heard[best] >= 5).then_some(best)
}
