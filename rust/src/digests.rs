//! Words digested: sentence fingerprints (Yoon and others 2012), I-Match (Chowdhury and others 2002; Kolcz and others
//! 2004) and `SimHash` (Charikar 2002).
//!
//! All three sort words. Strings are compared once a batch: its distinct words are numbered alphabetically, and
//! whatever is sorted afterwards is sorted by number. A digest of several words is that of their UTF-8 with one space
//! between them.
//!
//! `SimHash` adds up weights for each bit of a word's digest. They are integers, so the sums depend on no order. What
//! is added is the weight of the bits that are one, eight at a time by a table of masks: a sum of signed weights is
//! positive where this is more than half of all weight.

use md5::{Digest, Md5};
use sha1::Sha1;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::sets::Rows;
use crate::shingles::{check_offsets, shingle_hash};
use crate::stems::ByHash;
use crate::{Invalid, Result};

/// The most lexicons of I-Match: one bit each.
pub const LEXICONS: usize = 64;
/// The bits of a SHA-1.
pub const BITS: usize = 160;

/// The words of a batch: article i has those from `offsets[i]` to `offsets[i + 1]`, word j is spelt
/// `spelling[spelling_offsets[j]..spelling_offsets[j + 1]]` and occurs in `frequencies[j]` articles.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    /// Word hashes.
    pub hashes: &'a [u64],
    /// Where articles begin.
    pub offsets: &'a [i64],
    /// The words in UTF-8, concatenated.
    pub spelling: &'a [u8],
    /// Where spellings begin.
    pub spelling_offsets: &'a [i64],
    /// In how many articles of a collection each occurs; None if not needed.
    pub frequencies: Option<&'a [u32]>,
}

impl<'a> Words<'a> {
    fn check(&self) -> Result<()> {
        check_offsets(self.offsets, self.hashes.len(), "words")?;
        check_offsets(self.spelling_offsets, self.spelling.len(), "bytes")?;
        let spelt = self.spelling_offsets.len() - 1;
        let weighed = self.frequencies.map_or(self.hashes.len(), <[u32]>::len);
        if spelt != self.hashes.len() || weighed != self.hashes.len() || u32::try_from(spelt).is_err() {
            return Err(Invalid(format!(
                "expected a spelling and a frequency for each of {} words, got {spelt} and {weighed}",
                self.hashes.len()
            )));
        }
        Ok(())
    }

    fn spell(&self, word: usize) -> &'a [u8] {
        &self.spelling[self.spelling_offsets[word] as usize..self.spelling_offsets[word + 1] as usize]
    }

    /// In how many articles a word stands; one that was never seen stands in this one.
    fn frequency(&self, word: usize) -> u32 {
        self.frequencies.map_or(1, |frequencies| frequencies[word].max(1))
    }
}

/// The distinct words of a batch by number, which rises with the alphabet.
struct Lexicon {
    /// The number of each word of the batch.
    numbers: Vec<u32>,
    /// Where in the batch a word of each number stands.
    places: Vec<u32>,
    /// The distinct words, concatenated, closer together than in the batch, and where each ends.
    spelling: Vec<u8>,
    ends: Vec<usize>,
}

impl Lexicon {
    fn new(words: &Words) -> Self {
        let mut known = ByHash::<u32>::default();
        let mut distinct = Vec::new();
        let mut numbers: Vec<u32> = (0..)
            .zip(words.hashes)
            .map(|(place, hash)| {
                *known.entry(*hash).or_insert_with(|| {
                    distinct.push((first_bytes(words.spell(place as usize)), place, distinct.len() as u32));
                    distinct.len() as u32 - 1
                })
            })
            .collect();
        distinct.sort_unstable_by(|one, other| {
            one.0.cmp(&other.0).then_with(|| words.spell(one.1 as usize).cmp(words.spell(other.1 as usize)))
        });
        let mut sorted = vec![0; distinct.len()];
        for (number, (.., before)) in (0..).zip(&distinct) {
            sorted[*before as usize] = number;
        }
        for number in &mut numbers {
            *number = sorted[*number as usize];
        }
        let places: Vec<u32> = distinct.into_iter().map(|(_, place, _)| place).collect();
        let (mut spelling, mut ends) = (Vec::new(), Vec::with_capacity(places.len()));
        for place in &places {
            spelling.extend_from_slice(words.spell(*place as usize));
            ends.push(spelling.len());
        }
        Self { numbers, places, spelling, ends }
    }

