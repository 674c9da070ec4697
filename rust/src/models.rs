//! Which blocks of a page are the article: the models, and their plain format.
//!
//! `page` takes everything, scripts and styles too; `heuristic` every block; `maxent` (CE-SIMPLE) weighs the words of a
//! block, each by itself; `crf` (CE-BEST) all blocks of the page together. A model is a JSON object, described in
//! docs/extraction.md.

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::crf::{self, Transitions};
use crate::features::context::Context;
use crate::features::{self, Kind, Sight};
use crate::html::Reading;
use crate::stems::ByHash;
use crate::trees::{Forest, Tree};
use crate::{Invalid, Result};

/// Rows of values that are scored at a time.
const ROWS: usize = 1024;

/// Log-odds, 1 in 50: a block with less is never taken, however little there is on a page.
const HOPELESS: f64 = -4.0;
/// The same where the blocks that are likelier than not are, word for word, at least this likely.
const NEARLY_EVEN: f64 = -0.2;
const SURE: f64 = 0.8;
const TURNS: usize = 20;

/// The number of the format.
pub const FORMAT: u64 = 1;

/// A model, ready for use.
#[derive(Debug)]
pub enum Model {
    /// The whole document.
    Page,
    /// Everything but scripts and styles.
    Heuristic,
    /// A weight a word.
    Maxent {
        /// By the word's hash.
        words: ByHash<f64>,
        /// What speaks for CONTENT before any word is read.
        bias: f64,
    },
    /// Trees that look at each block, trees that look again with what the first found, and the chain.
    Crf {
        /// First and second look.
        looks: Box<[Look; 2]>,
        /// How likely a block must be at the first look to be looked at again; others keep their score.
        again: f32,
        /// How well each label follows each.
        transitions: Transitions,
    },
}

/// Trees, and what their sum begins with.
#[derive(Debug)]
pub struct Look {
    bias: f64,
    forest: Forest,
    names: Vec<String>,
}

/// What a model says of the blocks of a page.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    /// Whether each is CONTENT.
    pub content: Vec<bool>,
    /// How much speaks for it: log-odds.
    pub scores: Vec<f64>,
    /// How likely each was found at a first look, by a model that looks twice.
    first: Vec<f32>,
}

impl Model {
    /// A model from its JSON form.
    ///
    /// # Errors
    /// When it is none, of another format, or asks for values that are not known.
    pub fn parse(json: &str) -> Result<Self> {
        let model: Value = serde_json::from_str(json).map_err(|error| Invalid(format!("not a model: {error}")))?;
        let format = model["wirecopy_model"].as_u64();
        if format != Some(FORMAT) {
            return Err(Invalid(format!("expected a model of format {FORMAT}, got {}", model["wirecopy_model"])));
        }
        match model["kind"].as_str() {
            Some("page") => Ok(Self::Page),
            Some("heuristic") => Ok(Self::Heuristic),
            Some("maxent") => {
                let words = model["words"].as_object().ok_or_else(|| missing("words"))?;
                let words = words.iter().map(|(word, weight)| Ok((xxh3_64(word.as_bytes()), number(weight)?)));
                Ok(Self::Maxent { words: words.collect::<Result<_>>()?, bias: number(&model["bias"])? })
            }
            Some("crf") => {
                let looks =
                    model["looks"].as_array().filter(|looks| looks.len() == 2).ok_or_else(|| missing("looks"))?;
                let transition = |from: usize, to: usize| number(&model["transitions"][from][to]);
                Ok(Self::Crf {
                    looks: Box::new([Look::parse(&looks[0], false)?, Look::parse(&looks[1], true)?]),
                    again: number(&model["again"])? as f32,
                    transitions: [[transition(0, 0)?, transition(0, 1)?], [transition(1, 0)?, transition(1, 1)?]],
                })
            }
            other => Err(Invalid(format!(
                "expected a model page, heuristic, maxent or crf, got {}",
                other.unwrap_or("none")
            ))),
        }
    }

    /// How it reads a page.
    pub fn reading(&self) -> Reading {
        if matches!(self, Self::Page) { Reading::Whole } else { Reading::Rendered }
    }

