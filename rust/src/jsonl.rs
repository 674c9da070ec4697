//! JSON lines → columns: of each line the text, the id, the date and what else is asked for; all the rest is checked
//! and left alone.
//!
//! The scanner goes over a line once and remembers where the wanted values stand; the text is then copied, unescaped,
//! straight into the batch's buffer. String bodies, nine tenths of the bytes, are crossed by `memchr`. What JSON is
//! and what is not is decided as Python's `json.loads` does, with these differences: nesting stops at 128; `NaN` and
//! `Infinity`, which Python writes for missing numbers, are null; a lone surrogate is U+FFFD.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use memchr::{memchr, memchr2};

use crate::dates::{UNDATED, moment};

const MAX_DEPTH: usize = 128;

/// The most different reasons that a batch gives in full; of any other, what stands before its first colon is told.
pub const MAX_REASONS: usize = 1000;

/// The names under which a record may hold its fields: the first that is there and not null is taken.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// Where the text may stand.
    pub text: &'a [String],
    /// Where the id may stand.
    pub id: &'a [String],
    /// Where the date may stand.
    pub published: &'a [String],
    /// Where each further field may stand that is asked for.
    pub about: &'a [Vec<String>],
}

type Step<T> = Result<T, String>;

/// What was read of a batch of lines; row i is `text[offsets[i]..offsets[i + 1]]`. Lines count from 0.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Records {
    /// The texts in UTF-8, concatenated.
    pub text: Vec<u8>,
    /// Where each text begins, and the end of the last.
    pub offsets: Vec<i64>,
    /// The ids as they are written; empty where a record has none.
    pub ids: Vec<String>,
    /// Microseconds since 1970 UTC, `UNDATED` where there is no date that can be read.
    pub published: Vec<i64>,
    /// Row and content of each date that is there and cannot be read.
    pub other_dates: Vec<(usize, String)>,
    /// A column for each further field: a string as it is, a number as it is written, the strings of an array joined by
    /// "; "; empty where a record has nothing else.
    pub about: Vec<Vec<String>>,
    /// The line that each row stands on.
    pub lines: Vec<i64>,
    /// The lines that hold no usable record.
    pub bad: Bad,
}

/// The records of all lines of `data`; blank lines are skipped.
pub fn read_jsonl(data: &[u8], names: Names, max_record_bytes: usize) -> Records {
    let mut records = Records {
        text: Vec::with_capacity(data.len()),
        offsets: vec![0],
        about: vec![Vec::new(); names.about.len()],
        ..Records::default()
    };
    let slots = Slots::new(names);
    let bad = each_line(data, max_record_bytes, |line, number| {
        records.push(&slots.read(line)?, number);
        Ok(())
    });
    records.bad = bad;
    records.text.shrink_to_fit();
    records
}

impl Records {
    fn push(&mut self, record: &Record, line: i64) {
        let row = self.lines.len();
        record.text.unescape_into(&mut self.text);
        self.offsets.push(self.text.len() as i64);
        self.ids.push(record.id.as_text());
        let date = record.published.as_text();
        let moment = moment(&date);
        self.published.push(moment.unwrap_or(UNDATED));
        if moment.is_none() && !date.trim_ascii().is_empty() {
            self.other_dates.push((row, date));
        }
        for (column, value) in self.about.iter_mut().zip(&record.about) {
            column.push(value.as_known());
        }
        self.lines.push(line);
    }
}

/// The lines that cannot be used.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Bad {
    /// Their numbers.
    pub lines: Vec<i64>,
    /// Why, for each of them, as a place in `reasons`.
    pub which: Vec<u32>,
    /// The different reasons.
    pub reasons: Vec<String>,
}

impl Bad {
    /// Adds a bad line; `known` has the place of each reason.
    fn complain(&mut self, line: i64, mut reason: String, known: &mut HashMap<String, u32>) {
        if known.len() >= MAX_REASONS && !known.contains_key(&reason) {
            reason.truncate(memchr(b':', reason.as_bytes()).unwrap_or(reason.len()));
        }
        let place = known.get(&reason).copied().unwrap_or_else(|| {
            let new = self.reasons.len() as u32;
            self.reasons.push(reason.clone());
            known.insert(reason, new);
            new
        });
        self.lines.push(line);
        self.which.push(place);
    }
}

