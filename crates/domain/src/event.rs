//! An editorial event.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::ids::Stored;
use crate::{EventId, EventStatus, MediaId, Member, MemberId, Revision, time::Millis};

/// Maximum characters of the tag of an event.
pub const MOST_TAG: usize = 80;

/// An editorial event with its assignees and media.
///
/// Deserialised from database rows, so ids are not validated.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Event {
    #[serde(deserialize_with = "deserialize_stored")]
    pub id: EventId,
    pub api_revision: Revision,
    pub clickup_id: Option<String>,
    pub title: String,
    pub channel: String,
    pub status: EventStatus,
    pub description: Option<String>,
    pub briefing: Option<String>,
    pub due_at: Option<Millis>,
    pub editorial_tag: Option<String>,
    #[serde(deserialize_with = "deserialize_stored")]
    pub created_by: MemberId,
    pub created_by_name: String,
    pub created_at: Millis,
    pub updated_at: Millis,
    /// The link of the published post.
    pub post_url: Option<String>,
    /// Id and name of each assignee, in order.
    #[serde(deserialize_with = "deserialize_people")]
    pub assignees: Vec<(MemberId, String)>,
    /// The attached media, ordered by slide.
    pub media: Vec<Attached>,
}

/// A media file attached to an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    #[serde(deserialize_with = "deserialize_stored")]
    pub id: MediaId,
    pub slide_index: i64,
    pub kind: String,
    pub alt: Option<String>,
    pub media_type: String,
}

impl Event {
    /// Returns the sort key of the agenda; undated events sort last.
    #[must_use]
    pub fn agenda_sort_key(&self) -> Millis {
        self.due_at.unwrap_or(Millis::MAX)
    }

    /// True if the caption has not been written: the description still contains the briefing.
    #[must_use]
    pub fn has_unwritten_caption(&self) -> bool {
        self.description.is_some() && self.description == self.briefing
    }

    /// True if this member may see the event.
    #[must_use]
    pub fn is_visible_to(&self, member: &Member) -> bool {
        member.sees_all_events()
            || self.created_by == member.id
            || self.assignees.iter().any(|(id, _)| *id == member.id)
    }
}

fn deserialize_stored<'de, D: Deserializer<'de>, T: Stored>(
    deserializer: D,
) -> Result<T, D::Error> {
    let id = T::from_stored(String::deserialize(deserializer)?);
    id.ok_or_else(|| D::Error::custom("a stored identifier is empty"))
}

fn deserialize_people<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(MemberId, String)>, D::Error> {
    let people = Vec::<(String, String)>::deserialize(deserializer)?.into_iter();
    let people = people.map(|(id, name)| Some((MemberId::from_stored(id)?, name)));
    let people = people.collect::<Option<_>>();
    people.ok_or_else(|| D::Error::custom("a stored identifier is empty"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_event(id: &str, assignee: &str, media: &str) -> serde_json::Result<Event> {
        serde_json::from_value(serde_json::json!([
            id,
            3,
            null,
            "Festa",
            "instagram",
            "a fazer",
            null,
            null,
            null,
            null,
            "autora",
            "Ana",
            1,
            2,
            null,
            [[assignee, "Bia"]],
            [[media, 0, "imagem", null, "image/png"]],
        ]))
    }

    #[test]
    fn ids_of_an_event_are_read_from_its_row_unchanged() {
        let event = parse_event("antigo", "bia", "foto").expect("an event");
        assert_eq!(event.id.as_str(), "antigo");
        assert_eq!(event.api_revision, Revision::new(3));
        assert_eq!(event.assignees[0].0.as_str(), "bia");
        assert_eq!(event.media[0].id.as_str(), "foto");
    }

    #[test]
    fn an_event_with_an_empty_id_is_not_read() {
        for [id, assignee, media] in [["", "b", "c"], ["a", "", "c"], ["a", "b", ""]] {
            let error = parse_event(id, assignee, media).expect_err("an empty id");
            assert!(error.to_string().contains("identifier is empty"), "{error}");
        }
    }
}
