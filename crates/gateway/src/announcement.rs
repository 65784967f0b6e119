//! Announcements: the rows that a write inserts into the outbox.
//!
//! A spec lists its announcements with [`crate::Spec::announces`], or declares with
//! [`crate::Spec::announces_nothing`] that it has none. An area can declare the latter for all its
//! operations. The gateway writes the rows in the transaction of the write, from the input and the
//! answer, so that no operation needs code for them. The jobs that read the outbox decide later who
//! is notified.

use serde_json::{Map, Value};
use store::{Conn, audit::AuditRow, outbox::NewEntry};

use crate::{Principal, Resource, Result, Services};
use domain::{Revision, is_id, time::Millis};

/// The name of a fact, and the source of its value: a field of the input, or a JSON pointer into
/// the answer.
type Source = (&'static str, &'static str);

/// The time, the revision and the author of a change, for [`Announcement::record_as`].
#[derive(Debug, Clone, Copy)]
pub struct Made<'a> {
    /// The instant of the change, equal to the one in the history of the resource.
    pub at: Millis,
    /// The revision of the resource after the change, if it has revisions.
    pub revision: Option<Revision>,
    /// The author of the change; `None` for the service itself.
    pub caller: Option<&'a Principal>,
}

/// One kind of row that an operation writes to the outbox, about the resource of its spec.
///
/// ```
/// use gateway::Announcement;
///
/// /// A note was shared with members. A call that names no members announces nothing.
/// const NOTE_SHARED: Announcement = Announcement::new("note_shared")
///     .with_input(&[("members", "member_ids")])
///     .if_any_fact();
/// assert_eq!(NOTE_SHARED.kind, "note_shared");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Announcement {
    /// The name of the event, in snake_case.
    pub kind: &'static str,
    inputs: &'static [Source],
    answers: &'static [Source],
    revision: &'static str,
    each: Option<&'static str>,
    needs_fact: bool,
}

impl Announcement {
    #[must_use]
    pub const fn new(kind: &'static str) -> Self {
        Self {
            kind,
            inputs: &[],
            answers: &[],
            revision: "/api_revision",
            each: None,
            needs_fact: false,
        }
    }

    /// Adds facts from fields of the input. Only ids and values from fixed lists belong there.
    #[must_use]
    pub const fn with_input(self, inputs: &'static [Source]) -> Self {
        Self { inputs, ..self }
    }

    /// Adds facts from the answer.
    #[must_use]
    pub const fn with_answer(self, answers: &'static [Source]) -> Self {
        Self { answers, ..self }
    }

    /// Sets where the revision is in the answer.
    #[must_use]
    pub const fn revision_at(self, revision: &'static str) -> Self {
        Self { revision, ..self }
    }

    /// Announces each item of this list of the answer. The items are in the order of
    /// [`crate::Operation::affected_ids`].
    #[must_use]
    pub const fn for_each(self, list: &'static str) -> Self {
        Self {
            each: Some(list),
            ..self
        }
    }

    /// Announces only resources for which there is at least one fact.
    #[must_use]
    pub const fn if_any_fact(self) -> Self {
        Self {
            needs_fact: true,
            ..self
        }
    }

    /// Inserts the row of a change by a job or page that owns its transaction, and wakes the
    /// readers of the outbox. `db` is the connection of that transaction.
    pub async fn record(
        &self,
        services: &Services,
        db: &Conn<'_>,
        (resource, id): (Resource, &str),
        facts: Map<String, Value>,
    ) -> Result<()> {
        let made = Made {
            at: services.clock.now(),
            revision: None,
            caller: None,
        };
        self.record_as(services, db, (resource, id), made, facts)
            .await
    }

    /// Like [`Self::record`], for a change with an author or a revision.
    pub async fn record_as(
        &self,
        services: &Services,
        db: &Conn<'_>,
        (resource, id): (Resource, &str),
        made: Made<'_>,
        facts: Map<String, Value>,
    ) -> Result<()> {
        let entry = NewEntry {
            occurred_at: made.at,
            kind: self.kind,
            resource_kind: resource.kind,
            resource_id: id,
            revision: made.revision,
            project_id: None,
            actor_id: made.caller.map(|caller| &caller.member.id),
            credential_id: made.caller.and_then(Principal::credential_id),
            auth_method: made.caller.map_or("system", Principal::auth_method),
            facts,
        };
        store::outbox::insert(db, entry).await?;
        services.queue.wake_outbox_readers(services.clock.now());
        Ok(())
    }

    /// Returns the facts from the input. They are copied before the operation runs, because it
    /// consumes the input.
    pub(crate) fn extract_input_facts(&self, input: &Value) -> Map<String, Value> {
        let given = self.inputs.iter().filter_map(|(name, field)| {
            let value = input.get(field).filter(|value| is_fact(value))?;
            Some(((*name).to_owned(), value.clone()))
        });
        given.collect()
    }

    /// Writes the rows of a call. Returns true if it wrote at least one row.
    pub(crate) async fn write_rows(
        &self,
        db: &Conn<'_>,
        row: &AuditRow,
        ids: &[String],
        facts: &Map<String, Value>,
        answer: &Value,
    ) -> Result<bool> {
        let Some(resource_kind) = row.resource_type else {
            return Ok(false);
        };
        let mut written = false;
        for (number, id) in ids.iter().enumerate() {
            let part = match self.each {
                Some(list) => answer.pointer(&format!("{list}/{number}")),
                None => Some(answer),
            };
            let part = part.unwrap_or(&Value::Null);
            let mut facts = facts.clone();
            let answered = self.answers.iter().filter_map(|(name, pointer)| {
                let value = part.pointer(pointer).filter(|value| is_fact(value))?;
                Some(((*name).to_owned(), value.clone()))
            });
            facts.extend(answered);
            if self.needs_fact && facts.is_empty() {
                continue;
            }
            let project = container_id(row, "project_id");
            let project = match resource_kind {
                "project" => Some(id.as_str().into()),
                _ => project,
            };
            if let Some(event) = row.metadata.get("event_id") {
                facts.insert("event_id".into(), event.clone());
            }
            let revision = part.pointer(self.revision).and_then(Value::as_i64);
            let entry = NewEntry {
                occurred_at: row.occurred_at,
                kind: self.kind,
                resource_kind,
                resource_id: id,
                revision: revision.map(Revision::new),
                project_id: project.as_ref(),
                actor_id: row.actor_member_id.as_ref(),
                credential_id: row.token_id.clone(),
                auth_method: row.auth_method,
                facts,
            };
            store::outbox::insert(db, entry).await?;
            written = true;
        }
        Ok(written)
    }
}

fn container_id<T: From<String>>(row: &AuditRow, name: &str) -> Option<T> {
    let id = row.metadata.get(name)?.as_str().filter(|id| is_id(id))?;
    Some(id.to_owned().into())
}

/// True if a value is a fact: null and the empty list are not.
fn is_fact(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
}