/// Calls `read` with each line of `data` that is not blank, and its number from 0; returns those for which it gives a reason.
fn each_line(data: &[u8], max_record_bytes: usize, mut read: impl FnMut(&[u8], i64) -> Step<()>) -> Bad {
    let (mut bad, mut known) = (Bad::default(), HashMap::new());
    let mut rest = data;
    let mut number = 0;
    while !rest.is_empty() {
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        if !line.iter().all(|byte| is_space(*byte)) {
            let done = if end > max_record_bytes {
                Err(format!("longer than {max_record_bytes} bytes; cut it into records"))
            } else {
                read(line, number)
            };
            if let Err(reason) = done {
                bad.complain(number, reason, &mut known);
            }
        }
        number += 1;
    }
    bad
}

/// The values of one field: row i has `text[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Column {
    /// UTF-8, concatenated.
    pub text: Vec<u8>,
    /// Where each value begins, and the end of the last.
    pub offsets: Vec<i64>,
}

/// The values of fields in the records of all lines of `data`, a column for each of `names`, the line of each row, and the bad lines.
///
/// A string is itself, anything else as it is written; null and what is not there is empty. Blank lines are skipped.
pub fn read_columns(data: &[u8], names: &[String], max_record_bytes: usize) -> (Vec<Column>, Vec<i64>, Bad) {
    let wanted: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
    let mut columns = vec![Column { text: Vec::new(), offsets: vec![0] }; names.len()];
    let mut lines = Vec::new();
    let bad = each_line(data, max_record_bytes, |line, number| {
        for (column, value) in columns.iter_mut().zip(read_line(line, &wanted)?) {
            match value {
                Value::Null => (),
                Value::Text(quoted) => quoted.unescape_into(&mut column.text),
                Value::Bare(raw) | Value::Array(raw) | Value::Object(raw) => column.text.extend_from_slice(raw),
            }
            column.offsets.push(column.text.len() as i64);
        }
        lines.push(number);
        Ok(())
    });
    (columns, lines, bad)
}

/// What a line holds under each of `names`, or what is wrong with it.
fn read_line<'a>(line: &'a [u8], names: &[&[u8]]) -> Step<Vec<Value<'a>>> {
    if let Err(error) = std::str::from_utf8(line) {
        let at = error.valid_up_to();
        return Err(format!(
            "not UTF-8 at byte {at} of the line; name its encoding, such as fields=Fields(encoding='latin1')"
        ));
    }
    let mut values = vec![Value::Null; names.len()];
    let mut scanner =
        Scanner { line, at: 0, has_control: line.iter().fold(u8::MAX, |least, &byte| least.min(byte)) < 0x20 };
    scanner.record(names, &mut values)?;
    Ok(values)
}

/// One line's fields.
struct Record<'a> {
    text: Quoted<'a>,
    id: Value<'a>,
    published: Value<'a>,
    about: Vec<Value<'a>>,
}

/// The body of a JSON string as it is written.
#[derive(Clone, Copy)]
struct Quoted<'a> {
    body: &'a [u8],
    escaped: bool,
}

#[derive(Clone, Copy)]
enum Value<'a> {
    Null,
    Text(Quoted<'a>),
    /// A number, or `true`, or `false`, as written.
    Bare(&'a [u8]),
    /// An array as written, with its brackets.
    Array(&'a [u8]),
    /// An object as written, with its braces.
    Object(&'a [u8]),
}

impl Value<'_> {
    fn kind(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Text(_) => "a string",
            Self::Bare(b"true" | b"false") => "true or false",
            Self::Bare(_) => "a number",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    fn as_text(self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Text(quoted) => quoted.to_text(),
            Self::Bare(raw) => String::from_utf8_lossy(raw).into_owned(),
            Self::Array(_) | Self::Object(_) => self.kind().to_owned(),
        }
    }

    /// What the value says about an article, empty if nothing.
    fn as_known(self) -> String {
        match self {
            Self::Null | Self::Object(_) | Self::Bare(b"true" | b"false") => String::new(),
            Self::Text(_) | Self::Bare(_) => self.as_text(),
            Self::Array(written) => joined(written),
        }
    }
}

/// The strings of an array that is known to be one, with "; " between them.
fn joined(array: &[u8]) -> String {
    let mut scanner = Scanner { line: array, at: 0, has_control: false };
    let mut strings = Vec::new();
    let _ = scanner.array(1, |value| {
        if let Value::Text(quoted) = value
            && !quoted.body.is_empty()
        {
            strings.push(quoted.to_text());
        }
    });
    strings.join("; ")
}

impl Quoted<'_> {
    fn to_text(self) -> String {
        let mut text = Vec::with_capacity(self.body.len());
        self.unescape_into(&mut text);
        String::from_utf8(text).unwrap_or_default() // the line is UTF-8, and so is what is cut out of it
    }

    fn unescape_into(self, out: &mut Vec<u8>) {
        let mut rest = self.body;
        while let Some(at) = if self.escaped { memchr(b'\\', rest) } else { None } {
            out.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
            let mut length = 1;
            let byte = match rest.first() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(b'b') => 8,
                Some(b'f') => 12,
                Some(b'u') => {
                    let (character, taken) = unicode_escape(rest);
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    rest = rest.get(taken..).unwrap_or_default();
                    continue;
                }
                Some(&itself) => itself,
                None => {
                    length = 0;
                    b'\\'
                }
            };
            out.push(byte);
            rest = &rest[length..];
        }
        out.extend_from_slice(rest);
    }
}

