//! The webhooks that the published examples use.

use domain::{
    MemberId, Revision, WebhookId, WebhookMessageId, WebhookState,
    time::{HOUR, Millis},
};
use gateway::{Keys, Result};
use store::{
    Conn,
    webhooks::{self, NewMessage, Outcome, Webhook},
};
use tools::webhooks::seed_secret;

/// Inserts a webhook whose only message was delivered, and a webhook that the examples delete.
pub(super) async fn seed_webhooks(
    db: &Conn<'_>,
    keys: &Keys,
    [id, deleted]: [WebhookId; 2],
    message: WebhookMessageId,
    owner: &MemberId,
    now: Millis,
) -> Result<()> {
    let webhook = Webhook {
        id,
        owner_id: owner.clone(),
        owner_name: String::new(),
        // The domain has no servers (RFC 2606).
        url: "https://painel.exemplo.invalid/pauta".into(),
        description: "Painel do estúdio".into(),
        kinds: vec!["piece_decided".into()],
        project_id: None,
        channel: None,
        state: WebhookState::Active,
        revision: Revision::FIRST,
        created_at: now - HOUR,
        state_since: now - HOUR,
        previous_until: None,
        not_before: 0,
        from_position: 0,
    };
    let old = Webhook {
        id: deleted,
        description: "Painel antigo".into(),
        ..webhook.clone()
    };
    for one in [&webhook, &old] {
        webhooks::insert(db, one).await?;
        seed_secret(db, keys, &one.id).await?;
    }
    let new = NewMessage {
        webhook_id: &webhook.id,
        position: 0,
        kind: "test",
        resource_kind: "test",
        resource_id: message.as_str(),
        order_key: message.as_str(),
        body: "{}",
    };
    webhooks::insert_message(db, &message, &new, now - HOUR).await?;
    let attempt = webhooks::Attempt {
        url: webhook.url.clone(),
        number: 1,
        sent_at: now - HOUR,
        status: Some(204),
        answer: String::new(),
        took_ms: 84,
        error: None,
    };
    let received = Outcome::Ended(domain::WebhookMessageState::Received);
    webhooks::record_attempt(db, &message, &attempt, received, now - HOUR).await?;
    Ok(())
}
