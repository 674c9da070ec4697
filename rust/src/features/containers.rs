//! What stands in an element, all in all: sums over its content, and what it and those around it are called.

use std::sync::OnceLock;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::counts::{Counts, flag};
use crate::html::{Element, NONE, Page, Tag};
use crate::stems::ByHash;

/// Words of class and id, by what they announce.
pub const ANNOUNCED: [(&str, &str); 10] = [
    ("comments", "comment comments disqus respond reply replies discussion commentlist livefyre"),
    ("sharing", "share sharing social follow twitter facebook addthis sharedaddy whatsapp"),
    (
        "related",
        "related recommended recommend recommendations popular trending teaser teasers latest more \
         similar outbrain taboola readmore headlines also next prev previous",
    ),
    (
        "adverts",
        "ad ads advert advertisement advertising sponsor sponsored banner promo promotion dfp gpt \
         commercial",
    ),
    (
        "furniture",
        "nav navigation menu breadcrumb breadcrumbs header footer sidebar toolbar widget widgets \
         pagination pager masthead topbar foot head rail aside side copyright search logo tools legal terms \
         disclaimer imprint impressum privacy rights policy",
    ),
    (
        "byline",
        "byline author authors date meta tags tag category categories timestamp info dateline published \
         kicker bio credits writer reporter contributor",
    ),
    ("pictures", "caption credit photo gallery image video media figure slideshow picture player img"),
    (
        "letters",
        "newsletter subscribe subscription signup login signin cookie cookies consent popup modal \
         paywall register overlay gdpr form membership donate donation offer poll vote survey quiz",
    ),
    (
        "body",
        "article story content post entry body text main news articlebody storybody paragraph \
         maincontent page richtext copy",
    ),
    ("unseen", "hide hidden sr screen invisible none visually print mobile offscreen"),
];

/// Tags whose presence around a block says something.
pub const AROUND: [Tag; 22] = [
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

/// What blocks are alike in, from afar to near: the tags they stand in; these and the class of the last; tag and class, in the
/// same element but two; in the same element but one; the element itself.
pub const ALIKE: [&str; 5] = ["path", "class path", "cousins", "siblings", "element"];

/// Sums over some blocks.
#[derive(Debug, Clone, Default)]
pub struct Sums {
    pub words: f32,
    pub links: f32,
    /// Words of long blocks.
    pub long: f32,
    /// Long blocks.
    pub paragraphs: f32,
    pub blocks: f32,
}

impl Sums {
    /// Adds a block.
    pub fn add(&mut self, counts: &Counts) {
        self.words += counts.words;
        self.links += counts.styled[0];
        self.long += counts.long_words();
        self.paragraphs += flag(counts.is_long());
        self.blocks += 1.0;
    }

    fn add_all(&mut self, inner: &Self) {
        self.words += inner.words;
        self.links += inner.links;
        self.long += inner.long;
        self.paragraphs += inner.paragraphs;
        self.blocks += inner.blocks;
    }
}

/// What stands in an element, all in all.
#[derive(Debug, Clone, Default)]
pub struct Content {
    pub sums: Sums,
    /// Words of long blocks that stand in it, or in an element in it.
    pub near: f32,
    pub children: f32,
    pub first: usize,
    pub last: usize,
    pub depth: usize,
    /// The same for elements that are alike, one for each of `ALIKE`.
    pub keys: [u64; ALIKE.len()],
    /// The last element in it.
    pub end: u32,
    /// Which of `AROUND` it is or stands in.
    pub around: u32,
    /// How many levels up each of `ANNOUNCED` is, counted from 1, up to a few; 0 if nowhere.
    pub announced: [u8; ANNOUNCED.len()],
    /// Articles that began so far, if it is or stands in one.
    pub article: u32,
}

/// What each element and those around it are called, without sums.
fn name_elements(page: &Page<'_>) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::with_capacity(page.elements.len());
    let mut articles = 0;
    for (number, element) in page.elements.iter().enumerate() {
        let parent = contents.get(element.parent as usize).cloned().unwrap_or_default();
        let path = xxh3_64_with_seed(&[element.tag as u8], parent.keys[0]);
        let kind = |element: &Element<'_>, seed: u64| {
            xxh3_64_with_seed(element.names[0].as_bytes(), seed.wrapping_mul(256) + element.tag as u64)
        };
        let outer = page.elements.get(element.parent as usize);
        let outermost = outer.map_or(NONE, |outer| outer.parent);
        let cousins = kind(element, outer.map_or(0, |outer| kind(outer, u64::from(outermost))));
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
            keys: [
                path,
                xxh3_64_with_seed(element.names[0].as_bytes(), path),
                cousins,
                kind(element, u64::from(element.parent)),
                xxh3_64(&number.to_le_bytes()),
            ],
            first: usize::MAX,
            end: number as u32,
            around: parent.around | AROUND.iter().position(|tag| *tag == element.tag).map_or(0, |bit| 1 << bit),
            announced,
            article: if element.tag == Tag::article { articles } else { parent.article },
            ..Content::default()
        });
    }
    contents
}

/// The contents of every element, summed up in a pass over the blocks and one from the last element to the first.
pub fn sum_up(page: &Page<'_>, counts: &[Counts]) -> Vec<Content> {
    let mut contents = name_elements(page);
    for (number, (block, counts)) in page.blocks.iter().zip(counts).enumerate() {
        if let Some(content) = contents.get_mut(block.element as usize) {
            content.sums.add(counts);
            content.near += counts.long_words();
            content.first = content.first.min(number);
            content.last = content.last.max(number);
        }
        let parent = page.elements.get(block.element as usize).map_or(NONE, |element| element.parent);
        if let Some(content) = contents.get_mut(parent as usize) {
            content.near += counts.long_words();
        }
    }
    for number in (0..contents.len()).rev() {
        let parent = page.elements[number].parent;
        if parent == NONE {
            continue;
        }
        let inner = contents[number].clone();
        let outer = &mut contents[parent as usize];
        outer.sums.add_all(&inner.sums);
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
            for word in words.split(' ') {
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
