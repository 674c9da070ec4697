//! What a page's JSON-LD says about its article.
//!
//! Scripts are read as they are, else once more mended: comment wrappers, control characters in strings, commas before a
//! closing bracket, quotation marks escaped throughout. Objects are looked for in arrays, `@graph` and `mainEntity`; what is nested in
//! an article (its pictures, its list of other articles) is not an article of the page. Size and depth are bounded.

use serde_json::{Map, Value};

type Node = Map<String, Value>;

/// What the page's article is said to be; empty where nothing is said.
#[derive(Debug, Clone, Default)]
pub struct Linked {
    /// Its headline.
    pub headline: String,
    /// Its authors, and whether each is a person: one list for each object that has some.
    pub authors: Vec<Vec<(String, bool)>>,
    /// When it was published.
    pub published: String,
    /// When the page around it was.
    pub page_published: String,
    /// When it was changed.
    pub modified: String,
    /// Who published it.
    pub publisher: String,
    /// Its language.
    pub language: String,
    /// Its address.
    pub url: String,
    /// Where it was written.
    pub location: String,
}

/// A longer script is not read.
const MAX_BYTES: usize = 1 << 20;

/// Objects of a page beyond these are not looked at.
const MAX_NODES: usize = 500;

/// Authors beyond these are not.
const MAX_AUTHORS: usize = 20;

/// How deep objects are looked for; `serde_json` itself reads 128 levels.
const MAX_DEPTH: usize = 8;

/// What scripts, each with its type, say of the page's article.
pub fn read(scripts: &[(&str, &str)]) -> Linked {
    let mut left = MAX_BYTES;
    let mut values = Vec::new();
    for (kind, script) in scripts {
        if kind.contains("ld+json") && script.len() <= left {
            left -= script.len();
            values.extend(parse(script));
        }
    }
    let mut nodes = Vec::new();
    for value in &values {
        collect(value, 0, &mut nodes);
    }
    describe(&nodes)
}

fn parse(script: &str) -> Option<Value> {
    let script = script.trim();
    serde_json::from_str(script).or_else(|_| serde_json::from_str(&mend(script))).ok()
}

/// A script with the faults taken out that are often made.
fn mend(script: &str) -> String {
    let script = script.split_once("<![CDATA[").map_or(script, |(_, inner)| inner);
    let script = script.rsplit_once("]]>").map_or(script, |(inner, _)| inner);
    let start = script.find(['{', '[']).unwrap_or(0);
    let end = script.rfind(['}', ']']).map_or(script.len(), |end| end + 1);
    let script = script.get(start..end).unwrap_or("");
    let all_escaped = script.get(1..).unwrap_or("").trim_start().starts_with("\\\"");
    let script = if all_escaped { script.replace("\\\"", "\"").replace("\\\\", "\\") } else { script.to_owned() };
    let mut mended = String::with_capacity(script.len());
    let (mut in_string, mut escaped) = (false, false);
    for letter in script.chars() {
        if in_string {
            mended.push(if letter.is_control() { ' ' } else { letter });
            in_string = escaped || letter != '"';
            escaped = letter == '\\' && !escaped;
            continue;
        }
        in_string = letter == '"';
        if matches!(letter, '}' | ']') {
            mended.truncate(mended.trim_end_matches(|letter: char| letter == ',' || letter.is_whitespace()).len());
        }
        mended.push(letter);
    }
    mended
}

fn collect<'a>(value: &'a Value, depth: usize, nodes: &mut Vec<&'a Node>) {
    if depth > MAX_DEPTH || nodes.len() >= MAX_NODES {
        return;
    }
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, depth + 1, nodes)),
        Value::Object(node) => {
            nodes.push(node);
            for key in ["@graph", "mainEntity", "mainEntityOfPage"] {
                if let Some(inner) = node.get(key) {
                    collect(inner, depth + 1, nodes);
                }
            }
        }
        _ => {}
    }
}

