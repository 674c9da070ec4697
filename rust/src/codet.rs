//! The corpus tree of `CoDet` (Varol, Can, Aykanat, Kaya 2011), kept as what each article puts into it.
//!
//! In the paper each sentence, its rarest words first, is a path of words from a virtual root; a node lists the
//! articles that visit it, and two articles that meet in a node add its impact, depth times idf, to their similarity.
//! A node is determined by the words that lead to it, so a hash of that path stands for it and no tree is built: an
//! article keeps its nodes by depth and hash, with how many of its paths visit each, and the similarity of two articles is
//! one merge. That is the paper's sum over all pairs of sentences:
//! two sentences share the nodes of their longest common prefix, so a node counts for as many pairs as the product of its
//! visits.
//!
//! Cost: a sentence has at most `suffixes * depth` nodes, sorted once an article; a pair costs at most the nodes of both.
//! As in the paper, n equal articles take memory for n times the nodes of one and n² merges if all their pairs are
//! asked for; n articles without a common word share no node and cost no merge.

use std::cmp::Ordering;

use crate::digests::first_bytes;
use crate::sets::Rows;
use crate::shingles::{check_offsets, shingle_hash};
use crate::{Invalid, Result};

/// Most suffixes of a sentence, and most words of each, that can be asked for.
pub const MOST: usize = 1000;

/// The words of a batch with their sentences, spellings and frequencies.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Word hashes.
    pub hashes: &'a [u64],
    /// Article i has `hashes[offsets[i]..offsets[i + 1]]`.
    pub offsets: &'a [i64],
    /// Word numbers, within their article, where sentences begin.
    pub sentences: &'a [u32],
    /// Article i has `sentences[sentence_offsets[i]..sentence_offsets[i + 1]]`.
    pub sentence_offsets: &'a [i64],
    /// The words in UTF-8, concatenated.
    pub words: &'a [u8],
    /// Word j is spelt `words[word_offsets[j]..word_offsets[j + 1]]`.
    pub word_offsets: &'a [i64],
    /// In how many articles of the collection each word occurs, 0 for a word never seen.
    pub frequencies: &'a [u32],
    /// How many articles the collection has.
    pub articles: u64,
}

/// What becomes of a sentence before it is a path.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// How many of its suffixes are paths, the sentence itself included.
    pub suffixes: usize,
    /// How many words of each are kept.
    pub depth: usize,
    /// Whether the rarest words come first, the alphabetically first of equally rare ones.
    pub sort: bool,
    /// Whether each word of a path is a node; else a path is one node below the root, with the impact of all its words.
    pub tree: bool,
}

/// The nodes that each article visits, by their hashes.
#[derive(Debug, Default, PartialEq)]
pub struct Nodes {
    /// A hash of the words from the root to the node.
    pub nodes: Vec<u64>,
    /// Article i has `nodes[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<i64>,
    /// How many different paths of the article visit the node.
    pub visits: Vec<u32>,
    /// How many words lead to it.
    pub depths: Vec<u32>,
    /// Its depth times the idf of its word.
    pub impacts: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    hash: u64,
    depth: u32,
    impact: f64,
}

/// A word on its way into the order of its sentence.
#[derive(Debug, Clone, Copy)]
struct Word {
    frequency: u32,
    /// The first eight bytes of its spelling, which settle nearly all ties.
    beginning: u64,
    number: usize,
}

