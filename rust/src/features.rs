//! What can be seen of a block without reading it: the values that the models weigh.
//!
//! One row of numbers a block, the same for training and for use. They come from the block itself (words, links,
//! punctuation), the elements it stands in and their whole content, other blocks at the same path, its
//! neighbours, and its place on the page. Nothing depends on the language but the share of function words.
//! Linear in the page; ancestors are followed up to a fixed number.

use std::fmt::Arguments;
use std::sync::OnceLock;

use htmlize::unescape;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::html::{NONE, Page, Style, Tag};
use crate::stems::ByHash;
use crate::words::{Word, function_words, is_punctuation, language, split};

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A quantity, to be cut into bins.
    Amount,
    /// One of a few, by number.
    Choice,
}

/// Levels of containers that are looked at.
const LEVELS: usize = 5;
/// Ancestors that are followed one by one.
const ANCESTORS: usize = 9;
/// A block of so many words that are mostly not links is text; smaller ones say little.
const LONG_WORDS: f32 = 10.0;

/// Words of class and id, by what they announce.
const ANNOUNCED: [(&str, &[&str]); 10] = [
    (
        "comments",
        &["comment", "comments", "disqus", "respond", "reply", "replies", "discussion", "commentlist", "livefyre"],
    ),
    ("sharing", &["share", "sharing", "social", "follow", "twitter", "facebook", "addthis", "sharedaddy", "whatsapp"]),
    (
        "related",
        &[
            "related",
            "recommended",
            "recommend",
            "recommendations",
            "popular",
            "trending",
            "teaser",
            "teasers",
            "latest",
            "more",
            "similar",
            "outbrain",
            "taboola",
            "readmore",
            "headlines",
            "also",
            "next",
            "prev",
            "previous",
        ],
    ),
    (
        "adverts",
        &[
            "ad",
            "ads",
            "advert",
            "advertisement",
            "advertising",
            "sponsor",
            "sponsored",
            "banner",
            "promo",
            "promotion",
            "dfp",
            "gpt",
            "commercial",
        ],
    ),
    (
        "furniture",
        &[
            "nav",
            "navigation",
            "menu",
            "breadcrumb",
            "breadcrumbs",
            "header",
            "footer",
            "sidebar",
            "toolbar",
            "widget",
            "widgets",
            "pagination",
            "pager",
            "masthead",
            "topbar",
            "foot",
            "head",
            "rail",
            "aside",
            "side",
            "copyright",
            "search",
            "logo",
            "tools",
        ],
    ),
    (
        "byline",
        &[
            "byline",
            "author",
            "authors",
            "date",
            "meta",
            "tags",
            "tag",
            "category",
            "categories",
            "timestamp",
            "info",
            "dateline",
            "published",
            "kicker",
            "bio",
            "credits",
        ],
    ),
    (
        "pictures",
        &[
            "caption",
            "credit",
            "photo",
            "gallery",
            "image",
            "video",
            "media",
            "figure",
            "slideshow",
            "picture",
            "player",
            "img",
        ],
    ),
    (
        "letters",
        &[
            "newsletter",
            "subscribe",
            "subscription",
            "signup",
            "login",
            "signin",
            "cookie",
            "cookies",
            "consent",
            "popup",
            "modal",
            "paywall",
            "register",
            "overlay",
            "gdpr",
            "form",
        ],
    ),
    (
        "body",
        &[
            "article",
            "story",
            "content",
            "post",
            "entry",
            "body",
            "text",
            "main",
            "news",
            "articlebody",
            "storybody",
            "paragraph",
            "maincontent",
            "page",
            "richtext",
            "copy",
        ],
    ),
    ("unseen", &["hide", "hidden", "sr", "screen", "invisible", "none", "visually", "print", "mobile", "offscreen"]),
];

/// Tags whose presence around a block says something.
const AROUND: [Tag; 22] = [
    Tag::article,
    Tag::main,
    Tag::section,
    Tag::aside,
    Tag::nav,
    Tag::header,
    Tag::footer,
    Tag::form,
    Tag::table,
    Tag::ul,
    Tag::ol,
    Tag::figure,
    Tag::figcaption,
    Tag::blockquote,
    Tag::noscript,
    Tag::select,
    Tag::button,
    Tag::head,
    Tag::dl,
    Tag::pre,
    Tag::td,
    Tag::details,
];

/// What stands in the text of a block, counted.
#[derive(Debug, Clone, Default)]
struct Counts {
    words: f32,
    styled: [f32; 3],
    capitals: f32,
    shouted: f32,
    numbers: f32,
    entities: f32,
    functions: f32,
    letters: f32,
    titled: f32,
    enders: f32,
    commas: f32,
    marks: f32,
    start: usize,
    end: usize,
    signs: usize,
}

