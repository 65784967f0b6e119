//! Webhooks: what happens here, sent to addresses outside, by the letter of Standard Webhooks
//! (<https://www.standardwebhooks.com>).
//!
//! The job [`QueueWebhookMessages`] reads the outbox and makes the messages of each webhook. The job
//! [`DeliverWebhook`], one for each webhook, sends them.
//!
//! Decided here:
//!
//! - Only those who may change the configuration manage webhooks. What opens a way out of the service, moves
//!   one or shows a secret needs a session: an agent does none of it. A token lists webhooks and their log,
//!   tests, pauses and sends again, to addresses that a person has set.
//! - A message has ids and values from fixed lists, and the address to read the rest. It has no text
//!   that people write.
//! - A webhook tells what its owner may see when it is told. If the owner has left or may no longer
//!   manage webhooks, it is paused. Who resumes a webhook becomes its owner. A message of a resource
//!   that may no longer be seen, as of a deleted one, is dropped.
//! - The messages of one piece are sent in their order, so one that fails holds back the later ones of
//!   its piece. Those of other pieces are sent.
//! - A message that fails for three days pauses its webhook, so that nothing is lost. If the receiver
//!   took other messages meanwhile, only this one ends, and those who manage webhooks are told.
//! - A message is sent at least once, with the same id each time. What a receiver has answered is
//!   stored after the answer, so a killed process sends the message again.
//! - What happens while a webhook is paused waits, and is sent when it is resumed, unless it is older
//!   than the log. While it is ended (410), nothing waits.
//! - A test waits for nothing, also not for a pause that the receiver has asked for, holds nothing back,
//!   and is sent once. Such a pause ends when messages are sent again or the address changes.
//! - What needs a session is no tool. An agent that reads what strangers write, such as a remark of a guest,
//!   could be told to send what happens here to their address, and the secret would stay in its conversation.
//!   The rest are tools, so that an agent can find out why another system has heard nothing.
//! - A place that becomes free takes the next message of another piece at once, so a receiver that is
//!   slow about one piece holds one place.

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

/// What a member needs to manage webhooks, and to own one.
const MANAGES: Capability = Capability::Config;

/// A webhook. Those who manage webhooks see all of them.
pub(crate) const WEBHOOK: Resource = Resource::new("webhook");

/// Maximum number of webhooks.
const MOST_WEBHOOKS: i64 = 20;

pub const TOO_MANY_WEBHOOKS: Code =
    Code::new("TOO_MANY_WEBHOOKS", 409, "A equipe já tem 20 webhooks.")
        .with_next_step("Apague os que não servem mais; veja `list_webhooks`.");

pub const WEBHOOK_NOT_ACTIVE: Code =
    Code::new("WEBHOOK_NOT_ACTIVE", 409, "O webhook não está ativo.")
        .with_next_step("Retome-o primeiro (`resume_webhook`).");
