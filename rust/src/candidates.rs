//! Which collisions make a candidate pair, and which keys are boilerplate.
//!
//! A key with many holders is either a big family (one text reprinted) or boilerplate (one formula in articles
//! that otherwise differ). The keys themselves tell. Two articles *agree* if the stretches of keys they share, bridged
//! over `agree_gap_words`, cover `agree_share` of one of them; a key stands for the `key_words` words that settled it.
//! A holder of a common key is a *stranger* if it agrees with fewer than half of the earlier holders that it was
//! paired with. Half, and not one, because a brief that is mostly formula agrees with every article that has the formula.
//! Articles that share `family_share` of both are one family, and its strangers count once. A common key with
//! `articles` strangers or more is suspected to be boilerplate: one text in 5,000 reprints has hardly any,
//! whatever its count. Whoever called compares some of the strangers and decides.
//!
//! A pair is a candidate if it agrees or if a key that is not boilerplate supports it.

use std::collections::HashSet;

use crate::collisions::{LINKED, RARE};
use crate::shingles::check_offsets;
use crate::{Invalid, Result};

/// Evidence of all shards, as columns; see `collisions::Evidence`.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// Rank of the later article.
    pub later: &'a [u32],
    /// Rank of the earlier article.
    pub earlier: &'a [u32],
    /// Word number of the key in the later article.
    pub later_position: &'a [u32],
    /// Word number of the key in the earlier article.
    pub earlier_position: &'a [u32],
    /// The number of the common key it comes from, or `RARE`; with `LINKED`, one that only links.
    pub common: &'a [u32],
}

/// The constants of the rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// How many articles that otherwise differ make a common key boilerplate.
    pub articles: usize,
    /// How many of these are named for each boilerplate key.
    pub examples: usize,
    /// Words between two shared keys that still count as shared.
    pub agree_gap_words: u32,
    /// Words that one shared key vouches for.
    pub key_words: u32,
    /// Share of an article that must be shared for two articles to agree.
    pub agree_share: f64,
    /// Share of both articles that makes them one family.
    pub family_share: f64,
}

impl Rule {
    /// Words covered by shared keys and the gaps between them.
    fn spanned(self, places: &mut [u32]) -> u32 {
        places.sort_unstable();
        let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
        self.key_words + gaps.map(|gap| if gap <= self.agree_gap_words { gap } else { self.key_words }).sum::<u32>()
    }
}

/// The holders of common keys; see `collisions::Evidence`.
#[derive(Debug, Clone, Copy)]
pub struct Commons<'a> {
    /// Ranks of the holders, sorted within each key.
    pub holders: &'a [u32],
    /// Where each holder has it.
    pub positions: &'a [u32],
    /// Key i has `holders[offsets[i]..offsets[i + 1]]`.
    pub offsets: &'a [i64],
}

impl Columns<'_> {
    fn rows(&self) -> Result<usize> {
        let rows = self.later.len();
        let lengths = [self.earlier.len(), self.later_position.len(), self.earlier_position.len(), self.common.len()];
        if lengths != [rows; 4] {
            return Err(Invalid(format!("expected columns of {rows} rows, got {lengths:?}")));
        }
        Ok(rows)
    }

    fn pair(&self, row: u32) -> (u32, u32) {
        (self.later[row as usize], self.earlier[row as usize])
    }

    /// The number of its common key, if it has one.
    fn number(&self, row: usize) -> Option<u32> {
        Some(self.common[row] & !LINKED).filter(|number| *number != RARE)
    }
}

fn check_ranks<const N: usize>(columns: [&[u32]; N], articles: usize) -> Result<()> {
    if columns.into_iter().flatten().any(|rank| *rank as usize >= articles) {
        return Err(Invalid(format!("expected ranks under {articles}")));
    }
    Ok(())
}

/// What `agree` answers.
#[derive(Debug, Default)]
pub struct Agreement {
    /// The row numbers of the evidence, sorted by (later, earlier).
    pub order: Vec<u32>,
    /// Whether the articles of each row agree, as 1 or 0.
    pub agreed: Vec<u8>,
    /// The pairs that are of one family: the later articles, and the earlier.
    pub families: (Vec<u32>, Vec<u32>),
}