/// How well an object's type fits an article: 2, a page around it: 1, anything else: 0.
fn fit(node: &Node) -> usize {
    let of = |kind: &str| {
        let kind = kind.rsplit(['/', ':', '#']).next().unwrap_or(kind).to_ascii_lowercase();
        let is_article = ["article", "posting", "report", "review"].iter().any(|end| kind.ends_with(end));
        if is_article { 2 } else { usize::from(kind.ends_with("page") || kind == "creativework") }
    };
    match node.get("@type") {
        Some(Value::String(kind)) => of(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).map(of).max().unwrap_or(0),
        _ => 0,
    }
}

fn describe(nodes: &[&Node]) -> Linked {
    let mut linked = Linked::default();
    for wanted in [2, 1] {
        for node in nodes.iter().filter(|node| fit(node) == wanted) {
            let fill = |field: &mut String, keys: &[&str]| {
                if field.is_empty() {
                    keys.iter().find_map(|key| text(node.get(*key)?)).unwrap_or_default().clone_into(field);
                }
            };
            let fill_date = |field: &mut String, keys: &[&str]| {
                if field.is_empty() {
                    *field = keys.iter().find_map(|key| date(node.get(*key)?)).unwrap_or_default();
                }
            };
            if wanted == 2 {
                fill(&mut linked.headline, &["headline", "name"]);
                fill_date(&mut linked.published, &["datePublished", "dateCreated"]);
            }
            fill_date(&mut linked.page_published, &["datePublished", "dateCreated"]);
            fill_date(&mut linked.modified, &["dateModified"]);
            fill(&mut linked.publisher, &["publisher", "sourceOrganization", "provider"]);
            fill(&mut linked.language, &["inLanguage"]);
            fill(&mut linked.url, &["url", "mainEntityOfPage", "@id"]);
            fill(&mut linked.location, &["dateline"]);
            for key in ["author", "creator", "contributor"] {
                let mut authors = Vec::new();
                if let Some(value) = node.get(key) {
                    names(value, nodes, 0, &mut authors);
                }
                if !authors.is_empty() && linked.authors.len() < MAX_AUTHORS {
                    linked.authors.push(authors);
                }
            }
        }
    }
    linked
}

/// The text of a value: itself, its first element's, its name, its reference.
fn text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text).filter(|text| !text.trim().is_empty()).map(String::as_str),
        Value::Array(values) => text(values.first()?),
        Value::Object(node) => ["name", "@value", "@id", "url"].iter().find_map(|key| node.get(*key)?.as_str()),
        _ => None,
    }
}

/// The text of a date, which may be a number: seconds or milliseconds since 1970.
fn date(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(format!("{:.0}", number.as_f64()?)),
        Value::Array(values) => date(values.first()?),
        Value::Object(node) => node.get("@value").and_then(date),
        _ => text(value).map(str::to_owned),
    }
}

fn names(value: &Value, nodes: &[&Node], depth: usize, into: &mut Vec<(String, bool)>) {
    if depth > MAX_DEPTH || into.len() >= MAX_AUTHORS {
        return;
    }
    match value {
        Value::String(name) => into.push((name.clone(), true)),
        Value::Array(values) => values.iter().for_each(|value| names(value, nodes, depth + 1, into)),
        Value::Object(node) => {
            let referred = node.get("@id").and_then(Value::as_str).and_then(|id| {
                nodes
                    .iter()
                    .find(|node| node.contains_key("name") && node.get("@id").and_then(Value::as_str) == Some(id))
            });
            let node = if node.contains_key("name") { node } else { referred.copied().unwrap_or(node) };
            let kind = node.get("@type").and_then(text).unwrap_or("").to_ascii_lowercase();
            let is_person = !kind.ends_with("organization") && kind != "corporation";
            match node.get("name") {
                Some(Value::Array(all)) => {
                    into.extend(all.iter().filter_map(Value::as_str).map(|name| (name.to_owned(), is_person)));
                }
                Some(name) => into.extend(text(name).map(|name| (name.to_owned(), is_person))),
                None => {
                    if let [Some(first), Some(last)] =
                        ["givenName", "familyName"].map(|key| node.get(key).and_then(text))
                    {
                        into.push((format!("{first} {last}"), is_person));
                    }
                }
            }
        }
        _ => {}
    }
}
