//! News agencies, and the datelines they put before a text.

use super::names::is_capital;
use crate::dates::months::is_month;

/// Agencies: the name given, then the other ways it is written. Names of up to four letters are taken as written only.
const AGENCIES: [&[&str]; 47] = [
    &["AP", "Associated Press", "The Associated Press", "AP News", "APNews"],
    &["Reuters", "Thomson Reuters", "Reuters News", "RTRS", "路透社", "Рейтер"],
    &["AFP", "afp", "Agence France-Presse", "Agence France Presse", "AFP News", "法新社"],
    &["dpa", "DPA", "Deutsche Presse-Agentur", "dpa-infocom", "dpa-AFX"],
    &["EFE", "Agencia EFE", "EFE News"],
    &["Xinhua", "Xinhua News Agency", "新华社", "新華社", "新华网"],
    &["TASS", "ТАСС", "ITAR-TASS", "ИТАР-ТАСС"],
    &["RIA Novosti", "РИА Новости", "РИА"],
    &["Interfax", "Интерфакс"],
    &["ANSA", "Agenzia ANSA", "Redazione ANSA"],
    &["Adnkronos"],
    &["PA Media", "PA", "Press Association", "The Press Association", "PA News Agency"],
    &["UPI", "United Press International"],
    &["Bloomberg", "Bloomberg News"],
    &["APA", "Austria Presse Agentur"],
    &["SDA", "sda", "Keystone-SDA", "SDA-Keystone"],
    &["ATS", "Keystone-ATS"],
    &["Belga", "Belga News Agency"],
    &["ANP"],
    &["Ritzau"],
    &["NTB"],
    &["TT", "TT Nyhetsbyrån"],
    &["STT"],
    &["PAP", "Polska Agencja Prasowa"],
    &["ČTK", "CTK"],
    &["TASR"],
    &["MTI"],
    &["Agerpres"],
    &["AAP", "Australian Associated Press"],
    &["The Canadian Press", "Canadian Press", "CP"],
    &["Kyodo", "Kyodo News", "共同通信", "共同"],
    &["Jiji", "Jiji Press", "時事通信", "時事"],
    &["Yonhap", "Yonhap News Agency", "연합뉴스", "聯合ニュース"],
    &["PTI", "Press Trust of India"],
    &["IANS"],
    &["ANI"],
    &["Bernama"],
    &["Antara"],
    &["Anadolu", "AA", "Anadolu Agency", "Anadolu Ajansı"],
    &["Lusa", "Agência Lusa"],
    &["Europa Press"],
    &["Ukrinform", "Укринформ", "Укрінформ"],
    &["Central News Agency", "中央社"],
    &["China News Service", "中新社", "中新网"],
    &["epd"],
    &["KNA"],
    &["SID", "sid"],
];

/// No agency has a longer name.
const MAX_NAME_BYTES: usize = 60;

/// The agency that a text names, if it says nothing else.
pub fn agency(text: &str) -> Option<&'static str> {
    let text = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    if text.len() > MAX_NAME_BYTES {
        return None;
    }
    let small = text.to_lowercase();
    AGENCIES.iter().find_map(|names| {
        let same = |name: &&str| {
            if name.chars().count() <= 4 { *name == text } else { name.to_lowercase() == small }
        };
        names.iter().any(same).then_some(names[0])
    })
}

/// The place and the agency that the beginning of a text names: `BERLIN (Reuters) - …`, `PARIS, March 3 (AP) —`,
/// `Madrid, 3 mar (EFE).-`, `МОСКВА, 3 марта. /ТАСС/`, `新华社北京3月3日电`; the agency also from its end: `(dpa)`.
pub fn dateline(text: &str) -> (Option<String>, Option<&'static str>) {
    let paragraphs = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut agency = None;
    for paragraph in paragraphs.take(4) {
        let (location, from) = dateline_of(paragraph);
        agency = agency.or(from);
        if location.is_some() {
            return (location, agency);
        }
    }
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    (None, agency.or_else(|| agency_at_end(last)))
}

/// `… (dpa/AFP)` or a line that is nothing but an agency.
fn agency_at_end(paragraph: &str) -> Option<&'static str> {
    let end = paragraph.trim_end_matches(['.', ' ']);
    let inner = end.strip_suffix([')', '）']).and_then(|end| Some(&end[end.rfind(['(', '（'])?..]));
    agency_among(inner.unwrap_or(if end.chars().count() <= 40 { end } else { "" }))
}

/// The first agency of a short list.
fn agency_among(list: &str) -> Option<&'static str> {
    let list = list.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    agency(list).or_else(|| list.split(['/', ',', '=', '+', ':', '(', '©']).find_map(agency))
}