    fn spell(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.spelling[start..self.ends[number]]
    }

    /// Something of each distinct word.
    fn map<T>(&self, of: impl Fn(usize) -> T) -> Vec<T> {
        self.places.iter().map(|place| of(*place as usize)).collect()
    }
}

/// The first eight bytes of a word as a number that sorts as they do; most words differ in these.
pub(crate) fn first_bytes(word: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = word.len().min(8);
    bytes[..length].copy_from_slice(&word[..length]);
    u64::from_be_bytes(bytes)
}

/// The distinct words of one article after another.
struct Distinct {
    /// The last article that had the word, from 1 on.
    seen: Vec<u32>,
    article: u32,
}

impl Distinct {
    fn new(lexicon: &Lexicon) -> Self {
        Self { seen: vec![0; lexicon.places.len()], article: 0 }
    }

    fn of<'a>(&'a mut self, numbers: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        self.article += 1;
        numbers
            .iter()
            .copied()
            .filter(|number| std::mem::replace(&mut self.seen[*number as usize], self.article) != self.article)
    }
}

/// Digests of a batch, cut to 128 bits: their first 64 and the next 64; article i has those from `offsets[i]` to
/// `offsets[i + 1]`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Digests {
    /// The first 64 bits, big-endian.
    pub first: Vec<u64>,
    /// The next 64 bits.
    pub second: Vec<u64>,
    /// Where articles begin.
    pub offsets: Vec<i64>,
}

impl Digests {
    fn new() -> Self {
        Self { offsets: vec![0], ..Self::default() }
    }

    fn push(&mut self, digest: u128) {
        self.first.push((digest >> 64) as u64);
        self.second.push(digest as u64);
    }

    fn end(&mut self) {
        self.offsets.push(self.first.len() as i64);
    }
}

/// The first 128 bits.
fn cut(digest: &[u8]) -> u128 {
    digest.iter().take(16).fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

/// Spells words with a space between them; false if there are none.
fn join<'a>(line: &mut Vec<u8>, words: impl Iterator<Item = &'a [u8]>) -> bool {
    line.clear();
    let mut some = false;
    for word in words {
        if some {
            line.push(b' ');
        }
        line.extend_from_slice(word);
        some = true;
    }
    some
}

/// The MD5 of the words of each sentence that has any. If frequencies are given, only words that occur in at most
/// `most_articles` articles count, sorted; else all words, in their order.
///
/// # Errors
/// When words and sentences do not fit each other.
pub fn sentence_digests(
    words: Words,
    sentences: &[u32],
    sentence_offsets: &[i64],
    most_articles: u64,
) -> Result<Digests> {
    words.check()?;
    check_offsets(sentence_offsets, sentences.len(), "sentences")?;
    if sentence_offsets.len() != words.offsets.len() {
        return Err(Invalid(format!(
            "expected sentences of {} articles, got {}",
            words.offsets.len() - 1,
            sentence_offsets.len() - 1
        )));
    }
    let lexicon = words.frequencies.map(|_| Lexicon::new(&words));
    let mut digests = Digests::new();
    let (mut line, mut kept) = (Vec::new(), Vec::<u32>::new());
    for (bounds, of) in words.offsets.windows(2).zip(sentence_offsets.windows(2)) {
        let (first, last) = (bounds[0] as usize, bounds[1] as usize);
        let starts = &sentences[of[0] as usize..of[1] as usize];
        let ends = starts.iter().skip(1).map(|start| first + *start as usize).chain([last]);
        for (start, end) in starts.iter().zip(ends) {
            let start = first + *start as usize;
            if start > end || end > last {
                return Err(Invalid(format!("expected sentences that rise within {} words", last - first)));
            }
            let rare =
                (start..end).filter(|word| words.frequencies.is_none_or(|f| u64::from(f[*word]) <= most_articles));
            let some = if let Some(lexicon) = &lexicon {
                kept.clear();
                kept.extend(rare.map(|word| lexicon.numbers[word]));
                kept.sort_unstable();
                join(&mut line, kept.iter().map(|number| lexicon.spell(*number)))
            } else {
                join(&mut line, rare.map(|word| words.spell(word)))
            };
            if some {
                digests.push(cut(&Md5::digest(&line)));
            }
        }
        digests.end();
    }
    Ok(digests)
}

