//! What can be seen of a block without reading it: the values that the models weigh.
//!
//! One row of numbers a block, the same for training and for use. They come from the block itself (words, links,
//! punctuation), the elements it stands in and their whole content, other blocks at the same path, its
//! neighbours, and its place on the page. Nothing depends on the language but the share of function words.
//! Linear in the page; ancestors are followed up to a fixed number.

use std::collections::HashMap;

use htmlize::unescape;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::html::{NONE, Page, Style, Tag};
use crate::words::{Word, function_words, language, split};

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
/// Ancestors that are followed.
const ANCESTORS: usize = 24;
/// A block of so many words that are mostly not links is text; smaller ones say little.
const LONG_WORDS: f32 = 10.0;

/// The rows of a page.
#[derive(Debug, Clone, Default)]
pub struct Features {
    /// How many values a row has.
    pub width: usize,
    /// The rows, one after the other.
    pub values: Vec<f32>,
    /// The words of all blocks.
    pub words: Vec<Word>,
    /// Block i has words `word_offsets[i]..word_offsets[i + 1]`.
    pub word_offsets: Vec<usize>,
    /// The number of the page's language in [`crate::words::LANGUAGES`].
    pub language: Option<usize>,
}

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
const AROUND: [Tag; 19] = [
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
    announced: u16,
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
    fn amount(&mut self, name: &str, value: f32) {
        self.push(name, Kind::Amount, value);
    }

    fn choice(&mut self, name: &str, value: usize) {
        self.push(name, Kind::Choice, value as f32);
    }

    fn push(&mut self, name: &str, kind: Kind, value: f32) {
        if let Some(names) = &mut self.names {
            names.push((name.to_owned(), kind));
        }
        self.values.push(value);
    }
}

/// Name and kind of each value of a row.
pub fn names() -> Vec<(String, Kind)> {
    let html = "<p>a";
    let limits = crate::html::Limits { bytes: 10, tags: 10 };
    let mut names = Vec::new();
    if let Ok(page) = crate::html::read(html, limits, false) {
        Sight::of(&page).describe_all(Some(&mut names));
    }
    names
}

/// The values of every block of a page.
pub fn features(page: &Page<'_>) -> Features {
    Sight::of(page).describe_all(None)
}

/// A page, and what was counted in it.
struct Sight<'a> {
    page: &'a Page<'a>,
    words: Vec<Word>,
    word_offsets: Vec<usize>,
    language: Option<usize>,
    counts: Vec<Counts>,
    contents: Vec<Content>,
    paths: [HashMap<u64, Path>; 2],
    total: Content,
    repeated: HashMap<u64, f32>,
    hashes: Vec<u64>,
    main: u32,
    densest: u32,
    headline: Option<usize>,
    /// Words of long blocks before block i.
    long_before: Vec<f32>,
    words_before: Vec<f32>,
}

