//! Which blocks of a page are the article: the models, and their plain format.
//!
//! `page` takes everything, scripts and styles too; `heuristic` every block; `maxent` (CE-SIMPLE) weighs the words of a
//! block, each by itself; `crf` (CE-BEST) all blocks of the page together. A model is a JSON object, described in
//! docs/extraction.md.

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::crf::{self, Transitions};
use crate::features::{self, Kind, Sight};
use crate::html::Reading;
use crate::stems::ByHash;
use crate::trees::{Forest, Tree};
use crate::{Invalid, Result};

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
    /// The blocks that were looked at again, and the rows of their values.
    again: (Vec<usize>, Vec<f32>),
}

impl Model {
    /// Reads a model from its JSON form.
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
                let blocks = sight.words().1.len() - 1;
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
                let mut scores = first.scores(&sight.values());
                let first: Vec<f32> = scores.iter().copied().map(likely).collect();
                let open: Vec<usize> = (0..first.len()).filter(|block| first[*block] >= *again).collect();
                let rows = sight.values_again(&first, &open);
                for (block, score) in open.iter().zip(second.scores(&rows)) {
                    scores[*block] = score;
                }
                Labels { content: crf::decode(&scores, transitions), scores, again: (open, rows) }
            }
        }
    }

    /// What speaks most for or against a block, with its share of the score: names of values, or words.
    pub fn reasons(&self, sight: &Sight<'_>, labels: &Labels, block: usize, most: usize) -> Vec<(String, f64)> {
        let mut reasons: Vec<(String, f64)> = match self {
            Self::Page | Self::Heuristic => Vec::new(),
            Self::Maxent { words, .. } => {
                let mut sums: Vec<(String, f64)> = Vec::new();
                for (word, spelt) in sight.spelt(block) {
                    let Some(weight) = words.get(&word) else { continue };
                    match sums.iter_mut().find(|sum| sum.0 == spelt) {
                        Some(sum) => sum.1 += weight,
                        None => sums.push((spelt, *weight)),
                    }
                }
                sums
            }
            Self::Crf { looks, .. } => {
                let (open, rows) = &labels.again;
                let (look, row) = match open.binary_search(&block) {
                    Ok(place) => (
                        &looks[1],
                        rows.chunks_exact(looks[1].names.len()).nth(place).map_or(Vec::new(), <[f32]>::to_vec),
                    ),
                    Err(_) => (&looks[0], sight.row(block)),
                };
                let added = look.forest.contributions(&row);
                look.names
                    .iter()
                    .zip(&row)
                    .zip(added)
                    .map(|((name, value), added)| (format!("{name} {value:.3}"), added))
                    .collect()
            }
        };
        reasons.retain(|reason| reason.1 != 0.0);
        reasons.sort_by(|left, right| right.1.abs().total_cmp(&left.1.abs()).then_with(|| left.0.cmp(&right.0)));
        reasons.truncate(most);
        reasons
    }
}

impl Look {
    fn parse(look: &Value, with_context: bool) -> Result<Self> {
        let known = features::names(with_context);
        let wanted: Vec<String> = strings(&look["values"])?;
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
        Ok(Self { bias: number(&look["bias"])?, forest: Forest::new(&trees, &is_amount)?, names })
    }

    fn scores(&self, values: &[f32]) -> Vec<f64> {
        self.forest.sums(values).into_iter().map(|sum| self.bias + sum).collect()
    }
}

fn parse_tree(tree: &Value, places: &[usize]) -> Result<Tree> {
    let place = |number: f64| -> Result<i32> {
        if number < 0.0 {
            return Ok(-1);
        }
        places.get(number as usize).map(|place| *place as i32).ok_or_else(|| missing("values"))
    };
    let nodes = |name: &str| numbers(&tree[name]).map_err(|_| missing(name));
    Ok(Tree {
        value: nodes("value")?.into_iter().map(place).collect::<Result<_>>()?,
        at: nodes("at")?.into_iter().map(|number| number as f32).collect(),
        yes: nodes("yes")?.into_iter().map(|number| number as u32).collect(),
        no: nodes("no")?.into_iter().map(|number| number as u32).collect(),
        score: nodes("score")?.into_iter().map(|number| number as f32).collect(),
    })
}

fn missing(name: &str) -> Invalid {
    Invalid(format!("not a model: `{name}` is missing or not what it should be; train it again"))
}

fn number(value: &Value) -> Result<f64> {
    value
        .as_f64()
        .filter(|number| number.is_finite())
        .ok_or_else(|| Invalid(format!("not a model: expected a number, got {value}")))
}

fn numbers(value: &Value) -> Result<Vec<f64>> {
    value.as_array().ok_or_else(|| missing("an array"))?.iter().map(number).collect()
}

fn strings(value: &Value) -> Result<Vec<String>> {
    let array = value.as_array().ok_or_else(|| missing("values"))?;
    array.iter().map(|one| one.as_str().map(str::to_owned).ok_or_else(|| missing("values"))).collect()
}
