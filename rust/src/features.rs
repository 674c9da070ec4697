//! What can be seen of a block without reading it: the values that the models weigh.
//!
//! One row of numbers a block, the same for training and for use. They come from the block itself (words, links,
//! punctuation), the elements it stands in and their whole content, other blocks at the same path, its
//! neighbours, and its place on the page. Nothing depends on the language but the share of function words.
//! Linear in the page; ancestors are followed up to a fixed number.

use std::fmt::Arguments;

use xxhash_rust::xxh3::xxh3_64;

use self::containers::{ALIKE, ANNOUNCED, AROUND, Content, Sums, sum_up};
use self::context::Context;
use self::counts::{Counts, LONG_WORDS, SIGNS, count};
use self::stated::Stated;
use crate::html::{NONE, Page, Tag};
use crate::stems::ByHash;
use crate::words::{Word, language, split};

mod containers;
pub mod context;
mod counts;
mod stated;

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

struct Row<'a> {
    names: Option<&'a mut Vec<(String, Kind)>>,
    values: &'a mut Vec<f32>,
}

/// Inlined, names cost nothing where none are wanted.
#[allow(clippy::inline_always)]
impl Row<'_> {
    #[inline(always)]
    fn amount(&mut self, name: Arguments<'_>, value: f32) {
        self.push(name, Kind::Amount, value);
    }

    #[inline(always)]
    fn choice(&mut self, name: Arguments<'_>, value: usize) {
        self.push(name, Kind::Choice, value as f32);
    }

    #[inline(always)]
    fn push(&mut self, name: Arguments<'_>, kind: Kind, value: f32) {
        if let Some(names) = &mut self.names {
            note(names, name, kind);
        }
        self.values.push(value);
    }
}

#[cold]
fn note(names: &mut Vec<(String, Kind)>, name: Arguments<'_>, kind: Kind) {
    names.push((name.to_string(), kind));
}

/// The name and kind of each value in a row.
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
    counts: Vec<Counts>,
    contents: Vec<Content>,
    alike: [ByHash<Sums>; ALIKE.len()],
    stated: Vec<[f32; 2]>,
    repeated: ByHash<f32>,
    hashes: Vec<u64>,
    main: u32,
    densest: u32,
    headline: Option<usize>,
    /// Words of long blocks before block i; the last is that of all.
    long_before: Vec<f32>,
    words_before: Vec<f32>,
    /// How many `h1` came before block i, and which block was in a heading last.
    headings: Vec<(u32, Option<usize>)>,
}

impl<'a> Sight<'a> {
    /// What can be seen of a page.
    pub fn of(page: &'a Page<'a>) -> Self {
        let (words, word_offsets) = split_blocks(page);
        let language = language_of_text(&words, &word_offsets);
        let counts = count(page, &words, &word_offsets, language);
        let contents = sum_up(page, &counts);
        let mut alike: [ByHash<Sums>; ALIKE.len()] = Default::default();
        let mut repeated = ByHash::default();
        let mut hashes = Vec::with_capacity(page.blocks.len());
        let mut long_before = vec![0.0];
        let mut words_before = vec![0.0];
        for (number, (block, counts)) in page.blocks.iter().zip(&counts).enumerate() {
            let keys = contents.get(block.element as usize).map(|content| content.keys).unwrap_or_default();
            for (alike, key) in alike.iter_mut().zip(keys) {
                alike.entry(key).or_default().add(counts);
            }
            let hash = xxh3_64(&page.text.as_bytes()[block.start..block.end]);
            hashes.push(hash);
            *repeated.entry(hash).or_insert(0.0) += 1.0;
            long_before.push(long_before[number] + counts.long_words());
            words_before.push(words_before[number] + counts.words);
        }
        let main = main_element(page, &contents, long_before[page.blocks.len()]);
        let densest = (0..contents.len()).max_by(|left, right| contents[*left].near.total_cmp(&contents[*right].near));
        let headline = find_headline(page, &counts);
        let stated = Stated::of(page);
        let stated = word_offsets.windows(2).map(|ends| stated.shares(&words[ends[0]..ends[1]])).collect();
        Self {
            page,
            words,
            word_offsets,
            counts,
            contents,
            alike,
            stated,
            repeated,
            hashes,
            main,
            densest: densest.map_or(NONE, |element| element as u32),
            headline,
            long_before,
            words_before,
            headings: find_headings(page),
        }
    }

