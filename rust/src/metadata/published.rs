//! When an article was published: where a page says so.

use super::{Look, language_tag, says};
use crate::dates::{self, Date};
use crate::html::{Mark, Tag, contains_ignoring_case, find_ignoring_case};

/// How far from the headline, in bytes of the page's text, its byline and date stand.
const NEAR: usize = 1500;

/// 1990 in microseconds: nothing on the web is older.
const WEB_BEGINS: i64 = 631_152_000_000_000;
/// 2100 in microseconds.
const TOO_LATE: i64 = 4_102_444_800_000_000;

/// How much later than received a page may say it was published, for wrong clocks and zones.
const TWO_DAYS: i64 = 172_800_000_000;

/// Names of `meta` that hold when an article was published, the surest first.
const PUBLISHED: &str = "article:published_time og:article:published_time og:published_time article:published datepublished \
     og:datepublished parsely-pub-date sailthru.date cxenseparse:recs:publishtime cxenseparse:publishtime \
     cxenseparse:recs:published_time article_date_original dc.date.issued dcterms.issued dc.date.created \
     dcterms.created dc.date dcterms.date citation_publication_date citation_date prism.publicationdate pubdate \
     pub_date pdate publishdate publish-date publish_date og:publish_date publisheddate published published_at \
     publish_time publication_date article:publicationdate iso-8601-publish-date date.release datecreated \
     uploaddate rnews:datepublished originalpublicationdate date created og:pubdate content:publishdate \
     search:contentdate dcsext.articlefirstpublished date_published gsa_date date-pub";

/// What a date of publishing stands beside.
const PUBLISHING: &str = "publish posted datum stand: veröffentlicht erschienen publié publicado pubblicato opublikowan \
     опубликован дата δημοσ yayın 发表 发布 發表 發佈 日期 时间 時間 公開 입력 등록";

/// What a date of change stands behind; of letters that are not ASCII no capitals are known.
const CHANGED: &str = "update|modifi|revised|aktualis|actualis|ktualiz|actualiz|atualiz|geändert|à jour|aggiornat|bijgewerkt|gewijzigd|\
     pdater|бновлен|оновлен|изменен|güncelle|νημέρω|更新|修改|수정";

/// Names of `meta` that hold when it was changed.
const MODIFIED: &str = "article:modified_time og:updated_time datemodified last-modified dcterms.modified";

impl Look<'_> {
    fn believable(&self, date: Option<Date>) -> Option<Date> {
        let latest = self.received.map_or(TOO_LATE, |received| received.saturating_add(TWO_DAYS));
        date.filter(|date| (WEB_BEGINS..=latest).contains(&date.moment))
    }

    /// When the article was published; a moment that is stated in UTC is given in the zone in which it is shown.
    pub(super) fn published(&self, address: Option<&str>, language: Option<&str>) -> Option<String> {
        let language =
            self.metas("og:locale").next().and_then(|tag| language_tag(&tag)).or(language.map(str::to_owned));
        let month_first = language.is_none_or(|tag| tag == "en" || tag == "en-US" || tag == "en-CA" || tag == "en-PH");
        let read = |text: &str| self.believable(dates::read(text, month_first));
        let stated = || self.metas(PUBLISHED).find_map(|content| read(&content));
        let date = read(&self.known.published)
            .or_else(|| read(&self.linked.published))
            .or_else(stated)
            .or_else(|| self.marked_date(&read, true))
            .or_else(|| self.believable(address.and_then(dates::in_address)))
            .or_else(|| self.dates_near_headline(&read).next())
            .or_else(|| read(&self.linked.page_published))
            .or_else(|| self.announced_date(&read))
            .or_else(|| self.marked_date(&read, false))
            .or_else(|| read(&self.linked.modified))
            .or_else(|| self.metas(MODIFIED).find_map(|content| read(&content)))
            .or_else(|| read(&self.known.changed))?;
        let read_unchanged = |text: &str| read(before_change(text));
        let mut shown = self.dates_near_headline(&read_unchanged);
        let shown = if date.is_utc() { shown.find_map(|shown| date.as_shown(&shown)) } else { None };
        Some(shown.unwrap_or(date.iso))
    }

    fn marked_date(&self, read: &impl Fn(&str) -> Option<Date>, near: bool) -> Option<Date> {
        let value = |mark: &Mark<'_>| {
            let stated = [4, 5].iter().find_map(|value| read(mark.values[*value]));
            stated.or_else(|| self.pieces(mark).filter(|piece| piece.len() < 120).find_map(read))
        };
        let headline = self.headline.map_or(0, |block| self.page.blocks[block].end);
        let is_near = |mark: &&Mark<'_>| (headline.saturating_sub(NEAR / 3)..headline + NEAR).contains(&mark.start);
        let kinds: [fn(&Mark<'_>) -> bool; 3] = [
            |mark| says(mark, 0..1, &["datepublished", "datecreated"]),
            |mark| mark.tag == Tag::time && !says(mark, 0..4, &["modif", "update"]),
            |mark| says(mark, 0..4, &["date", "publish", "time"]) && !says(mark, 0..4, &["modif", "update"]),
        ];
        kinds.iter().enumerate().find_map(|(number, kind)| {
            let marks = self.marks_from_headline().filter(|mark| number == 0 || !near || is_near(mark));
            marks.filter(|mark| kind(mark)).take(50).find_map(value)
        })
    }

    fn dates_near_headline<'s>(&'s self, read: &'s impl Fn(&str) -> Option<Date>) -> impl Iterator<Item = Date> + 's {
        let texts = self.blocks_near_headline(25, 10).map(|number| self.text(&self.page.blocks[number]));
        let texts = texts.filter(|text| text.len() < 250);
        texts.filter(|text| text.bytes().any(|byte| byte.is_ascii_digit())).filter_map(read)
    }

    /// The first date anywhere that is said to be one of publishing, or has a time.
    fn announced_date(&self, read: &impl Fn(&str) -> Option<Date>) -> Option<Date> {
        let texts = self.page.blocks.iter().map(|block| self.text(block));
        let short = texts.filter(|text| text.len() < 100 && text.bytes().any(|byte| byte.is_ascii_digit())).take(200);
        short
            .filter_map(|text| Some((text, read(text)?)))
            .find(|(text, date)| {
                let announced = PUBLISHING.split(' ').any(|word| contains_ignoring_case(text, word));
                announced || date.iso.contains('T')
            })
            .map(|(_, date)| date)
    }
}

/// A text up to where it begins to speak of a change.
fn before_change(text: &str) -> &str {
    let end = CHANGED.split('|').filter_map(|word| find_ignoring_case(text, word)).min();
    &text[..end.unwrap_or(text.len())]
}
