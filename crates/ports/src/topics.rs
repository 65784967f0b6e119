//! Messages of notification topics (Amazon SNS).

use async_trait::async_trait;

use domain::{Result, time::Millis};

/// A message of a topic, with the fields that its signature covers.
#[derive(Debug, Clone)]
pub struct TopicMessage {
    /// The message type: `Notification`, `SubscriptionConfirmation` or `UnsubscribeConfirmation`.
    pub kind: String,
    pub message_id: String,
    pub topic_arn: String,
    pub message: String,
    /// The timestamp exactly as written in the message, because it is signed.
    pub timestamp: String,
    pub subject: Option<String>,
    pub token: Option<String>,
    pub subscribe_url: Option<String>,
    pub signature_version: String,
    /// The signature, in Base64.
    pub signature: String,
    pub certificate_url: String,
}

/// Verifies and confirms messages of the topics to which this service subscribes.
#[async_trait]
pub trait Topics: Send + Sync {
    /// Verifies the topic and the signature of a message.
    ///
    /// Fails with 401 if the topic is not accepted or the signature is invalid, and with 500 if the
    /// signing certificate is unavailable.
    async fn verify(&self, message: &TopicMessage, now: Millis) -> Result<()>;

    /// Confirms a subscription with the token from a verified message.
    async fn confirm(&self, message: &TopicMessage) -> Result<()>;
}
