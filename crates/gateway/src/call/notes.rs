//! Audit rows and change marks of a call.
//!
//! A row names its resource by the input field in the spec (`about`), or by the answer if the
//! effect creates the resource (`makes`, `Operation::affected_ids`). The row of a refusal names a
//! resource only if the input names it. A write that creates several resources names all of them in
//! `metadata.resource_ids`.

use domain::{Capability, is_id, sha256_hex, time::Millis};

use serde_json::Value;

use super::{Call, admission::to_stored_id};
use crate::{
    Answer, AuditRow, Code, Context, Error, Execution, Known, Outcome, Principal, Result, audit,
    changes::{Author, Change},
    idempotency::Keyed,
    quotas::return_pictures,
};

impl Call<'_> {
    /// Creates the audit row of this call, with the capability that it used.
    pub(super) fn to_audit_row(&self, caller: &Principal, now: Millis) -> AuditRow {
        let mut row = audit::audit_row(&self.operation.spec, caller, self.origin, now);
        if let Some(needed) = self.needed.get() {
            row.capability = Some(needed.as_str());
        }
        if let (Some((container, _)), Some(id)) = (self.operation.spec.within, self.within.get())
            && is_id(id)
        {
            let name = format!("{}_id", container.kind);
            row.metadata.insert(name, id.as_str().into());
        }
        row
    }

    pub(super) async fn note_success(
        &self,
        ctx: &Context<'_>,
        db: &store::Conn<'_>,
        answer: &Answer,
        keyed: Option<&Keyed>,
    ) -> Result<()> {
        let Some(caller) = self.caller else {
            return Ok(());
        };
        let mut row = self.to_audit_row(caller, ctx.now);
        let affected = &answer.affected;
        row.resource_id = affected.first().or(self.about.get()).cloned();
        if affected.len() > 1 {
            row.metadata
                .insert("resource_ids".into(), affected.clone().into());
        }
        if let Some(changes) = self.changes.get().filter(|changes| !changes.is_empty()) {
            row.metadata
                .insert(audit::CHANGES.into(), changes.clone().into());
        }
        if let Some(keyed) = keyed {
            let hash = sha256_hex(keyed.key.as_str().as_bytes());
            row.metadata
                .insert("idempotency_key_sha256".into(), hash.into());
        }
        Ok(store::audit::insert(db, row.with_outcome(Outcome::Succeeded, answer.status)).await?)
    }

    /// Returns the id of the resource that contains the resource of the call.
    pub(super) fn container_id(&self, input: &Value) -> Option<String> {
        let (_, field) = self.operation.spec.within?;
        let id = input.get(field)?.as_str()?;
        Some(to_stored_id(id).into_owned())
    }

    /// Marks a committed change for its watchers.
    pub(super) fn mark_change(&self, outcome: &Result<Answer>) {
        let spec = &self.operation.spec;
        let affected = match outcome {
            Ok(answer) if answer.replayed => return,
            Ok(answer) => answer.affected.as_slice(),
            // An outside operation commits in steps and may have failed after the first step.
            Err(_) if spec.execution == Execution::Outside => &[],
            Err(_) => return,
        };
        let area = self.operation.area.name;
        let change = match (spec.within, self.within.get().cloned(), spec.resource) {
            (Some((container, _)), Some(id), _) => {
                Change::of_resources(area, container.kind, vec![id])
            }
            (_, _, Some((resource, _))) if !affected.is_empty() => {
                Change::of_resources(area, resource.kind, affected.to_vec())
            }
            (_, _, Some((resource, Some(_)))) => Change::of_resources(
                area,
                resource.kind,
                self.about.get().cloned().into_iter().collect(),
            ),
            _ => Change::of_area(area),
        };
        let change = change.with_author(self.caller.map(Author::from_caller));
        self.gateway.services.changes.mark_change(change);
    }

    /// Audits refused writes and every 403 of an authenticated caller. Refusals of anonymous
    /// callers leave no row.
    pub(super) async fn note_refusal(&self, error: &Error) {
        let spec = &self.operation.spec;
        if let Some(source) = std::error::Error::source(error) {
            tracing::error!(
                operation = spec.name,
                request_id = self.origin.request_id,
                code = error.code.as_str(),
                error = %source,
                "a operação falhou"
            );
        }
        // The database is unavailable, so no row can be written.
        if error.code == Code::UNAVAILABLE {
            return;
        }
        let Some(caller) = self.caller else { return };
        if !spec.is_recorded() && error.status() != 403 {
            return;
        }
        let mut row = self
            .to_audit_row(caller, self.gateway.now())
            .with_refusal(error);
        // A caller can put any value into an id field, even a secret. A refused value is recorded
        // only if it has the format of an id.
        row.resource_id = self.about.get().filter(|id| is_id(id)).cloned();
        if let Some(capability) = error
            .body()
            .details
            .as_ref()
            .and_then(|d| d.get("capability"))
        {
            let denied = Capability::ALL.iter().find(|c| capability == c.as_str());
            row.capability = denied.map(|c| c.as_str()).or(row.capability);
            row.metadata.insert("capability".into(), capability.clone());
        }
        if let Err(error) = self.write_row(row).await {
            tracing::error!(
                error = error.text_with_causes(),
                "uma linha da auditoria se perdeu"
            );
        }
    }

    /// Records a call beyond a quota. Such refusals share one audit row a minute, so that a caller
    /// beyond its quota does not fill the audit trail.
    pub(super) fn note_over_quota(&self, caller: &Principal, error: &Error, now: Millis) {
        if error.code != Code::RATE_LIMITED {
            return;
        }
        let services = &self.gateway.services;
        let row = self.to_audit_row(caller, now);
        services
            .reads
            .record_denial(&Known::from_caller(caller), error, row, self.origin);
        let address = self.origin.address;
        services
            .refusals
            .count_refusal("cota de chamadas excedida", error.code, address, now);
    }

    /// Gives the images and videos that a refused operation had reserved back to the budget. If
    /// that fails, they count as generated.
    pub(super) async fn return_pictures(&self, caller: &Principal, now: Millis) {
        let Some(count) = self.pictures.get() else {
            return;
        };
        let returned = async {
            let tx = self.gateway.services.db.begin().await?;
            return_pictures(&tx.conn(), caller, *count, now).await?;
            Ok(tx.commit().await?)
        };
        let returned: Result<()> = returned.await;
        if let Err(error) = returned {
            tracing::warn!(
                error = error.text_with_causes(),
                "imagens reservadas e não geradas contam no limite do dia"
            );
        }
    }

    pub(super) async fn write_row(&self, row: AuditRow) -> Result<()> {
        let tx = self.gateway.services.db.begin().await?;
        store::audit::insert(&tx.conn(), row).await?;
        Ok(tx.commit().await?)
    }
}
