//! Messages of notification topics (Amazon SNS).

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use domain::{Result, time::Millis};

/// A message of a topic: the fields that its signature covers, with their names in the JSON. Other
/// fields of the JSON are skipped.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TopicMessage {
    /// The message type: `Notification`, `SubscriptionConfirmation` or `UnsubscribeConfirmation`.
    #[serde(rename = "Type")]
    pub kind: String,
    pub message_id: String,
    pub topic_arn: String,
    pub message: String,
    /// The timestamp exactly as written in the message, because it is signed.
    pub timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    #[serde(rename = "SubscribeURL", skip_serializing_if = "Option::is_none")]
    pub subscribe_url: Option<String>,
    pub signature_version: String,
    /// The signature, in Base64.
    pub signature: String,
    #[serde(rename = "SigningCertURL")]
    pub certificate_url: String,
}

/// Verifies and confirms messages of the topics to which this service subscribes.
#[async_trait]
pub trait Topics: Send + Sync {
    /// Verifies the topic and the signature of a message.
    ///
    /// Fails with 401 if the topic is not accepted or the signature is invalid, and with 500 if the
    /// signing certificate is unavailable.
    async fn verify_message(&self, message: &TopicMessage, now: Millis) -> Result<()>;

    /// Confirms a subscription with the token from a verified message.
    async fn confirm_subscription(&self, message: &TopicMessage) -> Result<()>;
}
