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
    /// True if it is not simple beside another one of which this is true: they may have to swap places.
    pub moves: bool,
    /// Bytes in `folded`; 0 if the character is not simple.
    pub length: u8,
    /// What it folds to, in UTF-8.
    pub folded: [u8; 8],
    /// The ASCII letter it looks like, if it is folded to one, or itself.
    looks: char,
}

impl Entry {
    /// Whether it folds to an ASCII digit.
    pub fn is_digit(&self) -> bool {
        self.length == 1 && self.folded[0].is_ascii_digit()
    }
}

type Page = [Entry; 256];
type Pages = [OnceLock<Box<Page>>; 0x1100];

/// What every character is in one view.
pub struct Table {
    pages: Pages,
    diacritics: bool,
}

static WITH_DIACRITICS: Table = Table { pages: [const { OnceLock::new() }; 0x1100], diacritics: true };
static WITHOUT_DIACRITICS: Table = Table { pages: [const { OnceLock::new() }; 0x1100], diacritics: false };

impl Table {
    /// The table that tells é from e if `diacritics`, else the one that does not.
    pub fn of(diacritics: bool) -> &'static Self {
        if diacritics { &WITH_DIACRITICS } else { &WITHOUT_DIACRITICS }
    }

    /// The entry of a character.
    pub fn entry(&self, c: char) -> &Entry {
        let code = c as usize;
        let page = self.pages[code >> 8].get_or_init(|| {
            let first = code as u32 & !0xFF;
            let c = |i: usize| char::from_u32(first | i as u32).unwrap_or_default();
            Box::new(std::array::from_fn(|i| describe(c(i), self.diacritics)))
        });
        &page[code & 0xFF]
    }
}

fn describe(c: char, diacritics: bool) -> Entry {
    let class = class(c);
    let mut entry =
        Entry { class, moves: canonical_combining_class(c) != 0, length: 0, folded: [0; 8], looks: lookalike(c) };
    if matches!(class, Class::Letter | Class::Single | Class::Mark) {
        let word = normalise(std::iter::once(c), diacritics, lookalike);
        let stays = |c| is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes;
        let simple = stays(c) && word.chars().all(|f| stays(f) && (canonical_combining_class(f) != 0) == entry.moves);
        if simple && word.len() <= entry.folded.len() {
            entry.length = word.len() as u8;
            entry.folded[..word.len()].copy_from_slice(word.as_bytes());
        }
    }
    entry
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
        // HANGUL LETTER ARAEA, a letter by category, is a middle dot in today's Korean; old texts spell the vowel U+119E.
        _ if c == '\u{318D}' => Class::Separator,
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

/// A character that several scripts share, like the kana's prolonged sound mark, must be of none but these.
fn unspaced(c: char) -> bool {
    let scripts = c.script_extension();
    !scripts.is_empty() && scripts.iter().all(|script| UNSPACED.contains(&script))
}

/// A word as the matching view has it: folded, without ignorable characters, and without the spaces and brackets that a
/// compatibility character stands for.
pub fn fold(word: &str, diacritics: bool) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    if word.contains(|c| joint(c).is_some()) {
        let parts = word.split_inclusive(|c| joint(c).is_some());
        return parts.fold(String::new(), |folded, part| match part.chars().next_back().and_then(joint) {
            Some(joint) => {
                folded
                    + &fold(part.trim_end_matches(|c| self::joint(c).is_some()), diacritics)
                    + char::from(joint).encode_utf8(&mut [0; 4])
            }
            None => folded + &fold(part, diacritics),
        });
    }
    let table = Table::of(diacritics);
    let seen = word.chars().filter(|c| table.entry(*c).class != Class::Ignorable);
    normalise(seen, diacritics, |c| table.entry(c).looks)
}

fn normalise(seen: impl Iterator<Item = char>, diacritics: bool, looks: impl Fn(char) -> char) -> String {
    let cased = seen.nfkc().default_case_fold();
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
        .map(looks)
        .nfc()
        .collect()
}

/// The full stop or comma that can join the digits of a number, as ASCII.
pub fn joint(c: char) -> Option<u8> {
    match c {
        '.' | '\u{FF0E}' => Some(b'.'),
        ',' | '\u{FF0C}' => Some(b','),
        _ => None,
    }
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

/// The ASCII letter that a folded letter looks like, small or capital, or the letter itself.
fn lookalike(c: char) -> char {
    let scripts = [Script::Latin, Script::Greek, Script::Cyrillic, Script::Armenian, Script::Cherokee];
    let letter = c.general_category_group() == Group::Letter && !c.is_ascii();
    if !letter || !scripts.contains(&c.script()) || KEPT.contains(c) {
        return c;
    }
    resembles(c).or_else(|| one(c.to_uppercase()).and_then(resembles)).unwrap_or(c)
}

fn resembles(c: char) -> Option<char> {
    one(unicode_security::skeleton(c.encode_utf8(&mut [0; 4])))
        .filter(char::is_ascii_alphabetic)
        .map(|c| c.to_ascii_lowercase())
}
