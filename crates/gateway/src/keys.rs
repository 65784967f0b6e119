//! Derives one key per purpose from the master secret.

use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::{
    Result,
    keyring::{DERIVED, KeyRing, RingKey},
};
use domain::hex;

/// The derived keys: one per purpose, by HKDF-SHA-256 (RFC 5869) from `PAUTA_SECRET`.
pub struct Keys {
    derived: Hkdf<Sha256>,
    fingerprint: [u8; 32],
    ring: KeyRing,
}

impl Keys {
    /// Derives the keys. The master secret itself is not stored.
    ///
    /// The first of the `given` keys encrypts the secrets in the database; if there are none, a key
    /// derived from the master secret encrypts them. The id of the derived key depends on the
    /// master secret, so that a text encrypted under another master secret is recognised.
    #[must_use]
    pub fn derive(secret: &[u8], given: &[RingKey]) -> Self {
        let derived = Hkdf::<Sha256>::new(Some(b"pauta"), secret);
        let key = |name: &str| expand_key(&derived, name);
        let name = hex(&key("sealing key id")[..4]);
        let sealing = (format!("{DERIVED}{name}"), key("sealing"));
        Self {
            fingerprint: key("idempotency fingerprint"),
            ring: KeyRing::new(sealing, given),
            derived,
        }
    }

    /// Derives the key of a purpose that is defined outside this crate.
    #[must_use]
    pub fn purpose_key(&self, name: &str) -> [u8; 32] {
        expand_key(&self.derived, name)
    }

    /// Computes HMAC-SHA-256 with the key of a purpose.
    #[must_use]
    pub fn hmac(&self, purpose: &str, message: &[u8]) -> [u8; 32] {
        hmac(&self.purpose_key(purpose), message)
    }

    /// Computes HMAC-SHA-256 of a canonical input, in hexadecimal.
    #[must_use]
    pub fn fingerprint(&self, canonical: &[u8]) -> String {
        hex(&hmac(&self.fingerprint, canonical))
    }

    /// Encrypts a record for the database with the active key. The ciphertext is bound to `purpose`
    /// and `id` and can be decrypted only with the same values.
    pub fn seal(&self, purpose: &str, id: &str, plain: &[u8]) -> Result<String> {
        self.ring.seal(purpose, id, plain)
    }

    /// Decrypts a record. Fails with an error that names the key if the key is missing or did not
    /// encrypt the record.
    pub fn open(&self, purpose: &str, id: &str, sealed: &str) -> Result<Vec<u8>> {
        self.ring.open(purpose, id, sealed)
    }

    /// Returns the id of the active key, which encrypts all new records.
    #[must_use]
    pub fn active_key_id(&self) -> &str {
        self.ring.active_key_id()
    }
}

fn expand_key(derived: &Hkdf<Sha256>, purpose: &str) -> [u8; 32] {
    let mut key = [0u8; 32];
    derived
        .expand(purpose.as_bytes(), &mut key)
        .expect("32 bytes are within HKDF's bound");
    key
}

fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key)
        .expect("HMAC takes keys of any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_text_opens_only_with_its_secret() {
        let keys = Keys::derive(b"a secret of some length", &[]);
        let sealed = keys.seal("session key", "k", b"private").expect("seals");
        assert_eq!(
            keys.open("session key", "k", &sealed).expect("opens"),
            b"private"
        );
        let other = Keys::derive(b"another secret", &[]);
        assert_ne!(other.active_key_id(), keys.active_key_id());
        assert!(other.open("session key", "k", &sealed).is_err());
    }
}
