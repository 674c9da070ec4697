//! The scanner beside `html5gum`, which follows the standard to the letter; and what a page says that never closes.

#![allow(clippy::format_push_string)]

use std::collections::BTreeMap;

use html5gum::{Error, State, Token as Gum, Tokenizer};
use wirecopy_core::scan::{Scanner, Token};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Start(String, BTreeMap<String, String>, bool),
    End(String),
}

/// Texts joined, line ends and NUL as the standard's first pass leaves them.
fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match (piece, pieces.last_mut()) {
        (Piece::Text(text), Some(Piece::Text(before))) => before.push_str(&text),
        (Piece::Text(text), _) if text.is_empty() => {}
        (piece, _) => pieces.push(piece),
    }
}

fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}")
}

fn scanned(html: &str) -> Vec<Piece> {
    let (mut pieces, mut started) = (Vec::new(), String::new());
    let mut scanner = Scanner::new(html);
    while let Some(token) = scanner.next() {
        match token {
            Token::Text(text) => push(&mut pieces, Piece::Text(plain(&htmlize::unescape(text)))),
            Token::Raw(text) => {
                let has_references = started == "title" || started == "textarea";
                let text = if has_references { htmlize::unescape(text) } else { text.into() };
                push(&mut pieces, Piece::Text(plain(&text)));
                push(&mut pieces, Piece::End(started.clone()));
            }
            Token::Start(name) => {
                started = plain(&name.to_ascii_lowercase());
                let mut attributes = BTreeMap::new();
                for (name, value) in scanner.attributes() {
                    let value = plain(&htmlize::unescape_attribute(*value));
                    attributes.entry(plain(&name.to_ascii_lowercase())).or_insert(value);
                }
                push(&mut pieces, Piece::Start(started.clone(), attributes, scanner.self_closing()));
            }
            Token::End(name) => push(&mut pieces, Piece::End(plain(&name.to_ascii_lowercase()))),
        }
    }
    pieces
}

/// What the standard says; None if something never closes, or runs on over tags into another one.
fn standard(html: &str) -> Option<Vec<Piece>> {
    let text = |bytes: &[u8]| plain(&String::from_utf8_lossy(bytes));
    let mut pieces = Vec::new();
    let mut open = None;
    let mut tokens = Tokenizer::new(html);
    while let Some(Ok(token)) = tokens.next() {
        match token {
            Gum::String(string) => push(&mut pieces, Piece::Text(text(&string))),
            Gum::StartTag(tag) => {
                let name = text(&tag.name);
                let state = match name.as_str() {
                    "title" | "textarea" => Some(State::RcData),
                    "script" => Some(State::ScriptData),
                    "style" | "iframe" | "noembed" | "noframes" | "xmp" => Some(State::RawText),
                    _ => None,
                };
                if let Some(state) = state {
                    tokens.set_state(state);
                    open = Some(name.clone());
                }
                let attributes: BTreeMap<_, _> =
                    tag.attributes.iter().map(|(name, value)| (text(name), text(value))).collect();
                if attributes.values().any(|value| value.contains('<') && value.trim_end().ends_with('=')) {
                    return None;
                }
                push(&mut pieces, Piece::Start(name, attributes, tag.self_closing));
            }
            Gum::EndTag(tag) => {
                if let (Some(kind), Some(Piece::Text(content))) = (open.take(), pieces.last()) {
                    let content = content.to_lowercase();
                    let breaks = ["<p", "</p", "<div", "</div", "<br", "</br"];
                    let holds_markup = breaks.iter().map(|tag| content.matches(tag).count()).sum::<usize>() > 2;
                    let begins = content.trim_start().starts_with('<') && kind == "script";
                    if holds_markup && (kind == "title" || begins || content.contains(&format!("<{kind}"))) {
                        return None;
                    }
                }
                push(&mut pieces, Piece::End(text(&tag.name)));
            }
            Gum::Error(error) => match error.value {
                Error::EofInTag
                | Error::EofInComment
                | Error::EofInDoctype
                | Error::EofInScriptHtmlCommentLikeText
                | Error::EofInCdata
                | Error::MissingWhitespaceBetweenAttributes
                | Error::DuplicateAttribute
                | Error::NestedComment => return None,
                _ => {}
            },
            _ => {}
        }
    }
    if open.is_some() { None } else { Some(pieces) }
}

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