/// Which pairs of articles agree. `words` is the number of words of the article at each rank.
///
/// # Errors
/// When columns differ in length or name an article beyond `words`.
pub fn agree(evidence: Columns<'_>, words: &[u32], rule: Rule) -> Result<Agreement> {
    let rows = evidence.rows()?;
    check_ranks([evidence.later, evidence.earlier], words.len())?;
    let mut order: Vec<(u64, u32)> =
        (0..rows).map(|i| (u64::from(evidence.later[i]) << 32 | u64::from(evidence.earlier[i]), i as u32)).collect();
    order.sort_unstable();
    let mut answer = Agreement { agreed: vec![0; rows], ..Agreement::default() };
    let mut places = Vec::new();
    for pair in order.chunk_by(|one, other| one.0 == other.0) {
        let (later, earlier) = evidence.pair(pair[0].1);
        let mut share = |positions: &[u32], article: u32| {
            places.clear();
            places.extend(pair.iter().map(|row| positions[row.1 as usize]));
            f64::from(rule.spanned(&mut places)) / f64::from(words[article as usize].max(1))
        };
        let shares = [share(evidence.later_position, later), share(evidence.earlier_position, earlier)];
        if shares.iter().any(|share| *share >= rule.agree_share) {
            for row in pair {
                answer.agreed[row.1 as usize] = 1;
            }
        }
        if shares.iter().all(|share| *share >= rule.family_share) {
            answer.families.0.push(later);
            answer.families.1.push(earlier);
        }
    }
    answer.order = order.into_iter().map(|row| row.1).collect();
    Ok(answer)
}

/// What `suspect` answers.
#[derive(Debug, Default)]
pub struct Suspects {
    /// The common keys that may be boilerplate.
    pub commons: Vec<u32>,
    /// Some of their holders that otherwise differ: key i has `example_offsets[i]..example_offsets[i + 1]`.
    pub example_ranks: Vec<u32>,
    /// The word at which each of these has the key.
    pub example_positions: Vec<u32>,
    /// See `example_ranks`.
    pub example_offsets: Vec<i64>,
}

/// Holders of common keys that agree with fewer than half of those they were paired with, sorted: (numbers of the keys, ranks).
/// Complete for the later articles whose evidence is complete. `agreed` is from `agree`.
///
/// # Errors
/// When columns differ in length.
pub fn find_strangers(evidence: Columns<'_>, agreed: &[u8]) -> Result<(Vec<u32>, Vec<u32>)> {
    if agreed.len() != evidence.rows()? {
        return Err(Invalid(format!("expected a mark for each row, got {}", agreed.len())));
    }
    let mut meetings: Vec<(u32, u32, u8)> =
        (0..agreed.len()).filter_map(|row| Some((evidence.number(row)?, evidence.later[row], agreed[row]))).collect();
    meetings.sort_unstable();
    let strangers = meetings
        .chunk_by(|one, other| (one.0, one.1) == (other.0, other.1))
        .filter(|mine| 2 * mine.iter().filter(|meeting| meeting.2 == 1).count() < mine.len());
    Ok(strangers.map(|mine| (mine[0].0, mine[0].1)).unzip())
}

/// The common keys that may be boilerplate. Strangers are numbers of common keys and ranks, sorted, as `find_strangers` gives
/// them; `family` is the lowest rank in each article's family.
///
/// # Errors
/// When columns do not fit each other.
pub fn suspect(numbers: &[u32], ranks: &[u32], family: &[u32], commons: Commons<'_>, rule: Rule) -> Result<Suspects> {
    check_offsets(commons.offsets, commons.holders.len(), "holders")?;
    check_ranks([commons.holders, ranks], family.len())?;
    let last = commons.offsets.len() - 1;
    let strangers: Vec<(u32, u32)> = numbers.iter().copied().zip(ranks.iter().copied()).collect();
    if numbers.len() != ranks.len() || !strangers.is_sorted() || numbers.last().is_some_and(|one| *one as usize >= last)
    {
        return Err(Invalid(format!("expected sorted strangers to common keys under {last}, each with its rank")));
    }
    if commons.positions.len() != commons.holders.len() {
        return Err(Invalid(format!("expected a position for each of {} holders", commons.holders.len())));
    }
    let mut answer = Suspects { example_offsets: vec![0], ..Suspects::default() };
    let mut seen = HashSet::new();
    for mine in strangers.chunk_by(|one, other| one.0 == other.0) {
        seen.clear();
        let firsts: Vec<u32> =
            mine.iter().map(|stranger| stranger.1).filter(|rank| seen.insert(family[*rank as usize])).collect();
        if firsts.len() < rule.articles {
            continue;
        }
        let common = mine[0].0 as usize;
        answer.commons.push(mine[0].0);
        let holders = commons.offsets[common] as usize..commons.offsets[common + 1] as usize;
        let is_first = |place: &usize| firsts.binary_search(&commons.holders[*place]).is_ok();
        for place in holders.filter(is_first).take(rule.examples) {
            answer.example_ranks.push(commons.holders[place]);
            answer.example_positions.push(commons.positions[place]);
        }
        answer.example_offsets.push(answer.example_ranks.len() as i64);
    }
    Ok(answer)
}

