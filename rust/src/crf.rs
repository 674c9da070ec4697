//! A linear-chain conditional random field with two labels: is a block CONTENT or not, given all blocks of its page.
//!
//! A block's score is how much its features speak for CONTENT; a transition's weight is how well a label follows
//! another. Whoever has one weight for each label and feature, as crfsuite does, subtracts: only the difference
//! counts. Cost: linear in features and blocks.
//!
//! Lafferty, McCallum, Pereira 2001.

use crate::{Invalid, Result};

/// How well each label follows each: `[from][to]`, 1 is CONTENT.
pub type Transitions = [[f64; 2]; 2];

/// The best labels of one sequence (Viterbi); of equally good ones NOT CONTENT.
pub fn decode(scores: &[f64], transitions: &Transitions) -> Vec<bool> {
    let mut from: Vec<[bool; 2]> = Vec::with_capacity(scores.len());
    let mut best = [0.0, 0.0];
    for (place, score) in scores.iter().enumerate() {
        if place > 0 {
            let ways = [0, 1].map(|to| [best[0] + transitions[0][to], best[1] + transitions[1][to]]);
            from.push(ways.map(|way| way[1] > way[0]));
            best = ways.map(|way| way[0].max(way[1]));
        }
        best[1] += score;
    }
    let mut labels = vec![false; scores.len()];
    let mut label = best[1] > best[0];
    for place in (0..scores.len()).rev() {
        labels[place] = label;
        if place > 0 {
            label = from[place - 1][usize::from(label)];
        }
    }
    labels
}

