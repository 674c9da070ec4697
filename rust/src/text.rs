//! From text to words.
//!
//! A word is a run of letters, marks and numbers of any script; in scripts without spaces each letter, with its
//! marks, is one. A full stop or comma between two digits belongs to the number, unless it delimits sentences, so
//! that a table of figures does not count as a long text. `fold` says what a character is and what a word becomes before it is hashed.
//!
//! Everything ASCII that is not a letter or digit separates, so a text falls into *stretches* of letters, digits and
//! non-ASCII bytes that can be read alone. Eight bytes at a time are lower-cased and told apart; a stretch of ASCII is
//! a word and is hashed where it stands, so English with curly quotes costs what English costs. Only stretches
//! with other characters are read character by character.
//!
//! Cost: linear in the bytes, whatever they are.

use xxhash_rust::xxh3::xxh3_64;

use crate::fold::{Class, Table, fold, joint};
use crate::kinds::Meanings;
use crate::sentences::Rule;
use crate::shingles::check_offsets;
use crate::stems::Stems;
use crate::{Invalid, Result};

/// What reading a text depends on: Unicode's version, the folding, the abbreviations, the hash. Change it with
/// any of them: data made under another is refused.
pub const TEXT_VERSION: &str = "2 (Unicode 18.0, case folding 16.0, xxh3-64)";

/// How a method reads text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// Whether é and e differ.
    pub diacritics: bool,
    /// Characters that end a sentence; empty for the default rule; None if sentences are not needed.
    pub sentences: Option<String>,
    /// Words left out: the code of a language, or words by spaces or commas.
    pub stopwords: String,
    /// What cuts words to their stems, if anything.
    pub stemmer: String,
}

/// What else is wanted of the words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Want {
    /// Where each word stands.
    pub spans: bool,
    /// The folded words themselves.
    pub words: bool,
    /// Which words are figures and dates, and what they say.
    pub kinds: bool,
}

