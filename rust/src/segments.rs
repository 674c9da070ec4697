//! Segments: the postings of some articles as bytes, sorted by key, so that a few keys can be looked up without
//! reading the rest.
//!
//! All numbers are little-endian. A header of 32 bytes (`MAGIC`, articles and postings as u64, then a byte each: the bits of the
//! directory, the widths in bytes of a key's rest, an article's number, a position, a shingle's words and the words
//! around it, and the words of a shingle where they have no column) is followed by columns: the row of each article in the
//! store (u64) and its words (u32), the directory (u32: where the keys with the same first bits begin), and of each
//! posting the rest of its key, article, position, words of the shingle, words on its left and on its right. A column
//! is as wide as its largest number.
//!
//! In a *ranked* segment (the last byte of `MAGIC` is 2, not 1) articles are numbered by their places in time, so that the holders of a
//! key are sorted by time, and the earliest of very many are found without reading the others (`crowds.rs`).
//!
//! Bytes come from a disk and are not trusted: every `BLOCK` of them is compared with its checksum before anything in
//! it is used, the first time that it is touched.

use std::sync::atomic::{AtomicBool, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use crate::postings::{Posting, Postings, ROW_BITS, SHARD_BITS, SHARDS, number_by_place, shard_of};
use crate::{Invalid, Result};

/// Bytes that have a checksum of their own.
pub const BLOCK: usize = 1 << 20;
const MAGIC: [u8; 7] = *b"wirecpy";
/// The last byte of the magic number of a segment whose articles are numbered as they came, or by their places in time.
const FORMS: [u8; 2] = [1, 2];
const HEADER: usize = 32;
/// Postings that share a place in the directory, on average and at most.
const PLACE: usize = 8;

/// The checksum, xxh3-64, of each block.
pub fn block_sums(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks(BLOCK).map(xxh3_64).collect()
}

/// What a segment's header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    articles: usize,
    postings: usize,
    bits: u32,
    key: usize,
    article: usize,
    position: usize,
    words: usize,
    context: usize,
    shingle: u8,
    ranked: bool,
}

impl Layout {
    /// Where each column begins: rows, words of articles, directory, keys, articles, positions, words, left, right; and the end.
    fn columns(&self) -> [usize; 10] {
        let places = (1_usize << self.bits) + 1;
        let sizes = [
            self.articles * 8,
            self.articles * 4,
            places * 4,
            self.postings * self.key,
            self.postings * self.article,
            self.postings * self.position,
            self.postings * self.words,
            self.postings * self.context,
            self.postings * self.context,
        ];
        let mut starts = [HEADER; 10];
        for (column, size) in sizes.into_iter().enumerate() {
            starts[column + 1] = starts[column] + size;
        }
        starts
    }

    fn write(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..7].copy_from_slice(&MAGIC);
        header[7] = FORMS[usize::from(self.ranked)];
        header[8..16].copy_from_slice(&(self.articles as u64).to_le_bytes());
        header[16..24].copy_from_slice(&(self.postings as u64).to_le_bytes());
        let widths = [self.key, self.article, self.position, self.words, self.context].map(|width| width as u8);
        header[24] = self.bits as u8;
        header[25..30].copy_from_slice(&widths);
        header[30] = self.shingle;
        header
    }

    fn read(header: &[u8]) -> Result<Self> {
        let number = |at: usize| read_number(header, at / 8, 8) as usize;
        let layout = Self {
            articles: number(8),
            postings: number(16),
            bits: u32::from(header[24]),
            key: header[25].into(),
            article: header[26].into(),
            position: header[27].into(),
            words: header[28].into(),
            context: header[29].into(),
            shingle: header[30],
            ranked: header[7] == FORMS[1],
        };
        let sensible = (SHARD_BITS as u32..32).contains(&layout.bits)
            && layout.key == key_width(layout.bits)
            && [layout.article, layout.position].iter().all(|width| *width <= 4)
            && layout.words <= 1
            && layout.context <= 8
            && layout.articles <= 1 << ROW_BITS
            && u32::try_from(layout.postings).is_ok();
        if header[..7] == MAGIC && FORMS.contains(&header[7]) && sensible {
            Ok(layout)
        } else {
            Err(Invalid("expected a segment".into()))
        }
    }
}

/// A number of `width` bytes, the `at`-th of a column.
pub(crate) fn read_number(column: &[u8], at: usize, width: usize) -> u64 {
    let mut number = [0; 8];
    number[..width].copy_from_slice(&column[at * width..(at + 1) * width]);
    u64::from_le_bytes(number)
}