impl Counts {
    fn share(&self, part: f32) -> f32 {
        if self.words > 0.0 { part / self.words } else { 0.0 }
    }

    fn linked(&self) -> f32 {
        self.share(self.styled[Style::Link as usize])
    }

    fn is_long(&self) -> bool {
        self.words >= LONG_WORDS && self.linked() < 0.5
    }
}

/// What stands in an element, all in all.
#[derive(Debug, Clone, Default)]
struct Content {
    words: f32,
    links: f32,
    long: f32,
    paragraphs: f32,
    blocks: f32,
    /// Words of long blocks that stand in it, or in an element in it.
    near: f32,
    children: f32,
    first: usize,
    last: usize,
    depth: usize,
    path: u64,
    class_path: u64,
    /// The last element in it.
    end: u32,
    /// Which of `AROUND` it is or stands in.
    around: u32,
    /// How many levels up each of `ANNOUNCED` is, counted from 1, up to a few; 0 if nowhere.
    announced: [u8; ANNOUNCED.len()],
    /// Articles that began so far, if it is or stands in one.
    article: u32,
}

/// Sums over blocks at the same path.
#[derive(Debug, Clone, Default)]
struct Path {
    words: f32,
    links: f32,
    long: f32,
    blocks: f32,
}

struct Row<'a> {
    names: Option<&'a mut Vec<(String, Kind)>>,
    values: &'a mut Vec<f32>,
}

impl Row<'_> {
    fn amount(&mut self, name: Arguments<'_>, value: f32) {
        self.push(name, Kind::Amount, value);
    }

    fn choice(&mut self, name: Arguments<'_>, value: usize) {
        self.push(name, Kind::Choice, value as f32);
    }

    fn push(&mut self, name: Arguments<'_>, kind: Kind, value: f32) {
        if let Some(names) = &mut self.names {
            names.push((name.to_string(), kind));
        }
        self.values.push(value);
    }
}

/// Name and kind of each value of a row.
pub fn names(with_context: bool) -> Vec<(String, Kind)> {
    let html = "<p>a";
    let limits = crate::html::Limits { bytes: 10, tags: 10 };
    let mut names = Vec::new();
    if let Ok(page) = crate::html::read(html, limits, crate::html::Reading::Rendered) {
        let sight = Sight::of(&page);
        let mut values = Vec::new();
        let mut row = Row { names: Some(&mut names), values: &mut values };
        sight.describe(0, &mut row);
        if with_context {
            Context::of(&sight, &[0.5]).describe(0, &mut row);
        }
    }
    names
}

/// A page, and what can be seen of it.
pub struct Sight<'a> {
    page: &'a Page<'a>,
    words: Vec<Word>,
    word_offsets: Vec<usize>,
    language: Option<usize>,
    counts: Vec<Counts>,
    contents: Vec<Content>,
    paths: [ByHash<Path>; 2],
    total: Content,
    repeated: ByHash<f32>,
    hashes: Vec<u64>,
    main: u32,
    densest: u32,
    headline: Option<usize>,
    /// Words of long blocks before block i.
    long_before: Vec<f32>,
    words_before: Vec<f32>,
    /// How many `h1` came before block i, and which block was in a heading last.
    headings: Vec<(u32, Option<usize>)>,
}

