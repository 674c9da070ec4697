//! Which words are values, that is figures and dates, and what they say however they are written.
//!
//! A value begins with a digit of any script, or is a number spelt out in English, a month, a weekday (English or Turkish), or
//! Chinese numerals: two or more, or one before a measure word or behind 第. Words with one sign between them that is no
//! space are one value (6-3/16), and so are the day, the month and the year of a date, in any order. What stands behind
//! digits (40pct, 3rd), separators of thousands, zeros at either end, and the width and script of digits do not count:
//! 12,500 and 1.25万 say the same.
//!
//! All words of a value have its hash, and all but the first say that they go on with it.
//!
//! Cost: a look at each word's first byte and at a bitmap of its hash; the text only where one of them says so.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use xxhash_rust::xxh3::xxh3_64;

use crate::fold::{Class, Table, fold, joint};

/// The word is just a word.
pub const PLAIN: u8 = 0;
/// The word is a value, or the first of one.
pub const VALUE: u8 = 1;
/// The word goes on with the value of the word before it.
pub const GOES_ON: u8 = 2;
/// Most words of one value.
pub const MOST_WORDS: usize = 8;

const ONES: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
                    seventeen eighteen nineteen";
const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";
const OTHERS: [(&str, u32); 8] = [
    ("nil", 0),
    ("hundred", 100),
    ("thousand", 1000),
    ("first", 1),
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
];
const MONTHS: [&str; 12] = [
    "january jan ocak",
    "february feb şubat",
    "march mar mart",
    "april apr nisan",
    "may mayıs",
    "june jun haziran",
    "july jul temmuz",
    "august aug ağustos",
    "september sep sept eylül",
    "october oct ekim",
    "november nov kasım",
    "december dec aralık",
];
const WEEKDAYS: [&str; 7] = [
    "monday mon pazartesi",
    "tuesday tue salı",
    "wednesday wed çarşamba",
    "thursday thu perşembe",
    "friday fri cuma",
    "saturday sat cumartesi",
    "sunday sun pazar",
];
const HAN_DIGITS: &str = "〇一二三四五六七八九";
const HAN_SCALES: [(char, u32); 7] = [('十', 1), ('百', 2), ('千', 3), ('万', 4), ('萬', 4), ('亿', 8), ('億', 8)];
const MEASURES: &str =
    "年月日个個名人例次国國点點岁位项條条家届号號期级時时分秒架艘所座场場支批轮天周亩吨元度万萬亿億成倍";
/// What stands behind 一 where it is an article rather than a number.
const ARTICLES: &str = "个個次位条條项";
/// What a word by itself may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Digits,
    Spelt(u32),
    Month(u32),
    Weekday(u32),
    Han,
}

/// The words that mean a number or belong to the calendar, by hash.
pub struct Meanings {
    /// Sorted: a hash, what the word may be, and the hash of what it says by itself.
    known: Vec<(u64, Sort, u64)>,
    /// The bits of the last twelve bits of the hashes.
    bitmap: [u64; 64],
}

impl Meanings {
    /// The words as a view has them, with diacritics or without.
    pub fn new(diacritics: bool) -> Self {
        let ones = ONES.split_whitespace().zip(0..);
        let tens = TENS.split_whitespace().zip((20..).step_by(10));
        let spelt = ones.chain(tens).chain(OTHERS).map(|(word, number)| (word, Sort::Spelt(number)));
        let months = MONTHS.iter().zip(1..).map(|(names, n)| (names, Sort::Month(n)));
        let weekdays = WEEKDAYS.iter().zip(1..).map(|(names, n)| (names, Sort::Weekday(n)));
        let named =
            months.chain(weekdays).flat_map(|(names, sort)| names.split_whitespace().map(move |one| (one, sort)));
        let hashed = spelt.chain(named).map(|(word, sort)| {
            let edges = [0, word.len() as u32];
            let says = Words { article: word, edges: &edges }.value(&[(0, sort)]).unwrap_or_default();
            (xxh3_64(fold(word, diacritics).as_bytes()), sort, xxh3_64(says.as_bytes()))
        });
        let mut known: Vec<_> = hashed.collect();
        known.sort_unstable_by_key(|one| one.0);
        let mut bitmap = [0; 64];
        for (hash, ..) in &known {
            bitmap[(hash >> 6 & 63) as usize] |= 1 << (hash & 63);
        }
        Self { known, bitmap }
    }

    fn may_know(&self, hash: u64) -> bool {
        self.bitmap[(hash >> 6 & 63) as usize] >> (hash & 63) & 1 == 1
    }