impl<'a> Sight<'a> {
    fn of(page: &'a Page<'a>) -> Self {
        let mut words = Vec::new();
        let mut word_offsets = vec![0];
        for block in &page.blocks {
            let from = words.len();
            split(&page.text[block.start..block.end], &mut words);
            for word in &mut words[from..] {
                word.start += block.start;
                word.end += block.start;
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
        let mut paths: [HashMap<u64, Path>; 2] = Default::default();
        let mut repeated = HashMap::new();
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
            let hash = xxh3_64_with_seed(page.text[block.start..block.end].as_bytes(), 0);
            hashes.push(hash);
            *repeated.entry(hash).or_insert(0.0) += 1.0;
            long_before.push(long_before[number] + if counts.is_long() { counts.words } else { 0.0 });
            words_before.push(words_before[number] + counts.words);
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
        }
    }

    fn describe_all(self, mut names: Option<&mut Vec<(String, Kind)>>) -> Features {
        let mut values = Vec::new();
        for number in 0..self.page.blocks.len() {
            let names = if number == 0 { names.take() } else { None };
            self.describe(number, &mut Row { names, values: &mut values });
        }
        let width = values.len().checked_div(self.page.blocks.len()).unwrap_or(0);
        Features { width, values, words: self.words, word_offsets: self.word_offsets, language: self.language }
    }

    fn describe(&self, number: usize, row: &mut Row<'_>) {
        self.describe_text(number, row);
        self.describe_containers(number, row);
        self.describe_place(number, row);
        self.describe_neighbours(number, row);
    }

    fn describe_text(&self, number: usize, row: &mut Row<'_>) {
        let (block, counts) = (&self.page.blocks[number], &self.counts[number]);
        row.amount("words", counts.words);
        row.amount("link share", counts.linked());
        row.amount("bold share", counts.share(counts.styled[1]));
        row.amount("slanted share", counts.share(counts.styled[2]));
        row.amount("capital share", counts.share(counts.capitals));
        row.amount("shouted share", counts.share(counts.shouted));
        row.amount("number share", counts.share(counts.numbers));
        row.amount("entity share", counts.share(counts.entities));
        row.amount("function share", counts.share(counts.functions));
        row.amount("letters a word", counts.share(counts.letters));
        row.amount("sentence ends", counts.enders);
        row.amount("commas", counts.commas);
        row.amount("mark share", counts.share(counts.marks));
        row.choice("starts with", counts.start);
        row.choice("ends with", counts.end);
        for (bit, sign) in SIGNS.iter().enumerate() {
            row.choice(sign, counts.signs >> bit & 1);
        }
        row.amount("title share", counts.share(counts.titled));
        row.amount("title words", counts.titled);
        row.amount("repeated", self.repeated[&self.hashes[number]]);
        row.choice("before", block.before.0 as usize * 2 + usize::from(block.before.1));
        row.choice("after", block.after.0 as usize * 2 + usize::from(block.after.1));
    }

    fn describe_containers(&self, number: usize, row: &mut Row<'_>) {
        let block = &self.page.blocks[number];
        let own = &self.counts[number];
        let chain: Vec<u32> = self.ancestors(block.element).collect();
        let tag =
            |level: usize| chain.get(level).map_or(0, |element| self.page.elements[*element as usize].tag as usize);
        let empty = Content::default();
        let content = |level: usize| chain.get(level).map_or(&empty, |element| &self.contents[*element as usize]);
        row.choice("tag", tag(0));
        row.choice("tag 1", tag(1));
        row.choice("tag 2", tag(2));
        row.choice(
            "hidden",
            chain.first().map_or(0, |element| usize::from(self.page.elements[*element as usize].hidden)),
        );
        row.amount("depth", content(0).depth as f32);
        for level in 0..LEVELS {
            let content = content(level);
            row.amount(&format!("words in {level}"), content.words);
            row.amount(&format!("links in {level}"), part(content.links, content.words));
            row.amount(&format!("long in {level}"), part(content.long, self.total.long));
            row.amount(&format!("long share in {level}"), part(content.long, content.words));
            row.amount(&format!("paragraphs in {level}"), content.paragraphs);
            row.amount(&format!("blocks in {level}"), content.blocks);
            row.amount(&format!("children in {level}"), content.children);
            row.amount(&format!("words a block in {level}"), part(content.words, content.blocks));
        }
        row.amount("own of 0", part(own.words, content(0).words));
        row.amount("own of 1", part(own.words, content(1).words));
        let mut around = 0u32;
        for element in &chain {
            let tag = self.page.elements[*element as usize].tag;
            if let Some(bit) = AROUND.iter().position(|one| *one == tag) {
                around |= 1 << bit;
            }
        }
        for (bit, tag) in AROUND.iter().enumerate() {
            row.choice(&format!("in {}", tag.name()), (around >> bit & 1) as usize);
        }
        for (bit, (name, _)) in ANNOUNCED.iter().enumerate() {
            let level = chain.iter().position(|element| self.contents[*element as usize].announced >> bit & 1 == 1);
            row.choice(&format!("named {name}"), level.map_or(0, |level| 1 + level.min(6)));
        }
        let levels =
            |wanted: u32| chain.iter().position(|element| *element == wanted).map_or(0, |level| 1 + level.min(6));
        row.choice("levels to main", levels(self.main));
        row.choice("levels to densest", levels(self.densest));
        for (name, wanted) in [("main", self.main), ("densest", self.densest)] {
            let place = self
                .contents
                .get(wanted as usize)
                .map_or(0, |content| if number < content.first { 1 } else { 2 + usize::from(number > content.last) });
            row.choice(&format!("place by {name}"), place);
        }
        let main = self.contents.get(self.main as usize).unwrap_or(&empty);
        row.amount("long in main", part(main.long, self.total.long));
        row.amount("links in main", part(main.links, main.words));
        for (name, paths, key) in
            [("path", &self.paths[0], content(0).path), ("class path", &self.paths[1], content(0).class_path)]
        {
            let path = paths.get(&key).cloned().unwrap_or_default();
            row.amount(&format!("words at {name}"), path.words);
            row.amount(&format!("links at {name}"), part(path.links, path.words));
            row.amount(&format!("long at {name}"), part(path.long, self.total.long));
            row.amount(&format!("blocks at {name}"), path.blocks);
            row.amount(&format!("words a block at {name}"), part(path.words, path.blocks));
        }
    }

    fn describe_place(&self, number: usize, row: &mut Row<'_>) {
        let blocks = self.page.blocks.len();
        row.amount("blocks", blocks as f32);
        row.amount("page words", self.total.words);
        row.amount("page links", part(self.total.links, self.total.words));
        row.amount("page long", self.total.long);
        row.amount("place", number as f32 / blocks as f32);
        row.amount("number", number as f32);
        row.amount("from end", (blocks - number) as f32);
        row.amount("long before", part(self.long_before[number], self.total.long));
        row.amount("long after", part(self.total.long - self.long_before[number + 1], self.total.long));
        let headline = self.headline.map_or(f32::NAN, |headline| number as f32 - headline as f32);
        row.amount("from headline", headline);
        let words = self.headline.map_or(f32::NAN, |headline| {
            self.words_before[number.max(headline)] - self.words_before[number.min(headline)]
        });
        row.amount("words from headline", if headline < 0.0 { -words } else { words });
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
        row.amount("to text before", near(-1));
        row.amount("to text after", near(1));
        for reach in [2, 6] {
            let from = number.saturating_sub(reach);
            let to = (number + reach + 1).min(blocks);
            row.amount(&format!("long within {reach}"), self.long_before[to] - self.long_before[from]);
            let words = self.words_before[to] - self.words_before[from];
            row.amount(
                &format!("long share within {reach}"),
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
            row.amount(&format!("words {step}"), counts.map_or(f32::NAN, |counts| counts.words));
            row.amount(&format!("link share {step}"), counts.map_or(f32::NAN, Counts::linked));
            row.choice(&format!("ends with {step}"), counts.map_or(9, |counts| counts.end));
            let element = at.map_or(NONE, |at| self.page.blocks[at].element);
            let tag = self.page.elements.get(element as usize).map_or(0, |element| element.tag as usize);
            row.choice(&format!("tag {step}"), tag);
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
            row.choice(&format!("kin {step}"), kin);
            let path = |element: u32| self.contents.get(element as usize).map(|content| content.class_path);
            row.choice(&format!("same path {step}"), usize::from(element != NONE && path(element) == path(own)));
        }
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
    split(&unescape(page.title), &mut title);
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
            let begins_sentence = last == block.start || ends_sentence(&page.text[last..word.start]);
            last = word.end;
            let weight = word.weight();
            counts.words += weight;
            for (style, (spans, cursor)) in spans.iter().zip(&mut cursors).enumerate() {
                while spans.get(*cursor).is_some_and(|span| span.1 <= word.start) {
                    *cursor += 1;
                }
                if spans.get(*cursor).is_some_and(|span| span.0 <= word.start) {
                    counts.styled[style] += weight;
                }
            }
            counts.letters += word.letters as f32;
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
        if !letter.is_alphanumeric() && !letter.is_whitespace() {
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
                runs[0] += 1;
            } else if digits == 1 || digits == 2 {
                runs[1] = runs[1].saturating_add(1);
            }
            digits = 0;
        }
    }
    runs[0] += u8::from(digits == 4);
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
    let mut announcing: HashMap<&str, u16> = HashMap::new();
    for (bit, (_, words)) in ANNOUNCED.iter().enumerate() {
        for word in *words {
            *announcing.entry(word).or_insert(0) |= 1 << bit;
        }
    }
    let mut contents: Vec<Content> = Vec::with_capacity(page.elements.len());
    for element in &page.elements {
        let parent = contents.get(element.parent as usize).cloned().unwrap_or_default();
        let step = [element.tag as u8];
        let path = xxh3_64_with_seed(&step, parent.path);
        let class_path = xxh3_64_with_seed(element.names[0].as_bytes(), xxh3_64_with_seed(&step, parent.path));
        contents.push(Content {
            depth: parent.depth + 1,
            path,
            class_path,
            first: usize::MAX,
            announced: element.names.iter().map(|names| announced(names, &announcing)).fold(0, |all, one| all | one),
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
        outer.first = outer.first.min(inner.first);
        outer.last = outer.last.max(inner.last);
    }
    contents
}

fn announced(names: &str, announcing: &HashMap<&str, u16>) -> u16 {
    let mut bits = 0;
    let mut small = String::new();
    let mut flush = |small: &mut String| {
        bits |= announcing.get(small.as_str()).copied().unwrap_or(0);
        small.clear();
    };
    let mut was_small = false;
    for letter in names.chars().take(300) {
        if !letter.is_ascii_alphabetic() || (letter.is_ascii_uppercase() && was_small) {
            flush(&mut small);
        }
        if letter.is_ascii_alphabetic() {
            small.push(letter.to_ascii_lowercase());
        }
        was_small = letter.is_ascii_lowercase();
    }
    flush(&mut small);
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