impl<'a> Sight<'a> {
    /// Looks at a page.
    pub fn of(page: &'a Page<'a>) -> Self {
        let mut words = Vec::new();
        let mut word_offsets = vec![0];
        for block in &page.blocks {
            let from = words.len();
            split(&page.text[block.start..block.end], &mut words);
            for word in &mut words[from..] {
                word.start += block.start as u32;
                word.end += block.start as u32;
            }
            word_offsets.push(words.len());
        }
        let language = language(&words);
        let counts = count(page, &words, &word_offsets, language);
        let contents = sum_up(page, &counts);
        let mut total = Content::default();
        for counts in &counts {
            total.words += counts.words;
            total.links += counts.styled[0];
            total.long += if counts.is_long() { counts.words } else { 0.0 };
            total.paragraphs += f32::from(u8::from(counts.is_long()));
        }
        let mut paths: [ByHash<Path>; 2] = Default::default();
        let mut repeated = ByHash::default();
        let mut hashes = Vec::with_capacity(page.blocks.len());
        let mut long_before = vec![0.0];
        let mut words_before = vec![0.0];
        for (number, (block, counts)) in page.blocks.iter().zip(&counts).enumerate() {
            let content = contents.get(block.element as usize).cloned().unwrap_or_default();
            for (paths, key) in paths.iter_mut().zip([content.path, content.class_path]) {
                let path = paths.entry(key).or_default();
                path.words += counts.words;
                path.links += counts.styled[0];
                path.long += if counts.is_long() { counts.words } else { 0.0 };
                path.blocks += 1.0;
            }
            let hash = xxh3_64_with_seed(&page.text.as_bytes()[block.start..block.end], 0);
            hashes.push(hash);
            *repeated.entry(hash).or_insert(0.0) += 1.0;
            long_before.push(long_before[number] + if counts.is_long() { counts.words } else { 0.0 });
            words_before.push(words_before[number] + counts.words);
        }
        let mut headings = Vec::with_capacity(page.blocks.len());
        let mut heading = (0, None);
        for (number, block) in page.blocks.iter().enumerate() {
            let tag = page.elements.get(block.element as usize).map_or(Tag::Other, |element| element.tag);
            headings.push(heading);
            heading.0 += u32::from(tag == Tag::h1);
            if matches!(tag, Tag::h1 | Tag::h2 | Tag::h3 | Tag::h4 | Tag::h5 | Tag::h6) {
                heading.1 = Some(number);
            }
        }
        let main = main_element(page, &contents, total.long);
        let densest = (0..contents.len()).max_by(|left, right| contents[*left].near.total_cmp(&contents[*right].near));
        let headline = find_headline(page, &counts);
        Self {
            page,
            words,
            word_offsets,
            language,
            counts,
            contents,
            paths,
            total,
            repeated,
            hashes,
            main,
            densest: densest.map_or(NONE, |element| element as u32),
            headline,
            long_before,
            words_before,
            headings,
        }
    }

    /// The values of every block, row after row; with `likely`, how likely each block was found to be CONTENT at a first
    /// look, also what that says about the blocks around.
    pub fn values(&self, likely: Option<&[f32]>) -> Vec<f32> {
        let mut values = Vec::new();
        self.each_row(likely, |row| values.extend_from_slice(row));
        values
    }

    /// The same, one row at a time.
    pub fn each_row(&self, likely: Option<&[f32]>, mut visit: impl FnMut(&[f32])) {
        let context = likely.map(|likely| Context::of(self, likely));
        let mut values = Vec::new();
        for number in 0..self.page.blocks.len() {
            values.clear();
            let mut row = Row { names: None, values: &mut values };
            self.describe(number, &mut row);
            if let Some(context) = &context {
                context.describe(number, &mut row);
            }
            visit(&values);
        }
    }

    /// The words of all blocks; block i has words `offsets[i]..offsets[i + 1]`.
    pub fn words(&self) -> (&[Word], &[usize]) {
        (&self.words, &self.word_offsets)
    }

    /// The words of a block: hash and spelling in small letters.
    pub fn spelt(&self, block: usize) -> impl Iterator<Item = (u64, String)> {
        let words = &self.words[self.word_offsets[block]..self.word_offsets[block + 1]];
        words.iter().map(|word| (word.hash, word.spelt(&self.page.text)))
    }

    /// How many words a block has.
    pub fn block_words(&self, block: usize) -> f32 {
        self.counts[block].words
    }

    /// The number of the page's language in [`crate::words::LANGUAGES`].
    pub fn language(&self) -> Option<usize> {
        self.language
    }

    fn describe(&self, number: usize, row: &mut Row<'_>) {
        self.describe_text(number, row);
        self.describe_containers(number, row);
        self.describe_place(number, row);
        self.describe_neighbours(number, row);
    }

    fn describe_text(&self, number: usize, row: &mut Row<'_>) {
        let (block, counts) = (&self.page.blocks[number], &self.counts[number]);
        row.amount(format_args!("words"), counts.words);
        row.amount(format_args!("link share"), counts.linked());
        row.amount(format_args!("bold share"), counts.share(counts.styled[1]));
        row.amount(format_args!("slanted share"), counts.share(counts.styled[2]));
        row.amount(format_args!("capital share"), counts.share(counts.capitals));
        row.amount(format_args!("shouted share"), counts.share(counts.shouted));
        row.amount(format_args!("number share"), counts.share(counts.numbers));
        row.amount(format_args!("entity share"), counts.share(counts.entities));
        row.amount(format_args!("function share"), counts.share(counts.functions));
        row.amount(format_args!("letters a word"), counts.share(counts.letters));
        row.amount(format_args!("sentence ends"), counts.enders);
        row.amount(format_args!("commas"), counts.commas);
        row.amount(format_args!("mark share"), counts.share(counts.marks));
        row.choice(format_args!("starts with"), counts.start);
        row.choice(format_args!("ends with"), counts.end);
        for (bit, sign) in SIGNS.iter().enumerate() {
            row.choice(format_args!("{sign}"), counts.signs >> bit & 1);
        }
        row.amount(format_args!("title share"), counts.share(counts.titled));
        row.amount(format_args!("title words"), counts.titled);
        row.amount(format_args!("repeated"), self.repeated[&self.hashes[number]]);
        row.choice(format_args!("before"), block.before.0 as usize * 2 + usize::from(block.before.1));
        row.choice(format_args!("after"), block.after.0 as usize * 2 + usize::from(block.after.1));
    }

