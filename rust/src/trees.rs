//! Regression trees over the values of blocks: what they add up to is a block's score in the conditional random field.
//!
//! A tree asks of one value after the other whether it is at most a threshold (an amount) or exactly one of a few (a
//! choice), and its leaf says how much that speaks for CONTENT. Trees are grown one after the other, each where those
//! before are most wrong (Friedman 2001; for conditional random fields Dietterich, Ashenfelter, Bulatov 2004),
//! best leaf first, over histograms of binned values. Cost of growing: rows × columns × the depth.

use std::cmp::Ordering;

use crate::{Invalid, Result};

/// A tree as arrays, one entry a node; node 0 is the root, children come after their parents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tree {
    /// The number of the value that is asked about; in a leaf -1.
    pub value: Vec<i32>,
    /// What it is compared with.
    pub at: Vec<f32>,
    /// Where to go on if it is at most that (a choice: exactly that), or missing.
    pub yes: Vec<u32>,
    /// Where to go on if not.
    pub no: Vec<u32>,
    /// What is added to the score in a leaf; in an inner node, what would be if it were one.
    pub score: Vec<f32>,
}

impl Tree {
    fn push(&mut self) -> usize {
        self.value.push(-1);
        self.at.push(0.0);
        self.yes.push(0);
        self.no.push(0);
        self.score.push(0.0);
        self.value.len() - 1
    }
}

/// A forest ready for use: all nodes of all trees in one array.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    nodes: Vec<Node>,
    /// What each node would add if it were a leaf.
    scores: Vec<f32>,
    roots: Vec<u32>,
    width: usize,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// The threshold, or a leaf's score.
    at: f32,
    value: u16,
    kind: Kind,
    yes: u32,
    no: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Leaf,
    AtMost,
    Exactly,
}

impl Kind {
    /// What is missing is at most everything.
    #[allow(clippy::float_cmp)]
    fn holds(self, value: f32, at: f32) -> bool {
        if self == Self::AtMost { value <= at || value.is_nan() } else { value == at }
    }
}

impl Forest {
    /// A forest over rows of `is_amount.len()` values.
    ///
    /// # Errors
    /// When a tree's arrays do not make a tree over such rows.
    pub fn new(trees: &[Tree], is_amount: &[bool]) -> Result<Self> {
        let mut forest = Self { width: is_amount.len(), ..Self::default() };
        for tree in trees {
            let base = forest.nodes.len() as u32;
            let size = tree.value.len();
            if size == 0 || [tree.at.len(), tree.yes.len(), tree.no.len(), tree.score.len()] != [size; 4] {
                return Err(Invalid("a tree's arrays: expected one entry a node".into()));
            }
            forest.roots.push(base);
            for node in 0..size {
                let (yes, no) = (tree.yes[node] as usize, tree.no[node] as usize);
                let kind = match usize::try_from(tree.value[node]) {
                    Err(_) => Kind::Leaf,
                    Ok(value) => match is_amount.get(value) {
                        None => return Err(Invalid(format!("a tree asks about value {value} of {}", is_amount.len()))),
                        Some(true) => Kind::AtMost,
                        Some(false) => Kind::Exactly,
                    },
                };
                // Children come after their parents: no walk goes in circles.
                if kind != Kind::Leaf && (yes <= node || no <= node || yes.max(no) >= size) {
                    return Err(Invalid(format!("node {node} of a tree goes on to nodes {yes} and {no} of {size}")));
                }
                let at = if kind == Kind::Leaf { tree.score[node] } else { tree.at[node] };
                let value = tree.value[node].max(0) as u16;
                forest.nodes.push(Node { at, value, kind, yes: base + yes as u32, no: base + no as u32 });
                forest.scores.push(tree.score[node]);
            }
        }
        Ok(forest)
    }

