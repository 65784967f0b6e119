//! The key with which this installation identifies itself to push services (VAPID, RFC 8292).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use p256::{SecretKey, pkcs8::EncodePrivateKey};
use serde::Serialize;
use url::Url;

use super::encryption::{encode_public, new_secret_key};
use domain::time::{HOUR, Millis, SECOND};
use gateway::{Error, Keys, Result};
use store::{
    Db,
    secrets::{self, Sealed},
};

/// The `purpose` of the private key in the table `secrets`.
const PURPOSE: &str = "vapid key";
/// The `id` of the key. An installation has one key, because the subscriptions of devices are bound to
/// it.
const ID: &str = "1";
/// The time for which a signature is valid. The allowed maximum is a day.
const LIFETIME: Millis = 12 * HOUR;

/// The key pair. The type has no `Debug`, so that no log can show it.
pub(super) struct VapidKey {
    public: Vec<u8>,
    signing: EncodingKey,
}

/// The claims of a signature.
#[derive(Serialize)]
struct Claims<'a> {
    aud: String,
    exp: i64,
    sub: &'a str,
}

impl VapidKey {
    /// Loads the key of this database, or generates one if the database has none. If two instances
    /// generate a key at the same time, both use the key that was stored first.
    pub async fn load(db: &Db, keys: &Keys) -> Result<Self> {
        let sealed = match secrets::find_sealed(&db.reader(), PURPOSE, ID).await? {
            Some(sealed) => sealed,
            None => insert_key(db, keys).await?,
        };
        let scalar = keys.open(PURPOSE, ID, &sealed)?;
        let key = SecretKey::from_slice(&scalar).map_err(|_| malformed())?;
        Self::new(&key)
    }

    fn new(key: &SecretKey) -> Result<Self> {
        let der = key.to_pkcs8_der().map_err(|_| malformed())?;
        Ok(Self {
            public: encode_public(&key.public_key()),
            signing: EncodingKey::from_ec_der(der.as_bytes()),
        })
    }

    /// Returns the public key as an uncompressed point in base64url.
    pub fn public_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.public)
    }

    /// Returns the value of the header `Authorization` for a request to this endpoint.
    pub fn authorize(&self, endpoint: &str, contact: &str, now: Millis) -> Result<String> {
        let url = Url::parse(endpoint).map_err(Error::internal)?;
        let claims = Claims {
            aud: url.origin().ascii_serialization(),
            exp: (now + LIFETIME) / SECOND,
            sub: contact,
        };
        let header = Header::new(Algorithm::ES256);
        let token = encode(&header, &claims, &self.signing).map_err(Error::internal)?;
        Ok(format!("vapid t={token}, k={}", self.public_text()))
    }
}

async fn insert_key(db: &Db, keys: &Keys) -> Result<String> {
    let scalar = new_secret_key().to_bytes();
    let record = Sealed {
        purpose: PURPOSE.to_owned(),
        id: ID.to_owned(),
        kid: keys.active_key_id().to_owned(),
        sealed: keys.seal(PURPOSE, ID, &scalar)?,
    };
    let tx = db.begin().await?;
    secrets::insert_if_absent(&tx.conn(), &record).await?;
    tx.commit().await?;
    let stored = secrets::find_sealed(&db.reader(), PURPOSE, ID).await?;
    stored.ok_or_else(|| Error::internal("no key for devices was stored"))
}

fn malformed() -> Error {
    Error::internal("the stored key for devices is malformed")
}
