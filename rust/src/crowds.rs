//! Keys that very many articles of a segment hold: only those of them are read that can matter to a query.
//!
//! A key with more than `all_holders` holders links a query to few of the earliest, of all holders and of those that have the same words
//! on one side (`collisions.rs`); whether it does depends on whether there is one more than `all_holders`. So of the holders in a
//! ranked segment, which are sorted by time, `all_holders + 2` of each of these groups give the same evidence as all: one of them may be
//! the query's own article. Cost: the words on one side are read until these are found, 60,000 of them in some 30 microseconds.

use crate::collisions::{Holder, Limits, REPEATS, settles};
use crate::postings::{Posting, Postings, number_by_place};
use crate::segments::{Segment, partition, read_number};
use crate::sides::{SIDES, Side};
use crate::{Invalid, Result};

/// Postings that are decoded at a time.
const SOME: usize = 256;

/// Who holds a key in a segment: the span of its postings, and the column of their articles.
struct Crowd<'a> {
    span: (usize, usize),
    column: &'a [u8],
    width: usize,
}

impl<'a> Crowd<'a> {
    fn of(segment: &Segment<'a>, key: u64) -> Result<Self> {
        let span = segment.span(key)?;
        let (column, width) = segment.articles_of(span)?;
        Ok(Self { span, column, width })
    }

    fn len(&self) -> usize {
        self.span.1 - self.span.0
    }

    fn article(&self, at: usize) -> u32 {
        read_number(self.column, at, self.width) as u32
    }

    /// Takes the articles of all postings in turn. Of a width that is known beforehand they are read several times as fast.
    fn each(&self, mut take: impl FnMut(u32)) {
        match self.width {
            1 => self.column.iter().for_each(|byte| take(u32::from(*byte))),
            2 => self.column.chunks_exact(2).for_each(|two| take(u32::from_le_bytes([two[0], two[1], 0, 0]))),
            3 => self
                .column
                .chunks_exact(3)
                .for_each(|three| take(u32::from_le_bytes([three[0], three[1], three[2], 0]))),
            _ => (0..self.len()).for_each(|at| take(self.article(at))),
        }
    }

    /// Where all postings of the articles of some sorted places stand, adjoining ones together.
    fn runs(&self, places: &[usize]) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for place in places.iter().copied() {
            if runs.last().is_some_and(|run| place < run.1) {
                continue;
            }
            let article = self.article(place);
            let is_same = |at: &usize| self.article(*at) == article;
            let from = place - (0..place).rev().take_while(is_same).count();
            let to = place + (place..self.len()).take_while(is_same).count();
            match runs.last_mut() {
                Some(run) if run.1 == from => run.1 = to,
                _ => runs.push((from, to)),
            }
        }
        runs
    }

    /// The places of the first `enough` articles that are kept, of the postings that `next` gives: the first from a place on.
    fn first(&self, kept: &[bool], enough: usize, next: impl Fn(usize) -> Option<usize>) -> Vec<usize> {
        let (mut found, mut at, mut last) = (Vec::new(), 0, None);
        while let Some(place) = next(at).filter(|_| found.len() < enough) {
            let article = self.article(place);
            let is_repeated = place >= REPEATS && self.article(place - REPEATS) == article;
            if !is_repeated && kept.get(article as usize) == Some(&true) && last.replace(article) != Some(article) {
                found.push(place);
            }
            at = place + 1;
        }
        found
    }
}

/// The first number of a column, from a place on, for which `is` holds.
fn find(column: &[u8], width: usize, count: usize, from: usize, is: impl Fn(u64) -> bool) -> Option<usize> {
    if width == 8 {
        let numbers = column[8 * from..].chunks_exact(8).map(|bytes| read_number(bytes, 0, 8));
        return numbers.enumerate().find(|(_, number)| is(*number)).map(|(at, _)| from + at);
    }
    (from..count).find(|at| is(read_number(column, *at, width)))
}

fn check_articles(segment: &Segment<'_>, columns: &[&[bool]]) -> Result<()> {
    if columns.iter().any(|column| column.len() != segment.articles()) {
        return Err(Invalid(format!("expected to be told of each of {} articles", segment.articles())));
    }
    Ok(())
}

/// The postings of some sorted keys that can matter to queries, and the sorted numbers of their articles: of each key those of the
/// earliest articles that are `kept`, and of the earliest that have the same words on one side as a posting of the queries.
///
/// # Errors
/// When the segment is damaged or not ranked, or articles and `kept` do not fit.
pub fn earliest(
    segment: &Segment<'_>,
    keys: &[u64],
    asking: &[&Postings],
    kept: &[bool],
    limits: Limits,
) -> Result<(Postings, Vec<u32>)> {
    check_articles(segment, &[kept])?;
    if !segment.is_ranked() {
        return Err(Invalid("expected a ranked segment".into()));
    }
    let enough = limits.all_holders.saturating_add(2);
    let asked = asking.iter().flat_map(|shard| &shard.0).filter(|posting| keys.binary_search(&posting.key).is_ok());
    let mut wanted: Vec<(u64, Side, u64)> = asked
        .flat_map(|posting| SIDES.map(|side| (posting.key, side, side.of(&Holder::new(0, posting), limits))))
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    let (mut found, mask) = (Vec::new(), Side::kept(limits));
    for key in keys {
        let crowd = Crowd::of(segment, *key)?;
        let mut chosen = crowd.first(kept, enough, |at| Some(at).filter(|at| *at < crowd.len()));
        let from = wanted.partition_point(|one| one.0 < *key);
        for (_, side, words) in wanted[from..].iter().take_while(|one| one.0 == *key) {
            let (column, width) = segment.words_beside(*side as usize, crowd.span)?;
            let next = |at| find(column, width, crowd.len(), at, |number| number & mask == *words);
            chosen.extend(crowd.first(kept, enough, next));
        }
        chosen.sort_unstable();
        chosen.dedup();
        for (from, to) in crowd.runs(&chosen) {
            let take = |posting: Posting| found.push((posting.article() as u32, Posting { key: *key, ..posting }));
            segment.decode(crowd.span.0 + from, crowd.span.0 + to, take)?;
        }
    }
    number_by_place(&found)
}

