//! What must hold of the kernels whatever bytes they are given. Run by the fuzzers here, and over the seeds by
//! `rust/tests/seeds.rs`.
#![allow(dead_code)]

use std::sync::LazyLock;

use wirecopy_core::align::{Asked, Comparison, Filling, SHINGLE_WORDS, Settings, compare};
use wirecopy_core::boilerplate::Formulas;
use wirecopy_core::cells::Texts;
use wirecopy_core::extract::{Received, Wanted, extract};
use wirecopy_core::html::Limits;
use wirecopy_core::jsonl::{MAX_REASONS, Names, Records, read_jsonl};
use wirecopy_core::metadata::Known;
use wirecopy_core::models::Model;
use wirecopy_core::pieces;
use wirecopy_core::postings::SHARDS;
use wirecopy_core::runs::Run;
use wirecopy_core::segments::{Seal, Segment, block_sums, merge};
use wirecopy_core::shingles::{Batch, mix_shingles};
use wirecopy_core::slots::Rule;
use wirecopy_core::text::{View, Want, tokenise};

/// Words stand in the text in rising order, and an article's words do not depend on what is read beside it.
pub fn text(data: &[u8]) {
    let Some((kind, text)) = data.split_first() else { return };
    let view = View {
        diacritics: kind & 1 == 0,
        sentences: [None, Some(String::new()), Some(".".into()), Some("。!".into())][usize::from(kind >> 1 & 3)]
            .clone(),
        stopwords: ["", "en", "de", "the, a"][usize::from(kind >> 3 & 3)].into(),
        stemmer: ["", "english", "german", "porter"][usize::from(kind >> 5 & 3)].into(),
    };
    let kinds = view.stemmer.is_empty() && view.stopwords.is_empty();
    let want = Want { spans: true, words: true, kinds };
    let end = text.len() as i64;
    let Ok(alone) = tokenise(text, &[0, end], &view, want) else { return };
    let twice = [text, text].concat();
    let both = tokenise(&twice, &[0, end, 2 * end], &view, want).expect("what is read once is read twice");
    let words = alone.hashes.len();
    assert_eq!(both.hashes[..words], alone.hashes[..]);
    assert_eq!(both.hashes[words..], alone.hashes[..]);
    let characters = String::from_utf8_lossy(text).chars().count();
    let (starts, ends) = alone.spans.expect("asked for");
    assert!(starts.windows(2).all(|pair| pair[0] <= pair[1]));
    assert!(starts.iter().zip(&ends).all(|(start, end)| start < end && *end as usize <= characters));
}

