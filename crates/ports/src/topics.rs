//! Messages of notification topics.

use async_trait::async_trait;

use domain::{Result, time::Millis};

/// A message of a topic, with its signed fields.
#[derive(Debug, Clone)]
pub struct TopicMessage {
    /// `Notification`, `SubscriptionConfirmation` or `UnsubscribeConfirmation`.
    pub kind: String,
    pub message_id: String,
    pub topic_arn: String,
    pub message: String,
    /// The timestamp exactly as written in the message.
    pub timestamp: String,
    pub subject: Option<String>,
    pub token: Option<String>,
    pub subscribe_url: Option<String>,
    pub signature_version: String,
    /// The signature in Base64.
    pub signature: String,
    pub certificate_url: String,
}

/// The notification service to whose topics this service subscribes.
#[async_trait]
pub trait Topics: Send + Sync {
    /// Verifies the topic and the signature of a message.
    ///
    /// Refused (401) when the topic is not accepted or the signature is invalid, and (500) when the
    /// certificate is unavailable.
    async fn verify(&self, message: &TopicMessage, now: Millis) -> Result<()>;

    /// Confirms a subscription with the token of a verified message.
    async fn confirm(&self, message: &TopicMessage) -> Result<()>;
}
