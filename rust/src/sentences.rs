//! Where sentences begin.
//!
//! Whether a sentence ends between two words is read off the *gap* between them. With a set of delimiters: if the
//! gap holds one. By the default rule:
//!
//! - a blank line, a form feed or a paragraph separator ends a sentence, and so does a terminator of a script that
//!   sets no space after it;
//! - any other terminator, with the quotes and brackets that close after it, ends one if white space follows and the
//!   next word does not begin in lower case;
//! - but a single full stop right after a word does not if the word is one cased letter (an initial), is a common
//!   abbreviation, or is one that introduces a number and a number follows.
//!
//! Decimals need no rule: no white space follows their point. Where a sentence really ends in an
//! abbreviation ("in the U.S. The senate"), two sentences are taken for one: rarer than the other mistake.

use unicode_properties::{GeneralCategory as Category, GeneralCategoryGroup as Group, UnicodeGeneralCategory};
use xxhash_rust::xxh3::xxh3_64;

use crate::fold::{Class, Table, fold};
use crate::{Invalid, Result};

const FULL_STOPS: &str = ".．";
const TERMINATORS: &str = ".．!?…‥‼‽⁇⁈⁉⸮։؝؞؟۔܀܁܂߹।॥።፧፨᙮᠃᠉᥄᥅᱾᱿";
const TERMINATORS_WITHOUT_SPACE: &str = "。｡！？︒︕︖﹗﹖។៕။꘎꘏꓿";

/// English, German, French, Spanish, Italian, Portuguese, Dutch, Turkish, Russian; in any case.
const ABBREVIATIONS: &str = "
    mr mrs ms messrs mx dr prof st ste sr jr rev hon pres gov sen rep reps sens gen col lt maj capt cmdr cpl sgt adm
    brig supt insp det atty vs etc inc corp ltd co cos plc bros dept est govt assn intl natl univ ave blvd rd
    ca cf al approx viz eg ie
    bzw usw vgl evtl ggf inkl exkl zzgl bspw sog geb gest hr fr frl dipl ing mio mrd abs tel std
    mme mlle mm mgr env éd
    srta sra dra dña excmo ud uds ee uu
    sig sigg sigra dott avv on ecc
    exmo exma ltda cia
    dhr mevr mw bijv blz enz
    bkz vb vs yy doç av şti öğr yrd
    г гг ул им др пр тыс млн млрд руб
";
const BEFORE_NUMBERS: &str = "
    no nos nr num núm nº vol fig figs art arts sec ch chap pp par para cap col ed issue ver
    jan feb mar apr jun jul aug sep sept oct nov dec
    janv févr avr juil déc ene abr ago dic okt dez mrz gen mag giu lug ott fev abr ago set out
    стр рис ст п
";

/// How the end of a sentence is told.
pub enum Rule {
    /// As above, with the sorted hashes of folded abbreviations.
    Default {
        /// Never the end of a sentence.
        abbreviations: Vec<u64>,
        /// Not the end of a sentence if a number follows.
        before_numbers: Vec<u64>,
    },
    /// At any of these characters.
    Delimiters(Vec<char>),
}

impl Rule {
    /// The rule that sentences end at these delimiters; the default rule if there are none.
    ///
    /// # Errors
    /// When a delimiter can stand inside a word.
    pub fn new(delimiters: &str, diacritics: bool) -> Result<Self> {
        if delimiters.is_empty() {
            let hashes = |list: &str| {
                let mut hashes: Vec<_> =
                    list.split_whitespace().map(|word| xxh3_64(fold(word, diacritics).as_bytes())).collect();
                hashes.sort_unstable();
                hashes
            };
            return Ok(Self::Default { abbreviations: hashes(ABBREVIATIONS), before_numbers: hashes(BEFORE_NUMBERS) });
        }
        match delimiters.chars().find(|c| Table::of(diacritics).entry(*c).class != Class::Separator) {
            Some(c) => Err(Invalid(format!("expected delimiters that stand between words, got {c:?}"))),
            None => Ok(Self::Delimiters(delimiters.chars().collect())),
        }
    }