const NAMES: [&str; 21] = [
    "p", "DIV", "a", "b", "script", "SCRIPT", "style", "title", "Textarea", "iframe", "noembed", "noframes", "xmp",
    "br", "noscript", "x-y", "a<b", "p\0", "h1é", "svg", "plain",
];
const TEXTS: [&str; 44] = [
    "word",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\0",
    "é",
    "東",
    "<",
    "<<",
    "< ",
    "<3",
    "<=",
    ">",
    "&",
    "&amp;",
    "&lt",
    "&#65;",
    "&#x41",
    "&#0;",
    "&#150;",
    "&notit;",
    "&unknown;",
    "&am",
    "--",
    "-->",
    "--!>",
    "->",
    "]]>",
    "\"",
    "'",
    "/",
    "=",
    "</>",
    "</ >",
    "</3>",
    "</é>",
    "<>",
    "<!>",
    "<?>",
    "\u{85}",
    "\u{feff}",
    "<é>",
];
const COMMENTS: [&str; 20] = [
    "<!---->",
    "<!-->",
    "<!--->",
    "<!-- a -->",
    "<!--a--!>",
    "<!--a--!-->",
    "<!--<!---->",
    "<!--<!-->",
    "<!-----><!--x--->",
    "<!doctype html>",
    "<!DOCTYPE html PUBLIC \"a>b\">",
    "<![CDATA[ <p> ]]>",
    "<?php echo '<p>' ?>",
    "<!a 'b>'>",
    "<!- ->",
    "<!--- - -- --->",
    "<!--a-->",
    "<!--\0-->",
    "<!--é--",
    "<!ELEMENT",
];
const SCRIPTS: [&str; 16] = [
    "<!--",
    "-->",
    "<script",
    "<script>",
    "<script ",
    "</script",
    "</scripts>",
    "<scripts>",
    "<!-- <script> </script> -->",
    "<SCRIPT/",
    "</SCRIPT ",
    "<!-->",
    "<!--->",
    "--",
    ">",
    "if (a<b) x",
];
const VALUES: [&str; 18] = [
    "", "a", "a b", "a&amp;b", "a&ampb", "a&amp=b", "&copy", "&copy;x", "é", "<p>", "a>b", "\0", "/", "a/", "=", "\n",
    "a'b", "a\"b",
];
const ATTRIBUTES: [&str; 14] =
    ["class", "ID", "id", "a\"b", "'", "=", "=a", "é", "\0", "data-x", "<", "a'", "\"", "href"];
const SPACES: [&str; 8] = [" ", "\n", "\t", "\x0c", "  ", " / ", "/", "\r\n"];

fn attribute(random: &mut Random) -> String {
    let mut written = random.of(&SPACES).to_owned() + random.of(&ATTRIBUTES);
    let value = random.of(&VALUES);
    let equals = random.of(&["=", " = ", "=\n"]);
    match random.below(5) {
        0 => {}
        1 => written += &format!("{equals}\"{value}\""),
        2 => written += &format!("{equals}'{value}'"),
        _ => written += &format!("{equals}{value}"),
    }
    written
}