/// The character of `uXXXX` at the start, or of the surrogate pair there, and how many bytes it takes.
fn unicode_escape(rest: &[u8]) -> (char, usize) {
    let unit = hex4(rest.get(1..5)).unwrap_or(0xFFFD);
    if (0xD800..0xDC00).contains(&unit)
        && rest.get(5..7) == Some(b"\\u")
        && let Some(low @ 0xDC00..0xE000) = hex4(rest.get(7..11))
    {
        let point = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        return (char::from_u32(point).unwrap_or('\u{FFFD}'), 11);
    }
    (char::from_u32(unit).unwrap_or('\u{FFFD}'), 5)
}

fn hex4(digits: Option<&[u8]>) -> Option<u32> {
    digits?.iter().try_fold(0, |n, &d| Some(n * 16 + char::from(d).to_digit(16)?))
}

/// The wanted names and what the current line holds under each.
struct Slots<'n> {
    names: Names<'n>,
    all: Vec<&'n [u8]>,
}

impl Slots<'_> {
    fn new(names: Names<'_>) -> Slots<'_> {
        let all = [names.text, names.id, names.published].into_iter().flatten();
        let all = all.chain(names.about.iter().flatten()).map(String::as_bytes).collect();
        Slots { names, all }
    }

    /// The record of one line, or what is wrong with it.
    fn read<'a>(&self, line: &'a [u8]) -> Result<Record<'a>, String> {
        let values = read_line(line, &self.all)?;
        let (texts, others) = values.split_at(self.names.text.len());
        let (ids, others) = others.split_at(self.names.id.len());
        let (dates, mut others) = others.split_at(self.names.published.len());
        let mut about = Vec::with_capacity(self.names.about.len());
        for names in self.names.about {
            let (values, rest) = others.split_at(names.len());
            about.push(first(values).1);
            others = rest;
        }
        let (text_at, text) = first(texts);
        let (id_at, id) = first(ids);
        let text = match text {
            Value::Text(quoted) => quoted,
            Value::Null => return Err(no_text(&keys(line), self.names.text, "keys")),
            other => {
                return Err(format!("field '{}' is {}, not a string", self.names.text[text_at], other.kind()));
            }
        };
        if matches!(id, Value::Array(_) | Value::Object(_) | Value::Bare(b"true" | b"false")) {
            return Err(format!("field '{}' is {}, not a string or a number", self.names.id[id_at], id.kind()));
        }
        Ok(Record { text, id, published: first(dates).1, about })
    }
}

/// What a text is called in most places.
const USUAL: [&str; 4] = ["text", "maintext", "body", "content"];

/// Why a record with these names, called `what`, has no text, and what to do; the text was looked for under `wanted`, of which
/// a single one was given by the user.
pub fn no_text(names: &[String], wanted: &[String], what: &str) -> String {
    if let Some(null) = wanted.iter().find(|name| names.contains(name)) {
        return format!("field '{null}' is null");
    }
    let mut reason = String::from("no text field");
    if let [name] = wanted {
        let _ = write!(reason, " '{name}'");
    }
    if names.is_empty() {
        return reason + ": the record is empty";
    }
    let cut = |name: &String| name.chars().take(40).collect::<String>();
    let shown: Vec<String> = names.iter().take(12).map(cut).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    let _ = write!(reason, ": found {what} {}{more}; ", shown.join(", "));
    let meant = names
        .iter()
        .find(|name| wanted.iter().any(|one| are_alike(one, name)))
        .or_else(|| names.iter().find(|name| USUAL.iter().any(|one| are_alike(one, name))));
    match meant.map(cut) {
        Some(name) => reason + &format!("did you mean fields=Fields(text='{name}')?"),
        None => reason + "name it with fields=Fields(text=…)",
    }
}