/// The bytes of a key without its first bits.
fn key_width(bits: u32) -> usize {
    (64 - bits as usize).div_ceil(8)
}

/// The bytes that the number takes.
fn width_of(number: u64) -> usize {
    (64 - number.leading_zeros() as usize).div_ceil(8)
}

/// Which blocks of a segment were found sound.
#[derive(Debug)]
pub struct Seal {
    sums: Vec<u64>,
    sound: Vec<AtomicBool>,
}

impl Seal {
    /// A seal of blocks that must have these checksums, none of them checked yet.
    pub fn new(sums: Vec<u64>) -> Self {
        let sound = sums.iter().map(|_| AtomicBool::new(false)).collect();
        Self { sums, sound }
    }
}

/// A segment's bytes behind their checksums.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    bytes: &'a [u8],
    seal: &'a Seal,
    layout: Layout,
    columns: [usize; 10],
}

impl<'a> Segment<'a> {
    /// The segment in bytes that `encode` or `merge` made.
    ///
    /// # Errors
    /// When they are damaged, or no segment.
    pub fn new(bytes: &'a [u8], seal: &'a Seal) -> Result<Self> {
        if bytes.len() < HEADER || bytes.len().div_ceil(BLOCK) != seal.sums.len() {
            return Err(Invalid(format!(
                "expected a segment of {} blocks, got {} bytes",
                seal.sums.len(),
                bytes.len()
            )));
        }
        check(bytes, seal, 0, HEADER)?;
        let layout = Layout::read(&bytes[..HEADER])?;
        let columns = layout.columns();
        if columns[9] != bytes.len() {
            return Err(Invalid(format!("expected a segment of {} bytes, got {}", columns[9], bytes.len())));
        }
        Ok(Self { bytes, seal, layout, columns })
    }

    /// Whether articles are numbered by their places in time.
    pub fn is_ranked(&self) -> bool {
        self.layout.ranked
    }

    /// How many articles there are.
    pub(crate) fn articles(&self) -> usize {
        self.layout.articles
    }

    /// The row of one article in the store.
    pub(crate) fn row(&self, article: u32) -> Result<u64> {
        Ok(read_number(self.slice(0, 8, article as usize, article as usize + 1)?, 0, 8))
    }