fn page(random: &mut Random) -> String {
    let mut html = String::new();
    for _ in 0..random.below(12) {
        match random.below(10) {
            0..=2 => html += random.of(&TEXTS),
            3 => html += random.of(&COMMENTS),
            4 => html += random.of(&SCRIPTS),
            5 => {
                let name = random.of(&NAMES);
                html +=
                    &format!("<{name}>{}{}{}</{name}>", random.of(&SCRIPTS), random.of(&TEXTS), random.of(&SCRIPTS));
            }
            6 | 7 => {
                html += &format!("<{}", random.of(&NAMES));
                for _ in 0..random.below(4) {
                    html += &attribute(random);
                }
                html += random.of(&[">", ">", ">", "/>", " />", " ", "\n>", "/ >", ""]);
            }
            8 => html += &format!("</{}{}", random.of(&NAMES), random.of(&[">", ">", " >", " a='>'>", "/>", ""])),
            _ => {
                html +=
                    random.of(&["<p", "</p", "<p a", "<p a=", "<p a='b", "<p a=\"b", "<a<b>", "<!", "</", "<!-", "<?"]);
            }
        }
    }
    // Much of what is open closes here.
    for _ in 0..random.below(3) {
        html += random.of(&["'>", "\">", "\"'>-->", "--></script>", "</title >", "</style></xmp></iframe>", ">"]);
    }
    // What the standard ends at the end of the page without complaint, too.
    html + ">"
}

#[test]
fn a_page_that_closes_what_it_opens_is_read_as_the_standard_says() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut closed = 0;
    for _ in 0..60_000 {
        let html = page(&mut random);
        if let Some(pieces) = standard(&html) {
            closed += 1;
            assert_eq!(scanned(&html), pieces, "{html:?}");
        }
    }
    assert!(closed > 24_000, "{closed}");
}

#[test]
fn a_script_in_a_commented_script_ends_the_comment_and_not_the_script() {
    let html = "<script><!-- <script>a</script> b --></script><p>c";
    assert_eq!(texts(html), ["<!-- <script>a</script> b -->", "c"]);
    assert_eq!(Some(scanned(html)), standard(html));
}

fn texts(html: &str) -> Vec<String> {
    let mut scanner = Scanner::new(html);
    std::iter::from_fn(|| scanner.next())
        .filter_map(|token| match token {
            Token::Text(text) | Token::Raw(text) => Some(text.to_owned()),
            _ => None,
        })
        .collect()
}

fn names(html: &str) -> Vec<String> {
    let mut scanner = Scanner::new(html);
    std::iter::from_fn(|| scanner.next())
        .filter_map(|token| match token {
            Token::Start(name) | Token::End(name) => Some(name.to_owned()),
            _ => None,
        })
        .collect()
}

#[test]
fn what_never_closes_does_not_swallow_the_page() {
    for torn in [
        "<title>a",
        "<textarea>a",
        "<script>a",
        "<style>a",
        "<iframe>a",
        "<xmp>a",
        "<noembed>a",
        "<noframes>a",
        "<!--a",
        "<!-- a --",
        "<!--a--!",
        "<script><!--<script>a</script>",
        "<a href='a>",
        "<a href=\"a>",
        "<a href='a b=\"c>",
        "<a href=\"a b='c'>",
        "<a title='it's a>",
    ] {
        let html = format!("{torn}<p>the article</p>");
        assert_eq!(texts(&html).last().map(String::as_str), Some("the article"), "{html}");
        assert_eq!(names(&html)[names(&html).len() - 2..], ["p", "p"], "{html}");
    }
}

#[test]
fn a_tag_cut_in_two_ends_where_the_next_begins_if_nothing_closes_it() {
    assert_eq!(names("<p>a<div<p"), ["p", "div", "p"]);
    assert_eq!(names("<p>a</di<p"), ["p", "di", "p"]);
    assert_eq!(names("<p>a<div class='x<p"), ["p", "div", "p"]);
    assert_eq!(texts("<p>a<"), ["a<"]);
    assert_eq!(texts("<p>a</"), ["a", "</"]);
    assert_eq!(texts("a<!"), ["a"]);
    assert_eq!(texts("a<!b c"), ["a", "b c"]);
    assert_eq!(texts("<p>a<?b"), ["a", "b"]);
}

#[test]
fn an_unclosed_title_does_not_end_in_a_picture() {
    let html = "<title>a</head><body><p>b<svg><title>c</title></svg><p>d";
    assert_eq!(texts(html), ["a", "b", "c", "d"]);
}