/// Whether one of two names has more than half of the other's pairs of letters.
fn are_alike(one: &str, other: &str) -> bool {
    let pairs = |name: &str| -> HashSet<(char, char)> {
        let letters: Vec<char> = name.chars().take(40).flat_map(char::to_lowercase).collect();
        letters.iter().copied().zip(letters.iter().skip(1).copied()).collect()
    };
    let (one, other) = (pairs(one), pairs(other));
    one.intersection(&other).count() * 2 > one.len().min(other.len()).max(2)
}

fn first<'a>(values: &[Value<'a>]) -> (usize, Value<'a>) {
    let there = values.iter().position(|value| !matches!(value, Value::Null));
    there.map_or((0, Value::Null), |at| (at, values[at]))
}

/// White space as JSON has it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The keys of a line that is known to be an object.
fn keys(line: &[u8]) -> Vec<String> {
    let mut scanner = Scanner { line, at: 0, has_control: false };
    let mut keys = Vec::new();
    let _ = scanner.object(1, |key, _| keys.push(key.to_text()));
    keys
}

struct Scanner<'a> {
    line: &'a [u8],
    at: usize,
    /// Some byte of the line is a control character, so strings must be searched for them.
    has_control: bool,
}

impl<'a> Scanner<'a> {
    fn record(&mut self, names: &[&[u8]], values: &mut [Value<'a>]) -> Step<()> {
        if self.peek() != Some(b'{') {
            let kind = self.value(0)?.kind();
            return Err(format!("not a JSON object but {kind}; each line must be one {{…}}"));
        }
        self.object(1, |key, value| {
            let unescaped = if key.escaped { key.to_text() } else { String::new() };
            let key = if key.escaped { unescaped.as_bytes() } else { key.body };
            for (name, slot) in names.iter().zip(values.iter_mut()) {
                if *name == key {
                    *slot = value;
                }
            }
        })?;
        match self.peek() {
            None => Ok(()),
            Some(_) => self.fail("something follows the record"),
        }
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.line.get(self.at) {
            if !is_space(byte) {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    fn fail<T>(&self, what: &str) -> Step<T> {
        Err(format!("not JSON: {what} at byte {} of the line", self.at))
    }

    fn object(&mut self, depth: usize, mut seen: impl FnMut(Quoted<'a>, Value<'a>)) -> Step<()> {
        self.peek();
        self.at += 1;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            if self.peek() != Some(b'"') {
                return self.fail("expected a key in quotes");
            }
            let key = self.string()?;
            if self.peek() != Some(b':') {
                return self.fail("expected ':'");
            }
            self.at += 1;
            let value = self.value(depth)?;
            seen(key, value);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return self.fail("expected ',' or '}'"),
            }
        }
        self.at += 1;
        Ok(())
    }

    fn array(&mut self, depth: usize, mut seen: impl FnMut(Value<'a>)) -> Step<()> {
        self.at += 1;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            seen(self.value(depth)?);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return self.fail("expected ',' or ']'"),
            }
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Step<Value<'a>> {
        let next = self.peek();
        if depth >= MAX_DEPTH && matches!(next, Some(b'{' | b'[')) {
            return Err(format!("nested deeper than {MAX_DEPTH}"));
        }
        match next {
            Some(b'"') => self.string().map(Value::Text),
            Some(b'{') => {
                let start = self.at;
                self.object(depth + 1, |_, _| ()).map(|()| Value::Object(&self.line[start..self.at]))
            }
            Some(b'[') => {
                let start = self.at;
                self.array(depth + 1, |_| ()).map(|()| Value::Array(&self.line[start..self.at]))
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.word(),
            None => self.fail("expected a value"),
        }
    }

    fn word(&mut self) -> Step<Value<'a>> {
        let rest = &self.line[self.at..];
        for word in [&b"null"[..], b"true", b"false", b"NaN", b"Infinity", b"-Infinity"] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(if matches!(word, b"true" | b"false") { Value::Bare(word) } else { Value::Null });
            }
        }
        self.fail("expected a value")
    }

