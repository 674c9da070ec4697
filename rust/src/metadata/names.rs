//! Names out of a byline.
//!
//! An agency is not a person: it is told apart by a list, and stands as author only where no person is named.

use std::borrow::Cow;

use unicode_script::{Script, UnicodeScript};

use super::agencies::agency;
use super::{same_letters, visible};
use crate::dates::months::is_month;

/// What a byline may begin with, in small letters.
const BY: &str = "by|written by|article by|author(s)|contributors|contributor|posted by|story by|reported by|published by|words by|author|authors|writer|byline|von|text von|\
     text|autor|autorin|ein artikel von|par|por|de|di|a cura di|door|av|af|från|tekst|teksti|autorzy|autorka|автор|\
     текст|yazan|作者|记者|撰文|来源作者|文|執筆|기자";

/// Words, in small letters, that no name of a person has: whoever has one is a role or a place to click.
const NO_NAMES: &str = "written by bio full skip content privacy policy guidelines authored reviewed introducing learn the staff editor editors reporter reporters correspondent writer writers news desk bureau team contributor \
     contributors columnist producer journalist redaktion redakteur redakteurin redacción redaccion redazione \
     rédaction redactie redaktionen redakce redakcja admin administrator editorial newsroom agency agencies \
     service senior chief digital online managing associate assistant freelance special political sports business \
     national politics health technology author about follow share read updated published posted email e-mail \
     photo photos photographer video image credit getty images comments comment subscribe newsletter min minutes \
     minute ago more magazine guest press wire report reports reporting profile view posts articles director \
     manager founder ceo journal times gazette herald tribune channel daily weekly media network tv radio \
     university institute school college association group inc llc zeitung nachrichten editores";

/// Words between two names.
const AND: &str = "and und et og och en & и και ve with | · • / - – —";

/// Words behind which no author stands, but where or for whom he writes.
const FOR: &str = "in for at für à via aus om";

/// Words inside names that have no capital.
const PARTICLES: &str =
    "de da di do du del della der den des dos das la le el al bin ibn ben van von vom zu zur ter ten af av y e";

fn is_among(word: &str, list: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Names of a byline beyond these are not kept.
const MAX_NAMES: usize = 20;

/// The authors that a byline names: persons, else whoever is named; and the agencies.
#[derive(Debug, Clone, Default)]
pub struct Authors {
    /// Persons.
    pub persons: Vec<String>,
    /// Organisations, agencies, roles: what stands where an author stands.
    pub others: Vec<String>,
    /// Agencies by the name in the list.
    pub agencies: Vec<&'static str>,
}

impl Authors {
    /// Adds the name or names that a page states. White space must be single.
    pub fn add(&mut self, byline: &str, site: &str) {
        self.add_if(byline, site, |_| true);
    }

    /// Adds the names in a shown byline that look like persons or are agencies; all names if `others_too`.
    pub fn add_shown(&mut self, byline: &str, site: &str, others_too: bool) {
        self.add_if(&visible(byline), site, |name| looks_like_person(name) || agency(name).is_some() || others_too);
    }

    fn add_if(&mut self, byline: &str, site: &str, fits: impl Fn(&str) -> bool) {
        let byline = without_lead(byline);
        for part in split(&byline).iter().map(|part| trim_name(part)).filter(|part| fits(part)) {
            if !(2..=60).contains(&part.chars().count()) || self.persons.len() + self.others.len() >= MAX_NAMES {
                continue;
            }
            let agency = agency(part);
            self.agencies.extend(agency.filter(|name| !self.agencies.contains(name)));
            let is_person = agency.is_none() && is_person(part) && !same_letters(part, site);
            let list = if is_person { &mut self.persons } else { &mut self.others };
            if !list.iter().any(|name| same_letters(name, part)) {
                list.push(part.to_owned());
            }
        }
    }
}

/// Whether a byline names the site itself or its team, not a person.
pub fn is_house(byline: &str, site: &str) -> bool {
    let team = |word: &str| is_among(&word.to_lowercase(), "team staff editors redaktion newsroom");
    same_letters(byline, site) || (byline.len() < 40 && byline.split(' ').count() > 1 && byline.split(' ').any(team))
}

/// A byline without the words that introduce it, such as "by".
pub fn without_lead(byline: &str) -> Cow<'_, str> {
    let small = byline.to_lowercase();
    let lead = BY.split('|').filter(|lead| small.starts_with(*lead)).max_by_key(|lead| lead.len());
    let Some(lead) = lead else { return byline.into() };
    // Small letters of other scripts may have another length: count characters.
    let rest: String = byline.chars().skip(lead.chars().count()).collect();
    let trimmed = rest.trim_start_matches([':', '：', '/', ' ', '|', '\u{a0}', '-', '–']);
    // Some names begin like that: Von Miller, Di Maria.
    let in_names = matches!(lead, "von" | "de" | "di" | "av" | "af") && rest.starts_with(' ') && !trimmed.contains(' ');
    // ByMary Smith
    let glued = lead.ends_with("by") && rest.starts_with(char::is_uppercase) && rest.contains(' ');
    if (trimmed.len() == rest.len() && !glued) || in_names {
        return byline.into();
    }
    Cow::Owned(trimmed.to_owned())
}