/// The candidates, sorted: (later, earlier). These are the pairs that agree or that share a key outside boilerplate.
///
/// Of pairs that share only keys with many holders, each later article keeps the `links` with the most keys in common, of
/// equal ones the earliest. `order` and `agreed` are from `agree`; `boilerplate` says which common keys are boilerplate.
///
/// # Errors
/// When columns differ in length.
pub fn nominate(
    evidence: Columns<'_>,
    order: &[u32],
    agreed: &[u8],
    boilerplate: &[bool],
    links: usize,
) -> Result<(Vec<u32>, Vec<u32>)> {
    let rows = evidence.later.len();
    let lengths = [evidence.earlier.len(), evidence.common.len(), order.len(), agreed.len()];
    if lengths != [rows; 4] || order.iter().any(|row| *row as usize >= rows) {
        return Err(Invalid(format!("expected columns of {rows} rows and an order of them, got {lengths:?}")));
    }
    let pair = |row: &u32| evidence.pair(*row);
    let links_only = |row: &u32| evidence.common[*row as usize] & LINKED != 0;
    let is_boilerplate = |number: u32| boilerplate.get(number as usize).is_some_and(|is| *is);
    let supports =
        |row: &u32| agreed[*row as usize] == 1 || !evidence.number(*row as usize).is_some_and(is_boilerplate);
    let mut kept: Vec<(u32, u32)> = Vec::new();
    let mut linked: Vec<(usize, u32)> = Vec::new();
    for mine in order.chunk_by(|one, other| pair(one).0 == pair(other).0) {
        linked.clear();
        for same in mine.chunk_by(|one, other| pair(one) == pair(other)).filter(|same| same.iter().any(supports)) {
            if same.iter().all(links_only) {
                linked.push((same.len(), pair(&same[0]).1));
            } else {
                kept.push(pair(&same[0]));
            }
        }
        linked.sort_unstable_by_key(|(keys, earlier)| (std::cmp::Reverse(*keys), *earlier));
        kept.extend(linked.iter().take(links).map(|(_, earlier)| (pair(&mine[0]).0, *earlier)));
    }
    kept.sort_unstable();
    Ok(kept.into_iter().unzip())
}

/// The lowest article of the family; shortens the way there.
fn root(family: &mut [u32], mut article: u32) -> u32 {
    while family[article as usize] != article {
        let above = family[family[article as usize] as usize];
        article = std::mem::replace(&mut family[article as usize], above);
    }
    article
}

/// The component that the links put each article into, by the lowest rank in it.
///
/// # Errors
/// When there are more articles than ranks, or a link names none of them.
pub fn components(articles: usize, later: &[u32], earlier: &[u32]) -> Result<Vec<u32>> {
    check_ranks([later, earlier], articles)?;
    if later.len() != earlier.len() || u32::try_from(articles).is_err() {
        return Err(Invalid(format!("expected pairs of fewer than 2^32 articles, got {articles}")));
    }
    let mut family: Vec<u32> = (0..articles as u32).collect();
    for (one, other) in later.iter().zip(earlier) {
        let (one, other) = (root(&mut family, *one), root(&mut family, *other));
        family[one.max(other) as usize] = one.min(other);
    }
    // Whoever is above an article is before it, and has its root already.
    for article in 0..articles {
        family[article] = family[family[article] as usize];
    }
    Ok(family)
}
