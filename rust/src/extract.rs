//! Bytes of a page in, the article's text out.

use crate::Result;
use crate::encoding::decode;
use crate::features::Sight;
use crate::html::{Limits, read};
use crate::metadata::{Known, Metadata, agencies::dateline, metadata};
use crate::models::Model;

/// What is asked of pages.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Blocks of fewer words are left out.
    pub min_block_words: f32,
    /// Whether every block is told, and not only the text.
    pub blocks: bool,
    /// What a page may have at most.
    pub limits: Limits,
}

/// A block with its label and why.
#[derive(Debug, Clone)]
pub struct Told {
    /// Its text.
    pub text: String,
    /// Whether it is part of the article.
    pub content: bool,
    /// How much speaks for that: log-odds.
    pub score: f64,
    /// The tags it stands in, from the outside.
    pub path: String,
    /// What speaks most for or against it.
    pub reasons: Vec<(String, f64)>,
}

/// A page as it came.
#[derive(Debug, Clone, Copy)]
pub struct Received<'a> {
    /// Its bytes.
    pub content: &'a [u8],
    /// What its HTTP header says.
    pub charset: Option<&'a str>,
    /// Where it came from.
    pub url: Option<&'a str>,
    /// When it did, in microseconds since 1970.
    pub received: Option<i64>,
    /// What is known about its article besides.
    pub known: &'a Known,
}

/// What was found in a page.
#[derive(Debug, Default)]
pub struct Extracted {
    /// The text of the article, an empty line between blocks.
    pub text: String,
    /// What the page says about it, and its text where that begins with a dateline.
    pub metadata: Metadata,
    /// Every block, if asked for.
    pub blocks: Vec<Told>,
}

/// Reasons told of a block.
const REASONS: usize = 3;

/// The article of a page.
///
/// # Errors
/// When the page has more than it may have.
pub fn extract(given: Received<'_>, model: &Model, wanted: Wanted) -> Result<Extracted> {
    wanted.limits.check(given.content.len())?;
    let html = decode(given.content, given.charset);
    let page = read(&html, wanted.limits, model.reading())?;
    let sight = Sight::of(&page);
    let labels = model.label(&sight);
    let mut reasons = if wanted.blocks { model.reasons(&sight, &labels, REASONS) } else { Vec::new() };
    let metadata = metadata(&page, given.url, given.received, given.known);
    let mut extracted = Extracted { metadata, ..Extracted::default() };
    for (number, block) in page.blocks.iter().enumerate() {
        let text = &page.text[block.start..block.end];
        let content = labels.content[number] && sight.block_words(number) >= wanted.min_block_words;
        if content {
            if !extracted.text.is_empty() {
                extracted.text.push_str("\n\n");
            }
            extracted.text.push_str(text);
        }
        if wanted.blocks {
            extracted.blocks.push(Told {
                text: text.to_owned(),
                content,
                score: labels.scores[number],
                path: page.path(block.element),
                reasons: std::mem::take(&mut reasons[number]),
            });
        }
    }
    let (location, agency) = dateline(&extracted.text);
    let found = &mut extracted.metadata;
    found.location = found.location.take().or(location);
    found.agency = found.agency.take().or(agency.map(str::to_owned));
    Ok(extracted)
}
