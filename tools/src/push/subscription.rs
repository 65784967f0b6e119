//! What a browser gives so that messages reach it. It is encrypted in the database.

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

/// The endpoint of a browser and the keys of its messages, as text. It has no `Debug`, so that no log
/// can show it.
#[derive(Serialize, Deserialize)]
pub(super) struct Subscription {
    pub endpoint: String,
    p256dh: String,
    auth: String,
}

impl Subscription {
    /// Fails with 400 if a key is malformed.
    pub fn parse(endpoint: &str, p256dh: &str, auth: &str) -> Result<Self> {
        let subscription = Self {
            endpoint: endpoint.to_owned(),
            p256dh: p256dh.to_owned(),
            auth: auth.to_owned(),
        };
        subscription.receiver()?;
        Ok(subscription)
    }

    /// Whom messages are encrypted for.
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

/// Decrypts the subscription of a device; `None` if the device is gone.
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

/// Gives a device of a demo a subscription at an address that does not exist.
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
