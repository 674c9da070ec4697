//! A linear-chain conditional random field with two labels: is a block CONTENT or not, given all blocks of its page.
//!
//! A block's score is how much its features speak for CONTENT; a transition's weight is how well a label follows
//! another. Whoever has one weight for each label and feature, as crfsuite does, subtracts: only the difference
//! counts. Cost: linear in features and blocks.
//!
//! Lafferty, `McCallum`, Pereira 2001.

use crate::{Invalid, Result};

/// How well each label follows each: `[from][to]`, 1 is CONTENT.
pub type Transitions = [[f64; 2]; 2];

/// The best labels of one sequence (Viterbi); of equally good ones, NOT CONTENT.
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

/// How likely each label of one sequence is, over all its labellings.
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

/// The probability of CONTENT for each score of labelled sequences, the gradient of the transitions, and the loss.
///
/// # Errors
/// When labels, sequences or their importance do not fit the scores.
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
        for (sum, count) in gradient.as_flattened_mut().iter_mut().zip(expected.transitions.as_flattened()) {
            *sum += importance * count;
        }
        likely.extend(expected.content);
    }
    Ok((likely, gradient, loss))
}
