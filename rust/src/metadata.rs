//! What a page says about its article: title, author, date, site, language, address.
//!
//! Each field is looked for in an order of places, the same for all pages (`docs/extraction.md` has the table): JSON-LD,
//! `meta`, microdata and `time`, visible text, the address. The first that gives something that can be believed counts.
//! Linear in the page; what is looked at a second time is bounded.

pub mod address;
pub mod agencies;
pub mod authors;
pub mod linked_data;
pub mod names;
pub mod published;
pub mod title;

use encoding_rs::WINDOWS_1252;
use htmlize::unescape_attribute;

use self::address::{host, path, resolve, without_tracking};
use self::agencies::agency;
use self::linked_data::Linked;
use self::title::{Heading, headings};
use crate::html::{Block, Mark, Page, Tag, contains_ignoring_case};
use crate::words;

/// What is known about an article; None where the page does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Headline, without the site's name.
    pub title: Option<String>,
    /// Names, with "; " between them: persons, else who else is named as author.
    pub author: Option<String>,
    /// When it was first published, in ISO 8601, as precisely as stated.
    pub published: Option<String>,
    /// Where it was written.
    pub location: Option<String>,
    /// Name of the site.
    pub source: Option<String>,
    /// BCP 47.
    pub language: Option<String>,
    /// Its address.
    pub url: Option<String>,
    /// The news agency it is from.
    pub agency: Option<String>,
}

/// What is said about an article outside its page, by the feed that links to it, say: as it is written there, empty where
/// nothing is. It goes before what the page says.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Headline.
    pub title: String,
    /// Names, with "; " between them.
    pub author: String,
    /// When it was published.
    pub published: String,
    /// Where it was written.
    pub location: String,
    /// Name of the site.
    pub source: String,
    /// Its language.
    pub language: String,
    /// Its address.
    pub url: String,
    /// The news agency it is from.
    pub agency: String,
    /// When it was changed; this counts last.
    pub changed: String,
}

const MAX_TITLE: usize = 500;
const MAX_AUTHOR: usize = 300;
const MAX_SOURCE: usize = 100;

/// Elements `meta` beyond these are not looked at, nor more of one name than these.
const MAX_METAS: (usize, usize) = (1000, 20);

