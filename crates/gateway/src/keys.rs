//! Keys for one purpose each, derived from the master secret.

use aes_gcm::{
    Aes256Gcm, KeyInit, Nonce,
    aead::{Aead, Payload},
};
use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::{Error, Result};
use domain::hex;

/// One key per purpose, by HKDF-SHA-256 (RFC 5869) from `PAUTA_SECRET`.
pub struct Keys {
    derived: Hkdf<Sha256>,
    fingerprint: [u8; 32],
    sealing: Aes256Gcm,
}

impl Keys {
    /// Derives the keys. The secret itself is not kept.
    #[must_use]
    pub fn derive(secret: &[u8]) -> Self {
        let derived = Hkdf::<Sha256>::new(Some(b"pauta"), secret);
        let key = |name: &str| expand(&derived, name);
        Self {
            fingerprint: key("idempotency fingerprint"),
            sealing: Aes256Gcm::new(&key("sealing").into()),
            derived,
        }
    }

    /// The key of a purpose that this crate does not define.
    #[must_use]
    pub fn purpose(&self, name: &str) -> [u8; 32] {
        expand(&self.derived, name)
    }

    /// HMAC-SHA-256 with the key of a purpose.
    #[must_use]
    pub fn hmac(&self, purpose: &str, message: &[u8]) -> [u8; 32] {
        hmac(&self.purpose(purpose), message)
    }

    /// HMAC-SHA-256 of a canonical input, in hexadecimal.
    #[must_use]
    pub fn fingerprint(&self, canonical: &[u8]) -> String {
        hex(&hmac(&self.fingerprint, canonical))
    }

    /// Encrypts for the database (AES-256-GCM). `purpose` is bound to the ciphertext as associated
    /// data.
    pub fn seal(&self, purpose: &str, plain: &[u8]) -> Result<String> {
        let mut nonce = [0u8; 12];
        getrandom::fill(&mut nonce).map_err(|e| Error::internal(e.to_string()))?;
        let payload = Payload {
            msg: plain,
            aad: purpose.as_bytes(),
        };
        let sealed = self
            .sealing
            .encrypt(&Nonce::from(nonce), payload)
            .map_err(|_| Error::internal("sealing failed"))?;
        Ok(STANDARD_NO_PAD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// Decrypts. Refused when the text was encrypted under another secret or purpose.
    pub fn open(&self, purpose: &str, sealed: &str) -> Result<Vec<u8>> {
        let refused = || {
            Error::internal(
                "o que está guardado no banco foi cifrado com outro PAUTA_SECRET; volte ao de \
                 antes ou, sem essa variável, traga de uma cópia o arquivo pauta.secret que ficava \
                 ao lado do banco",
            )
        };
        let bytes = STANDARD_NO_PAD.decode(sealed).map_err(|_| refused())?;
        let (nonce, cipher) = bytes.split_first_chunk::<12>().ok_or_else(refused)?;
        let payload = Payload {
            msg: cipher,
            aad: purpose.as_bytes(),
        };
        self.sealing
            .decrypt(&Nonce::from(*nonce), payload)
            .map_err(|_| refused())
    }
}

fn expand(derived: &Hkdf<Sha256>, purpose: &str) -> [u8; 32] {
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
    fn sealed_text_opens_only_with_its_secret_and_purpose() {
        let keys = Keys::derive(b"a secret of some length");
        let sealed = keys.seal("session key", b"private").expect("seals");
        assert_eq!(
            keys.open("session key", &sealed).expect("opens"),
            b"private"
        );
        assert!(keys.open("another purpose", &sealed).is_err());
        assert!(
            Keys::derive(b"another secret")
                .open("session key", &sealed)
                .is_err()
        );
    }
}
