//! What a character is to the matching view, and what a word becomes in it.
//!
//! A word is folded so that the same word, typed or disguised in another way, gets the same hash: NFKC, full case
//! folding, the four Turkish i's made one, letters that look like ASCII letters made those letters, composed again.
//! The original text is never changed: offsets point into it.
//!
//! Folding a word exactly takes microseconds. Most characters are *simple*: whatever stands around them, they fold
//! to one character. Those are tabulated, a page of 256 code points at a time, when a text first needs the page.

use std::sync::OnceLock;

use caseless::Caseless;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup as Group, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

/// What a character does to the word it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Ends a word and belongs to none.
    Separator,
    /// A letter or number: words are runs of these.
    Letter,
    /// A letter of a script without spaces: a word of its own, of half weight.
    Single,
    /// A combining mark: belongs to the word before it; without one, a separator.
    Mark,
    /// As if it were not there: zero width, soft hyphen, bidi mark, variation selector.
    Ignorable,
}

/// A character in the table.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What it does to its word.
    pub class: Class,
    /// True if it can swap places with a neighbour that can: two of these in a row are not simple.
    pub moves: bool,
    /// What it folds to, when it is simple.
    pub folded: Option<char>,
}

type Page = [Entry; 256];
type Table = [OnceLock<Box<Page>>; 0x1100];

static WITH_DIACRITICS: Table = [const { OnceLock::new() }; 0x1100];
static WITHOUT_DIACRITICS: Table = [const { OnceLock::new() }; 0x1100];

/// The table's entry for a character.
pub fn entry(c: char, diacritics: bool) -> Entry {
    let table = if diacritics {
        &WITH_DIACRITICS
    } else {
        &WITHOUT_DIACRITICS
    };
    let code = c as usize;
    let page = table[code >> 8].get_or_init(|| {
        let first = code as u32 & !0xFF;
        Box::new(std::array::from_fn(|i| match char::from_u32(first | i as u32) {
            Some(c) => describe(c, diacritics),
            None => Entry {
                class: Class::Separator,
                moves: false,
                folded: None,
            },
        }))
    });
    page[code & 0xFF]
}

fn describe(c: char, diacritics: bool) -> Entry {
    let class = class(c);
    let in_words = matches!(class, Class::Letter | Class::Single | Class::Mark);
    let folded = if in_words {
        one(fold(c.encode_utf8(&mut [0; 4]), diacritics).chars())
    } else {
        None
    };
    let settled = |c: &char| is_nfc_quick(std::iter::once(*c)) == IsNormalized::Yes;
    let moves = canonical_combining_class(c) != 0;
    Entry {
        class,
        moves,
        folded: folded
            .filter(settled)
            .filter(|f| settled(&c) && (canonical_combining_class(*f) != 0) == moves),
    }
}

fn one<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

fn class(c: char) -> Class {
    let ignorable = unicode_security::skeleton(c.encode_utf8(&mut [0; 4])).next().is_none();
    if ignorable || c.general_category() == GeneralCategory::Format {
        return Class::Ignorable;
    }
    // Thai SARA AM and the half-width voicing marks are letters by category, and marks by what they stand for.
    let first = std::iter::once(c).nfkd().next().unwrap_or(c);
    match (c.general_category_group(), first.general_category_group()) {
        (Group::Mark, _) | (Group::Letter, Group::Mark) => Class::Mark,
        (Group::Letter, _) if unspaced(c) => Class::Single,
        (Group::Number, _) if c.general_category() == GeneralCategory::LetterNumber && unspaced(c) => Class::Single,
        (Group::Letter | Group::Number, _) => Class::Letter,
        _ => Class::Separator,
    }
}

/// Scripts that set no space between words. Tibetan has its tsheg, Hangul has spaces.
const UNSPACED: [Script; 19] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Bopomofo,
    Script::Yi,
    Script::Tangut,
    Script::Nushu,
    Script::Khitan_Small_Script,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
    Script::Tai_Le,
    Script::New_Tai_Lue,
    Script::Tai_Tham,
    Script::Tai_Viet,
    Script::Ahom,
    Script::Balinese,
    Script::Javanese,
];

fn unspaced(c: char) -> bool {
    match c.script() {
        Script::Common | Script::Inherited => {
            let scripts = c.script_extension();
            !scripts.is_common() && !scripts.is_inherited() && UNSPACED.iter().any(|s| scripts.contains_script(*s))
        }
        script => UNSPACED.contains(&script),
    }
}

/// A word in the matching view. Ignorable characters go; so do spaces and brackets that a compatibility character
/// stands for.
pub fn fold(word: &str, diacritics: bool) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let cased = word
        .chars()
        .filter(|c| class(*c) != Class::Ignorable)
        .nfkc()
        .default_case_fold();
    let mut after_i = false;
    let dotless = cased.filter_map(|c| {
        let dot = c == '\u{307}' && after_i;
        let folded = if c == 'ı' { 'i' } else { c };
        after_i = folded == 'i' || dot;
        (!dot).then_some(folded)
    });
    dotless
        .nfkd()
        .filter(|c| c.is_ascii_alphanumeric() || !c.is_ascii())
        .filter(|c| diacritics || !diacritic(*c))
        .map(|c| if c.is_ascii() { c } else { lookalike(c).unwrap_or(c) })
        .nfc()
        .collect()
}

/// A mark that Latin, Greek and Cyrillic letters carry.
fn diacritic(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{487}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}' | '\u{2DE0}'..='\u{2DFF}' | '\u{A66F}'..='\u{A69F}' | '\u{FE20}'..='\u{FE2F}')
        && c.general_category() == GeneralCategory::NonspacingMark
}

/// Letters that are not taken for the ASCII letter they resemble, because a living language that has both, or has
/// another letter resembling the same one, tells words apart by them.
const KEPT: &str = "σьүգռþƒɣʋɩǀ";

/// The ASCII letter that a folded letter looks like, small or capital.
fn lookalike(c: char) -> Option<char> {
    let scripts = [
        Script::Latin,
        Script::Greek,
        Script::Cyrillic,
        Script::Armenian,
        Script::Cherokee,
    ];
    if c.general_category_group() != Group::Letter || !scripts.contains(&c.script()) || KEPT.contains(c) {
        return None;
    }
    resembles(c).or_else(|| one(c.to_uppercase()).and_then(resembles))
}

fn resembles(c: char) -> Option<char> {
    one(unicode_security::skeleton(c.encode_utf8(&mut [0; 4])))
        .filter(char::is_ascii_alphabetic)
        .map(|c| c.to_ascii_lowercase())
}