    /// Part of a column, from its `from`-th entry to before its `to`-th.
    fn slice(&self, column: usize, width: usize, from: usize, to: usize) -> Result<&'a [u8]> {
        let (start, end) = (self.columns[column] + from * width, self.columns[column] + to * width);
        if from > to || end > self.columns[column + 1] || (column > 2 && to > self.layout.postings) {
            return Err(Invalid(format!("expected postings within the segment, got {from}..{to}")));
        }
        check(self.bytes, self.seal, start, end)?;
        Ok(&self.bytes[start..end])
    }

    /// The row of each article in the store.
    ///
    /// # Errors
    /// When the segment is damaged.
    pub fn rows(&self) -> Result<Vec<u64>> {
        let column = self.slice(0, 8, 0, self.layout.articles)?;
        Ok((0..self.layout.articles).map(|at| read_number(column, at, 8)).collect())
    }

    /// How many words each article has.
    ///
    /// # Errors
    /// When the segment is damaged.
    pub fn words(&self) -> Result<Vec<u32>> {
        let column = self.slice(1, 4, 0, self.layout.articles)?;
        Ok((0..self.layout.articles).map(|at| read_number(column, at, 4) as u32).collect())
    }

    /// Where postings whose keys begin with the bits `from` to before `to` stand.
    fn places(&self, from: usize, to: usize) -> Result<(usize, usize)> {
        let begin = self.slice(2, 4, from, from + 1)?;
        let end = self.slice(2, 4, to, to + 1)?;
        Ok((read_number(begin, 0, 4) as usize, read_number(end, 0, 4) as usize))
    }

    /// The articles of postings `from` to before `to`: a column and its width.
    pub(crate) fn articles_of(&self, (from, to): (usize, usize)) -> Result<(&'a [u8], usize)> {
        Ok((self.slice(4, self.layout.article, from, to)?, self.layout.article))
    }

    /// The words on the right (0) or left (1) of postings `from` to before `to`: a column and its width.
    pub(crate) fn words_beside(&self, side: usize, (from, to): (usize, usize)) -> Result<(&'a [u8], usize)> {
        Ok((self.slice(8 - side, self.layout.context, from, to)?, self.layout.context))
    }

    /// Postings `from` to before `to`; of their keys the rest.
    pub(crate) fn decode(&self, from: usize, to: usize, mut take: impl FnMut(Posting)) -> Result<()> {
        let layout = &self.layout;
        let keys = self.slice(3, layout.key, from, to)?;
        let articles = self.slice(4, layout.article, from, to)?;
        let positions = self.slice(5, layout.position, from, to)?;
        let words = self.slice(6, layout.words, from, to)?;
        let left = self.slice(7, layout.context, from, to)?;
        let right = self.slice(8, layout.context, from, to)?;
        for at in 0..to - from {
            let shingle = if layout.words == 0 { layout.shingle.into() } else { read_number(words, at, 1) as u32 };
            let article = read_number(articles, at, layout.article) as u32;
            if article as usize >= layout.articles {
                return Err(Invalid(format!("expected articles under {}, got {article}", layout.articles)));
            }
            take(Posting {
                key: read_number(keys, at, layout.key),
                left: read_number(left, at, layout.context),
                right: read_number(right, at, layout.context),
                row: article | shingle << ROW_BITS,
                position: read_number(positions, at, layout.position) as u32,
            });
        }
        Ok(())
    }

    /// The postings of one shard, by the numbers of their articles in the segment.
    ///
    /// # Errors
    /// When the segment is damaged, or there is no such shard.
    pub fn shard(&self, shard: usize) -> Result<Postings> {
        if shard >= SHARDS {
            return Err(Invalid(format!("expected a shard under {SHARDS}, got {shard}")));
        }
        let more = self.layout.bits - SHARD_BITS as u32;
        let (first, last) = (shard << more, (shard + 1) << more);
        let directory = self.slice(2, 4, first, last + 1)?;
        let edge = |place: usize| read_number(directory, place - first, 4) as usize;
        let room = edge(last).saturating_sub(edge(first)).min(self.layout.postings);
        let mut postings = Vec::with_capacity(room);
        self.decode(edge(first), edge(last), |posting| postings.push(posting))?;
        for place in first..last {
            let mine = edge(place).saturating_sub(edge(first))..edge(place + 1).saturating_sub(edge(first));
            let bits = (place as u64) << (64 - self.layout.bits);
            let Some(mine) = postings.get_mut(mine) else {
                return Err(Invalid("expected a directory that rises".into()));
            };
            for posting in mine {
                posting.key |= bits;
            }
        }
        Ok(Postings(postings))
    }

    /// Where the postings of a key stand: from the first to before the last.
    pub(crate) fn span(&self, key: u64) -> Result<(usize, usize)> {
        let (rest, width) = (u64::MAX >> self.layout.bits, self.layout.key);
        let place = (key >> (64 - self.layout.bits)) as usize;
        let (from, to) = self.places(place, place + 1)?;
        let column = self.slice(3, width, from, to)?;
        let count = to - from;
        let begin = partition(count, |at| read_number(column, at, width) < key & rest);
        let end = begin + partition(count - begin, |at| read_number(column, begin + at, width) == key & rest);
        Ok((from + begin, from + end))
    }

    /// The postings of some sorted keys, and the sorted numbers of their articles, as `postings::look_up` returns them.
    ///
    /// # Errors
    /// When the segment is damaged.
    pub fn look_up(&self, keys: &[u64]) -> Result<(Postings, Vec<u32>)> {
        let (postings, articles, _) = self.look_up_rare(keys, usize::MAX)?;
        Ok((postings, articles))
    }

    /// The same of the keys that have up to `most` postings, and the other keys; in a segment that is not ranked, of all keys.
    ///
    /// # Errors
    /// When the segment is damaged.
    pub fn look_up_rare(&self, keys: &[u64], most: usize) -> Result<(Postings, Vec<u32>, Vec<u64>)> {
        let (mut found, mut crowded) = (Vec::new(), Vec::new());
        for key in keys {
            let (from, to) = self.span(*key)?;
            if self.layout.ranked && to - from > most {
                crowded.push(*key);
                continue;
            }
            let take = |posting: Posting| found.push((posting.article() as u32, Posting { key: *key, ..posting }));
            self.decode(from, to, take)?;
        }
        let (postings, articles) = number_by_place(&found)?;
        Ok((postings, articles, crowded))
    }
}