impl Batch<'_> {
    fn check(&self) -> Result<()> {
        let words = self.hashes.len();
        check_offsets(self.offsets, words, "words")?;
        check_offsets(self.sentence_offsets, self.sentences.len(), "sentences")?;
        check_offsets(self.word_offsets, self.words.len(), "bytes of the words")?;
        if self.sentence_offsets.len() != self.offsets.len() {
            return Err(Invalid(format!(
                "expected sentences for {} articles, got them for {}",
                self.offsets.len() - 1,
                self.sentence_offsets.len() - 1
            )));
        }
        if self.word_offsets.len() != words + 1 || self.frequencies.len() != words {
            return Err(Invalid(format!(
                "expected spelling and frequency of {words} words, got {} and {}",
                self.word_offsets.len() - 1,
                self.frequencies.len()
            )));
        }
        if self.frequencies.iter().any(|frequency| u64::from(*frequency) > self.articles) {
            return Err(Invalid(format!("expected no word in more than all {} articles", self.articles)));
        }
        for (article, bounds) in self.offsets.windows(2).enumerate() {
            let starts = self.starts(article);
            if !starts.is_sorted() || starts.last().is_some_and(|start| i64::from(*start) > bounds[1] - bounds[0]) {
                return Err(Invalid("expected sentences that begin one after the other within their article".into()));
            }
        }
        Ok(())
    }

    fn starts(&self, article: usize) -> &[u32] {
        &self.sentences[self.sentence_offsets[article] as usize..self.sentence_offsets[article + 1] as usize]
    }

    fn spelling(&self, number: usize) -> &[u8] {
        &self.words[self.word_offsets[number] as usize..self.word_offsets[number + 1] as usize]
    }

    fn word(&self, number: usize) -> Word {
        Word { frequency: self.frequencies[number].max(1), beginning: first_bytes(self.spelling(number)), number }
    }

    /// Rare words first, then by the alphabet.
    fn order(&self, one: Word, other: Word) -> Ordering {
        (one.frequency, one.beginning)
            .cmp(&(other.frequency, other.beginning))
            .then_with(|| self.spelling(one.number).cmp(self.spelling(other.number)))
    }

    fn idf(&self, word: Word) -> f64 {
        (self.articles.max(1) as f64 / f64::from(word.frequency)).ln() + 1.0
    }
}

/// The nodes of the corpus tree that each article of a batch visits.
///
/// An article's paths are a set: sentences that become the same path visit its nodes once.
///
/// # Errors
/// When a parameter is not from 1 to `MOST`, or the parts of the batch do not fit each other.
pub fn plant(batch: Batch, shape: Shape) -> Result<Nodes> {
    if !(1..=MOST).contains(&shape.suffixes) || !(1..=MOST).contains(&shape.depth) {
        return Err(Invalid(format!(
            "expected suffixes and depth from 1 to {MOST}, got {} and {}",
            shape.suffixes, shape.depth
        )));
    }
    batch.check()?;
    let mut planted = Nodes { offsets: vec![0], ..Nodes::default() };
    let (mut words, mut paths, mut visited) = (Vec::new(), Paths::default(), Vec::new());
    for (article, bounds) in batch.offsets.windows(2).enumerate() {
        let (first, end) = (bounds[0] as usize, bounds[1] as usize);
        let starts = batch.starts(article);
        let ends = starts.iter().skip(1).map(|start| first + *start as usize).chain([end]);
        paths.clear();
        for (start, end) in starts.iter().zip(ends) {
            words.clear();
            words.extend((first + *start as usize..end).map(|number| batch.word(number)));
            if shape.sort {
                words.sort_unstable_by(|one, other| batch.order(*one, *other));
            }
            for suffix in 0..shape.suffixes.min(words.len()) {
                let kept = &words[suffix..words.len().min(suffix.saturating_add(shape.depth))];
                paths.add(kept, &batch, shape.tree);
            }
        }
        paths.visit(&mut visited);
        for node in visited.chunk_by(|one, other| one.hash == other.hash) {
            planted.nodes.push(node[0].hash);
            planted.visits.push(node.len() as u32);
            planted.depths.push(node[0].depth);
            planted.impacts.push(node[0].impact);
        }
        planted.offsets.push(planted.nodes.len() as i64);
    }
    Ok(planted)
}

/// The paths of one article, some of them the same.
#[derive(Debug, Default)]
struct Paths {
    nodes: Vec<Node>,
    /// A hash of the whole path, and where its nodes begin and end.
    paths: Vec<(u64, usize, usize)>,
}