/// Which distinct words of an article I-Match digests, and in which order.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// Words in fewer articles are left out.
    pub least_articles: u64,
    /// Words in more articles are left out.
    pub most_articles: u64,
    /// The rarest first, then by the alphabet; else by the alphabet alone.
    pub rarest_first: bool,
    /// How many of the first words are left out.
    pub skip_words: usize,
    /// How many of the next words are digested.
    pub hash_words: usize,
}

/// The distinct SHA-1 digests of each article's chosen words, one for each lexicon that has any of them.
///
/// Lexicon 0 has all words. Each other leaves out those whose xxh3-64, seeded with the lexicon's number, is in the lowest
/// `left_out_share` of all hashes.
///
/// # Errors
/// When the arrays do not fit, there are no or too many lexicons, or the share is none.
pub fn imatch(words: Words, choice: Choice, lexicons: usize, left_out_share: f64) -> Result<Digests> {
    words.check()?;
    if !(1..=LEXICONS).contains(&lexicons) || !(0.0..=1.0).contains(&left_out_share) {
        return Err(Invalid(format!(
            "expected 1 to {LEXICONS} lexicons and a share from 0 to 1, got {lexicons} and {left_out_share}"
        )));
    }
    let lexicon = Lexicon::new(&words);
    let frequencies = lexicon.map(|word| words.frequency(word));
    let left_out: Vec<u64> = lexicon.map(|word| {
        let low = |number: &u64| uniform(xxh3_64_with_seed(words.spell(word), *number)) < left_out_share;
        (1..lexicons as u64).filter(low).fold(0, |bits, number| bits | 1 << number)
    });
    let mut distinct = Distinct::new(&lexicon);
    let mut digests = Digests::new();
    let (mut line, mut chosen, mut found) = (Vec::new(), Vec::<u64>::new(), Vec::new());
    for bounds in words.offsets.windows(2) {
        chosen.clear();
        for number in distinct.of(&lexicon.numbers[bounds[0] as usize..bounds[1] as usize]) {
            let articles = u64::from(frequencies[number as usize]);
            if (choice.least_articles..=choice.most_articles).contains(&articles) {
                let rarity = if choice.rarest_first { articles } else { 0 };
                chosen.push(rarity << 32 | u64::from(number));
            }
        }
        chosen.sort_unstable();
        found.clear();
        for bit in 0..lexicons {
            let numbers = chosen.iter().map(|word| *word as u32);
            let known = numbers.filter(|number| left_out[*number as usize] >> bit & 1 == 0);
            let spelt = known.map(|number| lexicon.spell(number));
            if join(&mut line, spelt.skip(choice.skip_words).take(choice.hash_words)) {
                let digest = cut(&Sha1::digest(&line));
                if !found.contains(&digest) {
                    found.push(digest);
                    digests.push(digest);
                }
            }
        }
        digests.end();
    }
    Ok(digests)
}

