//! What a first look at all blocks says about each: how likely its neighbours, its containers and its like are.

use super::containers::ALIKE;
use super::{LEVELS, Row, Sight, part};
use crate::html::NONE;
use crate::stems::ByHash;

/// What a first look at all blocks says about each.
pub struct Context<'a> {
    sight: &'a Sight<'a>,
    likely: &'a [f32],
    /// Expected words of CONTENT, and all words, before block i.
    before: Vec<(f32, f32)>,
    elements: Vec<(f32, f32)>,
    alike: [ByHash<(f32, f32)>; ALIKE.len()],
    main: [u32; 2],
    /// What is before each block, and what is after it.
    sides: [Side; 2],
}

/// What is on one side of each block.
struct Side {
    /// Blocks to the nearest likely one, and the words in between.
    nearest: Vec<(f32, f32)>,
    /// How likely the nearest long block is.
    texts: Vec<f32>,
    /// Words of the likely blocks that follow each other up to here.
    islands: Vec<f32>,
}

impl Side {
    /// Goes through the blocks in an order, that of the page or the reverse.
    fn of(sight: &Sight<'_>, likely: &[f32], order: impl Iterator<Item = usize>) -> Self {
        let blocks = sight.page.blocks.len();
        let mut side = Self {
            nearest: vec![(f32::NAN, f32::NAN); blocks],
            texts: vec![f32::NAN; blocks],
            islands: vec![0.0; blocks],
        };
        let (mut last, mut text, mut island): (Option<(usize, f32)>, _, _) = (None, f32::NAN, 0.0);
        for number in order {
            if let Some((at, words)) = last {
                side.nearest[number] = (at.abs_diff(number) as f32, words);
            }
            side.texts[number] = text;
            if sight.counts[number].is_long() {
                text = likely[number];
            }
            let words = sight.counts[number].words;
            if likely.get(number).is_some_and(|likely| *likely > 0.5) {
                last = Some((number, 0.0));
                island += words;
            } else {
                last = last.map(|(at, between)| (at, between + words));
                if last.is_some_and(|(at, between)| at.abs_diff(number) > 3 || between > 60.0) {
                    island = 0.0;
                }
            }
            side.islands[number] = island;
        }
        side
    }
}

impl<'a> Context<'a> {
    /// Sums up how likely each block was found.
    pub fn of(sight: &'a Sight<'a>, likely: &'a [f32]) -> Self {
        let blocks = &sight.page.blocks;
        let mut before = vec![(0.0, 0.0)];
        let mut elements = vec![(0.0, 0.0); sight.contents.len()];
        let mut alike: [ByHash<(f32, f32)>; ALIKE.len()] = Default::default();
        for (number, (block, likely)) in blocks.iter().zip(likely).enumerate() {
            let words = sight.counts[number].words;
            let add = |sums: &mut (f32, f32)| *sums = (sums.0 + likely * words, sums.1 + words);
            let mut next = before[number];
            add(&mut next);
            before.push(next);
            if let Some(content) = sight.contents.get(block.element as usize) {
                add(&mut elements[block.element as usize]);
                for (alike, key) in alike.iter_mut().zip(content.keys) {
                    add(alike.entry(key).or_default());
                }
            }
        }
        for number in (0..elements.len()).rev() {
            let parent = sight.page.elements[number].parent;
            if parent != NONE {
                let (inner, outer) = (elements[number], &mut elements[parent as usize]);
                *outer = (outer.0 + inner.0, outer.1 + inner.1);
            }
        }
        let total = before[blocks.len()].0;
        let main = [0.6, 0.85].map(|share| {
            let found = (0..elements.len()).rev().find(|element| total > 0.0 && elements[*element].0 >= share * total);
            found.map_or(NONE, |element| element as u32)
        });
        let sides = [Side::of(sight, likely, 0..blocks.len()), Side::of(sight, likely, (0..blocks.len()).rev())];
        Self { sight, likely, before, elements, alike, main, sides }
    }

    /// Adds the values of a block to its row.
    pub(super) fn describe(&self, number: usize, row: &mut Row<'_>) {
        let blocks = self.likely.len();
        let total = self.before[blocks].0;
        row.amount(format_args!("likely"), self.likely[number]);
        for step in [-3isize, -2, -1, 1, 2, 3] {
            let at = usize::try_from(number as isize + step).ok().and_then(|at| self.likely.get(at));
            row.amount(format_args!("likely {step}"), at.copied().unwrap_or(f32::NAN));
        }
        for reach in [2, 5, 12] {
            let (from, to) = (self.before[number.saturating_sub(reach)], self.before[(number + reach + 1).min(blocks)]);
            row.amount(format_args!("likely within {reach}"), part(to.0 - from.0, to.1 - from.1));
        }
        let element = self.sight.page.blocks[number].element;
        let chain: Vec<u32> = self.sight.ancestors(element).collect();
        for level in 0..=LEVELS {
            let element = chain.get(level).or(chain.last());
            let (content, words) = element.map_or((0.0, 0.0), |element| self.elements[*element as usize]);
            row.amount(format_args!("likely in {level}"), part(content, words));
            row.amount(format_args!("content in {level}"), part(content, total));
        }
        let keys = self.sight.contents.get(element as usize).map(|content| content.keys).unwrap_or_default();
        for ((name, alike), key) in ALIKE.iter().zip(&self.alike).zip(keys) {
            let (content, words) = alike.get(&key).copied().unwrap_or_default();
            row.amount(format_args!("likely at {name}"), part(content, words));
            row.amount(format_args!("content at {name}"), part(content, total));
        }
        row.amount(format_args!("content before"), part(self.before[number].0, total));
        row.amount(format_args!("content after"), part(total - self.before[number + 1].0, total));
        for (side, name) in self.sides.iter().zip(["before", "after"]) {
            row.amount(format_args!("to content {name}"), side.nearest[number].0);
            row.amount(format_args!("words to content {name}"), side.nearest[number].1);
            row.amount(format_args!("likely text {name}"), side.texts[number]);
        }
        row.amount(format_args!("island"), self.sides[0].islands[number] + self.sides[1].islands[number]);
        for (name, main) in ["most", "nearly all"].iter().zip(self.main) {
            row.choice(format_args!("levels to {name}"), self.sight.levels(element, main));
            row.choice(format_args!("place by {name}"), self.sight.place_by(number, main));
        }
    }
}
