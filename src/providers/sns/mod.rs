//! Amazon SNS: verifies signatures of messages and confirms subscriptions.
//!
//! <https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html>

mod certificates;

use std::time::Duration;

use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::time::Millis;
use gateway::{Code, Error, Result};
use ports::{TopicMessage, Topics};
use reqwest::{Client, Url};
use ring::signature::{
    RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256, RsaParameters,
    UnparsedPublicKey,
};

use super::foreign;
use crate::config::EmailTopics;
use certificates::Certificates;

/// The timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The adapter of SNS.
pub struct Sns {
    topics: EmailTopics,
    client: Client,
    certificates: Certificates,
}

impl Sns {
    pub fn new(topics: EmailTopics) -> anyhow::Result<Self> {
        let client = foreign::client_builder().timeout(TIMEOUT).build()?;
        Ok(Self {
            topics,
            certificates: Certificates::new(client.clone()),
            client,
        })
    }

    /// Parses a URL; `None` if it is neither on the SNS host of the topic's region nor on a host
    /// that the operator allows.
    fn allowed_url(&self, text: &str, topic_arn: &str) -> Option<Url> {
        let url = Url::parse(text).ok()?;
        let bare = url.username().is_empty() && url.password().is_none();
        let host = url
            .host_str()
            .filter(|_| bare && url.fragment().is_none())?;
        let port = url.port_or_known_default()?;
        let named = format!("{host}:{port}");
        if self.topics.certificate_hosts.contains(&named) {
            return matches!(url.scheme(), "http" | "https").then_some(url);
        }
        let is_own =
            url.scheme() == "https" && port == 443 && Some(host) == sns_host(topic_arn).as_deref();
        is_own.then_some(url)
    }

    fn signature_algorithm(&self, version: &str) -> Option<&'static RsaParameters> {
        match version {
            "1" if !self.topics.only_sha256 => Some(&RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY),
            "2" => Some(&RSA_PKCS1_2048_8192_SHA256),
            _ => None,
        }
    }
}

#[async_trait]
impl Topics for Sns {
    async fn verify_message(&self, message: &TopicMessage, now: Millis) -> Result<()> {
        let forged = || Error::new(Code::UNAUTHENTICATED);
        if !self.topics.arns.contains(&message.topic_arn) {
            return Err(forged());
        }
        let algorithm = self.signature_algorithm(&message.signature_version);
        let address = self.allowed_url(&message.certificate_url, &message.topic_arn);
        let address = address.filter(|url| url.path().ends_with(".pem") && url.query().is_none());
        let signature = STANDARD.decode(&message.signature).ok();
        let signed = signed_text(message);
        let (Some(algorithm), Some(address), Some(signature), Some(signed)) =
            (algorithm, address, signature, signed)
        else {
            return Err(forged());
        };
        let certificate = self.certificates.get_certificate(&address, now).await?;
        UnparsedPublicKey::new(algorithm, &certificate.public_key)
            .verify(signed.as_bytes(), &signature)
            .map_err(|_| forged())
    }

    async fn confirm_subscription(&self, message: &TopicMessage) -> Result<()> {
        let refused = || Error::new(Code::UNAUTHENTICATED);
        let given = message.subscribe_url.as_deref().unwrap_or_default();
        let mut url = self
            .allowed_url(given, &message.topic_arn)
            .ok_or_else(refused)?;
        url.set_path("/");
        url.query_pairs_mut()
            .clear()
            .append_pair("Action", "ConfirmSubscription")
            .append_pair("TopicArn", &message.topic_arn)
            .append_pair("Token", message.token.as_deref().unwrap_or_default());
        let answer = self.client.get(url).send().await;
        match answer {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => {
                let status = answer.status().as_u16();
                tracing::warn!(status, "a inscrição no SNS não foi confirmada");
                Err(Error::new(Code::PROVIDER_FAILED))
            }
            Err(error) => Err(Error::new(Code::PROVIDER_FAILED).caused_by(error.without_url())),
        }
    }
}

/// Returns the SNS host of the topic's region.
fn sns_host(topic_arn: &str) -> Option<String> {
    let mut parts = topic_arn.split(':').skip(1);
    let (partition, region) = (parts.next()?, parts.nth(1)?);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if region.len() < 3 || !region.chars().all(plain) {
        return None;
    }
    let suffix = if partition == "aws-cn" { ".cn" } else { "" };
    Some(format!("sns.{region}.amazonaws.com{suffix}"))
}

/// Returns the text that SNS signs: the fields of this message type, sorted by name.
///
/// Names and values are separated by line breaks. So only `Message` may contain line breaks;
/// otherwise text could move from one field to another under the same signature.
fn signed_text(message: &TopicMessage) -> Option<String> {
    let common = |name| match name {
        "Message" => Some(&message.message),
        "MessageId" => Some(&message.message_id),
        "Timestamp" => Some(&message.timestamp),
        "TopicArn" => Some(&message.topic_arn),
        "Type" => Some(&message.kind),
        "Subject" => message.subject.as_ref(),
        "SubscribeURL" => message.subscribe_url.as_ref(),
        "Token" => message.token.as_ref(),
        _ => None,
    };
    let names: &[&str] = match message.kind.as_str() {
        "Notification" => &[
            "Message",
            "MessageId",
            "Subject",
            "Timestamp",
            "TopicArn",
            "Type",
        ],
        "SubscriptionConfirmation" | "UnsubscribeConfirmation" => &[
            "Message",
            "MessageId",
            "SubscribeURL",
            "Timestamp",
            "Token",
            "TopicArn",
            "Type",
        ],
        _ => return None,
    };
    let mut text = String::new();
    for name in names {
        match common(name) {
            Some(value) if *name != "Message" && value.contains(['\n', '\r']) => return None,
            Some(value) => {
                for part in [name, value.as_str()] {
                    text.push_str(part);
                    text.push('\n');
                }
            }
            None if *name == "Subject" => {}
            None => return None,
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests;
