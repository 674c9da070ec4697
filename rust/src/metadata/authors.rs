//! Who wrote an article: where a page says so.

use super::names::{Authors, chinese_byline, has_lead, is_house, is_lead, without_lead};
use super::{Look, says, tidy};
use crate::dates::months::is_month;
use crate::html::{self, Mark};

/// Names of `meta` that hold the author.
const AUTHORS: &str = "author article:author_name parsely-author sailthru.author byl byline dc.creator dcterms.creator \
     citation_author cxenseparse:author article_author authors creator og:author og:article:author article:author \
     content-creator author.name articleauthor dcsext.author";

/// Where a shown byline ends.
const ENDS: &str = "published updated posted last on monday tuesday wednesday thursday friday saturday sunday opens";

impl Look<'_> {
    /// The authors of the article: those in the first place that names persons; if none does, in the first that names anyone.
    pub(super) fn authors(&self, site: &str) -> Authors {
        let mut known = Authors::default();
        tidy(&self.known.author).split("; ").for_each(|name| known.add(name, site));
        let linked = self.linked.authors.iter().map(|names| {
            let mut authors = Authors::default();
            for (name, is_person) in names {
                let name = tidy(name);
                authors.add(&name, if *is_person { site } else { &name });
            }
            authors
        });
        let metas = AUTHORS.split(' ').map(|name| {
            let mut authors = Authors::default();
            self.metas(name).for_each(|content| authors.add(&content, site));
            authors
        });
        let mut fallback = Authors::default();
        for mut authors in [known]
            .into_iter()
            .chain(linked)
            .chain(metas)
            .chain(self.marked_authors(site))
            .chain(self.shown_authors(site))
        {
            if !authors.persons.is_empty() {
                authors.agencies.extend(fallback.agencies);
                return authors;
            }
            if fallback.others.is_empty() {
                fallback = authors;
            }
        }
        fallback
    }

    /// Of each kind of mark the first near the headline that names a person, and those right behind it.
    fn marked_authors<'s>(&'s self, site: &'s str) -> impl Iterator<Item = Authors> + 's {
        let kinds: [fn(&Mark<'_>) -> bool; 4] = [
            |mark| says(mark, 0..1, &["author", "creator"]),
            |mark| says(mark, 1..2, &["author"]),
            |mark| says(mark, 2..4, &["author", "byline"]) && !says(mark, 2..4, &["comment"]),
            |mark| says(mark, 6..7, &html::AUTHORS),
        ];
        kinds.into_iter().enumerate().map(move |(number, kind)| {
            let mut authors = Authors::default();
            let mut end = None;
            for mark in self.marks_from_headline().filter(|mark| kind(mark)).take(20) {
                if end.is_some_and(|end| mark.start.abs_diff(end) > 60) {
                    break;
                }
                for piece in self.pieces(mark).filter(|piece| piece.len() < 150) {
                    let byline = byline_of(piece);
                    let others_too = number < 2 || has_lead(piece) || is_house(&byline, site);
                    authors.add_shown(&byline, site, others_too);
                }
                if !authors.persons.is_empty() {
                    end = Some(mark.end);
                }
            }
            authors
        })
    }

    /// Bylines among the blocks near the headline, then what anywhere says that it was written by somebody.
    fn shown_authors<'s>(&'s self, site: &'s str) -> impl Iterator<Item = Authors> + 's {
        let near = self.blocks_near_headline(20, 5).filter_map(|number| {
            let text = self.text(&self.page.blocks[number]);
            let next = self.page.blocks.get(number + 1).map_or("", |block| self.text(block));
            byline_in(text, next)
        });
        let anywhere = self.page.blocks.windows(2).filter_map(|pair| {
            let [text, next] = [&pair[0], &pair[1]].map(|block| self.text(block));
            let written =
                text.len() < 100 && text.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("written by"));
            if written { byline_in(text, next) } else { None }
        });
        let bylines = near.chain(anywhere).map(byline_of);
        let chinese = self.page.blocks.iter().filter_map(|block| chinese_byline(self.text(block)));
        bylines.chain(chinese).map(move |byline| {
            let mut authors = Authors::default();
            authors.add_shown(&byline, site, false);
            authors
        })
    }
}

/// The byline in a short block: all of it, what begins behind a date, or the next block if this only announces it.
fn byline_in<'a>(text: &'a str, next: &'a str) -> Option<&'a str> {
    if text.len() >= 150 {
        return None;
    }
    if is_lead(text) {
        return Some(next).filter(|next| next.len() < 150);
    }
    if has_lead(text) {
        return Some(text);
    }
    let inside = [" by ", " By ", " BY ", " von ", " Von ", "作者：", "作者:", "记者 ", "记者：", "撰文："];
    let at = inside.iter().filter_map(|lead| text.find(lead)).min()?;
    Some(text[at..].trim_start()).filter(|_| text.bytes().any(|byte| byte.is_ascii_digit()) || text.len() < 60)
}

/// A shown byline up to where date, time or something else begins.
fn byline_of(text: &str) -> String {
    let text = without_lead(text);
    let end =
        text.find(|letter: char| letter.is_ascii_digit() || matches!(letter, '|' | '•' | '·')).unwrap_or(text.len());
    let words = text[..end].split_whitespace();
    let bare = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let mut kept: Vec<&str> = words.take_while(|word| !ENDS.split(' ').any(|end| end == bare(word))).collect();
    // By April May May 1
    kept.pop_if(|last| end < text.len() && is_month(&bare(last)));
    kept.join(" ")
}
