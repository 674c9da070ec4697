//! What the fuzzers begin with, and what they found, in `fuzz/seeds`: as it is, cut and changed.

#[path = "../../fuzz/kernels.rs"]
mod kernels;

use std::fs;
use std::path::Path;

/// Changed copies of each seed.
const CHANGED: u64 = 20;

fn replay(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(target);
    let mut seeds: Vec<_> =
        fs::read_dir(&folder).expect("a folder of seeds").map(|one| one.expect("a file").path()).collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "no seeds in {}", folder.display());
    let mut random = 1_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below.max(1)
    };
    for path in seeds {
        let seed = fs::read(&path).expect("a seed");
        println!("{}", path.display());
        run(&seed);
        for _ in 0..CHANGED {
            let mut changed = seed.clone();
            for _ in 0..=next(4) {
                let at = next(changed.len());
                match next(3) {
                    0 => changed.truncate(at),
                    1 => changed.insert(at.min(changed.len()), next(256) as u8),
                    _ => changed.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << next(8)),
                }
            }
            run(&changed);
        }
    }
}

#[test]
fn align_holds_for_its_seeds() {
    replay("align", kernels::align);
}

#[test]
fn html_holds_for_its_seeds() {
    replay("html", kernels::html);
}

#[test]
fn jsonl_holds_for_its_seeds() {
    replay("jsonl", kernels::jsonl);
}

#[test]
fn pieces_hold_for_their_seeds() {
    replay("pieces", kernels::pieces);
}

#[test]
fn segments_hold_for_their_seeds() {
    replay("segments", kernels::segments);
}

#[test]
fn text_holds_for_its_seeds() {
    replay("text", kernels::text);
}