    /// The numbers of the words that begin a sentence; word k stands at bytes `edges[2 * k]..edges[2 * k + 1]`.
    pub fn starts<'a>(
        &'a self,
        article: &'a str,
        edges: &'a [u32],
        hashes: &'a [u64],
    ) -> impl Iterator<Item = u32> + 'a {
        let part = |from: u32, to: u32| &article[from as usize..to as usize];
        (0..hashes.len()).filter_map(move |k| {
            if k == 0 {
                return Some(0);
            }
            let gap = part(edges[2 * k - 1], edges[2 * k]);
            let begins = match self {
                Self::Delimiters(delimiters) => gap.chars().any(|c| delimiters.contains(&c)),
                Self::Default { .. } if gap.is_empty() || gap == " " => false,
                Self::Default { abbreviations, before_numbers } => match read(gap) {
                    Gap::Inside => false,
                    Gap::Ends => true,
                    Gap::MayEnd { full_stop } => {
                        let next = part(edges[2 * k], edges[2 * k + 1]).chars().next().unwrap_or_default();
                        let listed = |list: &[u64]| list.binary_search(&hashes[k - 1]).is_ok();
                        let number = next.general_category_group() == Group::Number;
                        let shortened = || {
                            initial(part(edges[2 * k - 2], edges[2 * k - 1]))
                                || listed(abbreviations)
                                || number && listed(before_numbers)
                        };
                        next.general_category() != Category::LowercaseLetter && !(full_stop && shortened())
                    }
                },
            };
            begins.then_some(k as u32)
        })
    }
}

enum Gap {
    Inside,
    Ends,
    /// A terminator and white space; `full_stop` if it is a single one, right after the word.
    MayEnd {
        full_stop: bool,
    },
}

fn read(gap: &str) -> Gap {
    let (mut terminators, mut full_stop, mut after_terminator, mut may_end) = (0, false, false, false);
    let (mut line_breaks, mut before, mut first) = (0, '\0', true);
    for c in gap.chars().filter(|c| c.is_ascii() || Table::of(true).entry(*c).class != Class::Ignorable) {
        if matches!(c, '\u{C}' | '\u{2029}') || TERMINATORS_WITHOUT_SPACE.contains(c) {
            return Gap::Ends;
        }
        if matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}') {
            line_breaks += u8::from(!(before == '\r' && c == '\n'));
            if line_breaks == 2 {
                return Gap::Ends;
            }
        }
        if c.is_whitespace() {
            may_end |= after_terminator;
            after_terminator = false;
        } else {
            line_breaks = 0;
            if TERMINATORS.contains(c) {
                full_stop |= first && FULL_STOPS.contains(c);
                terminators += 1;
                after_terminator = true;
            } else {
                after_terminator &= closes(c);
            }
        }
        (before, first) = (c, false);
    }
    if may_end { Gap::MayEnd { full_stop: full_stop && terminators == 1 } } else { Gap::Inside }
}

/// Quotes close either way round: German sets “ where English sets ”.
fn closes(c: char) -> bool {
    use Category::{ClosePunctuation, FinalPunctuation, InitialPunctuation};
    matches!(c, '"' | '\'') || matches!(c.general_category(), ClosePunctuation | FinalPunctuation | InitialPunctuation)
}

fn initial(word: &str) -> bool {
    let mut chars = word.chars().filter(|c| Table::of(true).entry(*c).class != Class::Ignorable);
    let cased = [Category::UppercaseLetter, Category::LowercaseLetter, Category::TitlecaseLetter];
    chars.next().is_some_and(|c| cased.contains(&c.general_category()))
        && chars.all(|c| c.general_category_group() == Group::Mark)
}
