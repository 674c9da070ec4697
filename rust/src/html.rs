//! A page as blocks (CEDAR, Gibson et al. 2008): runs of text that rendering does not break.
//!
//! A block is bounded by every tag but the paper's inline ones and, by default, today's; nothing inside `script` or `style`
//! counts. There is no tree: a stack of open tags, capped, says in which elements a block stands, and each element
//! that is not inline is remembered with its parent, so that what holds for an element's whole content is one pass
//! from the last element to the first. Linear in the page.

#![allow(clippy::enum_glob_use)]

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use htmlize::unescape;
use memchr::{memchr, memrchr, memrchr3};

use crate::scan::{Scanner, Token};
use crate::{Invalid, Result};

pub use tags::Tag;

mod tags;

/// No element: the parent of the outermost.
pub const NONE: u32 = u32::MAX;

/// How deep tags are followed; deeper ones are read over.
const MAX_DEPTH: usize = 400;

/// Tags of a block's path that are told.
const MAX_PATH: usize = 40;

/// What a page may have at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of its text form.
    pub bytes: usize,
    /// Start tags.
    pub tags: usize,
}

impl Limits {
    /// Checks that a page may have this many bytes.
    ///
    /// # Errors
    /// When it may not.
    pub fn check(&self, bytes: usize) -> Result<()> {
        // Places in a text have 32 bits.
        let most = self.bytes.min(u32::MAX as usize);
        if bytes > most { Err(Invalid(format!("larger than {most} bytes"))) } else { Ok(()) }
    }
}

/// A page with more blocks is not an article: among some thousand articles the most are 2,400. Labelling takes 10 µs a block.
const MAX_BLOCKS: usize = 100_000;

/// How a page is cut into blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reading {
    /// As it is rendered: the paper's inline tags and today's.
    #[default]
    Rendered,
    /// By the paper's inline tags only.
    Paper,
    /// With the content of `script` and `style` as text.
    Whole,
}

/// An element that is not inline.
#[derive(Debug, Clone)]
pub struct Element<'a> {
    /// Its tag.
    pub tag: Tag,
    /// The element it stands in, `NONE` for the outermost; smaller than its own number.
    pub parent: u32,
    /// Its class and id as written.
    pub names: [&'a str; 2],
    /// Whether it, or what it stands in, is not shown.
    pub hidden: bool,
}

/// A run of text that rendering does not break.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    /// Where its text begins in the page's text.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The element it stands in.
    pub element: u32,
    /// The tag that bounds it at the start, and whether that is an end tag.
    pub before: (u8, bool),
    /// The tag that bounds it at the end.
    pub after: (u8, bool),
}

/// How inline text is set off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Inside `a`.
    Link,
    /// Inside `b` or `strong`.
    Bold,
    /// Inside `i` or `em`.
    Slanted,
}

/// A start tag whose attributes may say something about the article.
#[derive(Debug, Clone)]
pub struct Mark<'a> {
    /// The tag.
    pub tag: Tag,
    /// `itemprop`, `rel`, `class`, `id`, `datetime`, `content`, `href`: empty where missing.
    pub values: [&'a str; 7],
    /// Where its content begins in the page's text.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// What a page is made of.
#[derive(Debug, Clone, Default)]
pub struct Page<'a> {
    /// The text of all blocks, one after the other, white space as one space, character references resolved.
    pub text: String,
    /// The blocks, in order.
    pub blocks: Vec<Block>,
    /// The elements that are not inline, in order.
    pub elements: Vec<Element<'a>>,
    /// Spans of the text that are set off, in order of their end.
    pub styles: Vec<(Style, usize, usize)>,
    /// `name`, `property`, `itemprop` or `http-equiv` of each `meta` with its content, as written.
    pub metas: Vec<(&'a str, &'a str)>,
    /// `rel`, `hreflang` and `href` of each `link`, as written; `base` is one too.
    pub links: Vec<(&'a str, &'a str, &'a str)>,
    /// `type` and content of scripts that hold data.
    pub scripts: Vec<(&'a str, &'a str)>,
    /// The content of the first `title`, as written.
    pub title: &'a str,
    /// The `lang` of the page, as written.
    pub language: &'a str,
    /// Elements whose attributes may name author, date or headline.
    pub marks: Vec<Mark<'a>>,
}

impl Page<'_> {
    /// The tag of the element that a block stands in.
    pub fn tag(&self, block: &Block) -> Tag {
        self.elements.get(block.element as usize).map_or(Tag::Other, |element| element.tag)
    }

    /// The tags of an element and of those around it, outermost first; of a deep one only the innermost.
    pub fn path(&self, element: u32) -> String {
        let parent = |element: &u32| self.elements.get(*element as usize).map(|element| element.parent);
        let mut names: Vec<&str> = std::iter::successors(Some(element), parent)
            .take(MAX_PATH)
            .filter_map(|element| self.elements.get(element as usize).map(|element| element.tag.name()))
            .collect();
        names.reverse();
        names.join("/")
    }
}

