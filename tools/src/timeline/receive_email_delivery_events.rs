use std::sync::Arc;

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ses;
use crate::figures::enqueue_settling;
use domain::{
    text_enum,
    time::{HOUR, Timestamp},
};
use gateway::{
    Access, Code, Context, Error, Input, InputForm, Operation, Pepper, Result, Services, Spec,
    Verb, WebhookDelivery, not_json_error, parse_object, too_many_values_error,
};
use ports::{TopicMessage, Topics};
use store::timeline;

/// The maximum size of a message in bytes. The limit of the SNS topic is 256 KiB.
const MOST_BYTES: usize = 400_000;
/// The maximum number of fields of a message. The SNS topic sends twelve.
const MOST_FIELDS: usize = 64;
/// The maximum difference between the time of a message and the current time.
const WINDOW: i64 = HOUR;

text_enum! {
    pub enum MessageKind {
        Notification = "Notification",
        SubscriptionConfirmation = "SubscriptionConfirmation",
        UnsubscribeConfirmation = "UnsubscribeConfirmation",
    }
}

/// Recebe os eventos de e-mail (SES) de um tópico SNS. A assinatura da mensagem é a credencial; uma
/// mensagem com mais de 1 hora só entra com a credencial de um membro. Repetida, não conta de novo.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ReceiveEmailDeliveryEvents {
    r#type: MessageKind,
    #[schemars(length(max = 100))]
    message_id: String,
    #[schemars(length(max = 300))]
    topic_arn: String,
    /// O evento do SES, em JSON.
    #[schemars(length(max = 300_000))]
    message: String,
    timestamp: Timestamp,
    #[schemars(length(max = 200))]
    subject: Option<String>,
    /// De uma confirmação de assinatura.
    #[schemars(length(max = 2_000))]
    token: Option<String>,
    #[serde(rename = "SubscribeURL")]
    #[schemars(length(max = 4_000))]
    subscribe_url: Option<String>,
    #[schemars(length(max = 10))]
    signature_version: String,
    #[schemars(length(max = 2_000))]
    signature: String,
    #[serde(rename = "SigningCertURL")]
    #[schemars(length(max = 2_000))]
    signing_cert_url: String,
}

/// O que foi feito da mensagem.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeliveriesReceived {
    ok: bool,
    /// Acontecimentos novos, um por destinatário.
    gravados: usize,
    /// Se a assinatura do tópico foi confirmada agora.
    confirmada: bool,
}

impl Operation for ReceiveEmailDeliveryEvents {
    const SPEC: Spec = Spec::new(
        "receive_email_delivery_events",
        "Receber eventos de entrega de e-mail",
        Verb::Post,
        "/api/jornada/ses",
    )
    .access(Access::Webhook)
    .takes(InputForm::Signed(verify_message))
    .body_limit(MOST_BYTES)
    .outside()
    .unkeyed()
    .idempotent()
    .fails(&[401, 403])
    .needs_provider(Code::UNAUTHENTICATED);
    type Output = DeliveriesReceived;

    async fn run(self, ctx: &Context<'_>) -> Result<DeliveriesReceived> {
        let is_old = ctx.now.abs_diff(self.timestamp.0) > WINDOW.unsigned_abs();
        if is_old && ctx.caller_if_any().is_none() {
            return Err(Error::new(Code::UNAUTHENTICATED));
        }
        let mut received = DeliveriesReceived {
            ok: true,
            gravados: 0,
            confirmada: false,
        };
        let parts = &ctx.services.parts;
        match self.r#type {
            MessageKind::SubscriptionConfirmation => {
                let topics = parts.find::<Arc<dyn Topics>>();
                let topics = topics.ok_or_else(|| Error::new(Code::UNAUTHENTICATED))?;
                topics.confirm_subscription(&self.into()).await?;
                received.confirmada = true;
            }
            // The subscription was ended on purpose, so the message needs no action.
            MessageKind::UnsubscribeConfirmation => {}
            MessageKind::Notification => {
                let pepper = parts.get::<Pepper>();
                let deliveries = ses::parse_deliveries(
                    &self.message_id,
                    &self.message,
                    pepper,
                    self.timestamp.0,
                );
                if !deliveries.is_empty() {
                    let tx = ctx.begin().await?;
                    let new = timeline::save_deliveries(&tx.conn(), &deliveries, ctx.now).await?;
                    enqueue_settling(ctx.services, &tx.conn(), ctx.now).await?;
                    tx.commit().await?;
                    received.gravados = new;
                }
            }
        }
        Ok(received)
    }
}

/// Verifies a message and returns its fields. The rules of the fields are checked only after the
/// signature, so that an error about a field reaches only a sender with a valid signature. To verify the
/// signature, the body is parsed in one pass, without building a tree.
fn verify_message(delivery: WebhookDelivery, services: &Services) -> BoxFuture<'_, Result<Input>> {
    Box::pin(async move {
        let message: TopicMessage = serde_json::from_slice(&delivery.body).map_err(|error| {
            match error.is_data() {
                // The body is JSON but not a signed message.
                true => Error::new(Code::UNAUTHENTICATED),
                false => not_json_error(&error),
            }
        })?;
        let topics = services.parts.find::<Arc<dyn Topics>>();
        let topics = topics.ok_or_else(|| Error::new(Code::UNAUTHENTICATED))?;
        topics
            .verify_message(&message, services.clock.now())
            .await?;
        if parse_object(&delivery.body, MOST_FIELDS)?.is_none() {
            return Err(too_many_values_error(MOST_FIELDS));
        }
        Ok(serde_json::from_value(serde_json::to_value(message)?)?)
    })
}

impl From<ReceiveEmailDeliveryEvents> for TopicMessage {
    fn from(received: ReceiveEmailDeliveryEvents) -> Self {
        Self {
            kind: received.r#type.to_string(),
            message_id: received.message_id,
            topic_arn: received.topic_arn,
            message: received.message,
            timestamp: received.timestamp.to_string(),
            subject: received.subject,
            token: received.token,
            subscribe_url: received.subscribe_url,
            signature_version: received.signature_version,
            signature: received.signature,
            certificate_url: received.signing_cert_url,
        }
    }
}
