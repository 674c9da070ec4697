//! Lists of who holds a key, or of the keys that someone holds.

/// An article, by rank, or a key, by number, with the weight of the one in the other.
pub(super) type Posting = (u32, f32);

/// Postings side by side: all weigh 1, if there are no weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Postings<'a> {
    pub(super) numbers: &'a [u32],
    pub(super) weights: &'a [f32],
}

impl<'a> Postings<'a> {
    pub(super) fn iter(self) -> impl Iterator<Item = Posting> + 'a {
        let weight = move |at| self.weights.get(at).copied().unwrap_or(1.0);
        self.numbers.iter().enumerate().map(move |(at, number)| (*number, weight(at)))
    }
}

/// Where a list starts, where its second part does, and where it ends.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    start: u32,
    split: u32,
    end: u32,
}

/// Lists of postings, concatenated.
#[derive(Debug, Default)]
pub(super) struct Lists {
    bounds: Vec<Bounds>,
    numbers: Vec<u32>,
    pub(super) weights: Vec<f32>,
}

impl Lists {
    /// Empty lists, each with room for as many postings as its size.
    pub(super) fn with_room(sizes: impl Iterator<Item = u32>, weighted: bool) -> Self {
        let mut room = 0;
        let place = |size: u32| {
            let start = room;
            room += size;
            Bounds { start, split: start, end: start }
        };
        let bounds = sizes.map(place).collect();
        Self { bounds, numbers: vec![0; room as usize], weights: vec![0.0; if weighted { room as usize } else { 0 }] }
    }

    /// Adds a posting to the second part of a list, or to the first while the second is empty.
    pub(super) fn push(&mut self, list: u32, (number, weight): Posting, first: bool) {
        let list = &mut self.bounds[list as usize];
        self.numbers[list.end as usize] = number;
        if let Some(place) = self.weights.get_mut(list.end as usize) {
            *place = weight;
        }
        list.end += 1;
        list.split += u32::from(first);
    }

    fn get(&self, start: u32, end: u32) -> Postings<'_> {
        let range = start as usize..end as usize;
        Postings { numbers: &self.numbers[range.clone()], weights: self.weights.get(range).unwrap_or_default() }
    }

    pub(super) fn all(&self, list: u32) -> Postings<'_> {
        let Bounds { start, end, .. } = self.bounds[list as usize];
        self.get(start, end)
    }

    pub(super) fn parts(&self, list: u32) -> [Postings<'_>; 2] {
        let Bounds { start, split, end } = self.bounds[list as usize];
        [self.get(start, split), self.get(split, end)]
    }

    pub(super) fn clear(&mut self, list: u32) {
        let list = &mut self.bounds[list as usize];
        (list.split, list.end) = (list.start, list.start);
    }
}