    /// The sum of the trees' scores for each of some rows. Tree by tree: a tree fits into the nearest cache.
    pub fn sums(&self, rows: &[f32]) -> Vec<f64> {
        let mut sums = vec![0.0; rows.len().checked_div(self.width).unwrap_or(0)];
        for root in &self.roots {
            for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(self.width)) {
                *sum += f64::from(self.walk(*root, row, |_, _| {}));
            }
        }
        sums
    }

    /// What each value adds to the sum of a row: how the score changes on the walks where it is asked about.
    pub fn contributions(&self, row: &[f32]) -> Vec<f64> {
        let mut added = vec![0.0; row.len()];
        for root in &self.roots {
            self.walk(*root, row, |from, to| {
                added[self.nodes[from].value as usize] += f64::from(self.scores[to] - self.scores[from]);
            });
        }
        added
    }

    fn walk(&self, root: u32, row: &[f32], mut note: impl FnMut(usize, usize)) -> f32 {
        let mut at = root as usize;
        loop {
            let node = &self.nodes[at];
            if node.kind == Kind::Leaf {
                return node.at;
            }
            let next = if node.kind.holds(row[node.value as usize], node.at) { node.yes } else { node.no } as usize;
            note(at, next);
            at = next;
        }
    }
}

/// How a tree is grown.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    /// Leaves at most.
    pub leaves: usize,
    /// The least weight of a leaf: the sum of its rows' curvature.
    pub least: f64,
    /// How strongly scores are drawn to zero.
    pub shrinkage: f64,
    /// What share of its score a tree is believed.
    pub rate: f64,
}

/// Values as bins, a column each, for training; bin 0 is missing.
#[derive(Debug, Clone, Copy)]
pub struct Binned<'a> {
    /// Column after column.
    pub bins: &'a [u8],
    /// Rows.
    pub rows: usize,
    /// The columns that may be asked about.
    pub columns: &'a [u32],
    /// Whether each column is an amount.
    pub is_amount: &'a [bool],
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    slope: f64,
    weight: f64,
}

struct Leaf {
    node: usize,
    rows: Vec<u32>,
    histogram: Vec<Sums>,
    sums: Sums,
    best: Option<Split>,
}

#[derive(Debug, Clone, Copy)]
struct Split {
    gain: f64,
    column: usize,
    bin: u8,
    yes: Sums,
}

/// A tree that goes where the slopes of the `chosen` rows point; its `at` holds bins, not yet values.
///
/// # Errors
/// When bins, slopes, weights, rows and columns do not fit each other.
pub fn grow(data: Binned<'_>, chosen: &[u32], slopes: &[f32], weights: &[f32], growth: Growth) -> Result<Tree> {
    let columns = data.is_amount.len();
    if data.bins.len() != data.rows * columns || slopes.len() != data.rows || weights.len() != data.rows {
        return Err(Invalid(format!(
            "expected {} bins, slopes and weights for {} rows",
            data.rows * columns,
            data.rows
        )));
    }
    if data.columns.iter().any(|column| *column as usize >= columns)
        || chosen.iter().any(|row| *row as usize >= data.rows)
    {
        return Err(Invalid("a row or column beyond the end".into()));
    }
    let score = |sums: Sums| (growth.rate * sums.slope / (sums.weight + growth.shrinkage)) as f32;
    let mut tree = Tree::default();
    let root = tree.push();
    let rows = chosen.to_vec();
    let histogram = sum_up(data, &rows, slopes, weights);
    let sums = rows.iter().fold(Sums::default(), |sums, row| Sums {
        slope: sums.slope + f64::from(slopes[*row as usize]),
        weight: sums.weight + f64::from(weights[*row as usize]),
    });
    let best = find_split(data, &histogram, sums, growth);
    let mut leaves = vec![Leaf { node: root, rows, histogram, sums, best }];
    while leaves.len() < growth.leaves {
        let by_gain = |left: &Leaf, right: &Leaf| -> Ordering {
            let gain = |leaf: &Leaf| leaf.best.map_or(f64::NEG_INFINITY, |split| split.gain);
            gain(left).total_cmp(&gain(right))
        };
        let Some(at) = (0..leaves.len()).max_by(|left, right| by_gain(&leaves[*left], &leaves[*right])) else { break };
        let Some(split) = leaves[at].best else { break };
        let leaf = leaves.swap_remove(at);
        let column = &data.bins[split.column * data.rows..(split.column + 1) * data.rows];
        let is_yes = |row: &u32| {
            let bin = column[*row as usize];
            if data.is_amount[split.column] { bin <= split.bin } else { bin == split.bin }
        };
        let (yes, no): (Vec<u32>, Vec<u32>) = leaf.rows.iter().partition(|row| is_yes(row));
        let no_sums = Sums { slope: leaf.sums.slope - split.yes.slope, weight: leaf.sums.weight - split.yes.weight };
        let smaller_is_yes = yes.len() < no.len();
        let smaller = sum_up(data, if smaller_is_yes { &yes } else { &no }, slopes, weights);
        let larger = leaf
            .histogram
            .iter()
            .zip(&smaller)
            .map(|(all, part)| Sums { slope: all.slope - part.slope, weight: all.weight - part.weight });
        let larger: Vec<Sums> = larger.collect();
        let (yes_histogram, no_histogram) = if smaller_is_yes { (smaller, larger) } else { (larger, smaller) };
        let node = leaf.node;
        tree.score[node] = score(leaf.sums);
        let (yes_node, no_node) = (tree.push(), tree.push());
        tree.value[node] = split.column as i32;
        tree.at[node] = f32::from(split.bin);
        tree.yes[node] = yes_node as u32;
        tree.no[node] = no_node as u32;
        for (node, rows, histogram, sums) in
            [(yes_node, yes, yes_histogram, split.yes), (no_node, no, no_histogram, no_sums)]
        {
            let best = find_split(data, &histogram, sums, growth);
            leaves.push(Leaf { node, rows, histogram, sums, best });
        }
    }
    for leaf in &leaves {
        tree.score[leaf.node] = score(leaf.sums);
    }
    Ok(tree)
}

