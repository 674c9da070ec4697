//! What stands in the text of a block, counted word by word and letter by letter.

use htmlize::unescape;

use crate::html::{Block, Page, Style};
use crate::words::{Word, function_words, is_punctuation, split};

/// A block of so many words that are mostly not links is text; smaller ones say little.
pub const LONG_WORDS: f32 = 10.0;

/// What stands in the text of a block, counted.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    pub words: f32,
    pub styled: [f32; 3],
    pub capitals: f32,
    pub shouted: f32,
    pub numbers: f32,
    pub entities: f32,
    pub functions: f32,
    pub letters: f32,
    pub titled: f32,
    pub enders: f32,
    pub commas: f32,
    pub marks: f32,
    pub start: usize,
    pub end: usize,
    pub signs: usize,
}

impl Counts {
    pub fn share(&self, part: f32) -> f32 {
        if self.words > 0.0 { part / self.words } else { 0.0 }
    }

    pub fn linked(&self) -> f32 {
        self.share(self.styled[Style::Link as usize])
    }

    pub fn is_long(&self) -> bool {
        self.words >= LONG_WORDS && self.linked() < 0.5
    }

    /// Its words if it is long, else 0.
    pub fn long_words(&self) -> f32 {
        if self.is_long() { self.words } else { 0.0 }
    }
}

/// Signs of furniture.
pub const SIGNS: [&str; 6] = ["has copyright", "has bar", "has at", "has address", "has date", "has quotation"];

/// The counts of every block; block i has words `offsets[i]..offsets[i + 1]`.
pub fn count(page: &Page<'_>, words: &[Word], offsets: &[usize], language: Option<usize>) -> Vec<Counts> {
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
    let count_block = |(number, block): (usize, &Block)| {
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

/// 1 or 0.
pub fn flag(on: bool) -> f32 {
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
    counts.start = kind_of_start(text);
    counts.end = kind_of_end(text);
}

fn kind_of_start(text: &str) -> usize {
    text.chars().find(|letter| !"\"'“”„«»‘’([".contains(*letter)).map_or(0, |letter| {
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
    })
}

fn kind_of_end(text: &str) -> usize {
    let tail = text.trim_end_matches(['"', '\'', '“', '”', '»', '’', ')', ']', '」', '）']);
    match tail.chars().next_back() {
        Some('.' | '。' | '।') if tail.ends_with("...") => 3,
        Some('.' | '。' | '।') => 1,
        Some('!' | '?' | '！' | '？' | '؟') => 2,
        Some('…') => 3,
        Some(':' | '：') => 4,
        Some(',' | ';' | '，' | '、') => 5,
        Some('|' | '»' | '›' | '>' | '→' | '/') => 6,
        Some(letter) if letter.is_alphanumeric() => 7,
        _ => 8,
    }
}