    fn number(&mut self) -> Step<Value<'a>> {
        let start = self.at;
        self.at += usize::from(self.line[self.at] == b'-');
        match self.line.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => {
                self.at = start;
                return self.word();
            }
        }
        // A point or an e without digits behind it is not part of the number; whoever comes next complains.
        if self.line.get(self.at) == Some(&b'.') && self.digit_at(self.at + 1) {
            self.at += 1;
            self.digits();
        }
        if let Some(b'e' | b'E') = self.line.get(self.at) {
            let signed = matches!(self.line.get(self.at + 1), Some(b'+' | b'-'));
            if self.digit_at(self.at + 1 + usize::from(signed)) {
                self.at += 1 + usize::from(signed);
                self.digits();
            }
        }
        Ok(Value::Bare(&self.line[start..self.at]))
    }

    fn digit_at(&self, at: usize) -> bool {
        self.line.get(at).is_some_and(u8::is_ascii_digit)
    }

    fn digits(&mut self) {
        while self.digit_at(self.at) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Step<Quoted<'a>> {
        let start = self.at + 1;
        let mut at = start;
        let mut escaped = false;
        loop {
            let Some(hit) = memchr2(b'"', b'\\', &self.line[at..]) else {
                return self.fail("a string without end");
            };
            at += hit;
            if self.line[at] == b'"' {
                break;
            }
            escaped = true;
            match self.line.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') if hex4(self.line.get(at + 2..at + 6)).is_some() => at += 6,
                _ => {
                    self.at = at;
                    return self.fail("a bad escape");
                }
            }
        }
        let body = &self.line[start..at];
        if self.has_control
            && let Some(control) = body.iter().position(|&b| b < 0x20)
        {
            self.at = start + control;
            return self.fail("a control character in a string");
        }
        self.at = at + 1;
        Ok(Quoted { body, escaped })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(data: &str) -> Records {
        read_about(data, &[])
    }

    fn read_about(data: &str, about: &[&[&str]]) -> Records {
        let names = |n: &[&str]| n.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (text, id, published) = (names(&["text", "body"]), names(&["id"]), names(&["published", "date"]));
        let about: Vec<_> = about.iter().map(|of_one| names(of_one)).collect();
        let names = Names { text: &text, id: &id, published: &published, about: &about };
        read_jsonl(data.as_bytes(), names, 1 << 20)
    }

    #[test]
    fn fields_are_found_among_others() {
        let records = read(concat!(
            "{\"id\": 1, \"x\": [{\"text\": 0}, -1.5e3], \"text\": \"a\\n\\u00e9\\ud83d\\ude00\\ud800\", \"date\": \"1970-01-02\"}\r\n",
            "\n{\"b\\u006fdy\": \"b\", \"text\": null, \"date\": \"today\"}"
        ));
        assert_eq!(String::from_utf8(records.text).unwrap(), "a\né😀\u{FFFD}b");
        assert_eq!(records.offsets, [0, 11, 12]);
        assert_eq!(records.ids, ["1", ""]);
        assert_eq!(records.published, [86_400_000_000, UNDATED]);
        assert_eq!(records.other_dates, [(1, "today".to_owned())]);
        assert_eq!(records.lines, [0, 2]);
        assert!(records.bad.lines.is_empty());
    }

    #[test]
    fn further_fields_are_read_if_asked_for() {
        let data = concat!(
            "{\"text\": \"a\", \"title\": \"A \\\"b\\\" \\u00e9\"}\n{\"text\": \"b\"}\n{\"title\": \"no text\"}\n",
            "{\"title\": 7.50, \"text\": \"c\", \"date\": \"1 May\"}\n",
            "{\"title\": null, \"text\": \"d\", \"headline\": \"D\", \"date\": {\"day\": 1}}"
        );
        assert!(read(data).about.is_empty());
        let records = read_about(data, &[&["title", "headline"], &["date"]]);
        assert_eq!(records.about, [["A \"b\" é", "", "7.50", "D"], ["", "", "1 May", ""]]);
        assert_eq!(records.lines, [0, 1, 3, 4]);
    }

    #[test]
    fn strings_of_an_array_are_joined() {
        for (written, expected) in [
            (r#"["Ann", "B\u00e9n"]"#, "Ann; Bén"),
            (r#"[ "Ann" , null, "", {"x": "y"}, ["z"], 5, true, "Ben" ]"#, "Ann; Ben"),
            ("[]", ""),
            ("true", ""),
            ("NaN", ""),
        ] {
            let data = format!("{{\"text\": \"a\", \"authors\": {written}}}");
            assert_eq!(read_about(&data, &[&["author", "authors"]]).about, [[expected]], "{written}");
        }
    }

    #[test]
    fn bad_lines_are_named() {
        let records = read("{\"a\": 1}\n[]\n{\"text\": 5}\n{\"text\": \"x\", \"id\": []}\n{\"text\": \"x\n{}");
        assert_eq!(records.bad.lines, [0, 1, 2, 3, 4, 5]);
        assert_eq!(told(&records), records.bad.reasons);
        assert_eq!(
            records.bad.reasons,
            [
                "no text field: found keys a; name it with fields=Fields(text=…)",
                "not a JSON object but an array; each line must be one {…}",
                "field 'text' is a number, not a string",
                "field 'id' is an array, not a string or a number",
                "not JSON: a string without end at byte 9 of the line",
                "no text field: the record is empty",
            ]
        );
        assert!(records.lines.is_empty());
    }

    #[test]
    fn a_name_that_was_meant_is_offered() {
        let no_text = |names: &[&str], wanted: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
            no_text(&owned(names), &owned(wanted), "keys")
        };
        let names = ["id", "article_body", "date"];
        for wanted in ["articlebody", "article_bdy", "Article Body", "body"] {
            let found = "found keys id, article_body, date; did you mean fields=Fields(text='article_body')?";
            assert_eq!(no_text(&names, &[wanted]), format!("no text field '{wanted}': {found}"));
        }
        assert!(no_text(&names, &["text", "body"]).ends_with("; did you mean fields=Fields(text='article_body')?"));
        assert!(no_text(&names, &["story"]).ends_with("; did you mean fields=Fields(text='article_body')?"));
        assert!(no_text(&["id", "lead"], &["story"]).ends_with("; name it with fields=Fields(text=…)"));
        assert!(no_text(&["tx", "t", ""], &["text"]).ends_with("; name it with fields=Fields(text=…)"));
    }

    /// The reason of each bad line.
    fn told(records: &Records) -> Vec<&str> {
        records.bad.which.iter().map(|place| records.bad.reasons[*place as usize].as_str()).collect()
    }

    #[test]
    fn a_reason_is_held_once() {
        let records = read(&"{}\n[]\n".repeat(50_000));
        assert_eq!((records.bad.lines.len(), records.bad.reasons.len()), (100_000, 2));
        assert_eq!(told(&records)[99_998..], ["no text field: the record is empty", records.bad.reasons[1].as_str()]);
    }

    #[test]
    fn of_very_many_reasons_the_later_are_told_in_short() {
        let data: Vec<String> = (0..MAX_REASONS + 5).map(|n| format!("{{\"key{n}\": 1}}\n")).collect();
        let records = read(&(data.concat() + "{\"key3\": 1}"));
        let told = told(&records);
        assert_eq!(told.len(), MAX_REASONS + 6);
        assert_eq!(records.bad.reasons.len(), MAX_REASONS + 1);
        assert_eq!(told[3], "no text field: found keys key3; name it with fields=Fields(text=…)");
        assert_eq!(told[MAX_REASONS..], [&["no text field"; 5][..], &[told[3]]].concat());
    }

    #[test]
    fn columns_hold_values_as_they_are_written() {
        let names: Vec<String> = ["a", "b"].map(str::to_owned).to_vec();
        let data = concat!(
            "{\"a\": \"x\\u00e9\", \"b\": [1, {\"c\": \"d\"}]}\n\n[]\n",
            "{\"b\": -1.50e3, \"a\": null}\n{\"a\": {\"e\": true}, \"b\": false}"
        );
        let (columns, lines, bad) = read_columns(data.as_bytes(), &names, 1 << 20);
        let told = columns.iter().map(|column| {
            let cut = |edges: &[i64]| column.text[edges[0] as usize..edges[1] as usize].to_vec();
            column.offsets.windows(2).map(|edges| String::from_utf8(cut(edges)).unwrap()).collect::<Vec<_>>()
        });
        let expected = [["xé", "", "{\"e\": true}"], ["[1, {\"c\": \"d\"}]", "-1.50e3", "false"]];
        assert!(told.eq(expected));
        assert_eq!((lines, bad.lines), (vec![0, 3, 4], vec![2]));
        assert_eq!(bad.reasons, ["not a JSON object but an array; each line must be one {…}"]);
    }

    #[test]
    fn deep_nesting_ends() {
        let nested = |depth: usize| format!("{{\"text\": \"x\", \"y\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(127)).bad.lines.is_empty());
        assert_eq!(read(&nested(128)).bad.lines.len(), 1);
        assert_eq!(read(&nested(100_000)).bad.lines.len(), 1);
    }
}
