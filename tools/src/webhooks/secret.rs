//! The secrets of webhooks and the signatures made with them.
//!
//! A secret is `whsec_` and the base64 of 32 random bytes. A signature is `v1,` and the base64 of the
//! HMAC-SHA-256 of `{id}.{timestamp}.{body}` with these bytes as its key.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use serde::{Deserialize, Serialize};

use domain::{
    WebhookId, random_bytes,
    time::{DAY, Millis},
};
use gateway::{Error, Keys, Result};
use store::{
    Conn,
    secrets::{self, Sealed},
    webhooks::{self, PREVIOUS_SECRETS, SECRET, Webhook},
};

const PREFIX: &str = "whsec_";
/// The time for which a replaced secret signs beside the current secret.
const OVERLAP: Millis = DAY;
/// The maximum number of replaced secrets that still sign.
const MOST_PREVIOUS: usize = 4;

/// A replaced secret. The replaced secrets of a webhook are encrypted together, as a JSON list.
#[derive(Serialize, Deserialize)]
struct Previous {
    secret: String,
    /// The instant until which the secret signs.
    until: Millis,
}

/// The decoded key of a secret. The type has no `Debug`, so that no log can show it.
pub(super) struct SigningKey(Vec<u8>);

impl SigningKey {
    fn parse(secret: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(secret).ok();
        let bytes = text.and_then(|text| STANDARD.decode(text.strip_prefix(PREFIX)?).ok());
        Ok(Self(bytes.ok_or_else(malformed)?))
    }

    fn sign(&self, signed: &str) -> Result<String> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0);
        let mut mac = mac.map_err(|error| Error::internal(error.to_string()))?;
        mac.update(signed.as_bytes());
        Ok(format!(
            "v1,{}",
            STANDARD.encode(mac.finalize().into_bytes())
        ))
    }
}

/// Returns the value of the header `webhook-signature`: one signature per key, separated by spaces.
pub(super) fn sign(keys: &[SigningKey], id: &str, seconds: i64, body: &str) -> Result<String> {
    let signed = format!("{id}.{seconds}.{body}");
    let signatures: Result<Vec<_>> = keys.iter().map(|key| key.sign(&signed)).collect();
    Ok(signatures?.join(" "))
}

/// Stores a new secret for a webhook of the demo without showing it.
pub async fn seed_secret(db: &Conn<'_>, keys: &Keys, id: &WebhookId) -> Result<()> {
    save(db, keys, SECRET, id, new_secret().as_bytes()).await
}

/// Replaces the secret of a webhook, and returns the new secret. A replaced secret still signs for a day.
pub(super) async fn rotate(
    db: &Conn<'_>,
    keys: &Keys,
    id: &WebhookId,
    now: Millis,
) -> Result<String> {
    webhooks::set_end_of_previous_secrets(db, id, now + OVERLAP).await?;
    let mut previous = load_previous(db, keys, id, now).await?;
    if let Some(current) = load(db, keys, SECRET, id).await? {
        let secret = String::from_utf8(current).map_err(|_| malformed())?;
        let until = now + OVERLAP;
        previous.insert(0, Previous { secret, until });
    }
    previous.truncate(MOST_PREVIOUS);
    let previous = serde_json::to_vec(&previous)?;
    save(db, keys, PREVIOUS_SECRETS, id, &previous).await?;
    let new = new_secret();
    save(db, keys, SECRET, id, new.as_bytes()).await?;
    Ok(new)
}

/// Loads the replaced secrets that still sign, the newest first.
async fn load_previous(
    db: &Conn<'_>,
    keys: &Keys,
    id: &WebhookId,
    now: Millis,
) -> Result<Vec<Previous>> {
    let Some(stored) = load(db, keys, PREVIOUS_SECRETS, id).await? else {
        return Ok(vec![]);
    };
    let mut previous: Vec<Previous> = serde_json::from_slice(&stored)?;
    previous.retain(|one| now < one.until);
    Ok(previous)
}

fn malformed() -> Error {
    Error::internal("a stored webhook secret is malformed")
}

/// Generates a secret.
pub(super) fn new_secret() -> String {
    format!("{PREFIX}{}", STANDARD.encode(random_bytes::<32>()))
}

/// Encrypts and stores the secret of a webhook, or the list of its replaced secrets.
pub(super) async fn save(
    db: &Conn<'_>,
    keys: &Keys,
    purpose: &str,
    id: &WebhookId,
    secret: &[u8],
) -> Result<()> {
    let record = Sealed {
        purpose: purpose.to_owned(),
        id: id.to_string(),
        kid: keys.active_key_id().to_owned(),
        sealed: keys.seal(purpose, id.as_str(), secret)?,
    };
    Ok(secrets::save_record(db, &record).await?)
}

/// Loads and decrypts a record of a webhook; `None` if no record is stored.
async fn load(
    db: &Conn<'_>,
    keys: &Keys,
    purpose: &str,
    id: &WebhookId,
) -> Result<Option<Vec<u8>>> {
    let sealed = secrets::find_sealed(db, purpose, id.as_str()).await?;
    let opened = sealed.map(|sealed| keys.open(purpose, id.as_str(), &sealed));
    opened.transpose()
}

/// Loads the keys that sign the messages of a webhook now, the newest first.
pub(super) async fn load_signing_keys(
    db: &Conn<'_>,
    keys: &Keys,
    webhook: &Webhook,
    now: Millis,
) -> Result<Vec<SigningKey>> {
    let current = load(db, keys, SECRET, &webhook.id).await?;
    let current = current.ok_or_else(|| Error::internal("a webhook has no secret"))?;
    let mut signing = vec![SigningKey::parse(&current)?];
    if webhook.previous_until.is_some_and(|until| now < until) {
        for previous in load_previous(db, keys, &webhook.id, now).await? {
            signing.push(SigningKey::parse(previous.secret.as_bytes())?);
        }
    }
    Ok(signing)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses the test vector of the specification's reference libraries.
    #[test]
    fn a_signature_matches_the_vector_of_the_specification() {
        let key = SigningKey::parse(b"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a key");
        let body = r#"{"test": 2432232314}"#;
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(
            sign(&[key], id, 1_614_265_330, body).expect("signs"),
            expected
        );
    }

    #[test]
    fn a_generated_secret_has_32_bytes() {
        let key = SigningKey::parse(new_secret().as_bytes()).expect("a key");
        assert_eq!(key.0.len(), 32);
        assert!(SigningKey::parse(b"svc_x").is_err());
    }
}