    fn get(&self, hash: u64) -> Option<&(u64, Sort, u64)> {
        if !self.may_know(hash) {
            return None;
        }
        self.known.binary_search_by_key(&hash, |one| one.0).ok().map(|at| &self.known[at])
    }

    /// The hash of what a word by itself says, where that is found without writing it out.
    fn hash_alone(&self, word: &str, sort: Sort, hash: u64) -> Option<u64> {
        match sort {
            Sort::Digits => hash_number(word.as_bytes()),
            Sort::Han => None,
            _ => self.get(hash).map(|one| one.2),
        }
    }

    /// Adds the kind of each word of an article, and what it says: its value, else its hash. `edges` are the bytes at which each
    /// word starts and ends.
    pub fn read(&self, article: &str, edges: &[u32], hashes: &[u64], kinds: &mut Vec<u8>, values: &mut Vec<u64>) {
        let from = kinds.len();
        kinds.resize(from + hashes.len(), PLAIN);
        values.extend_from_slice(hashes);
        let (kinds, values) = (&mut kinds[from..], &mut values[from..]);
        let words = Words { article, edges };
        let firsts = edges.chunks_exact(2).map(|edge| article.as_bytes()[edge[0] as usize]);
        let may_be = firsts
            .zip(hashes)
            .enumerate()
            .filter(|(_, (first, hash))| !first.is_ascii_alphabetic() || self.may_know(**hash));
        let sorts: Vec<(usize, Sort)> =
            may_be.filter_map(|(at, (_, hash))| Some((at, self.sort(words.text(at), *hash)?))).collect();
        let mut at = 0;
        while at < sorts.len() {
            let end = words.end_of_value(&sorts, at);
            let (first, last) = (sorts[at].0, sorts[end - 1].0);
            let alone =
                if first == last { self.hash_alone(words.text(first), sorts[at].1, hashes[first]) } else { None };
            let value = alone.or_else(|| Some(xxh3_64(words.value(&sorts[at..end])?.as_bytes())));
            if let Some(value) = value {
                kinds[first] = VALUE;
                kinds[first + 1..=last].fill(GOES_ON);
                values[first..=last].fill(value);
            }
            at = end;
        }
    }

    fn sort(&self, word: &str, hash: u64) -> Option<Sort> {
        let first = word.as_bytes()[0];
        if first.is_ascii_digit() {
            return Some(Sort::Digits);
        }
        if !first.is_ascii() {
            let c = word.chars().next()?;
            if digit(c).is_some() {
                return Some(Sort::Digits);
            }
            if han_value(c).is_some() {
                return Some(Sort::Han);
            }
        }
        let (_, found, _) = *self.get(hash)?;
        let capital = word.chars().next().is_some_and(char::is_uppercase);
        let ordinal = || ["first", "second", "third", "fourth", "fifth"].contains(&&*word.to_lowercase());
        match found {
            Sort::Month(_) | Sort::Weekday(_) => capital.then_some(found),
            _ => (!capital || !ordinal()).then_some(found),
        }
    }
}

/// An article and where its words are.
#[derive(Clone, Copy)]
struct Words<'a> {
    article: &'a str,
    edges: &'a [u32],
}