    fn describe_containers(&self, number: usize, row: &mut Row<'_>) {
        let block = &self.page.blocks[number];
        let own = &self.counts[number];
        let chain: Vec<u32> = self.ancestors(block.element).collect();
        let tag =
            |level: usize| chain.get(level).map_or(0, |element| self.page.elements[*element as usize].tag as usize);
        let empty = Content::default();
        let content = |level: usize| chain.get(level).map_or(&empty, |element| &self.contents[*element as usize]);
        row.choice(format_args!("tag"), tag(0));
        row.choice(format_args!("outer tag 1"), tag(1));
        row.choice(format_args!("outer tag 2"), tag(2));
        row.choice(
            format_args!("hidden"),
            chain.first().map_or(0, |element| usize::from(self.page.elements[*element as usize].hidden)),
        );
        row.amount(format_args!("depth"), content(0).depth as f32);
        for level in 0..LEVELS {
            let content = content(level);
            row.amount(format_args!("words in {level}"), content.words);
            row.amount(format_args!("links in {level}"), part(content.links, content.words));
            row.amount(format_args!("long in {level}"), part(content.long, self.total.long));
            row.amount(format_args!("long share in {level}"), part(content.long, content.words));
            row.amount(format_args!("paragraphs in {level}"), content.paragraphs);
            row.amount(format_args!("blocks in {level}"), content.blocks);
            row.amount(format_args!("children in {level}"), content.children);
            row.amount(format_args!("words a block in {level}"), part(content.words, content.blocks));
        }
        row.amount(format_args!("own of 0"), part(own.words, content(0).words));
        row.amount(format_args!("own of 1"), part(own.words, content(1).words));
        for (bit, tag) in AROUND.iter().enumerate() {
            row.choice(format_args!("in {tag:?}"), (content(0).around >> bit & 1) as usize);
        }
        for ((name, _), level) in ANNOUNCED.iter().zip(content(0).announced) {
            row.choice(format_args!("named {name}"), level as usize);
        }
        row.choice(format_args!("levels to main"), self.levels(block.element, self.main));
        row.choice(format_args!("levels to densest"), self.levels(block.element, self.densest));
        for (name, wanted) in [("main", self.main), ("densest", self.densest)] {
            let place = self
                .contents
                .get(wanted as usize)
                .map_or(0, |content| if number < content.first { 1 } else { 2 + usize::from(number > content.last) });
            row.choice(format_args!("place by {name}"), place);
        }
        for (name, paths, key) in
            [("path", &self.paths[0], content(0).path), ("class path", &self.paths[1], content(0).class_path)]
        {
            let path = paths.get(&key).cloned().unwrap_or_default();
            row.amount(format_args!("words at {name}"), path.words);
            row.amount(format_args!("links at {name}"), part(path.links, path.words));
            row.amount(format_args!("long at {name}"), part(path.long, self.total.long));
            row.amount(format_args!("blocks at {name}"), path.blocks);
            row.amount(format_args!("words a block at {name}"), part(path.words, path.blocks));
        }
    }

    fn describe_place(&self, number: usize, row: &mut Row<'_>) {
        let blocks = self.page.blocks.len();
        row.amount(format_args!("place"), number as f32 / blocks as f32);
        row.amount(format_args!("number"), number as f32);
        row.amount(format_args!("from end"), (blocks - number) as f32);
        row.amount(format_args!("long before"), part(self.long_before[number], self.total.long));
        row.amount(format_args!("long after"), part(self.total.long - self.long_before[number + 1], self.total.long));
        let headline = self.headline.map_or(f32::NAN, |headline| number as f32 - headline as f32);
        row.amount(format_args!("from headline"), headline);
        let words = self.headline.map_or(f32::NAN, |headline| {
            self.words_before[number.max(headline)] - self.words_before[number.min(headline)]
        });
        row.amount(format_args!("words from headline"), if headline < 0.0 { -words } else { words });
        let (headings, last_heading) = self.headings[number];
        row.amount(format_args!("headlines before"), headings as f32);
        row.amount(format_args!("from heading"), last_heading.map_or(f32::NAN, |at| (number - at) as f32));
        let article = self.contents.get(self.page.blocks[number].element as usize).map_or(0, |content| content.article);
        row.amount(format_args!("article"), article as f32);
        let near = |step: isize| {
            let mut at = number as isize;
            let mut distance = 0;
            loop {
                at += step;
                distance += 1;
                match usize::try_from(at).ok().and_then(|at| self.counts.get(at)) {
                    Some(counts) if !counts.is_long() && distance < 30 => {}
                    Some(_) => return distance as f32,
                    None => return f32::NAN,
                }
            }
        };
        row.amount(format_args!("to text before"), near(-1));
        row.amount(format_args!("to text after"), near(1));
        for reach in [2, 6] {
            let from = number.saturating_sub(reach);
            let to = (number + reach + 1).min(blocks);
            row.amount(format_args!("long within {reach}"), self.long_before[to] - self.long_before[from]);
            let words = self.words_before[to] - self.words_before[from];
            row.amount(
                format_args!("long share within {reach}"),
                part(self.long_before[to] - self.long_before[from], words),
            );
        }
    }

