//! From text to words.
//!
//! A word is a run of letters, marks and numbers of any script; in scripts without spaces each letter, with its
//! marks, is one. `fold` says what a character is and what a word becomes before it is hashed.
//!
//! Everything ASCII that is not a letter or digit separates, so a text falls into *stretches* of letters, digits and
//! non-ASCII bytes that can be read alone. Eight bytes at a time are lower-cased and told apart; a stretch of ASCII is
//! a word and is hashed where it stands, so English with curly quotes costs what English costs. Only stretches
//! with other characters are read character by character.
//!
//! Cost: linear in the bytes, whatever they are.

use xxhash_rust::xxh3::xxh3_64;

use crate::fold::{self, Class};
use crate::shingles::check_offsets;
use crate::{Invalid, Result};

/// What reading a text depends on: Unicode's version, the folding, the abbreviations, the hash. Change it with
/// any of them: data made under another is refused.
pub const TEXT_VERSION: &str = "1 (Unicode 18.0, case folding 16.0, xxh3-64)";

/// How a method reads text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// False: é and e are the same.
    pub diacritics: bool,
    /// Characters that end a sentence; empty for the default rule; None if nobody asks for sentences.
    pub sentences: Option<String>,
}

/// What else is wanted of the words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Want {
    /// Where each word stands.
    pub spans: bool,
    /// The folded words themselves.
    pub words: bool,
}

/// The words of a batch, in Arrow's list layout; parts that nobody asked for are None.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// xxh3-64 of each folded word.
    pub hashes: Vec<u64>,
    /// Article i has `hashes[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<i64>,
    /// 1 for a character of a script without spaces, else 2; None: all are 2.
    pub halves: Option<Vec<u8>>,
    /// Code point in the article where each word starts, and where it ends (exclusive).
    pub spans: Option<(Vec<u32>, Vec<u32>)>,
    /// Word number, within its article, of the first word of each sentence, and the offsets of the articles.
    pub sentences: Option<(Vec<u32>, Vec<i64>)>,
    /// The folded words of each article.
    pub words: Option<Vec<Vec<String>>>,
}

/// The words of each article of a batch.
///
/// # Errors
/// When the offsets do not fit the text, an article is not UTF-8 or beyond 4 GiB.
pub fn tokenise(text: &[u8], offsets: &[i64], view: &View, want: Want) -> Result<Tokens> {
    check_offsets(offsets, text.len(), "bytes")?;
    let mut tokens = Tokens {
        hashes: Vec::with_capacity(text.len() / 5 + 1),
        offsets: Vec::with_capacity(offsets.len()),
        spans: want.spans.then(Default::default),
        words: want.words.then(Default::default),
        sentences: view.sentences.as_ref().map(|_| (Vec::new(), vec![0])),
        ..Tokens::default()
    };
    tokens.offsets.push(0);
    let mut scratch = Scratch::default();
    for (row, bounds) in offsets.windows(2).enumerate() {
        let bytes = &text[bounds[0] as usize..bounds[1] as usize];
        if u32::try_from(bytes.len()).is_err() {
            return Err(Invalid(format!(
                "expected articles of at most 4 GiB, got {} bytes in row {row}",
                bytes.len()
            )));
        }
        scratch.scan(bytes);
        let article = std::str::from_utf8(bytes)
            .map_err(|error| Invalid(format!("expected UTF-8, got something else in row {row}: {error}")))?;
        if bytes.is_ascii() {
            let (edges, lower) = (scratch.edges.chunks_exact(2), &scratch.lower);
            tokens
                .hashes
                .extend(edges.map(|edge| xxh3_64(&lower[edge[0] as usize..edge[1] as usize])));
        } else {
            scratch.read(article, view.diacritics, &mut tokens);
        }
        tokens.offsets.push(tokens.hashes.len() as i64);
        let words = scratch.edges.chunks_exact(2);
        if let Some(lists) = &mut tokens.words {
            let word = |edge: &[u32]| fold::fold(&article[edge[0] as usize..edge[1] as usize], view.diacritics);
            lists.push(words.clone().map(word).collect());
        }
        if let Some((starts, ends)) = &mut tokens.spans {
            in_code_points(bytes, &mut scratch.edges);
            starts.extend(scratch.edges.iter().step_by(2));
            ends.extend(scratch.edges.iter().skip(1).step_by(2));
        }
    }
    if let Some(halves) = &mut tokens.halves {
        halves.resize(tokens.hashes.len(), 2);
    }
    Ok(tokens)
}

/// Turns rising byte offsets into code points.
fn in_code_points(bytes: &[u8], places: &mut [u32]) {
    if bytes.is_ascii() {
        return;
    }
    let (mut seen, mut code_points) = (0, 0);
    for place in places {
        let to = *place as usize;
        code_points += bytes[seen..to].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        (seen, *place) = (to, code_points as u32);
    }
}