impl<'a> Words<'a> {
    fn text(self, word: usize) -> &'a str {
        &self.article[self.edges[2 * word] as usize..self.edges[2 * word + 1] as usize]
    }

    /// What stands between two words.
    fn between(self, one: usize, other: usize) -> Option<&'a str> {
        self.article.get(self.edges[2 * one + 1] as usize..*self.edges.get(2 * other)? as usize)
    }

    /// Where the value that begins with a word ends.
    fn end_of_value(self, sorts: &[(usize, Sort)], at: usize) -> usize {
        let mut end = at + 1;
        while end < sorts.len() && end - at < MOST_WORDS && self.go_on(sorts, end) {
            end += 1;
        }
        end
    }

    /// Whether a word goes on with the value of the word before it.
    fn go_on(self, sorts: &[(usize, Sort)], at: usize) -> bool {
        let ((before, one), (word, other)) = (sorts[at - 1], sorts[at]);
        let Some(glue) = (before + 1 == word).then(|| self.between(before, word)).flatten() else { return false };
        let is_glued = glue.chars().nth(1).is_none() && !glue.contains(char::is_whitespace);
        let is_near = glue.chars().nth(2).is_none();
        let is_short = |word: usize| self.text(word).len() <= 4;
        let next_is_month = || matches!(sorts.get(at + 1), Some((next, Sort::Month(_))) if *next == word + 1);
        let behind_month = || {
            let month = at.checked_sub(2).map(|at| sorts[at]);
            matches!(month, Some((month, Sort::Month(_))) if month + 1 == before)
        };
        match (one, other) {
            (Sort::Han, Sort::Han) => glue.is_empty(),
            (Sort::Digits, Sort::Digits) if behind_month() && self.text(word).len() == 4 => is_near,
            (Sort::Digits | Sort::Spelt(_), Sort::Digits | Sort::Spelt(_)) => is_glued,
            (Sort::Digits | Sort::Spelt(_), Sort::Han) => {
                is_glued && self.text(word).chars().next().and_then(han_scale).is_some()
            }
            (Sort::Digits, Sort::Month(_)) => is_near && is_short(before),
            (Sort::Month(_), Sort::Digits) => is_near && is_short(word),
            (Sort::Weekday(_), Sort::Month(_)) => is_near,
            (Sort::Weekday(_), Sort::Digits) => is_near && is_short(word) && next_is_month(),
            _ => false,
        }
    }

    /// The character right behind a word.
    fn behind(self, word: usize) -> Option<char> {
        self.article[self.edges[2 * word + 1] as usize..].chars().next()
    }

    /// What some words say that are one value, in one way; None if they are none.
    fn value(self, sorts: &[(usize, Sort)]) -> Option<String> {
        let (first, last) = (sorts[0].0, sorts[sorts.len() - 1].0);
        if sorts[0].1 == Sort::Han {
            let text = &self.article[self.edges[2 * first] as usize..self.edges[2 * last + 1] as usize];
            let behind = self.behind(last);
            let is_article = text == "一" && behind.is_some_and(|c| ARTICLES.contains(c));
            let measured = behind.is_some_and(|c| MEASURES.contains(c)) && !is_article;
            let numbered = self.article[..self.edges[2 * first] as usize].ends_with('第');
            let says = || canonical(&read_han(text).unwrap_or_else(|| text.to_owned()), 0);
            return (first < last || measured || numbered).then(says);
        }
        let mut parts: Vec<(String, i64)> = Vec::new();
        let (mut tens, mut is_date) = (None, false);
        for (n, (word, sort)) in sorts.iter().enumerate() {
            let text = self.text(*word);
            let glue = if n > 0 { self.between(sorts[n - 1].0, *word).unwrap_or_default() } else { "" };
            let glue = if n > 0 && sorts[n - 1].1 == Sort::Digits { glue } else { "" };
            let before = tens.take();
            match (sort, parts.last_mut()) {
                (Sort::Month(number), _) => {
                    parts.push((format!("month {number}"), 0));
                    is_date = true;
                }
                (Sort::Weekday(number), _) => parts.push((format!("weekday {number}"), 0)),
                (Sort::Han, Some(last)) => {
                    last.1 += i64::from(text.chars().next().and_then(han_scale).unwrap_or_default());
                }
                (Sort::Spelt(number), Some(last)) if before.is_some() && *number < 10 => {
                    last.0 = (before.unwrap_or(0) + number).to_string();
                }
                (Sort::Spelt(number), _) => {
                    tens = Some(*number).filter(|number| (20..100).contains(number));
                    parts.push((number.to_string(), 0));
                }
                (_, Some(last)) if glue == "\u{66B}" => last.0 = format!("{}.{}", last.0, read_digits(text)),
                (_, Some(last)) if glue == "\u{66C}" => last.0 += &read_digits(text),
                _ => parts.push((read_digits(text), 0)),
            }
        }
        let mut parts: Vec<String> = parts.iter().map(|(number, scale)| canonical(number, *scale)).collect();
        if is_date {
            parts.sort_unstable();
        }
        Some(parts.join("-"))
    }
}

/// The value of a decimal digit of any script.
fn digit(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| c as u8 - b'0');
    }
    let entry = Table::of(true).entry(c);
    if entry.is_digit() {
        return Some(entry.folded[0] - b'0');
    }
    if c.general_category() != GeneralCategory::DecimalNumber {
        return None;
    }
    // Digits come in tens, from zero on.
    let is_digit =
        |code: u32| char::from_u32(code).is_some_and(|c| c.general_category() == GeneralCategory::DecimalNumber);
    Some(((1..=c as u32).take_while(|back| is_digit(c as u32 - back)).count() % 10) as u8)
}

/// The digits at the start of a word, with a point before the decimals; a comma before three digits is left out.
fn read_digits(word: &str) -> String {
    let mut read = String::new();
    let seen = word.chars().filter(|c| c.is_ascii() || Table::of(true).entry(*c).class != Class::Ignorable);
    for c in seen {
        match (digit(c), joint(c)) {
            (Some(value), _) => read.push(char::from(b'0' + value)),
            (None, Some(joint)) => read.push(char::from(joint)),
            _ => break,
        }
    }
    let mut parts = read.split(',');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |number, part| {
        let digits = part.split('.').next().unwrap_or_default().len();
        number + if digits == 3 { "" } else { "." } + part
    })
}

