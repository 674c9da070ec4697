//! Matches and opinions → JSON lines.

use std::fmt::Write as _;

use crate::shingles::check_offsets;
use crate::{Invalid, Result};

/// Passages as columns.
#[derive(Debug, Clone, Copy)]
pub struct Passages<'a> {
    /// Where each starts in the query, in code points.
    pub query_start: &'a [u32],
    /// Where it ends there.
    pub query_end: &'a [u32],
    /// Where it starts in the found article.
    pub found_start: &'a [u32],
    /// Where it ends there.
    pub found_end: &'a [u32],
    /// Its equal words.
    pub words: &'a [u32],
    /// Its changed words.
    pub changed: &'a [u32],
    /// Its figures and dates that say the same in both.
    pub same: &'a [u32],
    /// What is filled otherwise.
    pub other: &'a [u32],
}

/// Matches as columns; names are JSON already.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// The query and the found article of each match, each a place among the ids of its side.
    pub articles: [&'a [u32]; 2],
    /// The relation's number.
    pub relations: &'a [i8],
    /// Shares of the query, of the found article, and the resemblance.
    pub shares: [&'a [f64]; 3],
    /// Match i has passages `passage_offsets[i]..passage_offsets[i + 1]`.
    pub passage_offsets: &'a [i64],
    /// All passages.
    pub passages: Passages<'a>,
    /// Number of the set of methods that nominated.
    pub nominated: &'a [u16],
}

/// The matches of `rows` as lines of JSON, each its public object.
///
/// # Errors
/// When columns do not fit each other or name what is not there.
pub fn match_lines(
    columns: Columns<'_>,
    rows: std::ops::Range<usize>,
    ids: [&[impl AsRef<str>]; 2],
    relations: &[String],
    methods: &[String],
) -> Result<String> {
    let (len, passages) = (columns.relations.len(), columns.passages);
    let lengths = [
        columns.articles[0].len(),
        columns.articles[1].len(),
        columns.nominated.len(),
        columns.shares[0].len(),
        columns.shares[1].len(),
        columns.shares[2].len(),
        columns.passage_offsets.len().saturating_sub(1),
    ];
    if lengths != [len; 7] || rows.end > len || rows.start > rows.end {
        return Err(Invalid(format!("expected columns of {len} rows and rows among them, got {lengths:?}")));
    }
    let count = passages.query_start.len();
    let others = [passages.query_end, passages.found_start, passages.found_end, passages.words, passages.changed];
    let slots = [passages.same, passages.other];
    check_offsets(columns.passage_offsets, count, "passages")?;
    if others.iter().chain(&slots).any(|column| column.len() != count) {
        return Err(Invalid(format!("expected columns of {count} passages")));
    }
    let mut lines = String::with_capacity(rows.len() * 256);
    for row in rows {
        let [query, found] = json_ids(ids, columns.articles, row)?;
        let relation = relations.get(columns.relations[row] as usize).ok_or_else(|| absent("a relation"))?;
        let names = methods.get(usize::from(columns.nominated[row])).ok_or_else(|| absent("a set of methods"))?;
        let [in_query, in_found, resemblance] = columns.shares.map(|share| share[row]);
        let first = columns.passage_offsets[row] as usize;
        let mine = first..columns.passage_offsets[row + 1] as usize;
        let sum = |column: &[u32]| column[mine.clone()].iter().map(|count| u64::from(*count)).sum::<u64>();
        // Writing to a string cannot fail.
        let _ = write!(
            lines,
            "{{\"query\": {query}, \"found\": {found}, \"relation\": {relation}, \"query_covered\": {in_query:?}, \
             \"found_covered\": {in_found:?}, \"resemblance\": {resemblance:?}, \"slots\": {{\"same\": {}, \"other\": {}}}, \"passages\": [",
            sum(passages.same),
            sum(passages.other),
        );
        for at in mine {
            let _ = write!(
                lines,
                "{}{{\"query\": [{}, {}], \"found\": [{}, {}], \"words\": {}, \"changed\": {}, \
                 \"slots\": {{\"same\": {}, \"other\": {}}}}}",
                if at > first { ", " } else { "" },
                passages.query_start[at],
                passages.query_end[at],
                passages.found_start[at],
                passages.found_end[at],
                passages.words[at],
                passages.changed[at],
                passages.same[at],
                passages.other[at]
            );
        }
        let _ = writeln!(lines, "], \"methods\": {names}}}");
    }
    Ok(lines)
}

/// The opinions as lines of JSON, each its public object. `relation_names` and `methods` are JSON already; the relation of a
/// refused pair is null.
///
/// # Errors
/// When columns do not fit each other or name what is not there.
pub fn opinion_lines(
    articles: [&[u32]; 2],
    relations: &[u8],
    scores: [&[f64]; 3],
    ids: [&[impl AsRef<str>]; 2],
    relation_names: &[String],
    methods: &str,
) -> Result<String> {
    let len = relations.len();
    if articles.iter().any(|side| side.len() != len) || scores.iter().any(|score| score.len() != len) {
        return Err(Invalid(format!("expected columns of {len} rows")));
    }
    let mut lines = String::with_capacity(len * 160);
    for row in 0..len {
        let relation = relation_names.get(usize::from(relations[row])).ok_or_else(|| absent("a relation"))?;
        let accepted = relation != "null";
        let [in_found, in_query, rank] = scores.map(|score| score[row]);
        let [query, found] = json_ids(ids, articles, row)?;
        let _ = writeln!(
            lines,
            "{{\"query\": {query}, \"found\": {found}, \"accepted\": {accepted}, \"relation\": {relation}, \
             \"query_in_found\": {in_found:?}, \"found_in_query\": {in_query:?}, \"rank\": {rank:?}, \"methods\": {methods}}}",
        );
    }
    Ok(lines)
}

fn absent(what: &str) -> Invalid {
    Invalid(format!("expected {what} that is there"))
}

fn json_ids(ids: [&[impl AsRef<str>]; 2], articles: [&[u32]; 2], row: usize) -> Result<[String; 2]> {
    let id = |side: usize| {
        let id = ids[side].get(articles[side][row] as usize).ok_or_else(|| absent("an article"))?;
        serde_json::to_string(id.as_ref()).map_err(|error| Invalid(error.to_string()))
    };
    Ok([id(0)?, id(1)?])
}
