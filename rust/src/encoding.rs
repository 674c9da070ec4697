//! The bytes of a page as text: which encoding they are in, and what they say in it.
//!
//! A byte order mark decides; else bytes that are valid UTF-8 are UTF-8, whatever was declared; else what the HTTP header
//! says, the page's own `meta`, and at last what the bytes look like. A declaration that more than a few bytes
//! contradict is not believed.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// A declaration stands in this much of the page's beginning.
const HEAD_BYTES: usize = 4096;

/// Detection looks at so many bytes from the first that is not ASCII: it is slow, and more would tell it nothing new.
const DETECTION_BYTES: usize = 1 << 18;

/// What ISO-2022-JP, all of ASCII, changes its alphabet with.
const ESCAPE: u8 = 0x1b;

/// A declared encoding is believed if at most one character in this many cannot be read in it.
const READABLE: usize = 100;

/// The text of a page; `declared` is the charset of its HTTP header.
pub fn decode<'a>(page: &'a [u8], declared: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(page) {
        return encoding.decode_without_bom_handling(&page[mark..]).0;
    }
    let head = &page[..page.len().min(HEAD_BYTES)];
    let label = declared.map(|label| label.as_bytes().to_vec()).or_else(|| in_meta(head));
    let named = label.and_then(|label| Encoding::for_label(&label));
    if named != Some(ISO_2022_JP)
        && let Ok(text) = std::str::from_utf8(page)
        && !looks_wide(head)
    {
        return Cow::Borrowed(text);
    }
    let guess = || {
        if looks_wide(head) {
            return if head[0] == 0 { UTF_16BE } else { UTF_16LE };
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        let telling = page.iter().position(|byte| !byte.is_ascii() || *byte == ESCAPE).unwrap_or(0);
        let looked_at = &page[telling..page.len().min(telling + DETECTION_BYTES)];
        detector.feed(looked_at, telling + looked_at.len() == page.len());
        detector.guess(None, Utf8Detection::Allow)
    };
    // Pages that say they are in UTF-16 in ASCII letters are not.
    let named =
        named.map(|encoding| if encoding.is_ascii_compatible() || encoding == ISO_2022_JP { encoding } else { UTF_8 });
    let Some(named) = named.filter(|_| !looks_wide(head)) else {
        return guess().decode_without_bom_handling(page).0;
    };
    let (text, broken) = named.decode_without_bom_handling(page);
    if !broken || unreadable(&text) * READABLE <= text.chars().filter(|letter| !letter.is_ascii()).count() {
        return text;
    }
    let guessed = guess().decode_without_bom_handling(page).0;
    if unreadable(&guessed) < unreadable(&text) { guessed } else { text }
}

fn unreadable(text: &str) -> usize {
    text.chars().filter(|letter| *letter == char::REPLACEMENT_CHARACTER).count()
}

/// Every other byte of an ASCII beginning is zero: UTF-16 without its mark.
fn looks_wide(head: &[u8]) -> bool {
    let head = &head[..head.len().min(64)];
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    head.len() >= 8 && zeros(0).abs_diff(zeros(1)) * 4 >= head.len()
}

/// The charset that the beginning of a page declares: `<meta charset>`, `http-equiv`, an XML declaration.
fn in_meta(head: &[u8]) -> Option<Vec<u8>> {
    let head = head.to_ascii_lowercase();
    let mut at = 0;
    while let Some(found) = head[at..].windows(7).position(|window| window == b"charset" || window == b"encodin") {
        at += found + 7;
        let rest = head[at..].strip_prefix(b"g").unwrap_or(&head[at..]).trim_ascii_start();
        let Some(rest) = rest.strip_prefix(b"=") else { continue };
        let rest = rest.trim_ascii_start();
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest).trim_ascii_start();
        let end =
            rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"-_:.".contains(byte)).unwrap_or(rest.len());
        if end > 0 {
            return Some(rest[..end].to_vec());
        }
    }
    None
}
