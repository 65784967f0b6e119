//! Events in rows of PostgreSQL.
//!
//! The lists of an event are texts, because PostgreSQL builds JSON slowly. A text in a list follows
//! its length in bytes and a colon, NULL is a minus, and a number ends with a colon. So a value may
//! contain any character.

use domain::{Attached, Error, Event, EventId, MediaId, MemberId, Revision};
use sea_orm::Value;

use crate::{Failure, Result, Row};

/// The columns of the lists.
pub(super) const LISTS: &str = ", coalesce((
        SELECT string_agg(concat(octet_length(m.id), ':', m.id, octet_length(m.name), ':', m.name),
            '' ORDER BY a.position)
        FROM event_assignees a JOIN members m ON m.id = a.member_id
        WHERE a.event_id = e.id), '') AS assignees, coalesce((
        SELECT string_agg(concat(octet_length(x.media_id), ':', x.media_id, x.slide_index, ':',
            octet_length(x.kind), ':', x.kind, coalesce(octet_length(x.alt) || ':' || x.alt, '-'),
            octet_length(x.media_type), ':', x.media_type),
            '' ORDER BY x.slide_index, x.media_id)
        FROM event_media x WHERE x.event_id = e.id), '') AS media";

/// Reads an event from a row whose columns are in the order of its fields.
pub(super) fn read_event(row: Row) -> Result<Event> {
    read_fields(Cells(row.values.into_iter())).ok_or_else(invalid_row)
}

fn invalid_row() -> Failure {
    Error::internal("uma linha não contém um evento válido").into()
}

fn read_fields(mut cells: Cells) -> Option<Event> {
    Some(Event {
        id: EventId::from_stored(cells.text()?)?,
        api_revision: Revision::new(cells.number()?),
        clickup_id: cells.optional_text()?,
        title: cells.text()?,
        channel: cells.text()?,
        status: cells.text()?.parse().ok()?,
        description: cells.optional_text()?,
        briefing: cells.optional_text()?,
        due_at: cells.optional_number()?,
        editorial_tag: cells.optional_text()?,
        created_by: MemberId::from_stored(cells.text()?)?,
        created_by_name: cells.text()?,
        created_at: cells.number()?,
        updated_at: cells.number()?,
        post_url: cells.optional_text()?,
        assignees: read_assignees(&cells.text()?)?,
        media: read_media(&cells.text()?)?,
    })
}

/// The values of a row that are not read yet.
struct Cells(std::vec::IntoIter<Value>);

impl Cells {
    fn text(&mut self) -> Option<String> {
        self.optional_text()?
    }

    fn optional_text(&mut self) -> Option<Option<String>> {
        match self.0.next()? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<i64> {
        self.optional_number()?
    }

    fn optional_number(&mut self) -> Option<Option<i64>> {
        match self.0.next()? {
            Value::BigInt(number) => Some(number),
            // NULL has no type.
            Value::String(None) => Some(None),
            _ => None,
        }
    }
}

fn read_assignees(list: &str) -> Option<Vec<(MemberId, String)>> {
    let mut items = Items(list);
    let mut assignees = vec![];
    while !items.0.is_empty() {
        let id = MemberId::from_stored(items.text()?)?;
        assignees.push((id, items.text()?));
    }
    Some(assignees)
}

fn read_media(list: &str) -> Option<Vec<Attached>> {
    let mut items = Items(list);
    let mut media = vec![];
    while !items.0.is_empty() {
        media.push(Attached {
            id: MediaId::from_stored(items.text()?)?,
            slide_index: items.number()?,
            kind: items.text()?,
            alt: items.optional_text()?,
            media_type: items.text()?,
        });
    }
    Some(media)
}

/// The part of a list that is not read yet.
struct Items<'a>(&'a str);

impl Items<'_> {
    fn number(&mut self) -> Option<i64> {
        let (number, rest) = self.0.split_once(':')?;
        self.0 = rest;
        number.parse().ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text.to_owned())
    }

    fn optional_text(&mut self) -> Option<Option<String>> {
        if let Some(rest) = self.0.strip_prefix('-') {
            self.0 = rest;
            return Some(None);
        }
        self.text().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_lists_may_contain_any_character() {
        let people = read_assignees("1:a8:Zé: 3:-1:b0:").expect("a list");
        let people = people.iter().map(|(id, name)| (id.as_str(), name.as_str()));
        let people: Vec<_> = people.collect();
        assert_eq!(people, [("a", "Zé: 3:-"), ("b", "")]);
        let media = read_media("1:m0:5:slide-9:image/png1:n-2:0:3:1:-3:a/b").expect("a list");
        let alts: Vec<_> = media
            .iter()
            .map(|one| (one.slide_index, one.alt.as_deref()))
            .collect();
        assert_eq!(alts, [(0, None), (-2, Some("1:-"))]);
        assert_eq!(media[1].media_type, "a/b");
    }

    #[test]
    fn a_malformed_list_is_refused() {
        for list in ["1", "1:a", "9:a1:b", "x:a1:b", "-1:a1:b", "1:é1:b"] {
            assert_eq!(read_assignees(list), None, "{list}");
        }
    }
}
