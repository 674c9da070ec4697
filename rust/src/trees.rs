//! Regression trees over the values of blocks: what they add up to is a block's score in the conditional random field.
//!
//! A tree asks of one value after the other whether it is at most a threshold (an amount) or exactly one of a few (a
//! choice), and its leaf says how much that speaks for CONTENT. Trees are grown one after the other, each where those
//! before are most wrong (Friedman 2001; for conditional random fields Dietterich, Ashenfelter, Bulatov 2004),
//! best leaf first, over histograms of binned values. Cost of growing: rows × columns × the depth.

use std::array;

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

    /// The child of a node for a value; a missing amount is at most everything, and a choice is never missing.
    fn next(&self, node: usize, value: f32, is_amount: bool) -> usize {
        let at = self.at[node];
        let no = value > at || (!is_amount && value < at);
        if no { self.no[node] as usize } else { self.yes[node] as usize }
    }

    /// Checks that the arrays are a tree over this number of values.
    ///
    /// # Errors
    /// When they are not.
    pub fn check(&self, values: usize) -> Result<()> {
        let size = self.value.len();
        if size == 0 || [self.at.len(), self.yes.len(), self.no.len(), self.score.len()] != [size; 4] {
            return Err(Invalid("a tree's arrays: expected one entry a node".into()));
        }
        for node in 0..size {
            let Ok(value) = usize::try_from(self.value[node]) else { continue };
            if value >= values {
                return Err(Invalid(format!("a tree asks about value {value} of {values}")));
            }
            // Children come after their parents: no walk goes in circles.
            let (yes, no) = (self.yes[node] as usize, self.no[node] as usize);
            if yes <= node || no <= node || yes.max(no) >= size {
                return Err(Invalid(format!("node {node} of a tree goes on to nodes {yes} and {no} of {size}")));
            }
        }
        Ok(())
    }
}

/// A forest ready for use.
///
/// Not walked tree by tree, where every step waits for the one before (`QuickScorer`: Lucchese et al. 2015). Each question of any tree
/// that a row answers with no rules out the leaves below its yes; the first leaf that is left is where the walk would have
/// ended. Questions are put value by value, for some rows side by side, until no row can say no.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    trees: Vec<Tree>,
    groups: Vec<Group>,
    is_amount: Vec<bool>,
}

/// Trees whose questions fit into a cache together.
#[derive(Debug, Clone, Default)]
struct Group {
    questions: Vec<Question>,
    /// The scores of the leaves, from yes to no, [`MAX_LEAVES`] places a tree.
    scores: Vec<f32>,
}

/// No is what is above `most` or below `least`; a missing amount is neither, and a choice is never missing.
#[derive(Debug, Clone, Copy)]
struct Question {
    value: u32,
    most: f32,
    least: f32,
    tree: u32,
    /// The leaves of the tree that are left after a no.
    left: u32,
}

/// Leaves of a tree at most: a bit each.
pub const MAX_LEAVES: usize = 32;

/// Trees of a group.
const GROUP: usize = 200;

/// Rows that are asked side by side.
const LANES: usize = 8;

impl Forest {
    /// A forest over rows of `is_amount.len()` values.
    ///
    /// # Errors
    /// When a tree's arrays do not make a tree over such rows.
    pub fn new(trees: Vec<Tree>, is_amount: Vec<bool>) -> Result<Self> {
        let groups = trees.chunks(GROUP).map(|trees| Group::new(trees, &is_amount)).collect::<Result<_>>()?;
        Ok(Self { trees, groups, is_amount })
    }

    /// The sum of the trees' scores for each row.
    pub fn sums(&self, rows: &[f32]) -> Vec<f64> {
        let width = self.is_amount.len().max(1);
        let mut sums = vec![0.0; rows.len() / width];
        for group in &self.groups {
            for (sums, rows) in sums.chunks_mut(LANES).zip(rows.chunks(LANES * width)) {
                group.add(rows, width, sums);
            }
        }
        sums
    }

    /// What each value adds to the sum of a row: how the score changes on the walks where it is asked about.
    pub fn contributions(&self, row: &[f32]) -> Vec<f64> {
        let mut added = vec![0.0; row.len()];
        for tree in &self.trees {
            let mut node = 0;
            while let Ok(value) = usize::try_from(tree.value[node]) {
                let next = tree.next(node, row[value], self.is_amount[value]);
                added[value] += f64::from(tree.score[next] - tree.score[node]);
                node = next;
            }
        }
        added
    }
}