    /// The values of some blocks, row after row. With `context`, a row ends with those of the second look.
    pub fn rows(&self, blocks: &[usize], context: Option<&Context<'_>>) -> Vec<f32> {
        let mut values = Vec::new();
        for number in blocks {
            let mut row = Row { names: None, values: &mut values };
            self.describe(*number, &mut row);
            if let Some(context) = context {
                context.describe(*number, &mut row);
            }
        }
        values
    }

    /// The words of all blocks; block i has words `offsets[i]..offsets[i + 1]`.
    pub fn words(&self) -> (&[Word], &[usize]) {
        (&self.words, &self.word_offsets)
    }

    /// The hash and the lower-case spelling of each word of a block.
    pub fn spelt(&self, block: usize) -> impl Iterator<Item = (u64, String)> {
        let words = &self.words[self.word_offsets[block]..self.word_offsets[block + 1]];
        words.iter().map(|word| (word.hash, word.spelt(&self.page.text)))
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.page.blocks.len()
    }

    /// How many words a block has.
    pub fn block_words(&self, block: usize) -> f32 {
        self.counts[block].words
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
        row.amount(format_args!("stated share"), self.stated[number][0]);
        row.amount(format_args!("described share"), self.stated[number][1]);
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
        // Beyond the outermost is the outermost: shallow pages are like deep ones.
        let content = |level: usize| {
            let element = chain.get(level).or(chain.last());
            element.map_or(&empty, |element| &self.contents[*element as usize])
        };
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
            let sums = &content.sums;
            row.amount(format_args!("words in {level}"), sums.words);
            row.amount(format_args!("links in {level}"), part(sums.links, sums.words));
            row.amount(format_args!("long in {level}"), part(sums.long, self.long()));
            row.amount(format_args!("long share in {level}"), part(sums.long, sums.words));
            row.amount(format_args!("paragraphs in {level}"), sums.paragraphs);
            row.amount(format_args!("blocks in {level}"), sums.blocks);
            row.amount(format_args!("children in {level}"), content.children);
            row.amount(format_args!("words a block in {level}"), part(sums.words, sums.blocks));
        }
        row.amount(format_args!("own of 0"), part(own.words, content(0).sums.words));
        row.amount(format_args!("own of 1"), part(own.words, content(1).sums.words));
        for (bit, tag) in AROUND.iter().enumerate() {
            row.choice(format_args!("in {tag:?}"), (content(0).around >> bit & 1) as usize);
        }
        for ((name, _), level) in ANNOUNCED.iter().zip(content(0).announced) {
            row.choice(format_args!("named {name}"), level as usize);
        }
        row.choice(format_args!("levels to main"), self.levels(block.element, self.main));
        row.choice(format_args!("levels to densest"), self.levels(block.element, self.densest));
        for (name, wanted) in [("main", self.main), ("densest", self.densest)] {
            row.choice(format_args!("place by {name}"), self.place_by(number, wanted));
        }
        for ((name, alike), key) in ALIKE.iter().zip(&self.alike).zip(content(0).keys) {
            let alike = alike.get(&key).cloned().unwrap_or_default();
            row.amount(format_args!("words at {name}"), alike.words);
            row.amount(format_args!("links at {name}"), part(alike.links, alike.words));
            row.amount(format_args!("long at {name}"), part(alike.long, self.long()));
            row.amount(format_args!("blocks at {name}"), alike.blocks);
            row.amount(format_args!("words a block at {name}"), part(alike.words, alike.blocks));
        }
    }

    fn describe_place(&self, number: usize, row: &mut Row<'_>) {
        let blocks = self.page.blocks.len();
        row.amount(format_args!("place"), number as f32 / blocks as f32);
        row.amount(format_args!("number"), number as f32);
        row.amount(format_args!("from end"), (blocks - number) as f32);
        row.amount(format_args!("long before"), part(self.long_before[number], self.long()));
        row.amount(format_args!("long after"), part(self.long() - self.long_before[number + 1], self.long()));
        let headline = self.headline.map_or(f32::NAN, |headline| number as f32 - headline as f32);
        row.amount(format_args!("from headline"), headline);
        let words = self.headline.map_or(f32::NAN, |headline| {
            self.words_before[number.max(headline)] - self.words_before[number.min(headline)]
        });
        row.amount(format_args!("words from headline"), if headline < 0.0 { -words } else { words });
        let (headings, last_heading) = self.headings[number];
        row.amount(format_args!("headlines before"), headings as f32);
        row.amount(format_args!("from heading"), last_heading.map_or(f32::NAN, |at| (number - at) as f32));
        let words = last_heading.map_or(f32::NAN, |at| self.words_before[number] - self.words_before[at + 1]);
        row.amount(format_args!("words from heading"), words);
        row.amount(format_args!("heading link share"), last_heading.map_or(f32::NAN, |at| self.counts[at].linked()));
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
            let path = |element: u32| self.contents.get(element as usize).map(|content| content.keys[1]);
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

    /// Whether a block stands before an element (1), in it (2) or behind it (3); 0 if there is no such element.
    fn place_by(&self, number: usize, element: u32) -> usize {
        self.contents
            .get(element as usize)
            .map_or(0, |content| if number < content.first { 1 } else { 2 + usize::from(number > content.last) })
    }

    /// The words of all long blocks.
    fn long(&self) -> f32 {
        self.long_before[self.page.blocks.len()]
    }

    fn ancestors(&self, element: u32) -> impl Iterator<Item = u32> {
        let elements = &self.page.elements;
        std::iter::successors((element != NONE).then_some(element), |element| {
            Some(elements[*element as usize].parent).filter(|parent| *parent != NONE)
        })
        .take(ANCESTORS)
    }
}