/// Passages are within the articles, and swapping these swaps the answer.
pub fn align(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let (mut hashes, mut halves, mut offsets) = (Vec::new(), Vec::new(), vec![0_i64]);
    for article in data.split(|byte| *byte == 255).take(4) {
        // Few words, so that they meet; by the kind also such as fall on one place of an index.
        hashes.extend(article.iter().map(|byte| u64::from(*byte) << (if kind & 1 == 1 { 32 } else { 0 })));
        halves.extend(article.iter().map(|byte| if kind & 2 == 2 { 1 + byte % 2 } else { 2 }));
        offsets.push(hashes.len() as i64);
    }
    let rows = offsets.len() as u32 - 1;
    let pairs = (0..rows).flat_map(|query| (0..rows).map(move |found| (query, found)));
    let (queries, founds): (Vec<u32>, Vec<u32>) = pairs.unzip();
    let settings = [6, 3].map(|seed_words| Settings {
        seed_words,
        bridged_words: usize::from(kind >> 2),
        min_passage_words: 2 * seed_words,
        covered: 0.8,
        gap_words_a_word: 4,
    });
    let batch = Batch { hashes: &hashes, offsets: &offsets, halves: Some(&halves) };
    let formulas = Formulas::new(&hashes[..hashes.len().min(2)], 3);
    let kinds: Vec<u8> = hashes.iter().map(|hash| (hash.count_ones() % 3) as u8).collect();
    let rule = Rule { slot_words: 8, edge_words: 3, before_words: 2, after_words: 1, inner_words: 2 };
    let filling = Filling { kinds: &kinds, values: &hashes, rule };
    let asked = Asked { slots: Some(filling), runs: true, trace: true };
    let compared = compare(batch, &formulas, &queries, &founds, &settings, asked).expect("columns that fit");
    let of = |query: u32, found: u32| &compared.pairs[(query * rows + found) as usize];
    for (query, found) in queries.iter().zip(&founds) {
        let one = of(*query, *found);
        let words = |row: u32| (offsets[row as usize + 1] - offsets[row as usize]) as u32;
        for passage in &one.passages {
            assert!(passage.query.0 < passage.query.1 && passage.query.1 <= words(*query));
            assert!(passage.found.0 < passage.found.1 && passage.found.1 <= words(*found));
        }
        assert!(
            [one.query_covered, one.found_covered, one.resemblance].iter().all(|share| (0.0..=1.0).contains(share))
        );
        assert_eq!(one.slots.len(), one.passages.len());
        assert_eq!(one.runs.len(), one.passages.len());
        for (passage, runs) in one.passages.iter().zip(&one.runs) {
            let equal = |run: &Run| {
                let [mine, theirs] = [(*query, run.query), (*found, run.found)].map(|(row, at)| {
                    let start = offsets[row as usize] as usize + at;
                    start..start + run.len
                });
                assert_eq!(hashes[mine.clone()], hashes[theirs]);
                halves[mine].iter().map(|half| u32::from(*half)).sum::<u32>()
            };
            assert_eq!(runs.iter().map(equal).sum::<u32>().div_ceil(2), passage.words);
            assert!(
                runs.windows(2).all(|two| {
                    two[0].query + two[0].len <= two[1].query && two[0].found + two[0].len <= two[1].found
                })
            );
        }
        let other: &Comparison = of(*found, *query);
        let count = |one: &Comparison| {
            one.slots
                .iter()
                .map(|slots| (slots.same, slots.other.len()))
                .fold((0, 0), |sum, mine| (sum.0 + mine.0, sum.1 + mine.1))
        };
        assert_eq!(count(one), count(other));
        let mut turned: Vec<_> = other.passages.iter().map(|passage| (passage.found, passage.query)).collect();
        turned.sort_unstable();
        let straight: Vec<_> = one.passages.iter().map(|passage| (passage.query, passage.found)).collect();
        assert_eq!(straight, turned);
        assert!(one.identical == other.identical && one.resemblance.to_bits() == other.resemblance.to_bits());
    }
}

/// Laid over both texts, pieces cover every character once; swapping the texts swaps them.
pub fn pieces(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(data);
    let half = text.char_indices().map(|(at, _)| at).nth(text.chars().count() / 2).unwrap_or(0);
    let offsets = [0, half as i64, text.len() as i64];
    let view = View { diacritics: true, sentences: None, stopwords: String::new(), stemmer: String::new() };
    let Ok(tokens) = tokenise(text.as_bytes(), &offsets, &view, Want { spans: true, words: false, kinds: false })
    else {
        return;
    };
    let (starts, ends) = tokens.spans.as_ref().expect("asked for");
    let batch = Batch { hashes: &tokens.hashes, offsets: &tokens.offsets, halves: tokens.halves.as_deref() };
    let texts = Texts { batch, starts, ends, text: text.as_bytes(), offsets: &offsets };
    let settings = [2, 1].map(|seed_words| Settings {
        seed_words,
        bridged_words: usize::from(kind >> 5),
        min_passage_words: 1 + usize::from(kind >> 2 & 7),
        covered: 0.8,
        gap_words_a_word: 4,
    });
    let common = mix_shingles(&tokens.hashes, None, SHINGLE_WORDS);
    let formulas = Formulas::new(&common[..common.len().min(usize::from(*kind & 1))], 3);
    let rule = pieces::Rule { minor_words: 1 + usize::from(kind & 3), utf16: true };
    let laid = pieces::lay(texts, &formulas, [&[0, 1], &[1, 0]], &settings, rule).expect("columns that fit");
    let whole = [&text[..half], &text[half..]].map(|part| part.encode_utf16().count());
    for (pair, sides) in [[0, 1], [1, 0]].into_iter().enumerate() {
        let own = laid.offsets[pair] as usize..laid.offsets[pair + 1] as usize;
        for (side, row) in sides.into_iter().enumerate() {
            let edges = own.clone().map(|at| (laid.edges[2 * side][at], laid.edges[2 * side + 1][at]));
            let mut spans: Vec<_> = edges.filter(|span| span.0 < span.1).collect();
            spans.sort_unstable();
            let reached = spans.iter().fold(0, |at, span| {
                assert_eq!(span.0, at);
                span.1
            });
            assert_eq!(reached as usize, whole[row]);
        }
    }
    let mut swapped: Vec<_> = (laid.offsets[1] as usize..laid.offsets[2] as usize)
        .map(|at| [2, 3, 0, 1].map(|edge| laid.edges[edge][at]))
        .collect();
    let mut straight: Vec<_> =
        (0..laid.offsets[1] as usize).map(|at| [0, 1, 2, 3].map(|edge| laid.edges[edge][at])).collect();
    swapped.sort_unstable();
    straight.sort_unstable();
    assert_eq!(straight, swapped);
}

