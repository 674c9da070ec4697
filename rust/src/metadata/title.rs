//! The headline: which of a page's titles it is, and where it is shown.

use std::collections::HashSet;

use super::{Look, MAX_TITLE, cut, letters, same_letters, some, tidy, visible};
use crate::html::{Page, Tag};
use crate::words;

/// A heading is the headline if it is this much like something that the page states as title.
const AGREES: f64 = 0.3;

/// Separators between a headline and a site's name.
const SEPARATORS: [&str; 11] = [" | ", " - ", " – ", " — ", " :: ", " » ", " • ", " · ", " // ", " ‹ ", "_"];

/// Headings beyond these are not looked at.
const MAX_HEADINGS: usize = 20;

/// A heading of the first order: its text and its last block.
pub(super) struct Heading {
    text: String,
    last: usize,
}

/// The first headings of a page.
pub(super) fn headings(page: &Page<'_>) -> Vec<Heading> {
    let mut inside: Vec<u32> = Vec::with_capacity(page.elements.len());
    for (number, element) in page.elements.iter().enumerate() {
        let outer = inside.get(element.parent as usize).copied().unwrap_or(u32::MAX);
        inside.push(if element.tag == Tag::h1 { number as u32 } else { outer });
    }
    let mut headings: Vec<(u32, Heading)> = Vec::new();
    for (number, block) in page.blocks.iter().enumerate() {
        let Some(heading) = inside.get(block.element as usize).copied().filter(|heading| *heading != u32::MAX) else {
            continue;
        };
        let text = visible(&cut(&page.text[block.start..block.end], MAX_TITLE));
        match headings.last_mut() {
            Some((last, open)) if *last == heading => {
                open.last = number;
                if open.text.len() < MAX_TITLE {
                    open.text.push(' ');
                    open.text.push_str(&text);
                }
            }
            _ => {
                if headings.len() == MAX_HEADINGS {
                    break;
                }
                headings.push((heading, Heading { text, last: number }));
            }
        }
    }
    headings.into_iter().map(|(_, heading)| heading).collect()
}

impl Look<'_> {
    /// The headline as shown, but JSON-LD's where `og:title` agrees with it against the heading, and where heading,
    /// `og:title` and `title` are one and the same, written for search engines, and JSON-LD has another.
    pub(super) fn title(&self, site: &[&str]) -> Option<String> {
        let names = "og:title twitter:title headline parsely-title sailthru.title dc.title citation_title";
        let metas: Vec<String> = self.metas(names).collect();
        let (linked, title) = (tidy(&self.linked.headline), tidy(self.page.title));
        let stated: Vec<&str> = [&linked].into_iter().chain(&metas).chain([&title]).map(String::as_str).collect();
        let bare = |text| without_site(text, site, &stated);
        let (linked, meta) = (bare(&linked), bare(metas.first().map_or("", String::as_str)));
        let chosen = match self.heading(site, &stated) {
            None => self.shown_part([meta, linked, bare(&title)].into_iter().find(|text| !text.is_empty())?),
            Some(heading) if includes(heading, meta) => {
                let fits = linked.split(' ').count() >= 4 && linked.len() <= 2 * heading.len();
                let another = !includes(heading, linked) && !includes(&title, linked) && includes(&title, heading);
                let shown = if same_letters(heading, meta) { meta } else { heading };
                if fits && another { linked } else { shown }
            }
            Some(heading) => {
                if !meta.is_empty() && same_letters(linked, meta) {
                    meta
                } else {
                    heading
                }
            }
        };
        some(cut(chosen, MAX_TITLE))
    }

    /// The heading of the first order that is most like what the page states as title; where it states none, the first.
    fn heading(&self, site: &[&str], stated: &[&str]) -> Option<&str> {
        let is_site = |text: &str| site.iter().any(|site| same_letters(text, site));
        if stated.iter().all(|stated| stated.is_empty()) {
            let mut texts = self.headings.iter().map(|heading| heading.text.as_str());
            return texts.find(|text| !text.is_empty() && !is_site(text));
        }
        let mut best = (0.0, "");
        for Heading { text, .. } in &self.headings {
            let close = stated.iter().map(|stated| likeness(text, stated)).fold(0.0, f64::max);
            let alone = self.headings.len() == 1 && text.split(' ').count() >= 4;
            if !is_site(text) && (close, text.len()) > (best.0, best.1.len()) && (close >= AGREES || alone) {
                best = (close, text);
            }
        }
        Some(best.1).filter(|text| !text.is_empty())
    }

    /// The longest block that a text begins or ends with, if it is much of it; else the text.
    fn shown_part<'t>(&'t self, text: &'t str) -> &'t str {
        let letters: Vec<char> = letters(text).collect();
        let blocks =
            self.page.blocks.iter().filter(|block| block.end - block.start <= text.len() + 20 && !self.is_title(block));
        let parts = blocks.filter_map(|block| {
            let shown = self.text(block);
            let begins = self::letters(shown).zip(&letters).all(|(one, other)| one == *other);
            let ends = || self::letters(shown).rev().zip(letters.iter().rev()).all(|(one, other)| one == *other);
            if !begins && !ends() {
                return None;
            }
            let count = self::letters(shown).count();
            (count < letters.len() && count * 3 >= letters.len()).then_some((count, shown))
        });
        parts.fold((0, text), |best, part| if part.0 > best.0 { part } else { best }).1
    }

    /// Finds the block in which the title is shown, else the first heading.
    pub(super) fn find_headline(&mut self, title: &str) {
        let heading = self.headings.iter().find(|heading| same_letters(&heading.text, title));
        let length = title.len();
        let shown = || {
            self.page.blocks.iter().position(|block| {
                !self.is_title(block)
                    && (block.end - block.start).abs_diff(length) < 20
                    && same_letters(self.text(block), title)
            })
        };
        self.headline = heading
            .map(|heading| heading.last)
            .or_else(shown)
            .or_else(|| self.headings.first().map(|heading| heading.last));
    }
}

/// How many of the words of two texts are in both: Dice's measure.
fn likeness(one: &str, other: &str) -> f64 {
    let words = |text: &str| -> HashSet<u64> {
        let mut found = Vec::new();
        words::split(text, &mut found);
        found.into_iter().map(|word| word.hash).collect()
    };
    let (one, other) = (words(one), words(other));
    2.0 * one.intersection(&other).count() as f64 / (one.len() + other.len()).max(1) as f64
}

/// Whether a text has all letters of another, in a row.
fn includes(text: &str, part: &str) -> bool {
    let [text, part] = [text, part].map(|text| letters(text).collect::<String>());
    !part.is_empty() && text.contains(&part)
}

/// A title without the site's name at either end: what equals it, or what is not in another statement.
fn without_site<'a>(title: &'a str, site: &[&str], stated: &[&str]) -> &'a str {
    let mut title = title.trim();
    for _ in 0..3 {
        let ends = SEPARATORS.iter().flat_map(|separator| {
            let last = title.rfind(separator).map(|at| (&title[..at], &title[at + separator.len()..]));
            let first = title.find(separator).map(|at| (&title[at + separator.len()..], &title[..at]));
            [last, first].into_iter().flatten()
        });
        let shorter = ends.map(|(rest, part)| (rest.trim(), part)).find(|(rest, part)| {
            !rest.is_empty()
                && (site.iter().any(|site| same_letters(part, site))
                    || stated.iter().any(|stated| same_letters(stated, rest)))
        });
        let Some((rest, _)) = shorter else { break };
        title = rest;
    }
    title
}