/// Whether a text is nothing but the words that introduce a byline.
pub fn is_lead(text: &str) -> bool {
    let small = text.trim_end_matches([':', '：', ' ', '—', '-']).to_lowercase();
    BY.split('|').any(|lead| lead == small && !matches!(lead, "de" | "di" | "av" | "af" | "text" | "文"))
}

/// Whether a text begins with words that introduce a byline.
pub fn has_lead(byline: &str) -> bool {
    matches!(without_lead(byline), Cow::Owned(_))
}

/// The parts of a byline; what is no name begins with a digit.
fn split(byline: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for word in byline.split(' ') {
        let small = word.to_lowercase();
        let joins = is_among(&small, AND) || matches!(word, "y" | "e");
        let ends = is_among(&small, FOR);
        if (joins || ends) && !parts.last().is_some_and(String::is_empty) {
            parts.push(if ends { "0".into() } else { String::new() });
            continue;
        }
        for (number, piece) in word.split([',', ';', '|', '、', '，', '；', '•']).enumerate() {
            if number > 0 {
                parts.push(String::new());
            }
            if let Some(part) = parts.last_mut().filter(|_| !piece.is_empty()) {
                part.push_str(if part.is_empty() { "" } else { " " });
                part.push_str(piece);
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    // Smith, John
    if let [last, first] = &parts[..]
        && byline.contains(',')
        && [last, first].iter().all(|part| !part.contains(' ') && is_capital(part) && part.chars().count() > 1)
        && agency(first).is_none()
    {
        return vec![format!("{first} {last}")];
    }
    parts
}

/// Whether a word begins with a capital, or a letter of a script without them.
pub fn is_capital(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() && !letter.is_lowercase())
}

/// A part of a byline without brackets, addresses and what is left of signs.
fn trim_name(part: &str) -> &str {
    let end = part.find(['(', '[', '<', '@', '（']).unwrap_or(part.len());
    let part = part[..end].trim();
    if part.contains("://")
        || part.contains("www.")
        || part.starts_with('/')
        || part.starts_with(|letter: char| letter.is_ascii_digit())
    {
        return "";
    }
    part.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '.').trim_start_matches('.')
}

/// Whether a name may be a person's: two to six words with capitals, or a short one of a script without them.
pub fn is_person(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    if name.chars().any(char::is_numeric) || words.len() > 6 {
        return false;
    }
    let bare = |word: &str| word.to_lowercase().trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned();
    if words.iter().any(|word| is_among(&bare(word), NO_NAMES)) || words.iter().all(|word| is_month(&bare(word))) {
        return false;
    }
    let has_case = name.chars().any(|letter| letter.is_lowercase() || letter.is_uppercase());
    if !has_case {
        // Names of Han and Hangul have four letters at most; transcribed ones have a dot or a space.
        let letters = name.chars().count();
        return (2..=4).contains(&letters) || (letters <= 20 && name.contains(['·', '・', ' ', '‧']));
    }
    words.len() >= 2 && (is_capital(words[0]) || is_capital(words[words.len() - 1]))
}

/// Whether a shown text is a person's name beyond what [`is_person`] asks: capitals throughout.
fn looks_like_person(name: &str) -> bool {
    is_person(name) && name.split(' ').all(|word| !word.starts_with(char::is_lowercase) || is_among(word, PARTICLES))
}

/// The names behind `作者：` or `记者` in a block of a Chinese page.
pub fn chinese_byline(block: &str) -> Option<String> {
    let is_name = |name: &&str| {
        (2..=4).contains(&name.chars().count()) && name.chars().all(|letter| letter.script() == Script::Han)
    };
    for (lead, explicit) in [("作者：", true), ("作者:", true), ("记者", false), ("記者", false)] {
        let Some(at) = block.find(lead) else { continue };
        let rest = block[at + lead.len()..].trim_start_matches(['：', ':', ' ']);
        let end =
            rest.find(|letter: char| !letter.is_alphanumeric() && !matches!(letter, ' ' | '、')).unwrap_or(rest.len());
        let names: Vec<&str> =
            rest[..end].split([' ', '、']).filter(|name| !name.is_empty()).take_while(is_name).collect();
        if !names.is_empty() {
            return Some(names.join("; "));
        }
        if explicit {
            let name: String = rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            return Some(name).filter(|name| (2..=20).contains(&name.chars().count()));
        }
    }
    None
}