    fn describe_neighbours(&self, number: usize, row: &mut Row<'_>) {
        let own = self.page.blocks[number].element;
        let parent = self.page.elements.get(own as usize).map_or(NONE, |element| element.parent);
        for step in [-2isize, -1, 1, 2] {
            let at = usize::try_from(number as isize + step).ok().filter(|at| *at < self.counts.len());
            let counts = at.map(|at| &self.counts[at]);
            row.amount(format_args!("words {step}"), counts.map_or(f32::NAN, |counts| counts.words));
            row.amount(format_args!("link share {step}"), counts.map_or(f32::NAN, Counts::linked));
            row.choice(format_args!("ends with {step}"), counts.map_or(9, |counts| counts.end));
            let element = at.map_or(NONE, |at| self.page.blocks[at].element);
            let tag = self.page.elements.get(element as usize).map_or(0, |element| element.tag as usize);
            row.choice(format_args!("tag {step}"), tag);
            let its_parent = self.page.elements.get(element as usize).map_or(NONE, |element| element.parent);
            let kin = if element == NONE {
                0
            } else if element == own {
                1
            } else if its_parent == parent {
                2
            } else if element == parent || its_parent == own {
                3
            } else {
                4
            };
            row.choice(format_args!("kin {step}"), kin);
            let path = |element: u32| self.contents.get(element as usize).map(|content| content.class_path);
            row.choice(format_args!("same path {step}"), usize::from(element != NONE && path(element) == path(own)));
        }
    }

    /// How many levels the element stands in another, counted from 1, up to a few; 0 if it does not.
    fn levels(&self, element: u32, outer: u32) -> usize {
        let inside = outer <= element && self.contents.get(outer as usize).is_some_and(|outer| element <= outer.end);
        if !inside || element == NONE {
            return 0;
        }
        1 + self.ancestors(element).position(|one| one == outer).unwrap_or(ANCESTORS).min(ANCESTORS - 3)
    }

    fn ancestors(&self, element: u32) -> impl Iterator<Item = u32> {
        let elements = &self.page.elements;
        std::iter::successors((element != NONE).then_some(element), |element| {
            Some(elements[*element as usize].parent).filter(|parent| *parent != NONE)
        })
        .take(ANCESTORS)
    }
}

