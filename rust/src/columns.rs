//! Columns of texts as numbers: what a table of millions of pairs is counted by.

use xxhash_rust::xxh3::xxh3_64;

use crate::Result;
use crate::shingles::check_offsets;

/// The xxh3-64 of each text; text i is `text[offsets[i]..offsets[i + 1]]`.
///
/// # Errors
/// When the offsets do not fit the text.
pub fn hash_texts(text: &[u8], offsets: &[i64]) -> Result<Vec<u64>> {
    each(text, offsets, xxh3_64)
}

/// The number that each text is, NaN where it is none; `true` is 1, `false` 0.
///
/// # Errors
/// When the offsets do not fit the text.
pub fn read_numbers(text: &[u8], offsets: &[i64]) -> Result<Vec<f64>> {
    each(text, offsets, |one| match one {
        b"true" => 1.0,
        b"false" => 0.0,
        _ => std::str::from_utf8(one).ok().and_then(|written| written.trim().parse().ok()).unwrap_or(f64::NAN),
    })
}

fn each<T>(text: &[u8], offsets: &[i64], read: impl Fn(&[u8]) -> T) -> Result<Vec<T>> {
    check_offsets(offsets, text.len(), "bytes")?;
    Ok(offsets.windows(2).map(|edges| read(&text[edges[0] as usize..edges[1] as usize])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_other_texts_are_none() {
        let read = read_numbers("0.5true x-3e2".as_bytes(), &[0, 3, 7, 9, 13, 13]).unwrap();
        assert_eq!((read[0], read[1], read[3]), (0.5, 1.0, -300.0));
        assert!(read[2].is_nan() && read[4].is_nan());
        assert!(read_numbers(b"1", &[0, 2]).is_err());
    }

    #[test]
    fn equal_texts_have_equal_hashes() {
        let hashes = hash_texts(b"abab", &[0, 2, 4, 4]).unwrap();
        assert_eq!((hashes[0], hashes[1]), (hashes[1], xxh3_64(b"ab")));
        assert_eq!(hashes[2], xxh3_64(b""));
    }
}
