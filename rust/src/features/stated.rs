//! What a page itself says its text is: the `articleBody` of its JSON-LD, and the description in its head.
//!
//! Both are for machines and often missing, cut short or of another version: they are values to be weighed, not answers.
//! A run of three words of a block that stands there too is stated.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use htmlize::unescape;
use memchr::memmem;

use crate::html::Page;
use crate::stems::Identity;
use crate::words::{Word, split};

type Hashes = HashSet<u64, BuildHasherDefault<Identity>>;

/// Words of a run.
const RUN: usize = 3;
/// What is read of either, in bytes.
const MOST: usize = 1 << 18;

/// What a page says its text is.
#[derive(Debug)]
pub struct Stated {
    body: Option<Hashes>,
    description: Option<Hashes>,
}

impl Stated {
    /// Reads what a page says.
    pub fn of(page: &Page<'_>) -> Self {
        let described = page.metas.iter().filter(|(name, _)| {
            let kind = name.rsplit(':').next().unwrap_or(name);
            kind.eq_ignore_ascii_case("description")
        });
        let mut description = String::new();
        for (_, content) in described {
            if description.len() + content.len() < MOST / 16 {
                description.push_str(&unescape(*content));
                description.push('\n');
            }
        }
        let mut body = String::new();
        for (_, script) in page.scripts.iter().filter(|(kind, _)| kind.contains("ld+json")) {
            for at in memmem::find_iter(script.as_bytes(), "\"articleBody\"") {
                read_string(&script[at + "\"articleBody\"".len()..], &mut body);
            }
        }
        Self { body: runs(&body), description: runs(&description) }
    }

    /// The shares of a block's runs that occur in the body and in the description; NaN if the page has none.
    pub fn shares(&self, words: &[Word]) -> [f32; 2] {
        [&self.body, &self.description].map(|known| {
            let Some(known) = known else { return f32::NAN };
            let runs = words.len().saturating_sub(RUN - 1);
            if runs == 0 {
                return 0.0;
            }
            let found = words.windows(RUN).filter(|run| known.contains(&mix(run))).count();
            found as f32 / runs as f32
        })
    }
}

fn mix(run: &[Word]) -> u64 {
    run.iter().fold(0, |mixed, word| (mixed ^ word.hash).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
}

fn runs(text: &str) -> Option<Hashes> {
    let mut words = Vec::new();
    split(text, &mut words);
    let runs: Hashes = words.windows(RUN).map(mix).collect();
    (!runs.is_empty()).then_some(runs)
}

/// The string of JSON that is the value of what came before, its escapes resolved and its markup taken out.
fn read_string(after: &str, text: &mut String) {
    let Some(inner) = after.trim_start().strip_prefix(':').and_then(|rest| rest.trim_start().strip_prefix('"')) else {
        return;
    };
    let from = text.len();
    let mut plain = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next().filter(|letter| *letter != '"') {
        if from + plain.len() > MOST {
            break;
        }
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('u') => {
                let digits: String = letters.by_ref().take(4).collect();
                plain.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or(' '));
            }
            Some(letter @ ('"' | '\\' | '/')) => plain.push(letter),
            _ => plain.push(' '),
        }
    }
    let mut in_tag = false;
    for letter in unescape(plain).chars() {
        in_tag |= letter == '<';
        text.push(if in_tag { ' ' } else { letter });
        in_tag &= letter != '>';
    }
    text.push('\n');
}