/// A hash as a number from 0 to 1.
fn uniform(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

/// How many digests of each row occur in the other, repeats counted: (query in found, found in query).
///
/// # Errors
/// When the sides differ in rows.
pub fn count_collisions(query: [Rows<u64>; 2], found: [Rows<u64>; 2]) -> Result<(Vec<i64>, Vec<i64>)> {
    let (mut query_in_found, mut found_in_query) = (Vec::new(), Vec::new());
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let [query, query_second] = query;
    let [found, found_second] = found;
    for (first, second) in query.zip(found)?.zip(query_second.zip(found_second)?) {
        fill(&mut one, first.0, second.0, &Marks::of(first.1));
        fill(&mut other, first.1, second.1, &Marks::of(first.0));
        let (in_other, in_one) = collisions(&one, &other);
        query_in_found.push(in_other);
        found_in_query.push(in_one);
    }
    Ok((query_in_found, found_in_query))
}

/// Tells most values that are not in a short row, so that only what may collide is sorted.
struct Marks([u64; 16]);

impl Marks {
    fn of(row: &[u64]) -> Self {
        let mut marks = [0; 16];
        for value in row {
            marks[(value >> 60) as usize] |= 1 << (value >> 54 & 63);
        }
        Self(marks)
    }

    fn has(&self, value: u64) -> bool {
        self.0[(value >> 60) as usize] >> (value >> 54 & 63) & 1 == 1
    }
}

fn fill(digests: &mut Vec<u128>, first: &[u64], second: &[u64], there: &Marks) {
    digests.clear();
    let both = first.iter().zip(second).filter(|(first, _)| there.has(**first));
    digests.extend(both.map(|(first, second)| u128::from(*first) << 64 | u128::from(*second)));
    digests.sort_unstable();
}

fn collisions(mut one: &[u128], mut other: &[u128]) -> (i64, i64) {
    let mut counts = (0, 0);
    while let (Some(left), Some(right)) = (one.first(), other.first()) {
        let smallest = left.min(right);
        let runs = [one, other].map(|side| side.iter().take_while(|digest| *digest == smallest).count());
        if runs[0] > 0 && runs[1] > 0 {
            counts = (counts.0 + runs[0] as i64, counts.1 + runs[1] as i64);
        }
        (one, other) = (&one[runs[0]..], &other[runs[1]..]);
    }
    counts
}

/// Weights are multiples of this part of one.
const PARTS: f64 = (1 << 20) as f64;
/// So many of the largest weights add up to less than 2³².
const WORDS_A_SUM: usize = 64;

/// The inverse document frequency ln(N / df) + 1, rounded to a multiple of 2⁻²⁰, in those.
fn weigh(frequency: u32, articles: u64) -> u32 {
    let (frequency, articles) = (f64::from(frequency), articles as f64);
    (((articles.max(frequency) / frequency).ln() + 1.0) * PARTS).round() as u32
}

/// The bits of each byte as masks, the highest first.
static MASKS: [[u32; 8]; 256] = masks();

const fn masks() -> [[u32; 8]; 256] {
    let mut masks = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            masks[byte][bit] = if byte >> (7 - bit) & 1 == 1 { u32::MAX } else { 0 };
            bit += 1;
        }
        byte += 1;
    }
    masks
}

/// The `SimHash` of each article that has words to count: (values, offsets). Its `bits` bits fill as many `u64` as they need, the
/// highest bit first. Each distinct word counts once, but not the `skip_words` rarest, of equally rare ones the first by
/// the alphabet.
///
/// # Errors
/// When the arrays do not fit, or SHA-1 has not so many bits.
pub fn simhash(words: Words, articles: u64, skip_words: usize, bits: usize) -> Result<(Vec<u64>, Vec<i64>)> {
    words.check()?;
    check_bits(bits)?;
    let lexicon = Lexicon::new(&words);
    let weights = lexicon.map(|word| weigh(words.frequency(word), articles));
    let frequencies = lexicon.map(|word| words.frequency(word));
    let digests: Vec<[u8; BITS / 8]> = lexicon.map(|word| Sha1::digest(words.spell(word)).into());
    let mut distinct = Distinct::new(&lexicon);
    let (mut values, mut offsets) = (Vec::new(), vec![0]);
    let mut counted = Vec::new();
    for bounds in words.offsets.windows(2) {
        counted.clear();
        counted.extend(distinct.of(&lexicon.numbers[bounds[0] as usize..bounds[1] as usize]));
        if counted.len() > skip_words {
            if skip_words > 0 {
                counted.select_nth_unstable_by_key(skip_words, |number| (frequencies[*number as usize], *number));
            }
            let counted = &counted[skip_words..];
            let (mut ones, mut total) = ([0_u64; BITS], 0);
            for some in counted.chunks(WORDS_A_SUM) {
                let mut sums = [0_u32; BITS];
                for number in some {
                    let weight = weights[*number as usize];
                    total += u64::from(weight);
                    add(&mut sums, &digests[*number as usize], weight);
                }
                ones.iter_mut().zip(sums).for_each(|(one, sum)| *one += u64::from(sum));
            }
            let set = |bit: usize| u64::from(bit < bits && 2 * ones[bit] > total);
            let value = |first| (first..first + 64).fold(0, |value, bit| value << 1 | set(bit));
            values.extend((0..bits).step_by(64).map(value));
        }
        offsets.push(values.len() as i64);
    }
    Ok((values, offsets))
}