    /// The labels of a page's blocks.
    pub fn label(&self, sight: &Sight<'_>) -> Labels {
        match self {
            Self::Page | Self::Heuristic => {
                let blocks = sight.blocks();
                Labels { content: vec![true; blocks], scores: vec![0.0; blocks], ..Labels::default() }
            }
            Self::Maxent { words, bias } => {
                let (found, offsets) = sight.words();
                let score = |ends: &[usize]| {
                    let weights = found[ends[0]..ends[1]].iter().filter_map(|word| words.get(&word.hash));
                    bias + weights.sum::<f64>()
                };
                let scores: Vec<f64> = offsets.windows(2).map(score).collect();
                Labels { content: scores.iter().map(|score| *score > 0.0).collect(), scores, ..Labels::default() }
            }
            Self::Crf { looks, again, transitions } => {
                let [first, second] = &**looks;
                let likely = |score: f64| (1.0 / (1.0 + (-score).exp())) as f32;
                let mut scores = first.scores(sight, &(0..sight.blocks()).collect::<Vec<_>>(), None);
                let first: Vec<f32> = scores.iter().copied().map(likely).collect();
                let open: Vec<usize> = (0..first.len()).filter(|block| first[*block] >= *again).collect();
                let context = Context::of(sight, &first);
                for (block, score) in open.iter().zip(second.scores(sight, &open, Some(&context))) {
                    scores[*block] = score;
                }
                let least = least_score(sight, &scores);
                let above: Vec<f64> = scores.iter().map(|score| score - least).collect();
                let content = crf::decode(&above, transitions);
                Labels { content, scores, first }
            }
        }
    }

    /// The reasons that add most to the score of each block, for or against, with what they add: names of values, or words.
    pub fn reasons(&self, sight: &Sight<'_>, labels: &Labels, most: usize) -> Vec<Vec<(String, f64)>> {
        let blocks = labels.content.len();
        match self {
            Self::Page | Self::Heuristic => vec![Vec::new(); blocks],
            Self::Maxent { words, .. } => {
                let of_block = |block: usize| {
                    let mut sums: ByHash<(String, f64)> = ByHash::default();
                    for (word, spelt) in sight.spelt(block) {
                        let Some(weight) = words.get(&word) else { continue };
                        sums.entry(word).or_insert((spelt, 0.0)).1 += weight;
                    }
                    strongest(sums.into_values().collect(), most)
                };
                (0..blocks).map(of_block).collect()
            }
            Self::Crf { looks, again, .. } => {
                let context = Context::of(sight, &labels.first);
                let of_block = |block: usize| {
                    let (look, context) = if labels.first[block] >= *again { (1, Some(&context)) } else { (0, None) };
                    let row = sight.rows(&[block], context);
                    let added = looks[look].forest.contributions(&row).into_iter().enumerate();
                    let named = strongest(added.collect(), most).into_iter();
                    named
                        .map(|(value, added)| (format!("{} {:.3}", looks[look].names[value], row[value]), added))
                        .collect()
                };
                (0..blocks).map(of_block).collect()
            }
        }
    }
}

/// What a block must score to be taken, in log-odds, so that the F of the page's words can be expected to be highest.
///
/// The best set is that of all blocks likelier than half the F it reaches (Lewis 1995; Lipton, Elkan, Narayanaswamy 2014): where all is
/// clear, of all that are about even and better; where a page has nothing but weak candidates, also of these. Found by turns: the
/// F of a set, the set above half of it; each turn is no worse than the one before.
///
/// This supposes that blocks are mistaken each for itself, which those of one page are not. So where most of what is likelier than
/// not is sure, the page is none of doubt, and nothing far from even is taken.
fn least_score(sight: &Sight<'_>, scores: &[f64]) -> f64 {
    let blocks: Vec<(f64, f64)> = (0..scores.len())
        .map(|block| (1.0 / (1.0 + (-scores[block]).exp()), f64::from(sight.block_words(block))))
        .collect();
    let expected: f64 = blocks.iter().map(|(likely, words)| likely * words).sum();
    let mut least = 0.5;
    for _ in 0..TURNS {
        let taken = blocks.iter().filter(|(likely, _)| *likely > least);
        let (hits, words) = taken.fold((0.0, 0.0), |sums, (likely, words)| (sums.0 + likely * words, sums.1 + words));
        let half = if hits > 0.0 { hits / (words + expected) } else { least / 2.0 };
        if (half - least).abs() < 1e-6 {
            break;
        }
        least = half;
    }
    let better = blocks.iter().filter(|(likely, _)| *likely > 0.5);
    let (hits, words) = better.fold((0.0, 0.0), |sums, (likely, words)| (sums.0 + likely * words, sums.1 + words));
    let floor = if hits > SURE * words { NEARLY_EVEN } else { HOPELESS };
    (least / (1.0 - least)).ln().max(floor)
}