fn add(left: f64, right: f64) -> f64 {
    let (high, low) = if left > right { (left, right) } else { (right, left) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

/// What forward and backward passes give for one sequence.
#[derive(Debug, Clone, Default)]
pub struct Marginals {
    /// How likely each block is CONTENT.
    pub content: Vec<f64>,
    /// How often each transition is expected.
    pub transitions: Transitions,
    /// The logarithm of the sum over all labellings.
    pub log_sum: f64,
}

/// How likely each label is, over all labellings of one sequence.
pub fn marginals(scores: &[f64], transitions: &Transitions) -> Marginals {
    let Some(last) = scores.len().checked_sub(1) else { return Marginals::default() };
    let mut forward = vec![[0.0, scores[0]]];
    for (place, score) in scores.iter().enumerate().skip(1) {
        let before = forward[place - 1];
        forward.push([0, 1].map(|to| {
            add(before[0] + transitions[0][to], before[1] + transitions[1][to]) + if to == 1 { *score } else { 0.0 }
        }));
    }
    let log_sum = add(forward[last][0], forward[last][1]);
    let mut result = Marginals { content: vec![0.0; scores.len()], transitions: [[0.0; 2]; 2], log_sum };
    let mut backward = [0.0, 0.0];
    for place in (0..scores.len()).rev() {
        result.content[place] = (forward[place][1] + backward[1] - log_sum).exp();
        if place == 0 {
            break;
        }
        let ahead = [backward[0], backward[1] + scores[place]];
        for from in 0..2 {
            for to in 0..2 {
                result.transitions[from][to] +=
                    (forward[place - 1][from] + transitions[from][to] + ahead[to] - log_sum).exp();
            }
        }
        backward = [0, 1].map(|from| add(transitions[from][0] + ahead[0], transitions[from][1] + ahead[1]));
    }
    result
}

/// Labelled sequences: block i has features `features[offsets[i]..offsets[i + 1]]`, sequence j blocks
/// `sequences[j]..sequences[j + 1]`.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    /// Numbers of features.
    pub features: &'a [u32],
    /// Where the features of each block begin.
    pub offsets: &'a [i64],
    /// Where each sequence begins.
    pub sequences: &'a [i64],
    /// 1 for CONTENT.
    pub labels: &'a [u8],
    /// How much each sequence counts.
    pub importance: &'a [f64],
}

/// The negative log-likelihood of labelled sequences, and its gradient; the last four weights are the transitions'.
pub fn loss(data: Labelled<'_>, weights: &[f64]) -> Result<(f64, Vec<f64>)> {
    let Some(split) = weights.len().checked_sub(4) else {
        return Err(Invalid("expected weights of features and four transitions".into()));
    };
    let blocks = data.labels.len();
    if data.offsets.len() != blocks + 1 || data.sequences.len() != data.importance.len() + 1 {
        return Err(Invalid(format!("expected {} offsets, got {}", blocks + 1, data.offsets.len())));
    }
    let (emitting, between) = weights.split_at(split);
    let transitions = [[between[0], between[1]], [between[2], between[3]]];
    let mut gradient = vec![0.0; weights.len()];
    let mut loss = 0.0;
    let mut scores = Vec::new();
    let bad = || Invalid("offsets or feature numbers beyond the end".into());
    for (ends, importance) in data.sequences.windows(2).zip(data.importance) {
        let (start, end) = (ends[0] as usize, ends[1] as usize);
        let labels = data.labels.get(start..end).ok_or_else(bad)?;
        let rows = |block: usize| {
            data.features.get(data.offsets[block] as usize..data.offsets[block + 1] as usize).ok_or_else(bad)
        };
        scores.clear();
        for block in start..end {
            let mut score = 0.0;
            for feature in rows(block)? {
                score += emitting.get(*feature as usize).ok_or_else(bad)?;
            }
            scores.push(score);
        }
        let expected = marginals(&scores, &transitions);
        let mut truth = 0.0;
        for (place, label) in labels.iter().enumerate() {
            truth += if *label == 1 { scores[place] } else { 0.0 };
            if place > 0 {
                let (from, to) = (usize::from(labels[place - 1] == 1), usize::from(*label == 1));
                truth += transitions[from][to];
                gradient[split + from * 2 + to] -= importance;
            }
            let error = importance * (expected.content[place] - f64::from(*label));
            for feature in rows(start + place)? {
                gradient[*feature as usize] += error;
            }
        }
        for (place, count) in expected.transitions.as_flattened().iter().enumerate() {
            gradient[split + place] += importance * count;
        }
        loss += importance * (expected.log_sum - truth);
    }
    Ok((loss, gradient))
}

/// For labelled sequences of scores: how likely CONTENT is, the gradient of the transitions, and the loss.
pub fn expect(
    scores: &[f64],
    sequences: &[i64],
    labels: &[u8],
    importance: &[f64],
    transitions: &Transitions,
) -> Result<(Vec<f64>, Transitions, f64)> {
    if labels.len() != scores.len() || sequences.len() != importance.len() + 1 {
        return Err(Invalid(format!("expected {} labels, got {}", scores.len(), labels.len())));
    }
    let mut likely = Vec::with_capacity(scores.len());
    let mut gradient = [[0.0; 2]; 2];
    let mut loss = 0.0;
    for (ends, importance) in sequences.windows(2).zip(importance) {
        let span = ends[0] as usize..ends[1] as usize;
        let (Some(scores), Some(labels)) = (scores.get(span.clone()), labels.get(span)) else {
            return Err(Invalid("sequences beyond the scores".into()));
        };
        let expected = marginals(scores, transitions);
        loss += importance * expected.log_sum;
        for (place, label) in labels.iter().enumerate() {
            loss -= importance * scores[place] * f64::from(*label);
            if place > 0 {
                let (from, to) = (usize::from(labels[place - 1] == 1), usize::from(*label == 1));
                loss -= importance * transitions[from][to];
                gradient[from][to] -= importance;
            }
        }
        for from in 0..2 {
            for to in 0..2 {
                gradient[from][to] += importance * expected.transitions[from][to];
            }
        }
        likely.extend(expected.content);
    }
    Ok((likely, gradient, loss))
}
