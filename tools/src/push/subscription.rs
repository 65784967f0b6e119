//! The subscription that a browser sends so that messages can reach it. It is encrypted in the database.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use super::encryption::Receiver;
use domain::PushDeviceId;
use gateway::{Error, Keys, Result};
use store::{
    Conn,
    push::SUBSCRIPTION,
    secrets::{self, Sealed},
};

/// The endpoint of a browser and the keys for its messages, as text. The type has no `Debug`, so that no
/// log can show it.
#[derive(Serialize, Deserialize)]
pub(super) struct Subscription {
    pub endpoint: String,
    p256dh: String,
    auth: String,
}

impl Subscription {
    /// Builds a subscription. Refuses (400) malformed keys.
    pub fn parse(endpoint: &str, p256dh: &str, auth: &str) -> Result<Self> {
        let subscription = Self {
            endpoint: endpoint.to_owned(),
            p256dh: p256dh.to_owned(),
            auth: auth.to_owned(),
        };
        subscription.receiver()?;
        Ok(subscription)
    }

    /// Decodes the keys for which messages are encrypted.
    pub fn receiver(&self) -> Result<Receiver> {
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
        let auth = decode(&self.auth).and_then(|bytes| bytes.try_into().ok());
        let auth = auth.ok_or_else(|| {
            Error::invalid_field("auth", "format", "deve ter 16 bytes em base64url")
        })?;
        let receiver = decode(&self.p256dh).and_then(|point| Receiver::new(&point, auth));
        receiver.ok_or_else(|| {
            Error::invalid_field("p256dh", "format", "deve ser um ponto da curva P-256")
        })
    }
}

/// Encrypts and stores the subscription of a device.
pub(super) async fn save(
    db: &Conn<'_>,
    keys: &Keys,
    id: &PushDeviceId,
    subscription: &Subscription,
) -> Result<()> {
    let plain = serde_json::to_vec(subscription)?;
    let record = Sealed {
        purpose: SUBSCRIPTION.to_owned(),
        id: id.to_string(),
        kid: keys.active_key_id().to_owned(),
        sealed: keys.seal(SUBSCRIPTION, id.as_str(), &plain)?,
    };
    Ok(secrets::save_record(db, &record).await?)
}

/// Loads and decrypts the subscription of a device; `None` if the device does not exist any more.
pub(super) async fn load(
    db: &Conn<'_>,
    keys: &Keys,
    id: &PushDeviceId,
) -> Result<Option<Subscription>> {
    let Some(sealed) = secrets::find_sealed(db, SUBSCRIPTION, id.as_str()).await? else {
        return Ok(None);
    };
    let plain = keys.open(SUBSCRIPTION, id.as_str(), &sealed)?;
    Ok(Some(serde_json::from_slice(&plain)?))
}

/// Stores a subscription with an endpoint that does not exist, for a device of the demo.
pub async fn seed_subscription(db: &Conn<'_>, keys: &Keys, id: &PushDeviceId) -> Result<()> {
    let subscription = Subscription {
        endpoint: format!("https://push.exemplo.invalid/{id}"),
        // The public key of appendix A of RFC 8291.
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
            .to_owned(),
        auth: "BTBZMqHH6r4Tts7J_aSIgg".to_owned(),
    };
    save(db, keys, id, &subscription).await
}
