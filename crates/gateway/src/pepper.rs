//! The key by which people are known.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{Keys, Result};
use domain::{Email, PersonId, time::Millis};
use store::Db;

const PURPOSE: &str = "email pepper";

/// The key of the hash of e-mail addresses.
///
/// It is a value of its own, made once for each database and kept in it, sealed with the master
/// secret. It never changes: with another one, nobody would be found again.
#[derive(Clone)]
pub struct Pepper(Hmac<Sha256>);

impl Pepper {
    /// The key of this database; it is made when there is none.
    pub async fn load(db: &Db, keys: &Keys, now: Millis) -> Result<Self> {
        if let Some(sealed) = store::pepper::find(&db.reader()).await? {
            return Ok(Self::new(&keys.open(PURPOSE, &sealed)?));
        }
        let mut fresh = [0u8; 32];
        getrandom::fill(&mut fresh).map_err(|error| super::Error::internal(error.to_string()))?;
        let tx = db.begin().await?;
        // Of two instances that start at once, the first one makes it.
        let sealed = keys.seal(PURPOSE, &fresh)?;
        let kept = store::pepper::keep(&tx.conn(), &sealed, now).await?;
        tx.commit().await?;
        Ok(Self::new(&keys.open(PURPOSE, &kept)?))
    }

    fn new(key: &[u8]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC takes keys of any length"))
    }

    /// The person with this address.
    #[must_use]
    pub fn person(&self, email: &Email) -> PersonId {
        let mut mac = self.0.clone();
        mac.update(email.as_str().as_bytes());
        let hash = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        PersonId::stored(hash).expect("a hash is not empty")
    }
}