/// The longest dateline, in characters.
const MAX_DATELINE: usize = 90;

fn dateline_of(paragraph: &str) -> (Option<String>, Option<&'static str>) {
    let end = paragraph.char_indices().nth(MAX_DATELINE).map_or(paragraph.len(), |(end, _)| end);
    let head = &paragraph[..end];
    if let Some((place, agency)) = chinese_dateline(head).or_else(|| bracketed(head)) {
        return (place, Some(agency));
    }
    // Without an agency only a place in capitals before a dash is a dateline: МОСКВА, 5 янв - РИА Новости.
    let dashes = ["—", "–", " - ", "--"].iter().filter_map(|dash| Some((head.find(dash)?, dash.len())));
    let Some((dash, length)) = dashes.min() else { return (None, None) };
    let (before, after) = (&head[..dash], &paragraph[dash + length..]);
    let agency = agency(before).or_else(|| self::agency(after.split(['.', ',']).next().unwrap_or("")));
    let shouted = |place: &String| {
        let first = || place.split(',').next().unwrap_or("").chars().filter(|letter| letter.is_alphabetic());
        first().count() >= 3 && first().all(char::is_uppercase) && after.chars().any(char::is_lowercase)
    };
    (place(before).filter(shouted).filter(|place| self::agency(place).is_none()), agency)
}

/// A dateline with its agency in brackets or between slashes.
fn bracketed(head: &str) -> Option<(Option<String>, &'static str)> {
    for (open, close) in [('(', ')'), ('/', '/'), ('（', '）'), ('【', '】'), ('[', ']')] {
        let Some((before, rest)) = head.split_once(open) else { continue };
        let Some((inner, rest)) = rest.split_once(close) else { continue };
        let Some(agency) = agency_among(inner) else { continue };
        // (서울=연합뉴스)
        if let Some((one, other)) = inner.split_once('=') {
            return Some((place(if self::agency(other).is_some() { one } else { other }), agency));
        }
        let rest = rest.trim_start_matches(['.', ' ', ',', ':']);
        if before.trim().is_empty() {
            // (ANSA) - ROMA, 03 MAR - …
            let rest = rest.trim_start_matches(['-', '–', '—', ' ']);
            let next = [" - ", " – ", " — "].iter().find_map(|dash| rest.split_once(dash)).map(|(next, _)| next);
            return Some((next.and_then(place).filter(|place| !place.chars().any(char::is_lowercase)), agency));
        }
        let place = place(before);
        let dashed = rest.starts_with(['-', '–', '—', '_', '−', '|', '―']);
        return (dashed || open != '(' || place.is_some()).then_some((place, agency));
    }
    None
}

/// `新华社北京3月3日电`.
fn chinese_dateline(head: &str) -> Option<(Option<String>, &'static str)> {
    let names = ["新华社", "新華社", "中新社", "中新网", "中央社", "法新社", "路透社"];
    let head = head.trim_start_matches(['（', '(', '【', ' ']);
    let name = names.iter().find(|name| head.starts_with(**name))?;
    let sent = head.chars().take(30).any(|letter| matches!(letter, '电' | '電' | '讯' | '訊'));
    let rest = head[name.len()..].chars();
    let place: String = rest.take_while(|letter| letter.is_alphabetic() && !"电電记記讯訊".contains(*letter)).collect();
    Some((Some(place).filter(|place| sent && (2..=8).contains(&place.chars().count())), agency(name)?))
}

/// A place without the date behind it; None if the text is no place.
fn place(text: &str) -> Option<String> {
    let text = text.split('(').next().unwrap_or("").trim().trim_end_matches([',', ';', ':']);
    let is_date = |part: &&str| part.chars().any(char::is_numeric) || part.split([' ', '.']).any(is_month);
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty() && !is_date(part)).collect();
    let place = parts.join(", ");
    // KANSAS CITY, Mo. but МОСКВА.
    let place = if parts.len() == 1 { place.trim_end_matches('.') } else { &place };
    let words: Vec<&str> = place.split([' ', '/', '-']).filter(|word| !word.is_empty()).collect();
    let capitals = words.iter().filter(|word| !word.starts_with(char::is_lowercase)).count();
    let spelt = place
        .chars()
        .all(|letter| letter.is_alphabetic() || matches!(letter, ' ' | ',' | '.' | '-' | '/' | '\'' | '’'));
    let fits = (1..=6).contains(&words.len()) && capitals * 2 > words.len() && parts.len() <= 3;
    (fits && spelt && is_capital(words[0]) && place.chars().count() >= 2).then(|| place.to_owned())
}
