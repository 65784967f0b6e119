//! Declares the area: its name, its description, its operations and its jobs.

use super::{
    CreateWebhook, DeleteWebhook, DeliverWebhook, ListWebhookMessages, ListWebhooks, PauseWebhook,
    QueueWebhookMessages, ReplayWebhookMessages, ResumeWebhook, RotateWebhookSecret,
    TOO_MANY_WEBHOOKS, TestWebhook, UpdateWebhook, WEBHOOK_NOT_ACTIVE, WebhookDelivery,
};
use gateway::{Area, Entry, Part, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "webhooks",
    "Avisos do que acontece, enviados a outros sistemas (Standard Webhooks).",
)
.codes(&[TOO_MANY_WEBHOOKS, WEBHOOK_NOT_ACTIVE])
.required_parts(&[Part::of_type::<WebhookDelivery>("WebhookDelivery")])
.announces_nothing()
.operations(&[
    Entry::for_operation::<CreateWebhook>(),
    Entry::for_operation::<ListWebhooks>(),
    Entry::for_operation::<UpdateWebhook>(),
    Entry::for_operation::<PauseWebhook>(),
    Entry::for_operation::<ResumeWebhook>(),
    Entry::for_operation::<RotateWebhookSecret>(),
    Entry::for_operation::<TestWebhook>(),
    Entry::for_operation::<DeleteWebhook>(),
    Entry::for_operation::<ListWebhookMessages>(),
    Entry::for_operation::<ReplayWebhookMessages>(),
])
.jobs(&[
    JobEntry::for_job::<QueueWebhookMessages>(),
    JobEntry::for_job::<DeliverWebhook>(),
]);
