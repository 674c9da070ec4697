//! The bytes of a page as text: which encoding they are in, and what they say in it.
//!
//! A byte order mark decides; else bytes that are valid UTF-8 are UTF-8, whatever was declared; else what the HTTP header
//! says, the page's own `meta`, and UTF-8 where neither names an encoding. What more than a few bytes contradict is not
//! believed: then it is what the bytes look like.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use memchr::memmem;

/// A declaration stands in this much of the page's beginning.
const HEAD_BYTES: usize = 4096;

/// Detection looks at so many bytes from the first that is not ASCII: it is slow, and more would tell it nothing new.
const DETECTION_BYTES: usize = 1 << 18;

/// What ISO-2022-JP, whose bytes are all ASCII, changes to Japanese with.
const SHIFT: &[u8] = b"\x1b$";

/// A declared encoding is believed if at most one character in this many cannot be read in it; of UTF-8, which bytes meant as
/// something else hardly ever are, in fewer.
const READABLE: usize = 100;
const READABLE_UTF_8: usize = 4;

/// The bytes of a page as text. `declared` is the charset in its HTTP header.
pub fn decode<'a>(page: &'a [u8], declared: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(page) {
        return encoding.decode_without_bom_handling(&page[mark..]).0;
    }
    let head = &page[..page.len().min(HEAD_BYTES)];
    if looks_wide(head) {
        return if head[0] == 0 { UTF_16BE } else { UTF_16LE }.decode_without_bom_handling(page).0;
    }
    let named = declared.and_then(|label| Encoding::for_label(label.as_bytes())).or_else(|| in_meta(head));
    let named = named.or_else(|| memmem::find(page, SHIFT).map(|_| ISO_2022_JP)).unwrap_or(UTF_8);
    if named != ISO_2022_JP
        && let Ok(text) = std::str::from_utf8(page)
    {
        return Cow::Borrowed(text);
    }
    // Pages that say they are in UTF-16 in ASCII letters are not.
    let named = if named.is_ascii_compatible() || named == ISO_2022_JP { named } else { UTF_8 };
    let (text, broken) = named.decode_without_bom_handling(page);
    let readable = if named == UTF_8 { READABLE_UTF_8 } else { READABLE };
    if !broken || unreadable(&text) * readable <= text.chars().filter(|letter| !letter.is_ascii()).count() {
        return text;
    }
    let guessed = guess(page).decode_without_bom_handling(page).0;
    if unreadable(&guessed) < unreadable(&text) { guessed } else { text }
}

/// What the bytes look like.
fn guess(page: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let telling = page.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let looked_at = &page[telling..page.len().min(telling + DETECTION_BYTES)];
    detector.feed(looked_at, telling + looked_at.len() == page.len());
    detector.guess(None, Utf8Detection::Allow)
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
fn in_meta(head: &[u8]) -> Option<&'static Encoding> {
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
        if let Some(encoding) = Encoding::for_label(&rest[..end]) {
            return Some(encoding);
        }
    }
    None
}