/// Bytes with the right checksums are a segment or refused; one that can be read is merged to the same postings.
pub fn segments(data: &[u8]) {
    let seal = Seal::new(block_sums(data));
    let Ok(segment) = Segment::new(data, &seal) else { return };
    let (Ok(rows), Ok(_)) = (segment.rows(), segment.words()) else { return };
    let shards: Result<Vec<_>, _> = (0..SHARDS).map(|shard| segment.shard(shard)).collect();
    let keys: Vec<u64> =
        data.chunks_exact(8).take(64).map(|key| u64::from_le_bytes(key.try_into().expect("8"))).collect();
    let found = segment.look_up(&keys);
    let kept = vec![true; rows.len()];
    if let (Ok(_), Ok(_), Ok(merged)) = (shards, found, merge(&[segment], &[&kept], None)) {
        let seal = Seal::new(block_sums(&merged));
        let again = Segment::new(&merged, &seal).expect("what was written can be read");
        assert_eq!(again.rows().expect("rows"), rows);
        (0..SHARDS).for_each(|shard| drop(again.shard(shard).expect("a shard")));
    }
}

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    Model::parse(include_str!("../src/wirecopy/extraction/models/crf.json")).expect("the model that ships")
});

/// A page gives its text and every block, of which the text is made, or is refused.
pub fn html(data: &[u8]) {
    let limits = Limits { bytes: 1 << 20, tags: 1 << 16 };
    let known = Known::default();
    let given =
        Received { content: data, charset: None, url: Some("https://a.example/b"), received: Some(0), known: &known };
    let Ok(extracted) = extract(given, &MODEL, Wanted { min_block_words: 0.0, blocks: true, limits }) else { return };
    let texts: Vec<&str> =
        extracted.blocks.iter().filter(|block| block.content).map(|block| block.text.as_str()).collect();
    assert_eq!(extracted.text, texts.join("\n\n"));
}

/// Lines read together are the lines read one by one.
pub fn jsonl(data: &[u8]) {
    let name = |name: &str| vec![name.to_owned()];
    let (text, id, published, about) = (name("text"), name("id"), name("date"), [name("title"), name("authors")]);
    let names = Names { text: &text, id: &id, published: &published, about: &about };
    let mut together = read_jsonl(data, names, 1 << 16);
    assert!(String::from_utf8(together.text.clone()).is_ok());
    assert!(together.offsets.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!(together.offsets.len(), together.ids.len() + 1);
    let mut alone = Records { offsets: vec![0], about: vec![Vec::new(); 2], ..Records::default() };
    for (number, line) in data.split(|byte| *byte == b'\n').enumerate() {
        let one = read_jsonl(line, names, 1 << 16);
        let (row, start) = (alone.ids.len(), alone.text.len() as i64);
        alone.text.extend(&one.text);
        alone.offsets.extend(one.offsets[1..].iter().map(|offset| start + offset));
        alone.ids.extend(one.ids);
        alone.published.extend(one.published);
        alone.other_dates.extend(one.other_dates.into_iter().map(|(at, date)| (row + at, date)));
        alone.about.iter_mut().zip(one.about).for_each(|(all, more)| all.extend(more));
        alone.lines.extend(one.lines.iter().map(|line| number as i64 + line));
        alone.bad.lines.extend(one.bad.lines.iter().map(|line| number as i64 + line));
        for reason in one.bad.reasons {
            let there = alone.bad.reasons.iter().position(|known| *known == reason);
            alone.bad.which.push(there.unwrap_or(alone.bad.reasons.len()) as u32);
            if there.is_none() {
                alone.bad.reasons.push(reason);
            }
        }
    }
    assert!(together.bad.reasons.len() <= 2 * MAX_REASONS);
    if alone.bad.reasons.len() > MAX_REASONS {
        together.bad.reasons.clone_from(&alone.bad.reasons);
        together.bad.which.clone_from(&alone.bad.which);
    }
    assert_eq!(together, alone);
}