/// Words of attributes that make a [`Mark`].
static MARKING: LazyLock<AhoCorasick> = LazyLock::new(|| {
    any_of(&["author", "byline", "date", "time", "publish", "headline", "title", "creator", "source"])
});

static TO_AUTHORS: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(&AUTHORS));

fn any_of(words: &[&str]) -> AhoCorasick {
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).expect("a few short words")
}

/// Folders of addresses that lead to what else an author wrote.
pub const AUTHORS: [&str; 4] = ["/author", "/autor", "/writer", "/staff/"];

const MAX_MARKS: usize = 2000;

struct Builder<'a> {
    page: Page<'a>,
    reading: Reading,
    /// The open tags by number, so that `memrchr` finds them, and the element each stands in or is.
    open: Vec<u8>,
    inside: Vec<u32>,
    /// The body of text that stands in no element.
    bare: u32,
    /// Open marks: depth and number.
    marked: Vec<(usize, usize)>,
    overflow: usize,
    styled: [Option<(usize, usize)>; 3],
    block: Block,
    wants_space: bool,
}

/// A page cut into blocks.
///
/// # Errors
/// When the page has more than it may have.
pub fn read(html: &str, limits: Limits, reading: Reading) -> Result<Page<'_>> {
    limits.check(html.len())?;
    let mut builder = Builder {
        page: Page::default(),
        reading,
        open: Vec::new(),
        inside: Vec::new(),
        bare: NONE,
        marked: Vec::new(),
        overflow: 0,
        styled: [None; 3],
        block: Block { element: NONE, ..Block::default() },
        wants_space: false,
    };
    let mut scanner = Scanner::new(html);
    let mut tags = 0;
    let mut started = Tag::Other;
    let mut script_type = "";
    while let Some(token) = scanner.next() {
        match token {
            Token::Text(text) => builder.add_text(text),
            Token::Raw(content) => {
                builder.add_raw(content, started, script_type);
                builder.end(started);
            }
            Token::Start(name) => {
                tags += 1;
                if tags > limits.tags {
                    return Err(Invalid(format!("more than {} tags", limits.tags)));
                }
                started = Tag::of(name);
                if started == Tag::script {
                    script_type = scanner.attribute("type").unwrap_or("");
                }
                // A link that was cut off would hold all up to the end of another.
                if started != Tag::a || !scanner.is_torn() {
                    builder.start(started, &scanner);
                }
            }
            Token::End(name) => builder.end(Tag::of(name)),
        }
        if builder.page.blocks.len() > MAX_BLOCKS {
            return Err(Invalid(format!("more than {MAX_BLOCKS} blocks")));
        }
    }
    builder.bound((0, true));
    while !builder.open.is_empty() {
        builder.pop();
    }
    Ok(builder.page)
}

impl<'a> Builder<'a> {
    fn is_inline(&self, tag: Tag) -> bool {
        tag.is_inline_in_paper() || (self.reading != Reading::Paper && tag.is_inline_today())
    }

    fn element(&self) -> u32 {
        self.inside.last().copied().unwrap_or(NONE)
    }

    /// Text outside all elements stands in a body, as a fragment of a feed does that is nothing but text.
    fn element_of_text(&mut self) -> u32 {
        let element = self.element();
        if element != NONE {
            return element;
        }
        if self.bare == NONE {
            self.bare = self.page.elements.len() as u32;
            self.page.elements.push(Element { tag: Tag::body, parent: NONE, names: [""; 2], hidden: false });
        }
        self.bare
    }

    fn add_text(&mut self, text: &str) {
        if memchr(b'&', text.as_bytes()).is_some() {
            self.add_plain(&unescape(text));
        } else {
            self.add_plain(text);
        }
    }

    /// The content of an element that holds no markup.
    fn add_raw(&mut self, content: &'a str, tag: Tag, script_type: &'a str) {
        match tag {
            Tag::script | Tag::style if self.reading == Reading::Whole => self.add_plain(content),
            Tag::script => {
                if script_type.contains("json") {
                    self.page.scripts.push((script_type, content));
                }
            }
            Tag::style | Tag::iframe | Tag::noembed | Tag::noframes => {}
            Tag::xmp => self.add_plain(content),
            _ => {
                if tag == Tag::title && self.page.title.is_empty() && !self.open.contains(&(Tag::svg as u8)) {
                    self.page.title = content;
                }
                self.add_text(content);
            }
        }
    }

