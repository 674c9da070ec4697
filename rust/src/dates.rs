//! Dates as people write them: ISO 8601 and its neighbours, numbers in either order, month names of many languages.
//!
//! The text is cut into numbers, words and signs, and each place is tried once, so that the cost is linear in the text.
//! Of a page's text the first date counts (`read`). A date is given in ISO 8601 as precisely as it was stated: a bare day
//! stays a day, a time without a zone gets none. Zones that are named and mean one thing are turned into hours; "ET", "CST"
//! or "IST" mean several, and are left out. Of a field that holds a date (`moment`) all numbers must belong to it, and
//! nothing is guessed.

mod iso;
pub mod months;

use std::fmt::Write;
use std::ops::Range;

pub use iso::{UNDATED, iso_microseconds};

/// A date that a page states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Date {
    /// It in ISO 8601.
    pub iso: String,
    /// Microseconds since 1970 UTC.
    pub moment: i64,
}

const MINUTE: i64 = 60_000_000;

/// Minutes from UTC of zones, besides whole hours: from the Marquesas to the Chatham Islands in summer.
const BROKEN_HOURS: [i64; 13] = [-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825];

impl Date {
    /// Whether it is a moment in UTC.
    pub fn is_utc(&self) -> bool {
        self.iso.contains('T') && (self.iso.ends_with('Z') || self.iso.ends_with("+00:00"))
    }

    /// This moment in the local time in which the page shows it; the zone is the difference between both. None if there is
    /// no such zone, or the page shows another moment or no time.
    pub fn as_shown(&self, shown: &Date) -> Option<String> {
        let local = shown.iso.get(..16).filter(|local| local.contains('T'))?;
        let moment = iso_microseconds(local.as_bytes())?;
        let minutes = (moment - self.moment.div_euclid(MINUTE) * MINUTE) / MINUTE;
        let is_zone = (minutes % 60 == 0 && (-12 * 60..=14 * 60).contains(&minutes)) || BROKEN_HOURS.contains(&minutes);
        let has_zone = shown.iso[16..].contains(['Z', '+', '-']);
        if !is_zone || (has_zone && shown.moment.div_euclid(MINUTE) != self.moment.div_euclid(MINUTE)) {
            return None;
        }
        if minutes == 0 {
            return Some(self.iso.clone());
        }
        let seconds = self.iso.get(16..19).filter(|seconds| seconds.starts_with(':')).unwrap_or("");
        let sign = if minutes < 0 { '-' } else { '+' };
        Some(format!("{local}{seconds}{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60))
    }
}

/// Text behind this many characters is not looked at.
const MAX_LENGTH: usize = 400;

/// What may stand between day, month and year.
const BETWEEN: &str = "st nd rd th er de del di of the den ten tháng năm г m do à η o a d º ª";

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number { value: u64, digits: usize, spaced: bool },
    Word(String),
    Sign { sign: char, spaced: bool },
}

/// A longer text is no date.
const MAX_DATE_BYTES: usize = 100;

/// The microseconds since 1970 UTC of a text that is a date; without a zone it is in UTC. None for any other text, and where
/// one may read it in two ways: 3/4/2021, years of two digits.
pub fn moment(text: &str) -> Option<i64> {
    iso_microseconds(text.as_bytes()).or_else(|| if text.len() > MAX_DATE_BYTES { None } else { written_moment(text) })
}

fn written_moment(text: &str) -> Option<i64> {
    let tokens = cut(text);
    if let [Token::Number { value, digits: digits @ (10 | 13), .. }] = tokens[..] {
        let seconds = if digits == 13 { value / 1000 } else { value };
        // 2021030412 is an hour, and would be in 2034.
        return (seconds < 2_000_000_000).then(|| from_seconds(seconds))?.map(|date| date.moment);
    }
    let reader = Reader { tokens: &tokens, month_first: None, short_years: false };
    let (date, day, time) = reader.first()?;
    // The year may stand behind the time: Thu Feb 26 15:01:01 1987.
    let stated = |at| day.contains(&at) || time.contains(&at) || (at == time.end && reader.year(at).is_some());
    let mut numbers = (0..tokens.len()).filter(|at| matches!(tokens[*at], Token::Number { .. }));
    numbers.all(stated).then_some(date.moment)
}

/// The first date in a text. `month_first` says how to read 3/4/2021.
pub fn read(text: &str, month_first: bool) -> Option<Date> {
    let tokens = cut(text);
    if let [Token::Number { value, digits: digits @ (10 | 13), .. }] = tokens[..] {
        return from_seconds(if digits == 13 { value / 1000 } else { value });
    }
    let reader = |short_years| Reader { tokens: &tokens, month_first: Some(month_first), short_years };
    reader(false).first().or_else(|| reader(true).first()).map(|found| found.0)
}

/// The date in the path of an address: `/2023/05/01/`, `/2023-05-01-`, `/2023/0501/`, `/20230501/`.
pub fn in_address(url: &str) -> Option<Date> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest).split(['?', '#']).next()?;
    Reader { tokens: &cut(path), month_first: Some(false), short_years: false }.first().map(|found| found.0)
}