fn add(sums: &mut [u32; BITS], digest: &[u8; BITS / 8], weight: u32) {
    for (sums, byte) in sums.chunks_exact_mut(8).zip(digest) {
        for (sum, mask) in sums.iter_mut().zip(&MASKS[usize::from(*byte)]) {
            *sum += mask & weight;
        }
    }
}

fn check_bits(bits: usize) -> Result<()> {
    if (1..=BITS).contains(&bits) {
        return Ok(());
    }
    Err(Invalid(format!("expected 1 to {BITS} bits, got {bits}")))
}

/// The keys of each `SimHash`, one for each block of its bits: (values, offsets). Blocks are of nearly equal size; two
/// `SimHashes` that differ in fewer than `blocks` bits share a key. A key is the xxh3-64, seeded with the block's number,
/// of the little-endian `SimHash` with all bits outside the block 0.
///
/// # Errors
/// When the rows are no `SimHashes` of so many bits, or there are not from one to `bits` blocks.
pub fn simhash_keys(hashes: Rows<u64>, bits: usize, blocks: usize) -> Result<(Vec<u64>, Vec<i64>)> {
    check_bits(bits)?;
    if !(1..=bits).contains(&blocks) {
        return Err(Invalid(format!("expected 1 to {bits} blocks, got {blocks}")));
    }
    let masks: Vec<Vec<u64>> = (0..blocks)
        .map(|block| {
            let within = block * bits / blocks..(block + 1) * bits / blocks;
            let mask = |first| (first..first + 64).fold(0, |mask, bit| mask << 1 | u64::from(within.contains(&bit)));
            (0..bits).step_by(64).map(mask).collect()
        })
        .collect();
    let (mut keys, mut ends, mut masked) = (Vec::new(), vec![0], Vec::new());
    for value in hashes.iter() {
        if !value.is_empty() && value.len() != bits.div_ceil(64) {
            return Err(Invalid(format!("expected {} values an article, got {}", bits.div_ceil(64), value.len())));
        }
        for (block, mask) in masks.iter().enumerate().filter(|_| !value.is_empty()) {
            masked.clear();
            masked.extend(value.iter().zip(mask).map(|(value, mask)| value & mask));
            keys.push(shingle_hash(&masked, block));
        }
        ends.push(keys.len() as i64);
    }
    Ok((keys, ends))
}

/// The number of bits in which row i of both sides differ; -1 where one of them is empty.
///
/// # Errors
/// When the sides differ in rows, or two rows that are not empty in length.
pub fn count_different_bits(query: Rows<u64>, found: Rows<u64>) -> Result<Vec<i64>> {
    query
        .zip(found)?
        .map(|(one, other)| match (one.len(), other.len()) {
            (0, _) | (_, 0) => Ok(-1),
            (left, right) if left == right => {
                Ok(one.iter().zip(other).map(|(one, other)| i64::from((one ^ other).count_ones())).sum())
            }
            (left, right) => Err(Invalid(format!("expected rows of one length, got {left} and {right}"))),
        })
        .collect()
}