/// The words of a batch, in Arrow's list layout; parts that were not asked for are None.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// xxh3-64 of each word of the view.
    pub hashes: Vec<u64>,
    /// Article i has `hashes[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<i64>,
    /// 1 for a character of a script without spaces, else 2; None: all are 2.
    pub halves: Option<Vec<u8>>,
    /// Code point in the article where each word starts, and where it ends (exclusive).
    pub spans: Option<(Vec<u32>, Vec<u32>)>,
    /// Word number, within its article, of the first word of each sentence, and the offsets of the articles. A sentence
    /// that stopwords emptied begins where the next does.
    pub sentences: Option<(Vec<u32>, Vec<i64>)>,
    /// The words of the view in UTF-8, concatenated, and their offsets.
    pub words: Option<(Vec<u8>, Vec<i64>)>,
    /// The kind of each word, and its value (`kinds`).
    pub kinds: Option<(Vec<u8>, Vec<u64>)>,
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
        words: want.words.then(|| (Vec::new(), vec![0])),
        kinds: want.kinds.then(Default::default),
        sentences: view.sentences.as_ref().map(|_| (Vec::new(), vec![0])),
        ..Tokens::default()
    };
    tokens.offsets.push(0);
    let rule = view.sentences.as_ref().map(|delimiters| Rule::new(delimiters, view.diacritics)).transpose()?;
    let delimits = |c: char| view.sentences.as_ref().is_some_and(|delimiters| delimiters.contains(c));
    let joints = [('.', '\u{FF0E}'), (',', '\u{FF0C}')];
    let joints: Vec<u8> =
        joints.into_iter().filter(|(c, wide)| !delimits(*c) && !delimits(*wide)).map(|(c, _)| c as u8).collect();
    let mut stems = Stems::new(&view.stopwords, &view.stemmer, view.diacritics)?;
    let meanings = want.kinds.then(|| Meanings::new(view.diacritics));
    if meanings.is_some() && stems.is_some() {
        return Err(Invalid("expected a view of whole words: kinds are not of stems".into()));
    }
    let mut scratch = Scratch::default();
    for (row, bounds) in offsets.windows(2).enumerate() {
        let bytes = &text[bounds[0] as usize..bounds[1] as usize];
        if u32::try_from(bytes.len()).is_err() {
            return Err(Invalid(format!("expected articles of at most 4 GiB, got {} bytes in row {row}", bytes.len())));
        }
        let article = std::str::from_utf8(bytes)
            .map_err(|error| Invalid(format!("expected UTF-8, got something else in row {row}: {error}")))?;
        let first = tokens.hashes.len();
        scratch.scan(bytes, &joints);
        scratch.read(article, view.diacritics, &joints, &mut tokens);
        if let (Some(rule), Some((sentences, offsets))) = (&rule, &mut tokens.sentences) {
            sentences.extend(rule.starts(article, &scratch.edges, &tokens.hashes[first..]));
            offsets.push(sentences.len() as i64);
        }
        if let (Some(meanings), Some((kinds, values))) = (&meanings, &mut tokens.kinds) {
            meanings.read(article, &scratch.edges, &tokens.hashes[first..], kinds, values);
        }
        let spell = |edge: &[u32]| fold(&article[edge[0] as usize..edge[1] as usize], view.diacritics);
        if let Some(stems) = &mut stems {
            tokens.cut(first, &mut scratch.edges, stems, spell);
        } else if let Some(words) = &mut tokens.words {
            scratch.edges.chunks_exact(2).for_each(|edge| push_word(words, &spell(edge)));
        }
        tokens.offsets.push(tokens.hashes.len() as i64);
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

fn push_word((bytes, offsets): &mut (Vec<u8>, Vec<i64>), word: &str) {
    bytes.extend_from_slice(word.as_bytes());
    offsets.push(bytes.len() as i64);
}

impl Tokens {
    /// Leaves out the stopwords of the last article, whose words begin at `first`, and cuts the others to their stems.
    fn cut(&mut self, first: usize, edges: &mut Vec<u32>, stems: &mut Stems, spell: impl Fn(&[u32]) -> String) {
        let words = self.hashes.len() - first;
        let mut sentences = match &mut self.sentences {
            Some((starts, offsets)) => starts[offsets[offsets.len() - 2] as usize..].iter_mut().peekable(),
            None => [].iter_mut().peekable(),
        };
        if let Some(halves) = &mut self.halves {
            halves.resize(first + words, 2);
        }
        let mut kept = 0;
        for word in 0..words {
            while let Some(start) = sentences.next_if(|start| **start as usize <= word) {
                *start = kept as u32;
            }
            let edge = [edges[2 * word], edges[2 * word + 1]];
            let Some(stem) = stems.stem(self.hashes[first + word], || spell(&edge)) else { continue };
            self.hashes[first + kept] = stem.hash;
            edges[2 * kept..2 * kept + 2].copy_from_slice(&edge);
            if let Some(halves) = &mut self.halves {
                halves[first + kept] = halves[first + word];
            }
            if let Some(words) = &mut self.words {
                push_word(words, &stem.text);
            }
            kept += 1;
        }
        self.hashes.truncate(first + kept);
        edges.truncate(2 * kept);
        if let Some(halves) = &mut self.halves {
            halves.truncate(first + kept);
        }
    }
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
    /// Where each run of non-ASCII bytes starts.
    foreign: Vec<u32>,
}

const LANES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * LANES;

/// High bit of each byte of `x` (all below 128) that lies from `first` to `last`.
const fn within(x: u64, first: u8, last: u8) -> u64 {
    (x + (128 - first as u64) * LANES) & !(x + (127 - last as u64) * LANES) & HIGH
}

/// The high bits of eight bytes as eight bits.
const fn gather(high: u64) -> u64 {
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

fn push_places(places: &mut Vec<u32>, block: usize, mut bits: u64) {
    places.extend((0..bits.count_ones()).map(|_| {
        let place = (block * 64) as u32 + bits.trailing_zeros();
        bits &= bits - 1;
        place
    }));
}

impl Scratch {
    /// Lower-cases the article and finds its stretches. The joints join digits; next to a
    /// character that is not ASCII the reader decides.
    fn scan(&mut self, bytes: &[u8], joining: &[u8]) {
        let article = bytes;
        self.edges.clear();
        self.foreign.clear();
        self.lower.resize(bytes.len() + 64, 0);
        let (mut inside, mut abroad, mut after_digit) = (0, 0, 0);
        let whole = bytes.len() / 64 * 64;
        let mut tail = [0; 64];
        tail[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
        let blocks = bytes[..whole].chunks_exact(64).chain(std::iter::once(&tail[..]));
        for (block, (bytes, lower)) in blocks.zip(self.lower.chunks_exact_mut(64)).enumerate() {
            let (mut stretches, mut foreign) = (0, 0);
            for (i, (from, to)) in bytes.chunks_exact(8).zip(lower.chunks_exact_mut(8)).enumerate() {
                let lanes = u64::from_le_bytes(from.try_into().unwrap_or_default());
                let (high, ascii) = (lanes & HIGH, lanes & !HIGH);
                let letters = within(ascii | (0x20 * LANES), b'a', b'z') & !high;
                to.copy_from_slice(&(lanes | letters >> 2).to_le_bytes());
                let digits = within(ascii, b'0', b'9') & !high;
                stretches |= gather(letters | digits | high) << (8 * i);
                // ',' and '.' differ in one bit.
                let inside_number = digits | high;
                let mut joints =
                    within(ascii | (0x02 * LANES), b'.', b'.') & !high & (inside_number << 8 | after_digit);
                after_digit = inside_number >> 56;
                while joints != 0 {
                    let lane = 8 * i + joints.trailing_zeros() as usize / 8;
                    let at = block * 64 + lane;
                    let goes_on = |byte: &u8| byte.is_ascii_digit() || !byte.is_ascii();
                    if joining.contains(&article[at]) && article.get(at + 1).is_some_and(goes_on) {
                        stretches |= 1 << lane;
                    }
                    joints &= joints - 1;
                }
                foreign |= gather(high) << (8 * i);
            }
            push_places(&mut self.edges, block, stretches ^ (stretches << 1 | inside));
            push_places(&mut self.foreign, block, foreign & !(foreign << 1 | abroad));
            (inside, abroad) = (stretches >> 63, foreign >> 63);
        }
    }

    /// Hashes the words of the article that was scanned; `edges` are the words' afterwards.
    fn read(&mut self, article: &str, diacritics: bool, joints: &[u8], tokens: &mut Tokens) {
        if self.foreign.is_empty() {
            return hash_ascii(&self.lower, &self.edges, tokens);
        }
        self.words.clear();
        let mut reader = Reader::new(article, diacritics, joints);
        let mut done = 0;
        for place in &self.foreign {
            let ascii = self.edges[done..].chunks_exact(2).take_while(|stretch| stretch[1] <= *place).count() * 2;
            let Some(&[start, end]) = self.edges.get(done + ascii..done + ascii + 2) else {
                break;
            };
            if start > *place {
                continue;
            }
            hash_ascii(&self.lower, &self.edges[done..done + ascii], tokens);
            self.words.extend_from_slice(&self.edges[done..done + ascii]);
            done += ascii + 2;
            reader.read(start as usize, end as usize, |hash, start, end, single| {
                if single {
                    let halves = tokens.halves.get_or_insert_default();
                    halves.resize(tokens.hashes.len(), 2);
                    halves.push(1);
                }
                tokens.hashes.push(hash);
                self.words.extend_from_slice(&[start as u32, end as u32]);
            });
        }
        hash_ascii(&self.lower, &self.edges[done..], tokens);
        self.words.extend_from_slice(&self.edges[done..]);
        std::mem::swap(&mut self.edges, &mut self.words);
    }
}

fn hash_ascii(lower: &[u8], edges: &[u32], tokens: &mut Tokens) {
    tokens.hashes.extend(edges.chunks_exact(2).map(|word| xxh3_64(&lower[word[0] as usize..word[1] as usize])));
}

/// Longest folded word, in bytes, that is put together from the table; longer ones are folded as a whole.
const AT_HAND: usize = 128;

/// Reads stretches character by character, with one word at hand.
struct Reader<'a> {
    article: &'a str,
    diacritics: bool,
    table: &'static Table,
    folded: [u8; AT_HAND],
    length: usize,
    /// False once the word holds a character that is not simple where it stands.
    simple: bool,
    /// What joins digits.
    joints: &'a [u8],
}

impl<'a> Reader<'a> {
    fn new(article: &'a str, diacritics: bool, joints: &'a [u8]) -> Self {
        let table = Table::of(diacritics);
        Self { article, diacritics, table, folded: [0; AT_HAND], length: 0, simple: true, joints }
    }

    /// Emits (hash, start, end, single) of each word between two bytes of the article.
    fn read(&mut self, from: usize, to: usize, mut emit: impl FnMut(u64, usize, usize, bool)) {
        let (mut start, mut end, mut open, mut single, mut moved) = (from, from, false, false, false);
        let mut after_digit = false;
        let mut here = from;
        for c in self.article[from..to].chars() {
            let at = here;
            here += c.len_utf8();
            if let Some(joint) = joint(c).filter(|joint| open && after_digit && self.joins(*joint, here)) {
                if self.length < AT_HAND {
                    self.folded[self.length] = joint;
                    self.length += 1;
                } else {
                    self.simple = false;
                }
                (moved, after_digit) = (false, false);
                continue;
            }
            let entry = self.table.entry(c);
            if entry.class == Class::Ignorable {
                continue;
            }
            after_digit = entry.is_digit();
            if entry.class == Class::Separator || entry.class == Class::Mark && !open {
                if open {
                    emit(self.hash(start, end), start, end, single);
                    open = false;
                }
                continue;
            }
            if !open || entry.class == Class::Single || entry.class == Class::Letter && single {
                if open {
                    emit(self.hash(start, end), start, end, single);
                }
                (start, open, single, moved) = (at, true, entry.class == Class::Single, false);
                (self.length, self.simple) = (0, true);
            }
            end = here;
            if entry.length == 0 || moved && entry.moves || self.length + 8 > AT_HAND {
                self.simple = false;
            } else {
                self.folded[self.length..self.length + 8].copy_from_slice(&entry.folded);
                self.length += usize::from(entry.length);
            }
            moved = entry.moves;
        }
        if open {
            emit(self.hash(start, end), start, end, single);
        }
    }

    /// Whether a joint before the byte `here` is one of this view, with a digit behind it.
    fn joins(&self, joint: u8, here: usize) -> bool {
        let mut following = self.article[here..].chars().map(|c| self.table.entry(c));
        let behind = following.find(|entry| entry.class != Class::Ignorable);
        self.joints.contains(&joint) && behind.is_some_and(crate::fold::Entry::is_digit)
    }

    fn hash(&self, start: usize, end: usize) -> u64 {
        if self.simple {
            return xxh3_64(&self.folded[..self.length]);
        }
        xxh3_64(fold(&self.article[start..end], self.diacritics).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use xxhash_rust::xxh3::xxh3_64;

    use super::{TEXT_VERSION, View, Want, tokenise};
    use crate::shingles::shingle_hash;

    fn vectors(kind: &str) -> Vec<Value> {
        let all: Value = serde_json::from_str(include_str!("../../tests/vectors.json")).unwrap();
        all[kind].as_array().unwrap().clone()
    }

    fn hash_of(vector: &Value) -> u64 {
        u64::from_str_radix(vector["hash"].as_str().unwrap(), 16).unwrap()
    }

    #[test]
    fn words_hash_as_the_vectors_say() {
        let view = View { diacritics: true, ..View::default() };
        for vector in vectors("words") {
            let word = vector["word"].as_str().unwrap();
            let want = Want { words: true, ..Want::default() };
            let tokens = tokenise(word.as_bytes(), &[0, word.len() as i64], &view, want).unwrap();
            assert_eq!(tokens.hashes, [hash_of(&vector)], "{word}");
            assert_eq!(tokens.words.unwrap().0, vector["folded"].as_str().unwrap().as_bytes());
        }
    }

    #[test]
    fn shingles_hash_as_the_vectors_say() {
        for vector in vectors("shingles") {
            let words: Vec<u64> =
                vector["words"].as_array().unwrap().iter().map(|w| xxh3_64(w.as_str().unwrap().as_bytes())).collect();
            let shingle_words = vector["shingle_words"].as_u64().unwrap() as usize;
            assert_eq!(shingle_hash(&words, shingle_words), hash_of(&vector));
        }
    }

    #[test]
    fn text_version_names_the_tables_in_use() {
        let tables =
            [unicode_properties::UNICODE_VERSION, unicode_script::UNICODE_VERSION, unicode_security::UNICODE_VERSION];
        assert!(tables.iter().all(|version| *version == (18, 0, 0)));
        assert_eq!(unicode_normalization::UNICODE_VERSION, (18, 0, 0));
        assert_eq!(caseless::UNICODE_VERSION, (16, 0, 0));
        assert!(TEXT_VERSION.contains("Unicode 18.0") && TEXT_VERSION.contains("case folding 16.0"));
    }
}
