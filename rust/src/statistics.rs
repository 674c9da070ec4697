//! In how many articles each word occurs.

use crate::Result;
use crate::shingles::check_offsets;

/// The distinct words of a batch, sorted, and the number of articles that hold each.
///
/// One look-up a word: an open table keyed by the word hash, which is uniform already, remembers the last article that
/// held the word.
///
/// # Errors
/// When the offsets do not fit the words.
pub fn count_articles(hashes: &[u64], offsets: &[i64]) -> Result<(Vec<u64>, Vec<u32>)> {
    check_offsets(offsets, hashes.len(), "words")?;
    let mut table = vec![Slot::default(); 1 << 10];
    let mut filled = 0;
    for (article, bounds) in (1..).zip(offsets.windows(2)) {
        for hash in &hashes[bounds[0] as usize..bounds[1] as usize] {
            let slot = find(&mut table, *hash);
            if slot.last == article {
                continue;
            }
            filled += usize::from(slot.articles == 0);
            *slot = Slot { hash: *hash, articles: slot.articles + 1, last: article };
            if filled * 2 > table.len() {
                let mut wider = vec![Slot::default(); table.len() * 4];
                for slot in table.into_iter().filter(|slot| slot.articles > 0) {
                    *find(&mut wider, slot.hash) = slot;
                }
                table = wider;
            }
        }
    }
    table.retain(|slot| slot.articles > 0);
    table.sort_unstable_by_key(|slot| slot.hash);
    Ok(table.into_iter().map(|slot| (slot.hash, slot.articles)).unzip())
}

#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u64,
    /// 0: the slot is free.
    articles: u32,
    last: u32,
}

/// The slot of a word, or the free one where it belongs. The table always has free slots.
fn find(table: &mut [Slot], hash: u64) -> &mut Slot {
    let mask = table.len() - 1;
    let mut place = hash as usize & mask;
    while table[place].articles > 0 && table[place].hash != hash {
        place = (place + 1) & mask;
    }
    &mut table[place]
}
