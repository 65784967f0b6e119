//! The rows that a call writes to the outbox.

use serde_json::{Map, Value};

use super::Call;
use crate::{Announcement, Answer, AuditRow, Body, Context, Result};

/// What a call may announce, with the facts of its input.
pub(super) type Announcing = Vec<(&'static Announcement, Map<String, Value>)>;

impl Call<'_> {
    /// What this call may announce. The input is not available any more when the effect is done.
    pub(super) fn begin_announcing(&self, input: &Value) -> Announcing {
        let announces = self.operation.announces().iter();
        announces
            .map(|one| (one, one.facts_of_input(input)))
            .collect()
    }

    /// Writes the rows in the transaction of the effect. Returns whether there are any; then
    /// [`Call::wake_outbox_readers`] follows the commit.
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