/// The hash of what a word that begins with a short ASCII number says, as `canonical` has it; None for other words, which take longer.
fn hash_number(word: &[u8]) -> Option<u64> {
    let (mut said, mut len, mut point) = ([0; 24], 0, None);
    for (at, byte) in word.iter().enumerate() {
        let is_thousands = || word[at + 1..].iter().take_while(|next| next.is_ascii_digit()).count() == 3;
        match byte {
            b'0'..=b'9' if len < 16 => {
                said[len] = *byte;
                len += 1;
            }
            b',' if is_thousands() => {}
            b'.' | b',' if point.is_none() => point = Some(len),
            b'0'..=b'9' | b'.' | b',' | 0x80.. => return None,
            _ => break,
        }
    }
    let zeros = said[..len].iter().rev().take_while(|digit| **digit == b'0').count();
    let power = zeros as i32 - (len - point.unwrap_or(len)) as i32;
    let first = said[..len - zeros].iter().take_while(|digit| **digit == b'0').count();
    let kept = first..len - zeros;
    if kept.is_empty() {
        return Some(xxh3_64(b"0"));
    }
    let mut end = kept.end;
    said[end] = b'e';
    end += 1;
    if power < 0 {
        said[end] = b'-';
        end += 1;
    }
    let power = power.unsigned_abs() as u8;
    if power > 9 {
        said[end] = b'0' + power / 10;
        end += 1;
    }
    said[end] = b'0' + power % 10;
    Some(xxh3_64(&said[kept.start..=end]))
}

/// A number as its digits without zeros at either end, and the power of ten that they are times, `scale` included. With
/// several points, each part so.
fn canonical(number: &str, scale: i64) -> String {
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return number.to_owned();
    }
    if number.matches('.').count() > 1 {
        return number.split('.').map(|part| canonical(part, scale)).collect::<Vec<_>>().join(".");
    }
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{decimals}");
    let kept = digits.trim_end_matches('0');
    let power = (digits.len() - kept.len()) as i64 - decimals.len() as i64 + scale;
    let kept = kept.trim_start_matches('0');
    if kept.is_empty() { "0".to_owned() } else { format!("{kept}e{power}") }
}

fn han_value(c: char) -> Option<u64> {
    let digit = HAN_DIGITS.chars().position(|one| one == c);
    let other = match c {
        '零' => Some(0),
        '两' | '兩' => Some(2),
        _ => han_scale(c).map(|power| 10_u64.pow(power)),
    };
    digit.map(|digit| digit as u64).or(other)
}

fn han_scale(c: char) -> Option<u32> {
    HAN_SCALES.iter().find(|(one, _)| *one == c).map(|(_, power)| *power)
}

/// Chinese numerals as digits; None for a number that is too large.
fn read_han(text: &str) -> Option<String> {
    if text.chars().all(|c| han_scale(c).is_none()) {
        return text.chars().map(|c| Some(han_value(c)?.to_string())).collect();
    }
    let (mut sum, mut section, mut digits) = (0_u64, 0_u64, None::<u64>);
    for c in text.chars() {
        let value = han_value(c)?;
        match han_scale(c) {
            None => digits = Some(digits.unwrap_or(0).checked_mul(10)?.checked_add(value)?),
            Some(power) if power < 4 => {
                section = section.checked_add(digits.take().unwrap_or(1).checked_mul(value)?)?;
            }
            Some(_) => {
                let before = section.checked_add(digits.take().unwrap_or(0))?;
                let whole = if value > 10_000 { sum.checked_add(before)? } else { before };
                let scaled = whole.max(1).checked_mul(value)?;
                sum = if value > 10_000 { scaled } else { sum.checked_add(scaled)? };
                section = 0;
            }
        }
    }
    Some(sum.checked_add(section)?.checked_add(digits.unwrap_or(0))?.to_string())
}

#[cfg(test)]
mod tests {
    use super::{canonical, hash_number, read_digits, xxh3_64};

    #[test]
    fn a_short_number_is_hashed_as_it_would_be_written_out() {
        let mut state = 7_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut hashed = 0;
        for _ in 0..50_000 {
            let length = 1 + draw(14);
            let more: String = (0..length).map(|_| char::from(b"000123456789...,,,,p"[draw(20) as usize])).collect();
            let word = format!("{}{more}", draw(10));
            if let Some(hash) = hash_number(word.as_bytes()) {
                hashed += 1;
                assert_eq!(hash, xxh3_64(canonical(&read_digits(&word), 0).as_bytes()), "{word}");
            }
        }
        assert!(hashed > 10_000, "{hashed}");
    }
}
