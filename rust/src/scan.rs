//! HTML as tags and text, in order: the tokens of the WHATWG standard, without a tree.
//!
//! A scanner jumps from `<` to `<` and never looks at a byte of text, script or comment twice, so that its cost is
//! linear in the page. It equals the standard's tokenizer (the `html5gum` crate is its twin) but for what never
//! closes: the standard lets an open `<title>`, comment, script or quotation mark swallow the rest of the page; here
//! such a thing ends at once, and the page goes on.

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter, memmem, memrchr};

/// A piece of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// Text between tags, character references as they stand.
    Text(&'a str),
    /// The content of an element that holds no markup, such as `script`, which ends here too.
    Raw(&'a str),
    /// A start tag by its name as written; its attributes are in [`Scanner::attributes`].
    Start(&'a str),
    /// An end tag by its name as written.
    End(&'a str),
}

/// Name and value of an attribute as written; of two with one name the first counts.
pub type Attribute<'a> = (&'a str, &'a str);

/// Attributes of a tag beyond these are read over.
const MAX_ATTRIBUTES: usize = 64;

/// After so many tags that never close, quotation marks no longer keep a tag open, and after so many comments and scripts that do
/// not, these end as the standard says: what fails costs a look at the rest of the page.
const MAX_TORN: usize = 32;

/// A tag in a title that is longer is not looked at: each costs a look as far as its end.
const MAX_SAID: usize = 400;

/// Elements that hold no tags; `title` and `textarea` hold character references.
const RAW: [&str; 8] = ["script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp"];

/// How a tag ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Plain,
    Slash,
    Never,
}

/// Goes over a page once.
pub struct Scanner<'a> {
    html: &'a str,
    at: usize,
    attributes: Vec<Attribute<'a>>,
    ending: Ending,
    raw: Option<usize>,
    unclosed: [bool; RAW.len()],
    unclosed_escape: bool,
    unclosed_comment: bool,
    unclosed_quotes: [bool; 2],
    last_close: usize,
    torn: usize,
    reopened: usize,
}

impl<'a> Scanner<'a> {
    /// A scanner at the start of a page.
    pub fn new(html: &'a str) -> Self {
        Self {
            html,
            at: 0,
            attributes: Vec::new(),
            ending: Ending::Plain,
            raw: None,
            unclosed: [false; RAW.len()],
            unclosed_escape: false,
            unclosed_comment: false,
            unclosed_quotes: [false; 2],
            last_close: memrchr(b'>', html.as_bytes()).map_or(0, |at| at + 1),
            torn: 0,
            reopened: 0,
        }
    }

    /// The attributes of the last start tag.
    pub fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes
    }

    /// The value of an attribute of the last start tag.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|attribute| attribute.0.eq_ignore_ascii_case(name)).map(|attribute| attribute.1)
    }

    /// Whether the last start tag ends with a slash.
    pub fn self_closing(&self) -> bool {
        self.ending == Ending::Slash
    }

    /// Whether the last tag never closes.
    pub fn is_torn(&self) -> bool {
        self.ending == Ending::Never
    }

    /// The next token.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Token<'a>> {
        if let Some(content) = self.raw.take().and_then(|kind| self.raw_content(kind)) {
            return Some(Token::Raw(content));
        }
        let bytes = self.html.as_bytes();
        loop {
            let start = self.at;
            while self.at < bytes.len() {
                self.at = memchr(b'<', &bytes[self.at..]).map_or(bytes.len(), |found| self.at + found);
                match bytes.get(self.at + 1) {
                    Some(b'!' | b'?' | b'/') => break,
                    Some(letter) if letter.is_ascii_alphabetic() => break,
                    _ => self.at = (self.at + 1).min(bytes.len()),
                }
            }
            if self.at > start {
                return Some(Token::Text(&self.html[start..self.at]));
            }
            match bytes.get(self.at + 1)? {
                b'!' | b'?' => self.skip_comment(),
                b'/' => match bytes.get(self.at + 2) {
                    Some(letter) if letter.is_ascii_alphabetic() => {
                        let name = self.name(self.at + 2);
                        self.skip_tag(self.at + 2 + name.len());
                        return Some(Token::End(name));
                    }
                    Some(b'>') => self.at += 3,
                    Some(_) => self.skip_bogus_comment(),
                    None => {
                        self.at = bytes.len();
                        return Some(Token::Text(&self.html[bytes.len() - 2..]));
                    }
                },
                _ => {
                    let name = self.name(self.at + 1);
                    self.skip_tag(self.at + 1 + name.len());
                    self.raw = RAW.iter().position(|raw| raw.eq_ignore_ascii_case(name));
                    return Some(Token::Start(name));
                }
            }
        }
    }

    fn name(&self, start: usize) -> &'a str {
        let mut rest = &self.html.as_bytes()[start..];
        if start >= self.last_close {
            // A tag that was cut off: `<div<p`.
            rest = &rest[..memchr(b'<', rest).unwrap_or(rest.len())];
        }
        &self.html[start..start + rest.iter().position(ends_name).unwrap_or(rest.len())]
    }

    fn raw_content(&mut self, kind: usize) -> Option<&'a str> {
        if self.unclosed[kind] {
            return None;
        }
        let (name, start) = (RAW[kind].as_bytes(), self.at);
        let is_program = self.attribute("type").is_none_or(|said| {
            let said = said.to_ascii_lowercase();
            said.is_empty() || said.contains("script") || said == "module"
        });
        let bytes = self.html.as_bytes();
        for found in memmem::find_iter(&bytes[start..], b"</") {
            let end = start + found;
            let rest = &bytes[end + 2..];
            if is_named(rest, name) {
                if self.reopened <= MAX_TORN && holds_page(name, is_program, &bytes[start..end]) {
                    self.reopened += 1;
                    return None;
                }
                let escaped =
                    name == b"script" && !self.unclosed_escape && memmem::find(&bytes[start..end], b"<!--").is_some();
                let end = if escaped { self.end_of_escaped(start).unwrap_or(end) } else { end };
                self.skip_tag(end + 2 + name.len());
                return Some(&self.html[start..end]);
            }
        }
        self.unclosed[kind] = true;
        None
    }

    /// The end of a script with `<!--` in it: up to `-->`, a `<script>` in it has an end of its own. None if there is no
    /// end, and then none is looked for again.
    fn end_of_escaped(&mut self, start: usize) -> Option<usize> {
        let bytes = self.html.as_bytes();
        // Where the text is escaped from, and whether in an inner script.
        let (mut escaped, mut inner) = (None, false);
        for at in memchr2_iter(b'<', b'>', &bytes[start..]).map(|found| start + found) {
            let rest = &bytes[at + 1..];
            if bytes[at] == b'>' {
                if escaped.is_some_and(|from| from + 2 <= at) && bytes[..at].ends_with(b"--") {
                    (escaped, inner) = (None, false);
                }
            } else if rest.starts_with(b"!--") {
                escaped = escaped.or(Some(at + 2));
            } else if rest.starts_with(b"/") && is_named(&rest[1..], b"script") {
                if !inner {
                    return Some(at);
                }
                inner = false;
            } else if escaped.is_some() && is_named(rest, b"script") {
                inner = true;
            }
        }
        self.unclosed_escape = true;
        None
    }

    fn skip_comment(&mut self) {
        let bytes = self.html.as_bytes();
        if !bytes[self.at..].starts_with(b"<!--") {
            self.skip_bogus_comment();
            return;
        }
        let body = self.at + 4;
        let rest = &bytes[body..];
        if rest.starts_with(b">") || rest.starts_with(b"->") {
            self.at = body + 1 + usize::from(rest[0] == b'-');
            return;
        }
        if !self.unclosed_comment {
            let mut from = 0;
            while let Some(dashes) = memmem::find(&rest[from..], b"--") {
                // Of three dashes and more the last two count.
                let run = rest[from + dashes..].iter().take_while(|byte| **byte == b'-').count();
                from += dashes + run;
                let closing = match &rest[from..] {
                    [b'>', ..] => 1,
                    [b'!', b'>', ..] => 2,
                    _ => continue,
                };
                if self.reopened <= MAX_TORN && holds_comment(&rest[..from]) {
                    self.reopened += 1;
                    break;
                }
                self.at = body + from + closing;
                return;
            }
            self.unclosed_comment = memmem::find(rest, b"-->").is_none();
        }
        self.at = body;
    }

    fn skip_bogus_comment(&mut self) {
        self.at += 2;
        if self.at < self.last_close {
            self.at += memchr(b'>', &self.html.as_bytes()[self.at..]).map_or(0, |end| end + 1);
        }
    }

    /// Reads the attributes and leaves the scanner behind the tag.
    fn skip_tag(&mut self, after_name: usize) {
        self.attributes.clear();
        self.ending = Ending::Plain;
        let end =
            if after_name >= self.last_close || self.torn > MAX_TORN { None } else { self.read_attributes(after_name) };
        self.at = end.unwrap_or_else(|| {
            self.torn += 1;
            self.ending = Ending::Never;
            self.attributes.clear();
            let rest = &self.html.as_bytes()[after_name..];
            memchr2(b'>', b'<', rest)
                .map_or(self.html.len(), |found| after_name + found + usize::from(rest[found] == b'>'))
        });
    }

    /// Where the tag ends; None if it does not.
    fn read_attributes(&mut self, mut at: usize) -> Option<usize> {
        let bytes = self.html.as_bytes();
        let skip_space = |mut at: usize| {
            while matches!(bytes.get(at), Some(b'\t' | b'\n' | 0x0c | b'\r' | b' ')) {
                at += 1;
            }
            at
        };
        loop {
            at = skip_space(at);
            match *bytes.get(at)? {
                b'>' => return Some(at + 1),
                b'/' => {
                    self.ending = if bytes.get(at + 1) == Some(&b'>') { Ending::Slash } else { Ending::Plain };
                    at += 1;
                    continue;
                }
                _ => {}
            }
            let name = at;
            // An equals sign in the first place belongs to the name.
            at += 1;
            while !matches!(*bytes.get(at)?, b'\t' | b'\n' | 0x0c | b'\r' | b' ' | b'/' | b'>' | b'=') {
                at += 1;
            }
            let name = name..at;
            let equals = skip_space(at);
            let mut value = at..at;
            if bytes.get(equals) == Some(&b'=') {
                let start = skip_space(equals + 1);
                let quote = *bytes.get(start)?;
                let closing = if matches!(quote, b'"' | b'\'') { self.closing_quote(start + 1, quote) } else { None };
                if let Some(end) = closing {
                    if opens_another(&bytes[start + 1..end], bytes.get(end + 1)) {
                        return None;
                    }
                    value = start + 1..end;
                    at = end + 1;
                } else {
                    at = start;
                    while !matches!(*bytes.get(at)?, b'\t' | b'\n' | 0x0c | b'\r' | b' ' | b'>') {
                        at += 1;
                    }
                    value = start..at;
                }
            } else {
                at = equals;
            }
            if self.attributes.len() < MAX_ATTRIBUTES {
                // Ends at ASCII on both sides, but a name may begin inside nothing: `get` never cuts a character.
                if let (Some(name), Some(value)) = (self.html.get(name), self.html.get(value)) {
                    self.attributes.push((name, value));
                }
            }
        }
    }

    fn closing_quote(&mut self, start: usize, quote: u8) -> Option<usize> {
        let kind = usize::from(quote == b'"');
        if self.unclosed_quotes[kind] {
            return None;
        }
        let found = memchr(quote, &self.html.as_bytes()[start..]);
        self.unclosed_quotes[kind] = found.is_none();
        found.map(|end| start + end)
    }
}

