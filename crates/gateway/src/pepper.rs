//! The key of the hashes that identify people.
//!
//! A person is identified by the keyed hash of their e-mail address and has no row of their own:
//! the hash is stored in each row about them, and erasing a person sets it to NULL. So an insert
//! needs no lookup, and writes about the same person do not wait for each other.

use aes_gcm::{Aes256Gcm, KeyInit, Nonce, aead::Aead};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::{Error, Keys, Result};
use domain::{Email, PersonId, time::Millis};
use store::Db;

/// The purpose for which the encryption key is derived from the master secret.
const PURPOSE: &str = "email pepper";
/// The length of a nonce, in bytes.
const NONCE: usize = 12;

/// The HMAC key for e-mail addresses.
///
/// Each database has its own random key, generated once and stored encrypted under the master
/// secret. It must never change: existing hashes would no longer match.
#[derive(Clone)]
pub struct Pepper(Option<Hmac<Sha256>>);

impl Pepper {
    /// Loads the key of this database, or generates one if there is none.
    ///
    /// A database with pending migrations may lack the table of the key; the service does not start
    /// with such a database.
    pub async fn load(db: &Db, keys: &Keys, now: Millis) -> Result<Self> {
        let pending = db.pending_migrations().await.map_err(Error::internal)?;
        if pending > 0 {
            return Ok(Self(None));
        }
        let sealing = Aes256Gcm::new(&keys.purpose_key(PURPOSE).into());
        let sealed = match store::pepper::find(&db.reader()).await? {
            Some(sealed) => sealed,
            None => {
                let fresh = generate_sealed_key(&sealing)?;
                let tx = db.begin().await?;
                // If two instances start at the same time, the key of the first one is stored.
                let kept = store::pepper::insert_if_absent(&tx.conn(), &fresh, now).await?;
                tx.commit().await?;
                kept
            }
        };
        let key = open_sealed_key(&sealing, &sealed).ok_or_else(|| {
            Error::internal(
                "a chave dos e-mails foi cifrada com outro PAUTA_SECRET; volte ao de antes",
            )
        })?;
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&key);
        Ok(Self(Some(mac.map_err(Error::internal)?)))
    }

    /// Returns the id of the person with this e-mail address.
    pub fn person_id(&self, email: &Email) -> Result<PersonId> {
        let mac = self.0.clone();
        let mut mac = mac.ok_or_else(|| Error::internal("o banco de dados não foi migrado"))?;
        mac.update(email.as_str().as_bytes());
        let hash = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        PersonId::from_stored(hash).ok_or_else(|| Error::internal("the e-mail hash is empty"))
    }
}

/// Generates a new key and encrypts it.
fn generate_sealed_key(sealing: &Aes256Gcm) -> Result<String> {
    let mut random = [0u8; NONCE + 32];
    getrandom::fill(&mut random).map_err(|error| Error::internal(error.to_string()))?;
    let (nonce, key) = random.split_at(NONCE);
    let sealed = Nonce::try_from(nonce)
        .ok()
        .and_then(|nonce| sealing.encrypt(&nonce, key).ok())
        .ok_or_else(|| Error::internal("sealing failed"))?;
    Ok(STANDARD_NO_PAD.encode([nonce, &sealed].concat()))
}

fn open_sealed_key(sealing: &Aes256Gcm, sealed: &str) -> Option<Vec<u8>> {
    let bytes = STANDARD_NO_PAD.decode(sealed).ok()?;
    let (nonce, sealed) = bytes.split_first_chunk::<NONCE>()?;
    sealing.decrypt(&Nonce::from(*nonce), sealed).ok()
}
