//! Matches and opinions → JSON lines.

use std::fmt::Write as _;

use crate::{Invalid, Result};

/// Matches as columns; names are JSON already.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// Number of the query article of each match.
    pub queries: &'a [i64],
    /// Number of the found article.
    pub founds: &'a [i64],
    /// The relation's number.
    pub relations: &'a [i8],
    /// Shares of the query, of the found article, and the resemblance.
    pub shares: [&'a [f64]; 3],
    /// Match i has passages `passage_offsets[i]..passage_offsets[i + 1]`.
    pub passage_offsets: &'a [i64],
    /// Six numbers a passage: query start and end, found start and end, words, changed.
    pub passages: &'a [u32],
    /// Number of the set of methods that nominated.
    pub nominated: &'a [u8],
}

/// The lines of matches `rows`, each as its public JSON object.
///
/// # Errors
/// When columns do not fit each other or name what is not there.
pub fn match_lines(
    columns: Columns<'_>,
    rows: std::ops::Range<usize>,
    ids: &[&str],
    relations: &[String],
    methods: &[String],
) -> Result<String> {
    let len = columns.queries.len();
    let lengths = [
        columns.founds.len(),
        columns.relations.len(),
        columns.nominated.len(),
        columns.shares[0].len(),
        columns.shares[1].len(),
        columns.shares[2].len(),
        columns.passage_offsets.len().saturating_sub(1),
    ];
    if lengths != [len; 7] || rows.end > len || rows.start > rows.end {
        return Err(Invalid(format!("expected columns of {len} rows and rows among them, got {lengths:?}")));
    }
    let mut lines = String::with_capacity(rows.len() * 256);
    for row in rows {
        let id = |number: i64| json_id(ids, number);
        let relation = relations.get(columns.relations[row] as usize).ok_or_else(|| absent("a relation"))?;
        let names = methods.get(usize::from(columns.nominated[row])).ok_or_else(|| absent("a set of methods"))?;
        let [in_query, in_found, resemblance] = columns.shares.map(|share| share[row]);
        let bounds = columns.passage_offsets[row] as usize * 6..columns.passage_offsets[row + 1] as usize * 6;
        let passages = columns.passages.get(bounds).ok_or_else(|| absent("a passage"))?;
        // Writing to a string cannot fail.
        let _ = write!(
            lines,
            "{{\"query\": {}, \"found\": {}, \"relation\": {relation}, \"query_covered\": {in_query:?}, \
             \"found_covered\": {in_found:?}, \"resemblance\": {resemblance:?}, \"passages\": [",
            id(columns.queries[row])?,
            id(columns.founds[row])?,
        );
        for (number, passage) in passages.chunks_exact(6).enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            let _ = write!(
                lines,
                "{comma}{{\"query\": [{}, {}], \"found\": [{}, {}], \"words\": {}, \"changed\": {}}}",
                passage[0], passage[1], passage[2], passage[3], passage[4], passage[5]
            );
        }
        let _ = writeln!(lines, "], \"methods\": {names}}}");
    }
    Ok(lines)
}

/// The lines of opinions, each as its public JSON object; `relations` are JSON by number, `methods` too.
///
/// # Errors
/// When columns do not fit each other or name what is not there.
pub fn opinion_lines(
    articles: [&[i64]; 2],
    relations: &[u8],
    scores: [&[f64]; 3],
    ids: &[&str],
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
        let [in_found, in_query, rank] = scores.map(|score| score[row]);
        let _ = writeln!(
            lines,
            "{{\"query\": {}, \"found\": {}, \"relation\": {relation}, \"query_in_found\": {in_found:?}, \
             \"found_in_query\": {in_query:?}, \"rank\": {rank:?}, \"methods\": {methods}}}",
            json_id(ids, articles[0][row])?,
            json_id(ids, articles[1][row])?,
        );
    }
    Ok(lines)
}

fn absent(what: &str) -> Invalid {
    Invalid(format!("expected {what} that is there"))
}

fn json_id(ids: &[&str], number: i64) -> Result<String> {
    let id = ids.get(number as usize).ok_or_else(|| absent("an article"))?;
    serde_json::to_string(id).map_err(|error| Invalid(error.to_string()))
}