/// The sorted numbers of the articles that hold a key.
///
/// # Errors
/// When the segment is damaged.
pub fn holders(segment: &Segment<'_>, key: u64) -> Result<Vec<u32>> {
    let crowd = Crowd::of(segment, key)?;
    let mut found = Vec::with_capacity(crowd.len());
    crowd.each(|article| found.push(article));
    found.sort_unstable();
    found.dedup();
    if found.last().is_some_and(|last| *last as usize >= segment.articles()) {
        return Err(Invalid(format!("expected articles under {}", segment.articles())));
    }
    Ok(found)
}

/// How many articles hold a key and are `kept`, and the numbers of the first `most` of these: the earliest, if the segment is ranked.
///
/// # Errors
/// When the segment is damaged, or articles and `kept` do not fit.
pub fn tally(segment: &Segment<'_>, key: u64, kept: &[bool], most: usize) -> Result<(usize, Vec<u32>)> {
    check_articles(segment, &[kept])?;
    let crowd = Crowd::of(segment, key)?;
    let (mut count, mut last) = (0, u32::MAX);
    crowd.each(|article| {
        // No branch of its own: this goes over every holder.
        count += usize::from((article != last) & kept.get(article as usize).is_some_and(|is_kept| *is_kept));
        last = article;
    });
    let first = crowd.first(kept, most, |at| Some(at).filter(|at| *at < crowd.len()));
    Ok((count, first.into_iter().map(|place| crowd.article(place)).collect()))
}

/// How many postings each of some keys has.
///
/// # Errors
/// When the segment is damaged.
pub fn count(segment: &Segment<'_>, keys: &[u64]) -> Result<Vec<i64>> {
    keys.iter().map(|key| segment.span(*key).map(|(from, to)| (to - from) as i64)).collect()
}

/// How many postings of each of some keys are of one article.
///
/// # Errors
/// When the segment is damaged.
pub fn repeats(segment: &Segment<'_>, keys: &[u64], article: u32) -> Result<Vec<i64>> {
    let repeated = |key: &u64| {
        let crowd = Crowd::of(segment, *key)?;
        let from = partition(crowd.len(), |at| crowd.article(at) < article);
        Ok(partition(crowd.len() - from, |at| crowd.article(from + at) == article) as i64)
    };
    keys.iter().map(repeated).collect()
}

/// Articles that are known of when others are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Of each article, whether it takes part.
    pub kept: &'a [bool],
    /// Of each article, whether it is known.
    pub counted: &'a [bool],
    /// The sorted rows of others that are.
    pub rows: &'a [u64],
    /// The sorted names of the keys that are boilerplate.
    pub boilerplate: &'a [u64],
}

/// Whether an article that is not known has evidence in common with some postings of a query, outside boilerplate.
///
/// # Errors
/// When the segment is damaged, or articles and what is said of them do not fit.
pub fn holds_another(segment: &Segment<'_>, asking: &Postings, known: Known<'_>, limits: Limits) -> Result<bool> {
    check_articles(segment, &[known.kept, known.counted])?;
    let is_named = |name: u64| known.boilerplate.binary_search(&name).is_ok();
    for posting in &asking.0 {
        let (crowd, place) = (Crowd::of(segment, posting.key)?, Holder::new(u32::MAX, posting));
        let is_new = |at: usize| {
            let article = crowd.article(at) as usize;
            known.kept.get(article) == Some(&true) && !known.counted[article]
        };
        let names = SIDES.map(|side| is_named(side.name(posting.key, &place, limits)));
        let whole = SIDES.map(|side| !side.is_cut_short(&place, limits));
        let supports = |other: &Holder| {
            let mut shared = SIDES
                .into_iter()
                .filter(|side| whole[*side as usize] && side.of(other, limits) == side.of(&place, limits))
                .peekable();
            settles(&place, other, limits)
                && if shared.peek().is_none() {
                    !is_named(posting.key)
                } else {
                    shared.any(|side| !names[side as usize])
                }
        };
        let mut start = 0;
        while let Some(from) = (start..crowd.len()).find(|at| is_new(*at)) {
            start = crowd.len().min(from + SOME);
            let mut others = Vec::new();
            let (mut at, before) = (from, crowd.span.0);
            segment.decode(before + from, before + start, |other| {
                if is_new(at) && supports(&Holder::new(0, &other)) {
                    others.push(other.article() as u32);
                }
                at += 1;
            })?;
            for article in others {
                if known.rows.binary_search(&segment.row(article)?).is_err() {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}