/// The largest, whatever their sign, the largest first.
fn strongest<T: Ord>(mut reasons: Vec<(T, f64)>, most: usize) -> Vec<(T, f64)> {
    let order =
        |left: &(T, f64), right: &(T, f64)| right.1.abs().total_cmp(&left.1.abs()).then_with(|| left.0.cmp(&right.0));
    reasons.retain(|reason| reason.1 != 0.0);
    if reasons.len() > most {
        reasons.select_nth_unstable_by(most, order);
        reasons.truncate(most);
    }
    reasons.sort_unstable_by(order);
    reasons
}

impl Look {
    fn parse(look: &Value, with_context: bool) -> Result<Self> {
        let known = features::names(with_context);
        let wanted = array(look, "values", |name| name.as_str().map(str::to_owned))?;
        let place = |name: &String| {
            known
                .iter()
                .position(|known| known.0 == *name)
                .ok_or_else(|| Invalid(format!("the model asks for a value this version does not know: {name}")))
        };
        let places: Vec<usize> = wanted.iter().map(place).collect::<Result<_>>()?;
        let trees = look["trees"].as_array().ok_or_else(|| missing("trees"))?;
        let trees: Vec<Tree> = trees.iter().map(|tree| parse_tree(tree, &places)).collect::<Result<_>>()?;
        let is_amount: Vec<bool> = known.iter().map(|known| known.1 == Kind::Amount).collect();
        let names = known.into_iter().map(|known| known.0).collect();
        Ok(Self { bias: number(&look["bias"])?, forest: Forest::new(trees, is_amount)?, names })
    }

    fn scores(&self, sight: &Sight<'_>, blocks: &[usize], context: Option<&Context<'_>>) -> Vec<f64> {
        // Not all rows at once: a page may have many.
        let some = blocks.chunks(ROWS).flat_map(|some| self.forest.sums(&sight.rows(some, context)));
        some.map(|sum| self.bias + sum).collect()
    }
}

fn parse_tree(tree: &Value, places: &[usize]) -> Result<Tree> {
    let place = |number: &Value| match number.as_i64()? {
        -1 => Some(-1),
        number => Some(*places.get(usize::try_from(number).ok()?)? as i32),
    };
    let node = |number: &Value| u32::try_from(number.as_u64()?).ok();
    let score = |value: &Value| number(value).ok().map(|score| score as f32);
    let real = |number: &Value| Some(number.as_f64()? as f32).filter(|number| number.is_finite());
    Ok(Tree {
        value: array(tree, "value", place)?,
        at: array(tree, "at", real)?,
        yes: array(tree, "yes", node)?,
        no: array(tree, "no", node)?,
        score: array(tree, "score", score)?,
    })
}

fn array<T>(object: &Value, name: &str, read: impl FnMut(&Value) -> Option<T>) -> Result<Vec<T>> {
    let array = object[name].as_array().and_then(|array| array.iter().map(read).collect());
    array.ok_or_else(|| missing(name))
}

fn missing(name: &str) -> Invalid {
    Invalid(format!("not a model: `{name}` is missing or not what it should be; train it again"))
}

/// No weight is larger, so that no sum of them is infinite.
const MAX_WEIGHT: f64 = 1e6;

fn number(value: &Value) -> Result<f64> {
    let refuse = |bounds: &str| Invalid(format!("not a model: expected a number{bounds}, got {value}"));
    let number = value.as_f64().ok_or_else(|| refuse(""))?;
    let fits = number.abs() <= MAX_WEIGHT;
    fits.then_some(number).ok_or_else(|| refuse(&format!(" from -{MAX_WEIGHT} to {MAX_WEIGHT}")))
}