const BINS: usize = 256;

fn sum_up(data: Binned<'_>, rows: &[u32], slopes: &[f32], weights: &[f32]) -> Vec<Sums> {
    let mut histogram = vec![Sums::default(); data.columns.len() * BINS];
    let gathered: Vec<(f32, f32)> = rows.iter().map(|row| (slopes[*row as usize], weights[*row as usize])).collect();
    for (column, sums) in data.columns.iter().zip(histogram.chunks_exact_mut(BINS)) {
        let bins = &data.bins[*column as usize * data.rows..(*column as usize + 1) * data.rows];
        for (row, (slope, weight)) in rows.iter().zip(&gathered) {
            let sums = &mut sums[bins[*row as usize] as usize];
            sums.slope += f64::from(*slope);
            sums.weight += f64::from(*weight);
        }
    }
    histogram
}

fn find_split(data: Binned<'_>, histogram: &[Sums], all: Sums, growth: Growth) -> Option<Split> {
    let worth = |sums: Sums| sums.slope * sums.slope / (sums.weight + growth.shrinkage);
    let whole = worth(all);
    let mut best: Option<Split> = None;
    for (column, sums) in data.columns.iter().zip(histogram.chunks_exact(BINS)) {
        let column = *column as usize;
        let mut yes = Sums::default();
        for (bin, here) in sums.iter().enumerate() {
            yes = if data.is_amount[column] {
                Sums { slope: yes.slope + here.slope, weight: yes.weight + here.weight }
            } else {
                *here
            };
            let no = Sums { slope: all.slope - yes.slope, weight: all.weight - yes.weight };
            if here.weight <= 0.0 || yes.weight < growth.least || no.weight < growth.least {
                continue;
            }
            let gain = worth(yes) + worth(no) - whole;
            if gain > best.map_or(1e-9, |split| split.gain) {
                best = Some(Split { gain, column, bin: bin as u8, yes });
            }
        }
    }
    best
}

/// The leaf's score of every row, for a tree over bins.
pub fn walk_bins(tree: &Tree, data: Binned<'_>) -> Vec<f32> {
    (0..data.rows)
        .map(|row| {
            let mut node = 0;
            while let Ok(column) = usize::try_from(tree.value[node]) {
                let bin = f32::from(data.bins[column * data.rows + row]);
                let yes = {
                    let kind = if data.is_amount[column] { Kind::AtMost } else { Kind::Exactly };
                    kind.holds(bin, tree.at[node])
                };
                node = if yes { tree.yes[node] } else { tree.no[node] } as usize;
            }
            tree.score[node]
        })
        .collect()
}