/// What one article needs on the way, kept for the next.
#[derive(Default)]
struct Scratch {
    /// The article, ASCII letters in lower case.
    lower: Vec<u8>,
    /// Start, end, start, end … of the stretches; after `read`, of the words.
    edges: Vec<u32>,
    words: Vec<u32>,
    folded: String,
}

const LANES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * LANES;

/// High bit of each byte of `x` (all below 128) that lies from `first` to `last`.
const fn within(x: u64, first: u8, last: u8) -> u64 {
    (x + (128 - first as u64) * LANES) & !(x + (127 - last as u64) * LANES) & HIGH
}

impl Scratch {
    /// Lower-cases the article and finds its stretches.
    fn scan(&mut self, bytes: &[u8]) {
        self.edges.clear();
        self.lower.clear();
        self.lower.resize(bytes.len().next_multiple_of(64) + 64, 0);
        let mut inside = 0;
        let whole = bytes.len() / 64 * 64;
        let mut tail = [0; 64];
        tail[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
        let blocks = bytes[..whole].chunks_exact(64).chain(std::iter::once(&tail[..]));
        for (block, (bytes, lower)) in blocks.zip(self.lower.chunks_exact_mut(64)).enumerate() {
            let mut mask = 0;
            for (i, (from, to)) in bytes.chunks_exact(8).zip(lower.chunks_exact_mut(8)).enumerate() {
                let lanes = u64::from_le_bytes(from.try_into().unwrap_or_default());
                let (foreign, ascii) = (lanes & HIGH, lanes & !HIGH);
                let letters = within(ascii | 0x20 * LANES, b'a', b'z');
                let inside = letters | within(ascii, b'0', b'9') | foreign;
                to.copy_from_slice(&(lanes | (letters & !foreign) >> 2).to_le_bytes());
                mask |= (((inside >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56) << (8 * i);
            }
            let mut changes = mask ^ (mask << 1 | inside);
            inside = mask >> 63;
            while changes != 0 {
                self.edges.push((block * 64) as u32 + changes.trailing_zeros());
                changes &= changes - 1;
            }
        }
        if inside == 1 {
            self.edges.push(bytes.len() as u32);
        }
    }

    /// Hashes the words of an article that is not all ASCII.
    fn read(&mut self, article: &str, diacritics: bool, tokens: &mut Tokens) {
        self.words.clear();
        for stretch in self.edges.chunks_exact(2) {
            let (start, end) = (stretch[0] as usize, stretch[1] as usize);
            let lower = &self.lower[start..end];
            if lower.is_ascii() {
                tokens.hashes.push(xxh3_64(lower));
                self.words.extend_from_slice(stretch);
            } else {
                read_stretch(article, start..end, diacritics, &mut self.folded, |word| {
                    if word.single {
                        let halves = tokens.halves.get_or_insert_default();
                        halves.resize(tokens.hashes.len(), 2);
                        halves.push(1);
                    }
                    tokens.hashes.push(word.hash);
                    self.words.extend_from_slice(&[word.start as u32, word.end as u32]);
                });
            }
        }
        std::mem::swap(&mut self.edges, &mut self.words);
    }
}

struct Word {
    hash: u64,
    single: bool,
    start: usize,
    end: usize,
}

/// Reads a stretch character by character.
fn read_stretch(
    article: &str,
    stretch: std::ops::Range<usize>,
    diacritics: bool,
    folded: &mut String,
    mut emit: impl FnMut(Word),
) {
    let (mut start, mut end) = (usize::MAX, 0);
    let (mut single, mut simple, mut moved) = (false, true, false);
    let mut flush = |start: &mut usize, end: usize, single: bool, simple: bool, folded: &mut String| {
        if *start != usize::MAX {
            let hash = if simple {
                xxh3_64(folded.as_bytes())
            } else {
                xxh3_64(fold::fold(&article[*start..end], diacritics).as_bytes())
            };
            emit(Word {
                hash,
                single,
                start: *start,
                end,
            });
            *start = usize::MAX;
        }
        folded.clear();
    };
    for (i, c) in article[stretch.clone()].char_indices() {
        let at = stretch.start + i;
        let entry = fold::entry(c, diacritics);
        let starts = match entry.class {
            Class::Ignorable => continue,
            Class::Separator => {
                flush(&mut start, end, single, simple, folded);
                continue;
            }
            Class::Mark if start == usize::MAX => continue,
            Class::Mark => false,
            Class::Letter => start == usize::MAX || single,
            Class::Single => true,
        };
        if starts {
            flush(&mut start, end, single, simple, folded);
            (start, single, simple, moved) = (at, entry.class == Class::Single, true, false);
        }
        end = at + c.len_utf8();
        match entry.folded {
            Some(c) if !(moved && entry.moves) => folded.push(c),
            _ => simple = false,
        }
        moved = entry.moves;
    }
    flush(&mut start, end, single, simple, folded);
}