fn part(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Signs of furniture.
const SIGNS: [&str; 6] = ["has copyright", "has bar", "has at", "has address", "has date", "has quotation"];

fn count(page: &Page<'_>, words: &[Word], offsets: &[usize], language: Option<usize>) -> Vec<Counts> {
    let mut title = Vec::new();
    let beginning: String = page.title.chars().take(2000).collect();
    split(&unescape(beginning), &mut title);
    let mut title: Vec<u64> = title.iter().take(60).map(|word| word.hash).collect();
    title.sort_unstable();
    let mut spans: [Vec<(usize, usize)>; 3] = Default::default();
    for (style, start, end) in &page.styles {
        spans[*style as usize].push((*start, *end));
    }
    for spans in &mut spans {
        spans.sort_unstable();
    }
    let functions = function_words();
    let mut cursors = [0; 3];
    let count_block = |(number, block): (usize, &crate::html::Block)| {
        let mut counts = Counts::default();
        let mut last = block.start;
        for word in &words[offsets[number]..offsets[number + 1]] {
            let start = word.start as usize;
            let begins_sentence = last == block.start || ends_sentence(&page.text[last..start]);
            last = word.end as usize;
            let weight = word.weight();
            counts.words += weight;
            for (style, (spans, cursor)) in spans.iter().zip(&mut cursors).enumerate() {
                while spans.get(*cursor).is_some_and(|span| span.1 <= start) {
                    *cursor += 1;
                }
                if spans.get(*cursor).is_some_and(|span| span.0 <= start) {
                    counts.styled[style] += weight;
                }
            }
            counts.letters += f32::from(word.letters);
            counts.capitals += flag(word.capital);
            counts.shouted += flag(word.shouted && word.letters > 1);
            counts.numbers += flag(word.number);
            counts.entities += flag(word.capital && !begins_sentence);
            counts.titled += if title.binary_search(&word.hash).is_ok() { weight } else { 0.0 };
            let mask = functions.get(&word.hash).copied().unwrap_or(0);
            counts.functions += if language.is_some_and(|bit| mask >> bit & 1 == 1) { weight } else { 0.0 };
        }
        look_at_signs(&page.text[block.start..block.end], &mut counts);
        counts
    };
    page.blocks.iter().enumerate().map(count_block).collect()
}

fn flag(on: bool) -> f32 {
    f32::from(u8::from(on))
}

fn ends_sentence(gap: &str) -> bool {
    gap.contains(['.', '!', '?', ':', '。', '！', '？', '…'])
}

fn look_at_signs(text: &str, counts: &mut Counts) {
    let mut digits = 0;
    let mut runs = [0u8; 2];
    for letter in text.chars() {
        match letter {
            '.' | '!' | '?' | '。' | '！' | '？' | '।' | '؟' | '…' => counts.enders += 1.0,
            ',' | ';' | '，' | '、' | '；' | '،' => counts.commas += 1.0,
            _ => {}
        }
        if is_punctuation(letter) {
            counts.marks += 1.0;
        }
        counts.signs |= match letter {
            '©' => 1,
            '|' | '»' | '«' | '›' | '‹' | '•' | '·' | '→' | '▶' => 2,
            '@' => 4,
            '"' | '“' | '”' | '„' | '「' | '」' => 32,
            _ => 0,
        };
        if letter.is_ascii_digit() {
            digits += 1;
        } else {
            if digits == 4 {
                runs[0] = runs[0].saturating_add(1);
            } else if digits == 1 || digits == 2 {
                runs[1] = runs[1].saturating_add(1);
            }
            digits = 0;
        }
    }
    runs[0] = runs[0].saturating_add(u8::from(digits == 4));
    runs[1] = runs[1].saturating_add(u8::from(digits == 1 || digits == 2));
    if text.contains("://") || text.contains("www.") {
        counts.signs |= 8;
    }
    if runs[0] > 0 && runs[1] > 0 {
        counts.signs |= 16;
    }
    counts.start = text.chars().find(|letter| !"\"'“”„«»‘’([".contains(*letter)).map_or(0, |letter| {
        if letter.is_uppercase() {
            1
        } else if letter.is_lowercase() {
            2
        } else if letter.is_numeric() {
            3
        } else if letter.is_alphabetic() {
            4
        } else {
            5
        }
    });
    let tail = text.trim_end_matches(['"', '\'', '“', '”', '»', '’', ')', ']', '」', '）']);
    counts.end = match tail.chars().next_back() {
        Some('.' | '。' | '।') if tail.ends_with("...") => 3,
        Some('.' | '。' | '।') => 1,
        Some('!' | '?' | '！' | '？' | '؟') => 2,
        Some('…') => 3,
        Some(':' | '：') => 4,
        Some(',' | ';' | '，' | '、') => 5,
        Some('|' | '»' | '›' | '>' | '→' | '/') => 6,
        Some(letter) if letter.is_alphanumeric() => 7,
        _ => 8,
    };
}

fn sum_up(page: &Page<'_>, counts: &[Counts]) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::with_capacity(page.elements.len());
    let mut articles = 0;
    for (number, element) in page.elements.iter().enumerate() {
        let parent = contents.get(element.parent as usize).cloned().unwrap_or_default();
        let path = xxh3_64_with_seed(&[element.tag as u8], parent.path);
        let mut announced = parent.announced.map(|level| if level == 0 { 0 } else { (level + 1).min(7) });
        let named = element.names.iter().fold(0, |all, names| all | announced_by(names));
        for (bit, level) in announced.iter_mut().enumerate() {
            if named >> bit & 1 == 1 {
                *level = 1;
            }
        }
        articles += u32::from(element.tag == Tag::article);
        contents.push(Content {
            depth: parent.depth + 1,
            path,
            class_path: xxh3_64_with_seed(element.names[0].as_bytes(), path),
            first: usize::MAX,
            end: number as u32,
            around: parent.around | AROUND.iter().position(|tag| *tag == element.tag).map_or(0, |bit| 1 << bit),
            announced,
            article: if element.tag == Tag::article { articles } else { parent.article },
            ..Content::default()
        });
    }
    for (number, (block, counts)) in page.blocks.iter().zip(counts).enumerate() {
        let long = if counts.is_long() { counts.words } else { 0.0 };
        if let Some(content) = contents.get_mut(block.element as usize) {
            content.words += counts.words;
            content.links += counts.styled[0];
            content.long += long;
            content.near += long;
            content.paragraphs += flag(counts.is_long());
            content.blocks += 1.0;
            content.first = content.first.min(number);
            content.last = content.last.max(number);
        }
        let parent = page.elements.get(block.element as usize).map_or(NONE, |element| element.parent);
        if let Some(content) = contents.get_mut(parent as usize) {
            content.near += long;
        }
    }
    for number in (0..contents.len()).rev() {
        let parent = page.elements[number].parent;
        if parent == NONE {
            continue;
        }
        let inner = contents[number].clone();
        let outer = &mut contents[parent as usize];
        outer.words += inner.words;
        outer.links += inner.links;
        outer.long += inner.long;
        outer.paragraphs += inner.paragraphs;
        outer.blocks += inner.blocks;
        outer.children += 1.0;
        outer.end = outer.end.max(inner.end);
        outer.first = outer.first.min(inner.first);
        outer.last = outer.last.max(inner.last);
    }
    contents
}

/// Which of `ANNOUNCED` the words of a class or id are, one bit each.
fn announced_by(names: &str) -> u16 {
    static ANNOUNCING: OnceLock<ByHash<u16>> = OnceLock::new();
    let announcing = ANNOUNCING.get_or_init(|| {
        let mut announcing = ByHash::default();
        for (bit, (_, words)) in ANNOUNCED.iter().enumerate() {
            for word in *words {
                *announcing.entry(xxh3_64(word.as_bytes())).or_insert(0) |= 1 << bit;
            }
        }
        announcing
    });
    let mut bits = 0;
    let mut small = [0u8; 24];
    let mut size = 0;
    let mut was_small = false;
    for letter in names.bytes().take(300).chain([b' ']) {
        if !letter.is_ascii_alphabetic() || (letter.is_ascii_uppercase() && was_small) {
            if (2..=small.len()).contains(&size) {
                bits |= announcing.get(&xxh3_64(&small[..size])).copied().unwrap_or(0);
            }
            size = 0;
        }
        if letter.is_ascii_alphabetic() {
            if let Some(place) = small.get_mut(size) {
                *place = letter.to_ascii_lowercase();
            }
            size += 1;
        }
        was_small = letter.is_ascii_lowercase();
    }
    bits
}

/// The innermost element with at least half of the words in long blocks.
fn main_element(page: &Page<'_>, contents: &[Content], long: f32) -> u32 {
    if long <= 0.0 {
        return NONE;
    }
    // Elements come before their content: of those with half of the words, which are nested, the last is innermost.
    (0..page.elements.len())
        .rev()
        .find(|element| contents[*element].long * 2.0 >= long)
        .map_or(NONE, |element| element as u32)
}

/// The block that is most like the title: in a heading, or with most of the title's words.
fn find_headline(page: &Page<'_>, counts: &[Counts]) -> Option<usize> {
    let mut best = (0.0, None);
    for (number, (block, counts)) in page.blocks.iter().zip(counts).enumerate() {
        let tag = page.elements.get(block.element as usize).map_or(Tag::Other, |element| element.tag);
        if tag == Tag::title || counts.words == 0.0 || counts.words > 40.0 {
            continue;
        }
        let heading = match tag {
            Tag::h1 => 2.0,
            Tag::h2 => 1.0,
            _ => 0.0,
        };
        let score = counts.titled * counts.share(counts.titled) + heading - counts.linked();
        if score > best.0 && (heading > 0.0 || counts.titled >= 3.0) {
            best = (score, Some(number));
        }
    }
    best.1
}

/// What a first look at all blocks says about each.
struct Context<'a> {
    sight: &'a Sight<'a>,
    likely: &'a [f32],
    /// Expected words of CONTENT, and all words, before block i.
    before: Vec<(f32, f32)>,
    elements: Vec<(f32, f32)>,
    paths: [ByHash<(f32, f32)>; 2],
    main: [u32; 2],
    /// Blocks to the nearest likely one before and after, and the words in between.
    nearest: [Vec<(f32, f32)>; 2],
    islands: Vec<f32>,
}