/// What a page says about its article. `url` is the address that the page came from, `received` the time, in microseconds
/// since 1970.
pub fn metadata(page: &Page<'_>, url: Option<&str>, received: Option<i64>, known: &Known) -> Metadata {
    let linked = linked_data::read(&page.scripts);
    let mut look = Look { page, known, linked, received, headings: headings(page), headline: None };
    let address = look.address(url);
    let host = address.as_deref().and_then(host).unwrap_or("");
    let source = look.source().or_else(|| some(host.to_ascii_lowercase()));
    let title = look.title(&[source.as_deref().unwrap_or(host), host]);
    look.find_headline(title.as_deref().unwrap_or(""));
    let language = look.language();
    let authors = look.authors(source.as_deref().unwrap_or(""));
    let names = if authors.persons.is_empty() { &authors.others } else { &authors.persons };
    Metadata {
        author: some(cut(&names.join("; "), MAX_AUTHOR)),
        published: look.published(address.as_deref(), language.as_deref()),
        location: stated(&known.location, MAX_SOURCE).or_else(|| stated(&look.linked.location, MAX_SOURCE)),
        agency: stated(&known.agency, MAX_SOURCE)
            .or_else(|| authors.agencies.first().copied().or_else(|| agency(source.as_deref()?)).map(str::to_owned)),
        title: stated(&known.title, MAX_TITLE).or(title),
        source,
        language,
        url: address,
    }
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn cut(text: &str, letters: usize) -> String {
    text.chars().take(letters).collect::<String>().trim().to_owned()
}

fn stated(text: &str, letters: usize) -> Option<String> {
    some(cut(&tidy(text), letters))
}

/// Text as a person reads it: references resolved, also those escaped twice, markup gone, white space single.
fn tidy(text: &str) -> String {
    let end = text.char_indices().nth(4 * MAX_TITLE).map_or(text.len(), |(end, _)| end);
    let once = unescape_attribute(&text[..end]);
    let twice = if once.contains('&') { unescape_attribute(once.as_ref()) } else { once.as_ref().into() };
    let mut plain = String::with_capacity(twice.len());
    let mut rest: &str = &twice;
    while let Some(open) = rest.find('<') {
        let is_tag = rest[open + 1..].starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/');
        let Some(close) = rest[open..].find('>').filter(|_| is_tag) else { break };
        plain.push_str(&rest[..open]);
        rest = &rest[open + close + 1..];
    }
    plain.push_str(rest);
    visible(&plain).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text without characters that are not seen: soft hyphens, control characters, what sets the direction of writing.
fn visible(text: &str) -> String {
    let unseen = "\u{ad}\u{61c}\u{200b}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2060}\u{2066}\u{2067}\u{2068}\u{2069}\u{feff}";
    let is_seen = |letter: &char| letter.is_ascii_graphic() || !(letter.is_control() || unseen.contains(*letter));
    text.chars().map(as_meant).filter(is_seen).collect()
}

/// White space as a space, and the quotation marks and dashes of windows-1252 where their numbers stand for control
/// characters, as browsers take `&#146;`.
fn as_meant(letter: char) -> char {
    match u8::try_from(letter) {
        Ok(byte @ 0x80..=0x9f) => WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next().unwrap_or(' '),
        Ok(byte) if byte.is_ascii_whitespace() => ' ',
        _ => letter,
    }
}

/// The letters and digits of a text, small.
fn letters(text: &str) -> impl DoubleEndedIterator<Item = char> {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Whether two texts have the same letters and digits, whatever their case.
fn same_letters(one: &str, other: &str) -> bool {
    letters(one).eq(letters(other))
}

/// A page that is looked at; each field has its own file.
struct Look<'a> {
    page: &'a Page<'a>,
    known: &'a Known,
    linked: Linked,
    received: Option<i64>,
    headings: Vec<Heading>,
    /// The last block of the headline as shown.
    headline: Option<usize>,
}

impl Look<'_> {
    /// The contents of `meta` with these names, tidied: by name, then as they stand.
    fn metas<'n>(&'n self, names: &'n str) -> impl Iterator<Item = String> {
        names.split(' ').flat_map(move |wanted| {
            let metas = self.page.metas.iter().take(MAX_METAS.0);
            let named = metas.filter(move |(name, _)| name.eq_ignore_ascii_case(wanted)).take(MAX_METAS.1);
            named.map(|(_, content)| tidy(content)).filter(|content| !content.is_empty())
        })
    }

    fn source(&self) -> Option<String> {
        let others = "application-name dc.publisher publisher apple-mobile-web-app-title";
        let named = [tidy(&self.known.source)].into_iter().chain(self.metas("og:site_name"));
        let named = named.chain([tidy(&self.linked.publisher)]).chain(self.metas(others));
        named.map(|name| cut(&name, MAX_SOURCE)).find(|name| !name.is_empty() && !name.contains("://"))
    }

    fn is_title(&self, block: &Block) -> bool {
        self.page.tag(block) == Tag::title
    }

    fn text(&self, block: &Block) -> &str {
        &self.page.text[block.start..block.end]
    }

    fn language(&self) -> Option<String> {
        let declared = [&self.known.language, self.page.language, &self.linked.language].map(str::to_owned).into_iter();
        let mut declared = declared.chain(self.metas("content-language og:locale dc.language language inlanguage"));
        declared.find_map(|tag| language_tag(&tag)).or_else(|| {
            let mut found = Vec::new();
            let end = self.page.text.char_indices().nth(20_000).map_or(self.page.text.len(), |(end, _)| end);
            words::split(&self.page.text[..end], &mut found);
            words::language(&found).map(|language| words::LANGUAGES[language].to_owned())
        })
    }

    fn address(&self, url: Option<&str>) -> Option<String> {
        let url = url.map(visible);
        let url = url.as_deref();
        let link = |rel: &str| {
            let is = |link: &&(&str, &str, &str)| link.0.split_whitespace().any(|word| word.eq_ignore_ascii_case(rel));
            self.page.links.iter().find(is).map(|link| tidy(link.2))
        };
        let base = link("base").and_then(|base| resolve(&base, url));
        let base = base.as_deref().or(url);
        let stated = [visible(&self.known.url)].into_iter().chain(link("canonical"));
        let stated = stated.chain(self.metas("og:url twitter:url")).chain([tidy(&self.linked.url)]);
        let absolute = stated.filter_map(|address| resolve(&address, base));
        let given = url.and_then(|url| resolve(url, None));
        let deep = |address: &String| path(address).len() > 1;
        let mut all = absolute.chain(given).map(|address| without_tracking(&address)).peekable();
        let first = all.peek().cloned();
        all.find(deep).or(first)
    }

    /// Marks in the order of how near they stand behind the headline, then those before it.
    fn marks_from_headline(&self) -> impl Iterator<Item = &Mark<'_>> {
        let start = self.headline.map_or(0, |block| self.page.blocks[block].end);
        let at = self.page.marks.partition_point(|mark| mark.start < start);
        self.page.marks[at..].iter().chain(&self.page.marks[..at])
    }

    /// The text of a mark, a block at a time.
    fn pieces(&self, mark: &Mark<'_>) -> impl Iterator<Item = &str> {
        let first = self.page.blocks.partition_point(|block| block.end <= mark.start);
        let blocks = self.page.blocks[first..].iter().take_while(move |block| block.start < mark.end).take(6);
        let (start, end) = (mark.start, mark.end);
        blocks.map(move |block| self.page.text[block.start.max(start)..block.end.min(end)].trim())
    }

    /// The blocks around the headline: those behind it, then those before it.
    fn blocks_near_headline(&self, behind: usize, before: usize) -> impl Iterator<Item = usize> {
        let headline = self.headline.unwrap_or(0);
        let from = self.headline.map_or(0, |headline| headline + 1);
        let behind = from..(from + behind).min(self.page.blocks.len());
        behind.chain((headline.saturating_sub(before)..headline).rev())
    }
}