/// The first number under `count` for which `before` is no longer true.
pub(crate) fn partition(count: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Compare the blocks from `start` to `end` with their checksums, unless that was done before.
fn check(bytes: &[u8], seal: &Seal, start: usize, end: usize) -> Result<()> {
    if start == end {
        return Ok(());
    }
    for block in start / BLOCK..=(end - 1) / BLOCK {
        if !seal.sound[block].load(Ordering::Relaxed) {
            let content = &bytes[block * BLOCK..bytes.len().min((block + 1) * BLOCK)];
            if xxh3_64(content) != seal.sums[block] {
                return Err(Invalid(format!("damaged at byte {}", block * BLOCK)));
            }
            seal.sound[block].store(true, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// The segment of a batch, as bytes. `shards` are its postings, `rows` and `words` each article's row in the store and its
/// number of words.
///
/// # Errors
/// When there are more articles or postings than a segment can hold, or a posting is of no article.
pub fn encode(shards: &[&Postings], rows: &[u64], words: &[u32], places: Option<&[u32]>) -> Result<Vec<u8>> {
    if rows.len() != words.len() || rows.len() > 1 << ROW_BITS {
        return Err(Invalid(format!("expected a row and the words of each of up to {} articles", 1 << ROW_BITS)));
    }
    let all = || shards.iter().flat_map(|shard| &shard.0);
    if all().any(|posting| posting.article() >= rows.len()) {
        return Err(Invalid(format!("expected postings of {} articles", rows.len())));
    }
    let in_place = |(number, shard): (usize, &&Postings)| shard.0.iter().all(|posting| shard_of(posting.key) == number);
    if shards.len() != SHARDS || !shards.iter().enumerate().all(in_place) {
        return Err(Invalid(format!("expected {SHARDS} shards, each with its own keys")));
    }
    let mut widest = Widest::default();
    all().for_each(|posting| widest.take(posting.position, posting.words(), posting.left | posting.right));
    let layout = widest.plan(rows.len(), all().count(), places.is_some())?;
    let mut writer = Writer::new(layout);
    let order = Order::new(places, rows.len())?;
    for shard in shards {
        let mut postings: Vec<Posting> = shard.0.iter().map(|posting| order.of(*posting)).collect();
        writer.write_sorted(&mut postings);
    }
    Ok(writer.finish(&order.put(rows), &order.put(words)))
}

/// One segment, as bytes, of all articles that are kept: article j of segment i if `kept[i][j]`. They are numbered anew, in
/// order.
///
/// # Errors
/// When one is damaged, or they are too many for one.
pub fn merge(segments: &[Segment<'_>], kept: &[&[bool]], places: Option<&[u32]>) -> Result<Vec<u8>> {
    if segments.len() != kept.len()
        || segments.iter().zip(kept).any(|(segment, kept)| segment.layout.articles != kept.len())
    {
        return Err(Invalid("expected to be told of each article whether it is kept".into()));
    }
    let (mut rows, mut words, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (segment, kept) in segments.iter().zip(kept) {
        let (its_rows, its_words) = (segment.rows()?, segment.words()?);
        let mut mine = vec![u32::MAX; kept.len()];
        for at in (0..kept.len()).filter(|at| kept[*at]) {
            mine[at] = rows.len() as u32;
            rows.push(its_rows[at]);
            words.push(its_words[at]);
        }
        numbers.push(mine);
    }
    let (mut postings, mut widest) = (0, Widest::default());
    for (segment, numbers) in segments.iter().zip(&numbers) {
        let is_kept = |posting: &Posting| numbers[posting.article()] != u32::MAX;
        segment.decode(0, segment.layout.postings, |posting| {
            if is_kept(&posting) {
                postings += 1;
                widest.take(posting.position, posting.words(), posting.left | posting.right);
            }
        })?;
    }
    let layout = widest.plan(rows.len(), postings, places.is_some())?;
    let (mut writer, mut left) = (Writer::new(layout), postings);
    let order = Order::new(places, rows.len())?;
    for shard in 0..SHARDS {
        let mut postings = Vec::new();
        for (segment, numbers) in segments.iter().zip(&numbers) {
            let shard = segment.shard(shard)?.0;
            postings.extend(shard.into_iter().filter_map(|posting| {
                let article = numbers[posting.article()];
                (article != u32::MAX).then(|| order.of(posting.of(article)))
            }));
        }
        left = left.wrapping_sub(postings.len());
        writer.write_sorted(&mut postings);
    }
    if left != 0 {
        return Err(Invalid("expected directories of all postings".into()));
    }
    Ok(writer.finish(&order.put(&rows), &order.put(&words)))
}

/// The new number of each article; None leaves them as they are.
struct Order<'a>(Option<&'a [u32]>);

impl<'a> Order<'a> {
    fn new(places: Option<&'a [u32]>, articles: usize) -> Result<Self> {
        if let Some(places) = places {
            let mut taken = vec![false; articles];
            let fits =
                |place: &u32| taken.get_mut(*place as usize).is_some_and(|taken| !std::mem::replace(taken, true));
            if places.len() != articles || !places.iter().all(fits) {
                return Err(Invalid(format!("expected a place of its own for each of {articles} articles")));
            }
        }
        Ok(Self(places))
    }

    fn of(&self, posting: Posting) -> Posting {
        self.0.map_or(posting, |places| posting.of(places[posting.article()]))
    }

    fn put<T: Copy + Default>(&self, values: &[T]) -> Vec<T> {
        let Some(places) = self.0 else { return values.to_vec() };
        let mut put = vec![T::default(); values.len()];
        places.iter().zip(values).for_each(|(place, value)| put[*place as usize] = *value);
        put
    }
}

/// How large the numbers of some postings are, and whether all shingles have the same number of words.
#[derive(Debug, Default)]
struct Widest {
    position: u32,
    context: u64,
    shingle: Option<u32>,
    shingles_differ: bool,
}

impl Widest {
    fn take(&mut self, position: u32, shingle: u32, context: u64) {
        self.position |= position;
        self.context |= context;
        self.shingles_differ |= *self.shingle.get_or_insert(shingle) != shingle;
    }

    /// The layout for so many articles and such postings.
    fn plan(&self, articles: usize, postings: usize, ranked: bool) -> Result<Layout> {
        if articles > 1 << ROW_BITS || u32::try_from(postings).is_err() {
            return Err(Invalid(format!("expected up to {} articles in a segment, got {articles}", 1 << ROW_BITS)));
        }
        let bits = (postings / PLACE).max(1).ilog2().clamp(SHARD_BITS as u32, 31);
        Ok(Layout {
            articles,
            postings,
            bits,
            key: key_width(bits),
            article: width_of(articles.saturating_sub(1) as u64),
            position: width_of(self.position.into()),
            words: self.shingles_differ.into(),
            context: width_of(self.context),
            shingle: if self.shingles_differ { 0 } else { self.shingle.unwrap_or(0) as u8 },
            ranked,
        })
    }
}

/// Takes postings by rising key and writes each column.
struct Writer {
    layout: Layout,
    counts: Vec<u32>,
    columns: [Vec<u8>; 6],
}

impl Writer {
    fn new(layout: Layout) -> Self {
        let widths = [layout.key, layout.article, layout.position, layout.words, layout.context, layout.context];
        let columns = widths.map(|width| Vec::with_capacity(width * layout.postings));
        Self { layout, counts: vec![0; (1 << layout.bits) + 1], columns }
    }

    fn write_sorted(&mut self, postings: &mut [Posting]) {
        let layout = self.layout;
        // Stable, because it is quick where sorted runs follow each other.
        postings.sort_by_key(|posting| {
            let first = if layout.ranked { posting.article() as u32 } else { posting.row };
            (posting.key, first, posting.position, posting.row, posting.left, posting.right)
        });
        for posting in postings {
            self.counts[(posting.key >> (64 - layout.bits)) as usize + 1] += 1;
            let numbers = [
                (posting.key & (u64::MAX >> layout.bits), layout.key),
                (posting.article() as u64, layout.article),
                (posting.position.into(), layout.position),
                (u64::from(posting.words()), layout.words),
                (posting.left, layout.context),
                (posting.right, layout.context),
            ];
            for (column, (number, width)) in self.columns.iter_mut().zip(numbers) {
                column.extend_from_slice(&number.to_le_bytes()[..width]);
            }
        }
    }

    fn finish(self, rows: &[u64], words: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.layout.columns()[9]);
        bytes.extend_from_slice(&self.layout.write());
        bytes.extend(rows.iter().flat_map(|row| row.to_le_bytes()));
        bytes.extend(words.iter().flat_map(|words| words.to_le_bytes()));
        let mut sum = 0;
        for count in self.counts {
            sum += count;
            bytes.extend_from_slice(&sum.to_le_bytes());
        }
        for column in self.columns {
            bytes.extend_from_slice(&column);
        }
        bytes
    }
}
