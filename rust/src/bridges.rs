//! Which pairs alone hold a graph together: without one of these, what it joins would fall apart (Tarjan 1974).
//!
//! One walk in depth numbers the nodes as they are met. A pair that the walk goes along is a bridge if nothing below it leads back to the
//! node above, or further up, but the pair itself. Cost: linear in nodes and pairs.

use crate::{Invalid, Result};

/// Whether each of some distinct pairs of `nodes` is a bridge.
///
/// # Errors
/// When the columns do not fit each other, or name a node that is not there.
pub fn find_bridges(nodes: usize, one: &[u32], other: &[u32]) -> Result<Vec<bool>> {
    let are_there = one.iter().chain(other).all(|node| (*node as usize) < nodes);
    if one.len() != other.len() || !are_there || u32::try_from(nodes).is_err() {
        return Err(Invalid(format!("expected pairs of fewer than 2^32 nodes, got {nodes}")));
    }
    let (near, starts) = neighbours(nodes, one, other);
    let mut is_bridge = vec![false; one.len()];
    let (mut met, mut lowest, mut next) = (vec![0; nodes], vec![0; nodes], starts.clone());
    let mut last = 0;
    for root in 0..nodes {
        if met[root] > 0 {
            continue;
        }
        let mut path = vec![(root, usize::MAX)];
        while let Some((node, by)) = path.last().copied() {
            if met[node] == 0 {
                last += 1;
                (met[node], lowest[node]) = (last, last);
            }
            if next[node] < starts[node + 1] {
                let (there, pair) = near[next[node]];
                next[node] += 1;
                if met[there] == 0 {
                    path.push((there, pair));
                } else if pair != by {
                    lowest[node] = lowest[node].min(met[there]);
                }
                continue;
            }
            path.pop();
            if let Some((above, _)) = path.last() {
                is_bridge[by] = lowest[node] > met[*above];
                lowest[*above] = lowest[*above].min(lowest[node]);
            }
        }
    }
    Ok(is_bridge)
}

/// The neighbours of all nodes, each with the number of the pair; those of node i are at `starts[i]..starts[i + 1]`.
fn neighbours(nodes: usize, one: &[u32], other: &[u32]) -> (Vec<(usize, usize)>, Vec<usize>) {
    let mut starts = vec![0; nodes + 1];
    for node in one.iter().chain(other) {
        starts[*node as usize + 1] += 1;
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let (mut near, mut next) = (vec![(0, 0); 2 * one.len()], starts.clone());
    for (pair, (here, there)) in one.iter().zip(other).enumerate() {
        for (from, to) in [(here, there), (there, here)] {
            near[next[*from as usize]] = (*to as usize, pair);
            next[*from as usize] += 1;
        }
    }
    (near, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_closes_a_circle_is_no_bridge() {
        // A triangle, what hangs on it, and two that are apart.
        let found = find_bridges(7, &[1, 2, 2, 3, 6], &[0, 0, 1, 2, 5]).unwrap();
        assert_eq!(found, [false, false, false, true, true]);
        assert!(find_bridges(2, &[], &[]).unwrap().is_empty());
    }

    #[test]
    fn pairs_of_what_is_not_there_are_refused() {
        assert!(find_bridges(1, &[0], &[1]).is_err());
        assert!(find_bridges(2, &[0], &[]).is_err());
    }
}
