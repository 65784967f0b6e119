//! Saving a draft: the input, the statements and the response.

use serde::Deserialize;
use serde_json::{Map, json};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::caller::Refused;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub event_id: String,
    expected_revision: i64,
    caption: Option<String>,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize, Default, Clone, Copy)]
enum Status {
    #[serde(rename = "a fazer")]
    Todo,
    #[default]
    #[serde(rename = "em progresso")]
    InProgress,
    #[serde(rename = "processing")]
    Processing,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Self::Todo => "a fazer",
            Self::InProgress => "em progresso",
            Self::Processing => "processing",
        }
    }
}

/// Reads the event (?1). ?2: null, or the member who must have created it or be assigned to it.
pub const BEFORE: &str = "
SELECT e.api_revision, e.title, e.status, e.description, e.editorial_tag
FROM events e
WHERE e.id = ?1 AND (?2 IS NULL OR e.created_by = ?2 OR EXISTS (
    SELECT 1 FROM event_assignees v WHERE v.event_id = e.id AND v.member_id = ?2))";

pub const UPDATE: &str = "
UPDATE events SET api_revision = api_revision + 1, status = ?3, description = ?4,
    updated_at = ?5
WHERE id = ?1 AND api_revision = ?2";

pub const SEARCHED: &str =
    "UPDATE event_texts SET searched = ?2, pending = TRUE WHERE event_id = ?1";

pub const HISTORY: &str = "
INSERT INTO event_history
    (id, event_id, api_revision, actor_member_id, action, changes, occurred_at)
VALUES (?1, ?2, ?3, ?4, 'save_draft', ?5, ?6)";

pub const AUDIT: &str = "
INSERT INTO audit_events (id, occurred_at, request_id, actor_member_id, actor_user_id, token_id,
    auth_method, capability, action, resource_type, resource_id, outcome, status_code, metadata)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'personal_token', 'draft_save', 'save_draft', 'event', ?7,
    'succeeded', 200, '{\"door\":\"rest\"}')";

pub const REVISION: &str = "SELECT api_revision FROM events WHERE id = ?1";

/// A row of the query [`BEFORE`], in the order of its columns.
pub struct Before {
    pub revision: i64,
    pub title: String,
    pub status: String,
    pub description: Option<String>,
    pub editorial_tag: Option<String>,
}

/// The values to write.
pub struct Draft {
    pub event_id: String,
    /// The revision that the draft is based on.
    pub revision: i64,
    pub status: &'static str,
    pub description: Option<String>,
    /// The new searchable text; `None` if it does not change.
    pub searched: Option<String>,
    pub changes: String,
}

impl Input {
    pub fn parse_body(body: &[u8]) -> Result<Self, Refused> {
        let input: Self =
            serde_json::from_slice(body).map_err(|e| Refused::Invalid(e.to_string()))?;
        let long = |caption: &String| caption.chars().count() > 20_000;
        if input.expected_revision < 0 || input.caption.as_ref().is_some_and(long) {
            return Err(Refused::Invalid("out of bounds".into()));
        }
        Ok(input)
    }

    /// Checks the input against the current row and computes the values to write.
    pub fn apply_to(self, before: Before) -> Result<Draft, Refused> {
        let revision = before.revision;
        if revision != self.expected_revision {
            return Err(Refused::Stale(revision));
        }
        if !["a fazer", "em progresso", "processing", "recusado"].contains(&&*before.status) {
            return Err(Refused::NotEditable(before.status));
        }
        let old = before.description;
        let new = self.caption.or_else(|| old.clone());
        let status = self.status.as_str();
        let parts = [
            Some(&*before.title),
            new.as_deref(),
            before.editorial_tag.as_deref(),
        ];
        let searched = (old != new)
            .then(|| fold_text(&parts.into_iter().flatten().collect::<Vec<_>>().join("\n")));
        let mut changes = Map::new();
        if old != new {
            changes.insert("description".into(), json!({ "before": old, "after": new }));
        }
        if before.status != status {
            let change = json!({ "before": before.status, "after": status });
            changes.insert("status".into(), change);
        }
        Ok(Draft {
            event_id: self.event_id,
            revision,
            status,
            description: new,
            searched,
            changes: serde_json::to_string(&changes)?,
        })
    }
}

impl Draft {
    /// Returns the response body.
    pub fn response_body(&self) -> Result<Vec<u8>, Refused> {
        let revision = self.revision + 1;
        let answer = json!({ "ok": true, "status": self.status, "api_revision": revision });
        Ok(serde_json::to_vec(&answer)?)
    }
}

/// Normalizes a text for search: lower case without accents.
pub fn fold_text(text: &str) -> String {
    text.nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns a new UUIDv7.
pub fn new_id(now: i64) -> String {
    let mut random = [0; 10];
    getrandom::fill(&mut random).expect("the operating system provides randomness");
    uuid::Builder::from_unix_timestamp_millis(now.cast_unsigned(), &random)
        .into_uuid()
        .to_string()
}