/// Whether one of a mark's values has one of the words.
fn says(mark: &Mark<'_>, values: std::ops::Range<usize>, words: &[&str]) -> bool {
    mark.values[values].iter().any(|value| words.iter().any(|word| contains_ignoring_case(value, word)))
}

/// A language tag in the form of BCP 47: `en_us` is `en-US`.
fn language_tag(tag: &str) -> Option<String> {
    let tag = tag.split([',', ';', ' ']).find(|part| !part.is_empty())?;
    let parts: Vec<&str> = tag.split(['-', '_']).collect();
    let fits = (2..=3).contains(&parts[0].len()) && parts[0].bytes().all(|byte| byte.is_ascii_alphabetic());
    if !fits || parts.len() > 4 || matches!(parts[0].to_ascii_lowercase().as_str(), "und" | "mul" | "zxx") {
        return None;
    }
    let mut spelt = parts[0].to_ascii_lowercase();
    for part in &parts[1..] {
        if !(2..=8).contains(&part.len()) || !part.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            break;
        }
        spelt.push('-');
        match part.len() {
            2 => spelt.push_str(&part.to_ascii_uppercase()),
            4 => {
                spelt.push_str(&part[..1].to_ascii_uppercase());
                spelt.push_str(&part[1..].to_ascii_lowercase());
            }
            _ => spelt.push_str(&part.to_ascii_lowercase()),
        }
    }
    Some(spelt)
}