fn from_seconds(seconds: u64) -> Option<Date> {
    let days = i64::try_from(seconds / 86_400).ok()?;
    // Days to a date of the Gregorian calendar, the year taken to begin in March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let iso = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
    Some(Date { moment: iso_microseconds(iso.as_bytes())?, iso })
}

fn cut(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().take(MAX_LENGTH).peekable();
    let mut spaced = false;
    while let Some(letter) = letters.next() {
        if letter.is_whitespace() {
            spaced = true;
            continue;
        }
        if let Some(digit) = digit(letter) {
            let (mut value, mut digits) = (digit, 1);
            while let Some(next) = letters.peek().and_then(|letter| self::digit(*letter)) {
                value = value.saturating_mul(10).saturating_add(next);
                digits += 1;
                letters.next();
            }
            tokens.push(Token::Number { value, digits, spaced });
        } else if is_word(letter) {
            let mut word: String = letter.to_lowercase().collect();
            let mut last = letter;
            // Names and months that were set without a space between them: SmithMay 1.
            while let Some(next) =
                letters.next_if(|next| is_word(*next) && !(last.is_lowercase() && next.is_uppercase()))
            {
                word.extend(next.to_lowercase());
                last = next;
            }
            tokens.push(Token::Word(word));
        } else {
            tokens.push(Token::Sign { sign: letter, spaced });
        }
        spaced = false;
    }
    tokens
}

/// Digits of European, Arabic, Persian and full-width writing.
fn digit(letter: char) -> Option<u64> {
    let zero = match letter {
        '0'..='9' => '0',
        '０'..='９' => '０',
        '٠'..='٩' => '٠',
        '۰'..='۹' => '۰',
        _ => return None,
    };
    Some(u64::from(letter as u32 - zero as u32))
}

fn is_word(letter: char) -> bool {
    let counts = matches!(letter, '年' | '月' | '日' | '号' | '년' | '월' | '일');
    (letter.is_alphabetic() || unicode_normalization::char::is_combining_mark(letter)) && !counts
}

struct Reader<'a> {
    tokens: &'a [Token],
    /// None where nothing is to be guessed.
    month_first: Option<bool>,
    short_years: bool,
}

/// What a text says, and where its tokens end.
type Until<T> = Option<(T, usize)>;