#[test]
fn a_title_may_speak_of_tags() {
    for title in ["How to write a <title> tag", "The <link> element", "<p> or <br>?"] {
        assert_eq!(texts(&format!("<title>{title}</title><p>a")), [title, "a"]);
    }
    assert_eq!(texts("<title>a<meta name=b content=c><title>d</title>e"), ["a", "d", "e"]);
}

#[test]
fn an_unclosed_script_is_followed_by_scripts_that_close() {
    let html = "<script>a<title>b</title><script>c</script><p>d";
    assert_eq!(texts(html), ["a<title>b</title><script>c", "d"]);
    let html = "<title>a<p>b<script>c</script><!-- d --><p>e<!-- f<p>g";
    assert_eq!(texts(html), ["a", "b", "c", "e", " f", "g"]);
}

#[test]
fn a_script_that_never_closes_does_not_swallow_paragraphs_up_to_another() {
    let page = |torn: &str, kind: &str| format!("a{torn}<p>b</p><p>c</p>\n<{kind}>d</{kind}>e");
    for kind in ["script", "style", "textarea", "iframe", "noembed", "xmp"] {
        let torn = format!("<{kind}>");
        assert_eq!(texts(&page(&torn, kind)), ["a", "b", "c", "\n", "d", "e"], "{kind}");
    }
    assert_eq!(texts(&page("<script>x", "script")), ["a", "x", "b", "c", "\n", "d", "e"]);
    let template = "a<script type=text/template><p>b</p><p>c</p></script>d";
    assert_eq!(texts(template), ["a", "<p>b</p><p>c</p>", "d"]);
    let written =
        "<\\/script>|<\\/SCRIPT>|<\\/scr'+'ipt>|</scr'+'ipt>|</'+'script>|</scri'+'pt>|<\\\\/script>|\\x3c/script>";
    for end in written.split('|') {
        let program = format!("a<script>is('<script');w('<p>b</p><p>c</p><p><script src=x>{end}')</script>d");
        assert_eq!(texts(&program).len(), 3, "{program}");
    }
    for next in [
        "<script>w('<scr'+'ipt src=x></scr'+'ipt>')</script>",
        "&nbsp;<script>d</script><script>e</script>",
        "<!--[if IE]><script src=x></script><![endif]-->",
        "<noscript>d</noscript><script>e</script>",
    ] {
        let html = format!("<script>var a;<p>b</p><p>c</p>{next}");
        assert_eq!(texts(&html)[..3], ["var a;", "b", "c"], "{html}");
    }
    let adverts = "<script><p></p><p></p><script></script>".repeat(100) + "<a href=\"b c\" title='d>'>e";
    assert_eq!(texts(&adverts).last().map(String::as_str), Some("e"));
}

#[test]
fn a_value_that_never_closes_does_not_swallow_the_page() {
    let page =
        |torn: &str| format!("<h1>a</h1>{torn}<p>b</p><p>c “d” \"e\" f</p><a href=\"/g\">h</a><img alt=\"\"><p>i");
    for torn in ["<div class=\"con", "<a href=\"http://x", "<p class=\"x y", "<img src=\""] {
        assert_eq!(texts(&page(torn)), ["a", "b", "c “d” \"e\" f", "h", "i"], "{torn}");
    }
    let whole = "<div data-card=\"<p class='x'>a</p>\" title=\"b=\" alt=\"<c\"/>d";
    assert_eq!(texts(whole), ["d"]);
}

#[test]
fn a_comment_that_never_closes_does_not_swallow_paragraphs_up_to_another() {
    assert_eq!(texts("a<!-- <p>b</p><p>c</p> <!-- d -->e<!-- f <!-- g -->h"), ["a", " ", "b", "c", " ", "e", "h"]);
    let many = "<!--</p></p>".repeat(1000) + "-->a";
    assert_eq!(texts(&many), ["a"]);
}

#[test]
fn after_many_torn_tags_quotation_marks_count_no_more_but_the_page_goes_on() {
    let html = "<a b=\"c> \"".to_owned() + &"<a b='c> ".repeat(100) + "<p>the article";
    assert_eq!(texts(&html).last().map(String::as_str), Some("the article"));
}