impl Group {
    fn new(trees: &[Tree], is_amount: &[bool]) -> Result<Self> {
        let mut questions = Vec::new();
        let mut scores = Vec::with_capacity(trees.len() * MAX_LEAVES);
        for (number, tree) in trees.iter().enumerate() {
            tree.check(is_amount.len())?;
            let from = scores.len();
            // Nodes to go to, the next one last; and behind the leaves of its yes, the question that rules them out.
            let mut open = vec![(0, None)];
            while let Some((node, asked)) = open.pop() {
                let leaf = scores.len() - from;
                if let Some((question, first)) = asked {
                    let question: &mut Question = &mut questions[question];
                    question.left = !(bits(leaf) & !bits(first));
                }
                let Ok(value) = u32::try_from(tree.value[node]) else {
                    scores.push(tree.score[node]);
                    continue;
                };
                if leaf + open.len() + 2 > MAX_LEAVES {
                    return Err(Invalid(format!("a tree has more than {MAX_LEAVES} leaves")));
                }
                let most = tree.at[node];
                let least = if is_amount[value as usize] { f32::NEG_INFINITY } else { most };
                open.push((tree.no[node] as usize, Some((questions.len(), leaf))));
                open.push((tree.yes[node] as usize, None));
                questions.push(Question { value, most, least, tree: number as u32, left: 0 });
            }
            scores.resize(from + MAX_LEAVES, 0.0);
        }
        questions.sort_by(|one, other| one.value.cmp(&other.value).then(one.most.total_cmp(&other.most)));
        Ok(Self { questions, scores })
    }

    /// Adds the scores of some rows, at most [`LANES`], to their sums.
    fn add(&self, rows: &[f32], width: usize, sums: &mut [f64]) {
        let mut left = [[u32::MAX; LANES]; GROUP];
        for questions in self.questions.chunk_by(|one, other| one.value == other.value) {
            let value = |lane: usize| rows[lane.min(sums.len() - 1) * width + questions[0].value as usize];
            ask(questions, &array::from_fn(value), &mut left);
        }
        for (left, scores) in left.iter().zip(self.scores.chunks_exact(MAX_LEAVES)) {
            for (sum, left) in sums.iter_mut().zip(left) {
                *sum += f64::from(scores[left.trailing_zeros() as usize % MAX_LEAVES]);
            }
        }
    }
}

/// Rules out leaves by all questions about one value. By itself, so that the compiler sees that lanes go side by side.
#[inline(never)]
fn ask(questions: &[Question], values: &[f32; LANES], left: &mut [[u32; LANES]]) {
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for question in questions {
        if question.most >= largest && question.least == f32::NEG_INFINITY {
            break;
        }
        let left = &mut left[question.tree as usize];
        for lane in 0..LANES {
            let no = u32::from(values[lane] > question.most) | u32::from(values[lane] < question.least);
            left[lane] &= question.left | no.wrapping_sub(1);
        }
    }
}

/// The lowest bits.
fn bits(number: usize) -> u32 {
    if number < MAX_LEAVES { (1 << number) - 1 } else { u32::MAX }
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

impl Sums {
    fn without(self, part: Self) -> Self {
        Self { slope: self.slope - part.slope, weight: self.weight - part.weight }
    }
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

/// A tree fitted to the slopes of the `chosen` rows. Its `at` holds bins, not yet values.
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
        let gain = |at: usize| leaves[at].best.map_or(f64::NEG_INFINITY, |split| split.gain);
        let Some(at) = (0..leaves.len()).max_by(|left, right| gain(*left).total_cmp(&gain(*right))) else { break };
        let Some(split) = leaves[at].best else { break };
        let leaf = leaves.swap_remove(at);
        let column = &data.bins[split.column * data.rows..(split.column + 1) * data.rows];
        let is_yes = |row: &u32| {
            let bin = column[*row as usize];
            if data.is_amount[split.column] { bin <= split.bin } else { bin == split.bin }
        };
        let (yes, no): (Vec<u32>, Vec<u32>) = leaf.rows.iter().partition(|row| is_yes(row));
        let no_sums = leaf.sums.without(split.yes);
        let smaller_is_yes = yes.len() < no.len();
        let smaller = sum_up(data, if smaller_is_yes { &yes } else { &no }, slopes, weights);
        let larger = leaf.histogram.iter().zip(&smaller).map(|(all, part)| all.without(*part)).collect();
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
            let no = all.without(yes);
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

/// The score of each row by a tree over bins.
pub fn walk_bins(tree: &Tree, data: Binned<'_>) -> Vec<f32> {
    (0..data.rows)
        .map(|row| {
            let mut node = 0;
            while let Ok(column) = usize::try_from(tree.value[node]) {
                node = tree.next(node, f32::from(data.bins[column * data.rows + row]), data.is_amount[column]);
            }
            tree.score[node]
        })
        .collect()
}
