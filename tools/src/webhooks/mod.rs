//! Webhooks: announcements of this service, sent to external addresses according to Standard Webhooks
//! (<https://www.standardwebhooks.com>).
//!
//! The job [`QueueWebhookMessages`] reads the outbox and creates the messages of each webhook. The job
//! [`DeliverWebhook`], one for each webhook, sends the messages.
//!
//! Decided here:
//!
//! - Only members who may change the configuration manage webhooks. Operations that create or resume a
//!   webhook, change its address or show a secret need a session, so an agent cannot call them. A token
//!   may list webhooks and their log, and may test, pause and replay, because the address was set by a
//!   person.
//! - A message contains ids, values from fixed lists, and the URL at which the resource can be read. It
//!   contains no text that people write.
//! - A webhook sends only messages about resources that its owner may see at the time of sending. If the
//!   owner has left or may no longer manage webhooks, the webhook is paused. The member who resumes a
//!   webhook becomes its owner. A message about a resource that the owner may no longer see, such as a
//!   deleted resource, is dropped.
//! - The messages about one piece are sent in their order, so a failing message holds back the later
//!   messages about the same piece. Messages about other pieces are sent.
//! - A message that fails for three days pauses its webhook, so that no message is lost. If the receiver
//!   accepted other messages meanwhile, only the failing message is ended, and the members who manage
//!   webhooks are notified.
//! - A message is sent at least once, with the same id each time. The answer of a receiver is stored
//!   after it arrives, so after a killed process the message is sent again.
//! - The messages of a paused webhook wait, and are sent when the webhook is resumed, unless they are
//!   older than the log. A webhook that has ended (410) gets no new messages.
//! - A test is sent once. It waits for no other message, not even for a pause that the receiver has
//!   asked for, and holds back no other message. The pause that a receiver has asked for ends when
//!   messages are replayed or the address changes.
//! - Operations that need a session are not tools. An agent that reads texts of strangers, such as a
//!   remark of a guest, could be persuaded to send announcements to the address of a stranger, and a
//!   secret would stay in its conversation. The other operations are tools, so that an agent can find
//!   out why a receiver got no messages.
//! - A slot that becomes free takes the next message about another piece at once, so a receiver that is
//!   slow about one piece blocks one slot.

mod area;
mod create_webhook;
mod delete_webhook;
mod deliver_webhook;
mod hints;
mod kinds;
mod list_webhook_messages;
mod list_webhooks;
mod message;
mod message_view;
mod pause_webhook;
mod queue_webhook_messages;
mod replay_webhook_messages;
mod resume_webhook;
mod rotate_webhook_secret;
mod secret;
mod settings;
mod stopping;
mod test_webhook;
mod update_webhook;
mod webhook_view;

pub use area::AREA;
pub use create_webhook::CreateWebhook;
pub use delete_webhook::DeleteWebhook;
pub use deliver_webhook::{DeliverWebhook, WebhookDelivery};
pub use list_webhook_messages::ListWebhookMessages;
pub use list_webhooks::ListWebhooks;
pub use pause_webhook::PauseWebhook;
pub use queue_webhook_messages::QueueWebhookMessages;
pub use replay_webhook_messages::ReplayWebhookMessages;
pub use resume_webhook::ResumeWebhook;
pub use rotate_webhook_secret::RotateWebhookSecret;
pub use secret::seed_secret;
pub use test_webhook::TestWebhook;
pub use update_webhook::UpdateWebhook;

use domain::{Capability, Code};
use gateway::Resource;

/// The capability that a member needs to manage webhooks and to own a webhook.
const MANAGES: Capability = Capability::Config;

/// The resource kind of webhooks. Members who manage webhooks see all webhooks.
pub(crate) const WEBHOOK: Resource = Resource::new("webhook");

/// The maximum number of webhooks.
const MOST_WEBHOOKS: i64 = 20;

pub const TOO_MANY_WEBHOOKS: Code =
    Code::new("TOO_MANY_WEBHOOKS", 409, "A equipe já tem 20 webhooks.")
        .with_next_step("Apague os que não servem mais; veja `list_webhooks`.");

pub const WEBHOOK_NOT_ACTIVE: Code =
    Code::new("WEBHOOK_NOT_ACTIVE", 409, "O webhook não está ativo.")
        .with_next_step("Retome-o primeiro (`resume_webhook`).");
