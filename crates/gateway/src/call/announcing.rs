//! The rows that a call writes to the outbox.

use serde_json::{Map, Value};

use super::Call;
use crate::{Announcement, Answer, AuditRow, Body, Context, Result};

/// The announcements that a call may make, each with the facts from the input.
pub(super) type Announcing = Vec<(&'static Announcement, Map<String, Value>)>;

impl Call<'_> {
    /// Collects the announcements that this call may make. The facts are read before the effect,
    /// because the effect consumes the input.
    pub(super) fn collect_announcements(&self, input: &Value) -> Announcing {
        let announces = self.operation.announces().iter();
        announces
            .map(|one| (one, one.extract_input_facts(input)))
            .collect()
    }

    /// Writes the rows in the transaction of the effect. Returns true if it wrote at least one row;
    /// then [`Call::wake_outbox_readers`] must follow the commit.
    pub(super) async fn write_announcements(
        &self,
        db: &store::Conn<'_>,
        ctx: &Context<'_>,
        announcing: &Announcing,
        answer: &Answer,
    ) -> Result<bool> {
        let (Some(caller), false) = (self.caller, announcing.is_empty()) else {
            return Ok(false);
        };
        let row: AuditRow = self.to_audit_row(caller, ctx.now);
        let ids: Vec<String> = match answer.affected.as_slice() {
            [] => self.about.get().cloned().into_iter().collect(),
            ids => ids.to_vec(),
        };
        let body = match &answer.body {
            Body::Json(text) => serde_json::from_str(text)?,
            Body::Page(_) => Value::Null,
        };
        let mut written = false;
        for (announcement, facts) in announcing {
            written |= announcement
                .write_rows(db, &row, &ids, facts, &body)
                .await?;
        }
        Ok(written)
    }

    /// Wakes the jobs that read the outbox, after the commit of a row.
    pub(super) fn wake_outbox_readers(&self) {
        let services = &self.gateway.services;
        services.queue.wake_outbox_readers(self.gateway.now());
    }
}