impl Paths {
    fn clear(&mut self) {
        self.nodes.clear();
        self.paths.clear();
    }

    fn add(&mut self, words: &[Word], batch: &Batch, tree: bool) {
        let (start, mut path, mut whole) = (self.nodes.len(), 0, 0.0);
        for (depth, word) in (1..).zip(words) {
            let impact = f64::from(depth) * batch.idf(*word);
            path = shingle_hash(&[path, batch.hashes[word.number]], 0);
            whole += impact;
            if tree {
                self.nodes.push(Node { hash: path, depth, impact });
            }
        }
        if !tree {
            self.nodes.push(Node { hash: path, depth: 1, impact: whole });
        }
        self.paths.push((path, start, self.nodes.len()));
    }

    /// The nodes of the distinct paths, by depth and hash, once for each path that visits them.
    fn visit(&mut self, visited: &mut Vec<Node>) {
        self.paths.sort_unstable();
        self.paths.dedup_by_key(|path| path.0);
        visited.clear();
        for (_, start, end) in &self.paths {
            visited.extend_from_slice(&self.nodes[*start..*end]);
        }
        visited.sort_unstable_by_key(|node| (node.depth, node.hash));
    }
}

/// One side of pairs: the nodes of article i, as `plant` gives them, in columns that are cut alike.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Hashes.
    pub nodes: Rows<'a, u64>,
    /// How many paths visit each.
    pub visits: Rows<'a, u32>,
    /// How many words lead there.
    pub depths: Rows<'a, u32>,
    /// Depth times idf.
    pub impacts: Rows<'a, f64>,
}

impl<'a> Side<'a> {
    fn article(&self, row: usize) -> Article<'a> {
        Article {
            nodes: self.nodes.row(row),
            visits: self.visits.row(row),
            depths: self.depths.row(row),
            impacts: self.impacts.row(row),
        }
    }
}

/// The nodes that one article visits, by depth and hash.
#[derive(Debug, Clone, Copy)]
struct Article<'a> {
    nodes: &'a [u64],
    visits: &'a [u32],
    depths: &'a [u32],
    impacts: &'a [f64],
}

impl Article<'_> {
    fn similarity_to_itself(&self) -> f64 {
        let nodes = self.visits.iter().zip(self.impacts);
        nodes.fold(0.0, |sum, (visits, impact)| sum + meet(*visits, *visits, *impact))
    }

    /// What both add up to in the nodes where they meet.
    fn similarity(&self, other: &Self) -> f64 {
        let (mut sum, mut i, mut j) = (0.0, 0, 0);
        while i < self.nodes.len() && j < other.nodes.len() {
            let order = (self.depths[i], self.nodes[i]).cmp(&(other.depths[j], other.nodes[j]));
            if order.is_eq() {
                sum += meet(self.visits[i], other.visits[j], self.impacts[i]);
            }
            i += usize::from(order.is_le());
            j += usize::from(order.is_ge());
        }
        sum
    }
}

/// What a node adds to the similarity of articles that visit it so many times.
fn meet(query: u32, found: u32, impact: f64) -> f64 {
    f64::from(query) * f64::from(found) * impact
}

/// The containment similarity of article i of both sides, that of the query to itself and that of the found article to
/// itself: (shared, query, found). All sums run by depth and hash, so that they are the same floats whichever side an
/// article is on.
///
/// # Errors
/// When the sides differ in articles.
pub fn compare(query: Side, found: Side) -> Result<(Vec<f64>, Vec<f64>, Vec<f64>)> {
    if query.nodes.len() != found.nodes.len() {
        return Err(Invalid(format!(
            "expected as many articles on both sides, got {} and {}",
            query.nodes.len(),
            found.nodes.len()
        )));
    }
    let mut similarities = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..query.nodes.len() {
        let (query, found) = (query.article(row), found.article(row));
        similarities.0.push(query.similarity(&found));
        similarities.1.push(query.similarity_to_itself());
        similarities.2.push(found.similarity_to_itself());
    }
    Ok(similarities)
}