/// The words of all blocks, by their place in the page's text, and where those of each block begin.
fn split_blocks(page: &Page<'_>) -> (Vec<Word>, Vec<usize>) {
    let (mut words, mut offsets) = (Vec::new(), vec![0]);
    for block in &page.blocks {
        let from = words.len();
        split(&page.text[block.start..block.end], &mut words);
        for word in &mut words[from..] {
            word.start += block.start as u32;
            word.end += block.start as u32;
        }
        offsets.push(words.len());
    }
    (words, offsets)
}

/// How many `h1` came before each block, and which block was in a heading last.
fn find_headings(page: &Page<'_>) -> Vec<(u32, Option<usize>)> {
    let mut heading = (0, None);
    let next = |(number, block)| {
        let before = heading;
        let tag = page.tag(block);
        heading.0 += u32::from(tag == Tag::h1);
        if matches!(tag, Tag::h1 | Tag::h2 | Tag::h3 | Tag::h4 | Tag::h5 | Tag::h6) {
            heading.1 = Some(number);
        }
        before
    };
    page.blocks.iter().enumerate().map(next).collect()
}

/// The language of the blocks with most to say: what is around an article may be in another.
fn language_of_text(words: &[Word], offsets: &[usize]) -> Option<usize> {
    let mut blocks: Vec<&[Word]> = offsets.windows(2).map(|ends| &words[ends[0]..ends[1]]).collect();
    blocks.retain(|block| block.len() as f32 >= LONG_WORDS);
    language(blocks.into_iter().flatten()).or_else(|| language(words))
}

fn part(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The innermost element with at least half of the words in long blocks.
fn main_element(page: &Page<'_>, contents: &[Content], long: f32) -> u32 {
    if long <= 0.0 {
        return NONE;
    }
    // Elements come before their content: of those with half of the words, which are nested, the last is innermost.
    (0..page.elements.len())
        .rev()
        .find(|element| contents[*element].sums.long * 2.0 >= long)
        .map_or(NONE, |element| element as u32)
}

/// The block that is most like the title: in a heading, or with most of the title's words.
fn find_headline(page: &Page<'_>, counts: &[Counts]) -> Option<usize> {
    let mut best = (0.0, None);
    for (number, (block, counts)) in page.blocks.iter().zip(counts).enumerate() {
        let tag = page.tag(block);
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
