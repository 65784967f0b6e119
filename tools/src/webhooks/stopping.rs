//! Stops a webhook that can no longer send, and announces failures of webhooks.

use serde_json::Map;

use super::WEBHOOK;
use crate::announcements::WEBHOOK_FAILED;
use domain::WebhookState;
use gateway::{AuditRow, Outcome, Result, Services};
use store::{
    Conn, audit,
    webhooks::{self, Webhook},
};

/// Ends or pauses an active webhook, and records the reason in the audit trail. Drops the messages of an
/// ended webhook. Does nothing if the webhook is no longer active.
pub(super) async fn stop(
    services: &Services,
    db: &Conn<'_>,
    webhook: &Webhook,
    state: WebhookState,
) -> Result<()> {
    let now = services.clock.now();
    if !webhooks::set_state(db, &webhook.id, WebhookState::Active, state, now).await? {
        return Ok(());
    }
    if state == WebhookState::Gone {
        webhooks::drop_pending(db, &webhook.id, None, now).await?;
    }
    let facts = Map::from_iter([
        ("state".to_owned(), state.as_str().into()),
        ("owner_id".to_owned(), webhook.owner_id.as_str().into()),
    ]);
    let row = AuditRow {
        occurred_at: now,
        request_id: None,
        actor_member_id: None,
        actor_user_id: None,
        token_id: None,
        auth_method: "system",
        capability: None,
        action: "stop_webhook",
        resource_type: Some(WEBHOOK.kind),
        resource_id: Some(webhook.id.as_str().to_owned()),
        outcome: Outcome::Succeeded,
        status_code: None,
        metadata: facts,
    };
    audit::insert(db, row).await?;
    announce_trouble(services, db, webhook, state.as_str()).await
}

/// Announces that a webhook has stopped, or that a message was refused for three days.
pub(super) async fn announce_trouble(
    services: &Services,
    db: &Conn<'_>,
    webhook: &Webhook,
    state: &str,
) -> Result<()> {
    let facts = Map::from_iter([("state".to_owned(), state.into())]);
    let resource = (WEBHOOK, webhook.id.as_str());
    WEBHOOK_FAILED.record(services, db, resource, facts).await
}