impl<'a> Context<'a> {
    fn of(sight: &'a Sight<'a>, likely: &'a [f32]) -> Self {
        let blocks = &sight.page.blocks;
        let mut before = vec![(0.0, 0.0)];
        let mut elements = vec![(0.0, 0.0); sight.contents.len()];
        let mut paths: [ByHash<(f32, f32)>; 2] = Default::default();
        for (number, (block, likely)) in blocks.iter().zip(likely).enumerate() {
            let words = sight.counts[number].words;
            let add = |sums: &mut (f32, f32)| *sums = (sums.0 + likely * words, sums.1 + words);
            let mut next = before[number];
            add(&mut next);
            before.push(next);
            if let Some(content) = sight.contents.get(block.element as usize) {
                add(&mut elements[block.element as usize]);
                add(paths[0].entry(content.path).or_default());
                add(paths[1].entry(content.class_path).or_default());
            }
        }
        for number in (0..elements.len()).rev() {
            let parent = sight.page.elements[number].parent;
            if parent != NONE {
                let (inner, outer) = (elements[number], &mut elements[parent as usize]);
                *outer = (outer.0 + inner.0, outer.1 + inner.1);
            }
        }
        let total = before[blocks.len()].0;
        let main = [0.6, 0.85].map(|share| {
            let found = (0..elements.len()).rev().find(|element| total > 0.0 && elements[*element].0 >= share * total);
            found.map_or(NONE, |element| element as u32)
        });
        let mut nearest = [Vec::new(), Vec::new()];
        let mut islands = vec![0.0; blocks.len()];
        for (side, found) in nearest.iter_mut().enumerate() {
            let mut last: Option<(usize, f32)> = None;
            let mut island = 0.0;
            let mut order: Vec<usize> = (0..blocks.len()).collect();
            if side == 1 {
                order.reverse();
            }
            *found = vec![(f32::NAN, f32::NAN); blocks.len()];
            for number in order {
                if let Some((at, words)) = last {
                    found[number] = (at.abs_diff(number) as f32, words);
                }
                let words = sight.counts[number].words;
                if likely.get(number).is_some_and(|likely| *likely > 0.5) {
                    last = Some((number, 0.0));
                    island += words;
                } else {
                    last = last.map(|(at, between)| (at, between + words));
                    if last.is_some_and(|(at, between)| at.abs_diff(number) > 3 || between > 60.0) {
                        island = 0.0;
                    }
                }
                islands[number] += island;
            }
        }
        Self { sight, likely, before, elements, paths, main, nearest, islands }
    }