impl Reader<'_> {
    /// The first date, where its day stands, and where its time does.
    fn first(&self) -> Option<(Date, Range<usize>, Range<usize>)> {
        (0..self.tokens.len()).find_map(|at| {
            let (year, month, day, after) = self.day(at)?;
            let time = self.time_after(after).or_else(|| self.time_before(at));
            let (time, place) = time.unwrap_or((String::new(), after..after));
            let iso = format!("{year:04}-{month:02}-{day:02}{time}");
            Some((Date { moment: iso_microseconds(iso.as_bytes())?, iso }, at..after, place))
        })
    }

    /// The years that are believed: those of pages, or any that has four digits.
    fn years(&self) -> Range<u64> {
        if self.month_first.is_some() { 1900..2200 } else { 1000..10_000 }
    }

    fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at)? {
            Token::Sign { sign, .. } => Some(*sign),
            _ => None,
        }
    }

    fn word(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at)? {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    fn number(&self, at: usize, digits: std::ops::RangeInclusive<usize>) -> Option<u64> {
        match self.tokens.get(at)? {
            Token::Number { value, digits: count, .. } if digits.contains(count) => Some(*value),
            _ => None,
        }
    }

    fn year(&self, at: usize) -> Option<u64> {
        if let Some(year) = self.number(at, 4..=4) {
            // Thailand counts 543 years more.
            let year = if (2500..=2650).contains(&year) { year - 543 } else { year };
            return self.years().contains(&year).then_some(year);
        }
        let year = self.number(at, 2..=2).filter(|_| self.short_years && self.sign(at + 1) != Some(':'))?;
        Some(if year >= 90 { 1900 + year } else { 2000 + year })
    }

    fn month(&self, at: usize) -> Option<u64> {
        months::month(self.word(at)?)
    }

    /// Behind signs and words that may stand inside a date.
    fn over(&self, mut at: usize) -> usize {
        let start = at;
        while at < start + 3 {
            let passes = match self.tokens.get(at) {
                Some(Token::Sign { sign, .. }) => matches!(sign, '.' | ',' | '-' | '/' | '،' | '°' | '’' | '\''),
                Some(Token::Word(word)) => BETWEEN.split(' ').any(|known| known == word),
                _ => false,
            };
            if !passes {
                break;
            }
            at += 1;
        }
        at
    }

    /// Year, month and day that begin at a token, and where they end.
    fn day(&self, at: usize) -> Option<(u64, u64, u64, usize)> {
        if at > 0 && matches!(self.tokens[at], Token::Number { spaced: false, .. }) && self.joined_before(at) {
            return None;
        }
        let (year, month, day, after) = match self.tokens[at] {
            Token::Number { value, digits: digits @ (8 | 12 | 14), .. } => {
                let date = value / 10u64.pow(digits as u32 - 8);
                let after = if digits == 8 { at + 1 } else { at };
                (date / 10_000, date / 100 % 100, date % 100, after)
            }
            Token::Number { digits: 4, .. } => self.year_first(at)?,
            Token::Number { digits: 1 | 2, .. } => self.day_first(at).or_else(|| self.numbers(at))?,
            Token::Word(_) => {
                let month = self.month(at)?;
                let day_at = self.over(at + 1);
                let day = self.number(day_at, 1..=2)?;
                let year_at = self.over(day_at + 1);
                if let Some(year) = self.year(year_at) {
                    (year, month, day, year_at + 1)
                } else {
                    let (_, year_at) = self.time(day_at + 1)?;
                    (self.year(year_at)?, month, day, day_at + 1)
                }
            }
            _ => return None,
        };
        let in_range = self.years().contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        in_range.then_some((year, month, day, after))
    }

    /// Whether a number goes on from what stands before it, like the parts of a version or a telephone number.
    fn joined_before(&self, at: usize) -> bool {
        let folder = matches!(self.tokens[at], Token::Number { digits: 4, .. }) && self.sign(at - 1) == Some('/');
        !folder
            && matches!(self.tokens[at - 1], Token::Sign { sign: '.' | '-' | '/' | ':' | '+', spaced: false })
            && matches!(self.tokens.get(at.wrapping_sub(2)), Some(Token::Number { .. }))
    }

    fn year_first(&self, at: usize) -> Option<(u64, u64, u64, usize)> {
        let year = self.year(at)?;
        if let Some(sign @ ('-' | '/' | '.' | '年' | '년' | '–')) = self.sign(at + 1)
            && let Some(month) = self.number(at + 2, 1..=2)
            && let Some(second) = self.sign(at + 3)
            && (second == sign || matches!((sign, second), ('年', '月') | ('년', '월')))
            && let Some(day) = self.number(at + 4, 1..=2)
        {
            let ends = matches!(self.sign(at + 5), Some('日' | '号' | '일' | '.'));
            return Some((year, month, day, at + 5 + usize::from(ends)));
        }
        if let (Some('/'), Some(both)) = (self.sign(at + 1), self.number(at + 2, 4..=4)) {
            return Some((year, both / 100, both % 100, at + 3));
        }
        let month_at = self.over(at + 1);
        let month = self.month(month_at)?;
        let day_at = self.over(month_at + 1);
        Some((year, month, self.number(day_at, 1..=2)?, day_at + 1))
    }

    /// A day, the month's name and the year.
    fn day_first(&self, at: usize) -> Option<(u64, u64, u64, usize)> {
        let day = self.number(at, 1..=2)?;
        let month_at = self.over(at + 1);
        let spelt = self.word(month_at - 1) == Some("tháng");
        let month = if spelt { self.number(month_at, 1..=2) } else { self.month(month_at) }?;
        let year_at = self.over(month_at + 1);
        Some((self.year(year_at)?, month, day, year_at + 1))
    }

    /// Three numbers, the year at the end.
    fn numbers(&self, at: usize) -> Option<(u64, u64, u64, usize)> {
        let (first, second) = (self.number(at, 1..=2)?, self.number(at + 2, 1..=2)?);
        let sign = self.sign(at + 1).filter(|sign| matches!(sign, '.' | '/' | '-'))?;
        if self.sign(at + 3) != Some(sign) {
            return None;
        }
        let year = self.year(at + 4)?;
        let month_first = match self.month_first {
            _ if second > 12 => true,
            _ if first > 12 || first == second || sign == '.' => false,
            told => told?,
        };
        let (day, month) = if month_first { (second, first) } else { (first, second) };
        Some((year, month, day, at + 5))
    }

    /// The time behind a date, in ISO 8601 with its zone, and where it stands.
    fn time_after(&self, after: usize) -> Option<(String, Range<usize>)> {
        if let Some(Token::Number { value, digits: digits @ (12 | 14), .. }) = self.tokens.get(after) {
            let time = value % 10u64.pow(*digits as u32 - 8) * if *digits == 12 { 100 } else { 1 };
            let (time, end) = self.spell((time / 10_000, time / 100 % 100, Some(time % 100)), "", after + 1)?;
            return Some((time, after..end));
        }
        (after..after + 5).find_map(|at| {
            let between = &self.tokens[after.min(self.tokens.len())..at.min(self.tokens.len())];
            let passes = between.iter().all(|token| !matches!(token, Token::Number { .. }));
            self.time(at).filter(|_| passes).map(|(time, end)| (time, at..end))
        })
    }

    fn time_before(&self, at: usize) -> Option<(String, Range<usize>)> {
        (at.saturating_sub(9)..at).find_map(|start| {
            if start > 0 && matches!(self.tokens[start - 1], Token::Sign { sign: ':', .. }) {
                return None;
            }
            self.time(start).map(|(time, end)| (time, start..end))
        })
    }

    /// The time that begins at a token.
    fn time(&self, at: usize) -> Until<String> {
        let before = at.checked_sub(1).and_then(|at| self.word(at)).unwrap_or("");
        if let Some(compact) = self.number(at, 6..=6).filter(|_| before == "t") {
            return self.spell((compact / 10_000, compact / 100 % 100, Some(compact % 100)), "", at + 1);
        }
        let mut hour = self.number(at, 1..=2)?;
        let minute = self.number(at + 2, 2..=2)?;
        let mut after = at + 3;
        let mut second = None;
        let mut fraction = String::new();
        if self.sign(at + 1) == Some(':') {
            if self.sign(after) == Some(':')
                && let Some(stated) = self.number(after + 1, 2..=2)
            {
                second = Some(stated);
                after += 2;
                if matches!(self.sign(after), Some('.' | ','))
                    && let Some(Token::Number { value, digits: digits @ 1..=9, .. }) = self.tokens.get(after + 1)
                {
                    fraction = format!(".{value:0digits$}");
                    after += 2;
                }
            }
        } else if self.sign(at + 1) == Some('.') {
            let says = self.word(after).or(self.word(after + 1)).unwrap_or("");
            if !matches!(says, "uhr" | "am" | "pm" | "a" | "p" | "hrs" | "h") {
                return None;
            }
        } else if self.word(at + 1) != Some("h") {
            return None;
        }
        let half = self.word(after).unwrap_or("");
        let dotted = self.sign(after + 1) == Some('.') && self.word(after + 2) == Some("m");
        let trails = matches!(half, "am" | "pm" | "uhr") || (matches!(half, "a" | "p") && dotted);
        let leads = |words: &str| !trails && words.split(' ').any(|word| before == word);
        let afternoon = half == "pm" || (half == "p" && dotted) || leads("pm 오후 下午 午後 晚上");
        let morning = half == "am" || (half == "a" && dotted) || leads("am 오전 上午 午前 凌晨");
        if afternoon && hour < 12 {
            hour += 12;
        } else if morning && hour == 12 {
            hour = 0;
        }
        if half == "am" || half == "pm" || half == "uhr" {
            after += 1;
        } else if trails {
            after += 3 + usize::from(self.sign(after + 3) == Some('.'));
        }
        self.spell((hour, minute, second), &fraction, after)
    }

    fn spell(&self, (hour, minute, second): (u64, u64, Option<u64>), fraction: &str, after: usize) -> Until<String> {
        if hour > 23 || minute > 59 || second.is_some_and(|second| second > 59) {
            return None;
        }
        let mut time = format!("T{hour:02}:{minute:02}");
        if let Some(second) = second {
            let _ = write!(time, ":{second:02}");
            // What pages say is told to the second.
            time.push_str(if self.month_first.is_none() { fraction } else { "" });
        }
        let (zone, end) = self.zone(after).unwrap_or((String::new(), after));
        Some((time + &zone, end))
    }

    /// The zone that begins at a token.
    fn zone(&self, at: usize) -> Until<String> {
        let at = if self.sign(at) == Some('(') { at + 1 } else { at };
        let named = self.word(at).and_then(|word| self.named_zone(word));
        let after = at + usize::from(named.is_some());
        let offset = self.offset(after, named.is_some());
        match (named, offset) {
            (Some(0) | None, Some(offset)) => Some(offset),
            (Some(0), None) => Some(("Z".into(), after)),
            (Some(minutes), offset) => {
                let sign = if minutes < 0 { '-' } else { '+' };
                let zone = format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60);
                Some((zone, offset.map_or(after, |(_, end)| end)))
            }
            (None, None) => None,
        }
    }

    fn named_zone(&self, word: &str) -> Option<i32> {
        // RFC 2822 says what CST is in a field; a page may mean China.
        if word == "cst" && self.month_first.is_none() { Some(-360) } else { months::zone(word) }
    }

    /// `+02:00`, `+0200`, `+02`, and behind a named zone `+2`; away from the time only with four digits or a colon.
    fn offset(&self, at: usize, named: bool) -> Until<String> {
        let Token::Sign { sign: sign @ ('+' | '-' | '−'), spaced } = *self.tokens.get(at)? else { return None };
        let Token::Number { value, digits, spaced: false } = *self.tokens.get(at + 1)? else { return None };
        let minutes = if self.sign(at + 2) == Some(':') { self.number(at + 3, 2..=2) } else { None };
        let end = at + if minutes.is_some() { 4 } else { 2 };
        let (hours, minutes) = match (digits, minutes) {
            (4, None) => (value / 100, value % 100),
            (2, Some(minutes)) if !spaced || sign == '+' => (value, minutes),
            (2, None) if !spaced => (value, 0),
            (1 | 2, minutes) if named => (value, minutes.unwrap_or(0)),
            _ => return None,
        };
        let sign = if sign == '+' || hours + minutes == 0 { '+' } else { '-' };
        (hours <= 14 && minutes <= 59).then(|| (format!("{sign}{hours:02}:{minutes:02}"), end))
    }
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn the_date_of_a_field_is_read_in_its_common_forms() {
        let (midnight, afternoon) = (541_296_000_000_000, 541_350_061_000_000);
        for form in [
            "February 26, 1987",
            "26.02.1987",
            "26.2.1987",
            "1987/02/26",
            "26 Feb 1987",
            "Thursday, 26th of February 1987",
        ] {
            assert_eq!(moment(form), Some(midnight), "{form}");
        }
        for form in
            ["26-FEB-1987", "02/26/1987", "26/2/1987", "1987年2月26日", "26 février 1987", "26-FEB-1987 00:00:00.00"]
        {
            assert_eq!(moment(form), Some(midnight), "{form}");
        }
        for form in [
            "26-FEB-1987 15:01:01",
            "Thu, 26 Feb 1987 10:01:01 EST",
            "Thu Feb 26 15:01:01 +0000 1987",
            "19870226150101",
            "Thu Feb 26 15:01:01 UTC 1987",
            "Feb 26, 1987, 3:01:01 PM",
            "2/26/1987 3:01:01 p.m.",
            "1987/02/26 16:01:01 +01:00",
            "Thu, 26 Feb 1987 09:01:01 CST (Texas)",
            "15:01:01 on 26 Feb 1987",
        ] {
            assert_eq!(moment(form), Some(afternoon), "{form}");
        }
        assert_eq!(moment("26-FEB-1987 15:01:01.79"), Some(afternoon + 790_000));
        assert_eq!(moment("March 4, 1863"), moment("1863-03-04"));
        assert_eq!(moment("1609837200"), moment("2021-01-05T09:00:00Z"));
    }

    #[test]
    fn nothing_is_guessed_and_every_number_counts() {
        for form in ["03/04/2021", "3-4-2021", "26-FEB-87", "2/26/87", "2021030412", "February 1987", "30 Feb 1987"] {
            assert_eq!(moment(form), None, "{form}");
        }
        for form in
            ["page 4, 26 Feb 1987", "26 Feb 1987 25:00", "2021-03-04T12:00:00+1", "2021-W05-3", "26 Feb 1987 3 PM"]
        {
            assert_eq!(moment(form), None, "{form}");
        }
        assert_eq!(moment(&format!("26 Feb 1987{}", " and so on".repeat(10))), None);
    }
}