/// Whether a value ran on over tags, so that what closes it is the quotation mark that opens another one, or one of the text.
fn opens_another(value: &[u8], next: Option<&u8>) -> bool {
    let follows = match next {
        Some(b'/') => value.trim_ascii_end().ends_with(b"="),
        Some(b'\t' | b'\n' | 0x0c | b'\r' | b' ' | b'>') | None => false,
        Some(_) => true,
    };
    follows && memchr(b'<', value).is_some()
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn ends_name(byte: &u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ' | b'/' | b'>')
}

/// Whether an element that holds no tags ran on over a page and was never closed: the end is that of another.
fn holds_page(kind: &[u8], is_program: bool, content: &[u8]) -> bool {
    match kind {
        b"title" => holds_head(content),
        b"script" => {
            let begins_with_tag =
                || matches!(content.trim_ascii_start(), [b'<', letter, ..] if letter.is_ascii_alphabetic());
            holds_markup(content) && (is_program && begins_with_tag() || holds_another_script(content))
        }
        _ => holds_markup(content) && tags(content).any(|(at, is_end)| !is_end && is_named(&content[at..], kind)),
    }
}

/// The tags in a text, by where their names begin, and whether each is an end.
fn tags(content: &[u8]) -> impl Iterator<Item = (usize, bool)> {
    memchr_iter(b'<', content).map(|at| {
        let is_end = content.get(at + 1) == Some(&b'/');
        (at + 1 + usize::from(is_end), is_end)
    })
}

/// Whether a title goes on into the head or the body: a tag that is spoken of has no attributes.
fn holds_head(title: &[u8]) -> bool {
    let has_attributes = |at: usize| {
        let tag = &title[at..title.len().min(at + MAX_SAID)];
        memchr(b'=', &tag[..memchr(b'>', tag).unwrap_or(0)]).is_some()
    };
    holds_markup(title)
        || tags(title).any(|(at, _)| {
            let is = |name: &[u8]| is_named(&title[at..], name);
            is(b"head") || is(b"body") || (is(b"meta") || is(b"link")) && has_attributes(at)
        })
}

fn holds_markup(content: &[u8]) -> bool {
    let is_break = |(at, _): &(usize, bool)| {
        let rest = &content[*at..];
        is_named(rest, b"p") || is_named(rest, b"div") || is_named(rest, b"br")
    };
    tags(content).filter(is_break).nth(2).is_some()
}

/// A comment that runs on over paragraphs into another one was never closed: the end is that of the other.
fn holds_comment(comment: &[u8]) -> bool {
    let is_end = |(at, is_end): &(usize, bool)| {
        *is_end && (is_named(&comment[*at..], b"p") || is_named(&comment[*at..], b"div"))
    };
    memmem::find(comment, b"<!--").is_some() && tags(comment).filter(is_end).nth(1).is_some()
}

/// Whether there is another script, as a tag: in a program tags are quoted, and each has an end that is none to a scanner: `<\/script>`,
/// `</scr'+'ipt>`, `</'+'script>`, `\x3c/script>`.
fn holds_another_script(content: &[u8]) -> bool {
    let (mut begun, mut ended, mut is_plain) = (0, 0, false);
    for (at, is_end) in tags(content) {
        let is_script = !is_end && is_named(&content[at..], b"script");
        let begins = |name: &[u8]| content[at..].get(..name.len()).is_some_and(|one| one.eq_ignore_ascii_case(name));
        let is_split = !is_end && begins(b"scr") && !begins(b"script");
        begun += u32::from(is_script || is_split);
        let before = content[..at - 1].trim_ascii_end().last();
        is_plain |= is_script && before.is_some_and(|byte| !b"'\"`(+=,\\".contains(byte));
    }
    for at in memchr_iter(b'>', content) {
        let before = &content[at.saturating_sub(16)..at];
        if !before.last_chunk::<2>().is_some_and(|end| end.eq_ignore_ascii_case(b"pt")) {
            continue;
        }
        let slash = memrchr(b'/', before);
        let is_noscript = slash.is_some_and(|slash| before[slash + 1..].eq_ignore_ascii_case(b"noscript"));
        ended += u32::from(slash > memrchr(b'<', before) && !is_noscript);
    }
    let escapes = content.trim_ascii_start().starts_with(b"<!--") && memmem::find(content, b"-->").is_none();
    begun > ended && is_plain && !escapes
}

fn is_named(rest: &[u8], name: &[u8]) -> bool {
    rest.len() > name.len() && rest[..name.len()].eq_ignore_ascii_case(name) && ends_name(&rest[name.len()])
}
