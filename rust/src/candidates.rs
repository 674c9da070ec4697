//! Which collisions make a candidate pair, and which keys are boilerplate.
//!
//! A key with many holders is either a big family (one text reprinted) or boilerplate (one formula in articles
//! that otherwise differ). The keys themselves tell: two articles *agree* if the stretches of keys they share, bridged
//! over `agree_gap_words`, cover half of one of them; a key stands for the `key_words` words that settled it. Articles that agree, directly or through others,
//! are one family. A common key whose holders belong to `boilerplate_families` families or more is boilerplate; one
//! text in 5,000 reprints is one family, whatever its count.
//!
//! A pair is a candidate if a key that is not boilerplate supports it, or two that the words around them do not.

use crate::{Invalid, Result};

/// Evidence of all shards, as columns; see `postings::Evidence`.
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
    /// Which common key it comes from, or `u32::MAX`.
    pub common: &'a [u32],
}

/// The constants of the rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Families from which on a common key is boilerplate.
    pub boilerplate_families: usize,
    /// Words between two shared keys that still count as shared.
    pub agree_gap_words: u32,
    /// Words that one shared key vouches for.
    pub key_words: u32,
    /// Share of an article that must be shared for two articles to agree.
    pub agree_share: f64,
}

/// What `nominate` answers.
#[derive(Debug, Default)]
pub struct Candidates {
    /// Rank of the later article of each candidate pair; pairs rise by (later, earlier).
    pub later: Vec<u32>,
    /// Rank of the earlier one.
    pub earlier: Vec<u32>,
    /// The common keys that are boilerplate.
    pub boilerplate: Vec<u32>,
    /// The family of each article: the lowest rank in it.
    pub family: Vec<u32>,
}

/// Join evidence into candidate pairs.
///
/// # Errors
/// When columns differ in length or name an article beyond `words`.
pub fn nominate(
    evidence: Columns<'_>,
    common_holders: &[u32],
    common_offsets: &[i64],
    words: &[u32],
    rule: Rule,
) -> Result<Candidates> {
    let rows = evidence.later.len();
    let lengths = [evidence.earlier.len(), evidence.later_position.len(), evidence.earlier_position.len(), evidence.common.len()];
    if lengths != [rows; 4] {
        return Err(Invalid(format!("expected columns of {rows} rows, got {lengths:?}")));
    }
    let known = |rank: &u32| (*rank as usize) < words.len();
    if !evidence.later.iter().chain(evidence.earlier).chain(common_holders).all(known) {
        return Err(Invalid(format!("expected ranks under {}", words.len())));
    }
    let mut order: Vec<(u64, u32)> =
        (0..rows).map(|i| (u64::from(evidence.later[i]) << 32 | u64::from(evidence.earlier[i]), i as u32)).collect();
    order.sort_unstable();
    let mut family: Vec<u32> = (0..words.len() as u32).collect();
    let mut places = Vec::new();
    for pair in order.chunk_by(|one, other| one.0 == other.0) {
        let (later, earlier) = (evidence.later[pair[0].1 as usize], evidence.earlier[pair[0].1 as usize]);
        let mut agrees = |positions: &[u32], article: u32| {
            places.clear();
            places.extend(pair.iter().map(|row| positions[row.1 as usize]));
            f64::from(spanned(&mut places, rule)) >= rule.agree_share * f64::from(words[article as usize])
        };
        if agrees(evidence.later_position, later) || agrees(evidence.earlier_position, earlier) {
            unite(&mut family, later, earlier);
        }
    }
    for article in 0..family.len() as u32 {
        root(&mut family, article);
    }
    let mut is_boilerplate = vec![false; common_offsets.len().saturating_sub(1)];
    let mut families = Vec::new();
    for (common, bounds) in common_offsets.windows(2).enumerate() {
        families.clear();
        families.extend(common_holders[bounds[0] as usize..bounds[1] as usize].iter().map(|rank| family[*rank as usize]));
        families.sort_unstable();
        families.dedup();
        is_boilerplate[common] = families.len() >= rule.boilerplate_families;
    }
    let pairs: Vec<u64> = order
        .chunk_by(|one, other| one.0 == other.0)
        .filter(|pair| {
            pair.iter().any(|row| {
                let common = evidence.common[row.1 as usize];
                !is_boilerplate.get(common as usize).copied().unwrap_or(false)
            })
        })
        .map(|pair| pair[0].0)
        .collect();
    Ok(Candidates {
        later: pairs.iter().map(|pair| (pair >> 32) as u32).collect(),
        earlier: pairs.iter().map(|pair| *pair as u32).collect(),
        boilerplate: (0..is_boilerplate.len() as u32).filter(|common| is_boilerplate[*common as usize]).collect(),
        family,
    })
}

/// Words covered by shared keys and the gaps between them.
fn spanned(places: &mut [u32], rule: Rule) -> u32 {
    places.sort_unstable();
    let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
    rule.key_words + gaps.map(|gap| if gap <= rule.agree_gap_words { gap } else { rule.key_words }).sum::<u32>()
}

/// The lowest article of the family; shortens the way there.
fn root(family: &mut [u32], article: u32) -> u32 {
    let mut top = article;
    while family[top as usize] != top {
        top = family[top as usize];
    }
    let mut at = article;
    while family[at as usize] != top {
        at = std::mem::replace(&mut family[at as usize], top);
    }
    top
}

fn unite(family: &mut [u32], one: u32, other: u32) {
    let (one, other) = (root(family, one), root(family, other));
    family[one.max(other) as usize] = one.min(other);
}

/// The component of each article under the given links: the lowest rank in it.
///
/// # Errors
/// When a link names an article that is not under `articles`.
pub fn components(articles: usize, later: &[u32], earlier: &[u32]) -> Result<Vec<u32>> {
    if later.iter().chain(earlier).any(|rank| *rank as usize >= articles) {
        return Err(Invalid(format!("expected ranks under {articles}")));
    }
    let mut family: Vec<u32> = (0..articles as u32).collect();
    later.iter().zip(earlier).for_each(|(one, other)| unite(&mut family, *one, *other));
    for article in 0..articles as u32 {
        root(&mut family, article);
    }
    Ok(family)
}