    /// Text without character references.
    fn add_plain(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            let mut space = 0;
            while at < bytes.len() {
                space = space_at(text, at);
                if space > 0 {
                    break;
                }
                at += 1;
            }
            if at > start {
                if self.block.start == self.block.end {
                    self.block.element = self.element_of_text();
                } else if self.wants_space {
                    self.page.text.push(' ');
                }
                self.page.text.push_str(&text[start..at]);
                self.block.end = self.page.text.len();
                self.wants_space = false;
            }
            while space > 0 {
                self.wants_space = true;
                at += space;
                space = space_at(text, at);
            }
        }
    }

    /// A tag that bounds a block.
    fn bound(&mut self, by: (u8, bool)) {
        let end = self.page.text.len();
        for style in [Style::Link, Style::Bold, Style::Slanted] {
            if let Some((depth, start)) = self.styled[style as usize] {
                self.set_off(style, start);
                self.styled[style as usize] = Some((depth, end));
            }
        }
        let mut block = std::mem::take(&mut self.block);
        if block.end > block.start {
            block.after = by;
            self.page.blocks.push(block);
        }
        self.block = Block { start: end, end, element: NONE, before: by, after: (0, true) };
        self.wants_space = false;
    }

    fn set_off(&mut self, style: Style, start: usize) {
        if self.page.text.len() > start {
            self.page.styles.push((style, start, self.page.text.len()));
        }
    }

    /// What a tag says about the page as a whole.
    fn note_page(&mut self, tag: Tag, scanner: &Scanner<'a>) {
        match tag {
            Tag::meta => {
                let names = ["property", "name", "itemprop", "http-equiv"].map(|name| scanner.attribute(name));
                if let Some(content) = scanner.attribute("content") {
                    self.page.metas.extend(names.into_iter().flatten().map(|name| (name, content)));
                }
            }
            Tag::link => {
                if let (Some(rel), Some(href)) =
                    (scanner.attribute("rel").or(scanner.attribute("itemprop")), scanner.attribute("href"))
                {
                    self.page.links.push((rel, scanner.attribute("hreflang").unwrap_or(""), href));
                }
            }
            Tag::base => {
                if let Some(href) = scanner.attribute("href") {
                    self.page.links.push(("base", "", href));
                }
            }
            Tag::html | Tag::body if self.page.language.is_empty() => {
                let language = scanner.attribute("lang").or(scanner.attribute("xml:lang"));
                self.page.language = language.unwrap_or("");
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag, scanner: &Scanner<'a>) {
        self.note_page(tag, scanner);
        let inline = self.is_inline(tag);
        if !inline {
            self.close_implied(tag);
            self.bound((tag as u8, false));
        }
        if tag.is_void() || (scanner.self_closing() && matches!(tag, Tag::Other | Tag::svg)) {
            return;
        }
        if self.open.len() >= MAX_DEPTH {
            self.overflow += 1;
            return;
        }
        if tag == Tag::a
            && let Some(open) = self.open_above_cell(Tag::a as u8)
        {
            // A link does not stand in a link.
            self.open[open] = Tag::Other as u8;
            self.end_style(Style::Link);
        }
        let depth = self.open.len();
        let mut element = self.element();
        if !inline {
            let hidden = element != NONE && self.page.elements[element as usize].hidden || is_hidden(scanner);
            let names = ["class", "id"].map(|name| scanner.attribute(name).unwrap_or(""));
            self.page.elements.push(Element { tag, parent: element, names, hidden });
            element = self.page.elements.len() as u32 - 1;
        }
        self.mark(tag, depth, scanner);
        self.open.push(tag as u8);
        self.inside.push(element);
        let style = match tag {
            Tag::a => Some(Style::Link),
            Tag::b | Tag::strong => Some(Style::Bold),
            Tag::i | Tag::em => Some(Style::Slanted),
            _ => None,
        };
        if let Some(style) = style
            && self.styled[style as usize].is_none()
        {
            self.styled[style as usize] = Some((depth, self.page.text.len()));
        }
    }

    fn mark(&mut self, tag: Tag, depth: usize, scanner: &Scanner<'a>) {
        if self.page.marks.len() >= MAX_MARKS || scanner.attributes().is_empty() {
            return;
        }
        let values = ["itemprop", "rel", "class", "id", "datetime", "content", "href"]
            .map(|name| scanner.attribute(name).unwrap_or(""));
        let says = |value: &&str| !value.is_empty() && MARKING.is_match(*value);
        let leads_to_author = || !values[6].is_empty() && TO_AUTHORS.is_match(values[6]);
        if tag == Tag::time || values[..4].iter().any(says) || leads_to_author() {
            let at = self.page.text.len();
            self.marked.push((depth, self.page.marks.len()));
            self.page.marks.push(Mark { tag, values, start: at, end: at });
        }
    }

    fn end(&mut self, tag: Tag) {
        if !self.is_inline(tag) {
            self.bound((tag as u8, true));
        }
        if self.overflow > 0 {
            self.overflow -= 1;
            return;
        }
        if tag == Tag::Other || tag == Tag::body || tag == Tag::html {
            // Unknown tags are not told apart; much of the web goes on after </body>.
            if tag == Tag::Other && self.open.last() == Some(&(Tag::Other as u8)) {
                self.pop();
            }
            return;
        }
        let found = if matches!(
            tag,
            Tag::table | Tag::tr | Tag::td | Tag::th | Tag::tbody | Tag::thead | Tag::tfoot | Tag::caption
        ) {
            memrchr(tag as u8, &self.open)
        } else {
            self.open_above_cell(tag as u8)
        };
        // An inline tag does not close a block that was opened inside it.
        if let Some(found) = found {
            let outer = if found > 0 { self.inside[found - 1] } else { NONE };
            if self.is_inline(tag) && self.element() != outer {
                self.open[found] = Tag::Other as u8;
                self.close_styles(found, true);
            } else {
                while self.open.len() > found {
                    self.pop();
                }
            }
        }
    }

    /// The last place of an open tag that is in the same cell of the same table.
    fn open_above_cell(&self, tag: u8) -> Option<usize> {
        let found = memrchr(tag, &self.open)?;
        let cell = memrchr3(Tag::td as u8, Tag::th as u8, Tag::caption as u8, &self.open);
        (cell <= Some(found)).then_some(found)
    }

    /// Close what the start of `tag` closes without saying so.
    fn close_implied(&mut self, tag: Tag) {
        use Tag::*;
        let bounded = |open: &[u8], tags: &[Tag], by: &[Tag]| {
            open.iter()
                .rposition(|at| tags.iter().chain(by).any(|tag| *tag as u8 == *at))
                .filter(|at| !by.iter().any(|tag| *tag as u8 == open[*at]))
        };
        let found = if tag.closes_paragraph() {
            self.open_above_cell(p as u8)
        } else {
            match tag {
                li => bounded(&self.open, &[li], &[ul, ol, menu, dir]),
                dt | dd => bounded(&self.open, &[dt, dd], &[dl]),
                td | th => bounded(&self.open, &[td, th], &[tr, table]),
                tr => bounded(&self.open, &[tr], &[table]),
                option | optgroup => bounded(&self.open, &[option], &[select]),
                body => memrchr(head as u8, &self.open),
                _ => None,
            }
        };
        if let Some(found) = found {
            while self.open.len() > found {
                self.pop();
            }
        }
    }

    fn pop(&mut self) {
        self.open.pop();
        self.inside.pop();
        self.close_styles(self.open.len(), false);
        while let Some((depth, mark)) = self.marked.last().copied()
            && depth >= self.open.len()
        {
            self.page.marks[mark].end = self.page.text.len();
            self.marked.pop();
        }
    }

    fn close_styles(&mut self, depth: usize, exactly: bool) {
        for style in [Style::Link, Style::Bold, Style::Slanted] {
            if self.styled[style as usize]
                .is_some_and(|(opened, _)| if exactly { opened == depth } else { opened >= depth })
            {
                self.end_style(style);
            }
        }
    }

    fn end_style(&mut self, style: Style) {
        if let Some((_, start)) = self.styled[style as usize].take() {
            self.set_off(style, start);
        }
    }
}

fn is_hidden(scanner: &Scanner<'_>) -> bool {
    scanner.attribute("hidden").is_some()
        || scanner.attribute("aria-hidden") == Some("true")
        || scanner.attribute("style").is_some_and(|style| {
            if !style.contains("none") && !style.contains("hidden") {
                return false;
            }
            let style: String = style.chars().filter(|letter| !letter.is_whitespace()).take(400).collect();
            style.contains("display:none") || style.contains("visibility:hidden")
        })
}

/// The size of the white space at a byte; 0 where there is none.
fn space_at(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => usize::from(byte.is_ascii_whitespace() || *byte == 0x0b || *byte == 0),
        // What white space beyond ASCII begins with.
        Some(0xc2 | 0xe1 | 0xe2 | 0xe3 | 0xef) => {
            let letter = text[at..].chars().next().filter(|letter| letter.is_whitespace() || *letter == '\u{feff}');
            letter.map_or(0, char::len_utf8)
        }
        _ => 0,
    }
}

/// Whether a value contains a lower-case word, ignoring ASCII case.
pub fn contains_ignoring_case(value: &str, word: &str) -> bool {
    find_ignoring_case(value, word).is_some()
}

/// The byte at which a value contains a lower-case word, ignoring ASCII case.
pub fn find_ignoring_case(value: &str, word: &str) -> Option<usize> {
    value.as_bytes().windows(word.len()).position(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}
