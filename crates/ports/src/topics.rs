//! Messages of notification topics.

use async_trait::async_trait;

use domain::{Result, time::Millis};

/// A message of a topic, with what was signed of it.
#[derive(Debug, Clone)]
pub struct TopicMessage {
    /// `Notification`, `SubscriptionConfirmation` or `UnsubscribeConfirmation`.
    pub kind: String,
    pub message_id: String,
    pub topic_arn: String,
    pub message: String,
    /// As it was written.
    pub timestamp: String,
    pub subject: Option<String>,
    pub token: Option<String>,
    pub subscribe_url: Option<String>,
    pub signature_version: String,
    /// In Base64.
    pub signature: String,
    pub certificate_url: String,
}

/// The notification service whose topics this service is subscribed to.
#[async_trait]
pub trait Topics: Send + Sync {
    /// Refused (401) when the topic is not an accepted one or did not sign the message, and (500)
    /// when its certificate cannot be had now.
    async fn verify(&self, message: &TopicMessage, now: Millis) -> Result<()>;

    /// Confirms a subscription, with the token of a message that was verified.
    async fn confirm(&self, message: &TopicMessage) -> Result<()>;
}