    fn describe(&self, number: usize, row: &mut Row<'_>) {
        let blocks = self.likely.len();
        let total = self.before[blocks].0;
        row.amount(format_args!("likely"), self.likely[number]);
        for step in [-3isize, -2, -1, 1, 2, 3] {
            let at = usize::try_from(number as isize + step).ok().and_then(|at| self.likely.get(at));
            row.amount(format_args!("likely {step}"), at.copied().unwrap_or(f32::NAN));
        }
        for reach in [2, 5, 12] {
            let (from, to) = (self.before[number.saturating_sub(reach)], self.before[(number + reach + 1).min(blocks)]);
            row.amount(format_args!("likely within {reach}"), part(to.0 - from.0, to.1 - from.1));
        }
        let element = self.sight.page.blocks[number].element;
        let chain: Vec<u32> = self.sight.ancestors(element).collect();
        for level in 0..=LEVELS {
            let (content, words) = chain.get(level).map_or((0.0, 0.0), |element| self.elements[*element as usize]);
            row.amount(format_args!("likely in {level}"), part(content, words));
            row.amount(format_args!("content in {level}"), part(content, total));
        }
        let content = self.sight.contents.get(element as usize);
        for (name, paths, key) in [
            ("path", &self.paths[0], content.map(|content| content.path)),
            ("class path", &self.paths[1], content.map(|content| content.class_path)),
        ] {
            let (content, words) = key.and_then(|key| paths.get(&key)).copied().unwrap_or_default();
            row.amount(format_args!("likely at {name}"), part(content, words));
            row.amount(format_args!("content at {name}"), part(content, total));
        }
        row.amount(format_args!("content before"), part(self.before[number].0, total));
        row.amount(format_args!("content after"), part(total - self.before[number + 1].0, total));
        for (side, name) in ["before", "after"].iter().enumerate() {
            row.amount(format_args!("to content {name}"), self.nearest[side][number].0);
            row.amount(format_args!("words to content {name}"), self.nearest[side][number].1);
        }
        row.amount(format_args!("island"), self.islands[number]);
        for (name, main) in ["most", "nearly all"].iter().zip(self.main) {
            row.choice(format_args!("levels to {name}"), self.sight.levels(element, main));
            let place =
                self.sight.contents.get(main as usize).map_or(0, |content| {
                    if number < content.first { 1 } else { 2 + usize::from(number > content.last) }
                });
            row.choice(format_args!("place by {name}"), place);
        }
    }
}
