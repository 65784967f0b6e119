//! Encryption of stored secrets: AES-256-GCM with one of several keys.
//!
//! A sealed text is `v1.{kid}.{base64 of nonce and ciphertext}`. The version, key id, purpose and
//! record id are its associated data, so a text can be decrypted only for its own record and
//! purpose.
//!
//! The table `secrets` contains the ciphertexts, with purpose, record id and key id. Other tables
//! refer to a secret by purpose and record id.

use std::collections::BTreeMap;

use aes_gcm::{
    Aes256Gcm, KeyInit, Nonce,
    aead::{Aead, Payload},
};
use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};

use crate::{Error, Result};

const VERSION: &str = "v1";

/// The id of a key and its 32 bytes.
pub type RingKey = (String, [u8; 32]);

/// The encryption keys by id. The active key encrypts; every key decrypts.
pub(super) struct KeyRing {
    active: String,
    ciphers: BTreeMap<String, Aes256Gcm>,
    /// The key that is derived from the master secret. It decrypts old texts without a key id.
    unnamed: Aes256Gcm,
}

impl KeyRing {
    /// Creates the key ring. `derived` is the key derived from the master secret; it encrypts if
    /// `given` is empty.
    pub(super) fn new(derived: RingKey, given: &[RingKey]) -> Self {
        let cipher = |key: &[u8; 32]| Aes256Gcm::new(key.into());
        let active = given.first().unwrap_or(&derived).0.clone();
        let all = std::iter::once(&derived).chain(given);
        Self {
            active,
            unnamed: cipher(&derived.1),
            ciphers: all.map(|(kid, key)| (kid.clone(), cipher(key))).collect(),
        }
    }

    pub(super) fn active_key_id(&self) -> &str {
        &self.active
    }

    pub(super) fn seal(&self, purpose: &str, id: &str, plain: &[u8]) -> Result<String> {
        let mut nonce = [0u8; 12];
        getrandom::fill(&mut nonce).map_err(|e| Error::internal(e.to_string()))?;
        let kid = &self.active;
        let bound = associated_data(kid, purpose, id);
        let sealed = self
            .ciphers
            .get(kid)
            .and_then(|cipher| {
                let payload = Payload {
                    msg: plain,
                    aad: bound.as_bytes(),
                };
                cipher.encrypt(&Nonce::from(nonce), payload).ok()
            })
            .ok_or_else(|| Error::internal("sealing failed"))?;
        let text = STANDARD_NO_PAD.encode([nonce.as_slice(), &sealed].concat());
        Ok(format!("{VERSION}.{kid}.{text}"))
    }

    pub(super) fn open(&self, purpose: &str, id: &str, sealed: &str) -> Result<Vec<u8>> {
        let (cipher, aad, text) = match split_key_id(sealed) {
            Some((kid, text)) => {
                let cipher = self
                    .ciphers
                    .get(kid)
                    .ok_or_else(|| missing_key_error(kid))?;
                (cipher, associated_data(kid, purpose, id), text)
            }
            None => (&self.unnamed, purpose.to_owned(), sealed),
        };
        let decrypted = STANDARD_NO_PAD.decode(text).ok().and_then(|bytes| {
            let (nonce, cipher_text) = bytes.split_first_chunk::<12>()?;
            let payload = Payload {
                msg: cipher_text,
                aad: aad.as_bytes(),
            };
            cipher.decrypt(&Nonce::from(*nonce), payload).ok()
        });
        decrypted.ok_or_else(|| match split_key_id(sealed) {
            Some((kid, _)) => wrong_key_error(kid),
            None => wrong_master_secret_error(""),
        })
    }
}

/// Returns the id of the key that encrypted a text; `None` for an old text without a key id.
#[must_use]
pub fn key_id(sealed: &str) -> Option<&str> {
    split_key_id(sealed).map(|(kid, _)| kid)
}

/// True if a text is a valid key id.
#[must_use]
pub fn is_key_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=40).contains(&text.len()) && text.bytes().all(plain)
}

fn split_key_id(sealed: &str) -> Option<(&str, &str)> {
    sealed
        .strip_prefix(VERSION)?
        .strip_prefix('.')?
        .split_once('.')
}

fn associated_data(kid: &str, purpose: &str, id: &str) -> String {
    format!("{VERSION}|{kid}|{purpose}|{id}")
}

/// Creates the error for a text encrypted with a key that is not in the ring.
fn missing_key_error(kid: &str) -> Error {
    if kid.starts_with(DERIVED) {
        return wrong_master_secret_error(&format!(", sob a chave `{kid}`,"));
    }
    Error::internal(format!(
        "o que está guardado no banco, sob a chave `{kid}`, não pode ser aberto sem ela; inclua-a em \
         PAUTA_KEYRING"
    ))
}

fn wrong_key_error(kid: &str) -> Error {
    Error::internal(format!(
        "o que está guardado no banco, sob a chave `{kid}`, não abre com a chave desse nome; confira \
         PAUTA_KEYRING, ou restaure o banco de dados de uma cópia"
    ))
}

fn wrong_master_secret_error(under: &str) -> Error {
    Error::internal(format!(
        "o que está guardado no banco{under} foi cifrado com outro PAUTA_SECRET; volte ao de antes \
         ou, sem essa variável, traga de uma cópia o arquivo pauta.secret que ficava ao lado do banco"
    ))
}

/// The prefix of the id of the key that is derived from the master secret.
pub(super) const DERIVED: &str = "mestre-";

#[cfg(test)]
mod tests {
    use super::*;

    fn build_ring(given: &[(&str, u8)]) -> KeyRing {
        let given: Vec<RingKey> = given
            .iter()
            .map(|(kid, byte)| ((*kid).to_owned(), [*byte; 32]))
            .collect();
        KeyRing::new(("mestre-00".into(), [9; 32]), &given)
    }

    fn refusal_cause(refused: Result<Vec<u8>>) -> String {
        let error = refused.expect_err("refused");
        std::error::Error::source(&error)
            .expect("a cause")
            .to_string()
    }

    #[test]
    fn a_sealed_text_opens_only_for_its_purpose_and_record() {
        let ring = build_ring(&[("a", 1)]);
        let sealed = ring.seal("password", "x", b"plain").expect("seals");
        assert_eq!(key_id(&sealed), Some("a"));
        assert_eq!(
            ring.open("password", "x", &sealed).expect("opens"),
            b"plain"
        );
        assert!(ring.open("password", "y", &sealed).is_err());
        assert!(ring.open("token", "x", &sealed).is_err());
        let renamed = sealed.replacen(".a.", ".mestre-00.", 1);
        assert!(ring.open("password", "x", &renamed).is_err());
    }

    #[test]
    fn the_first_key_encrypts_and_every_key_decrypts() {
        let sealed = build_ring(&[]).seal("p", "x", b"1").expect("seals");
        assert_eq!(key_id(&sealed), Some("mestre-00"));
        let later = build_ring(&[("b", 2), ("a", 1)]);
        assert_eq!(later.open("p", "x", &sealed).expect("opens"), b"1");
        let sealed = build_ring(&[("a", 1)]).seal("p", "x", b"2").expect("seals");
        assert_eq!(later.open("p", "x", &sealed).expect("opens"), b"2");
        assert_eq!(later.active_key_id(), "b");
    }

    #[test]
    fn the_error_names_a_missing_or_wrong_key() {
        let sealed = build_ring(&[("a", 1)]).seal("p", "x", b"1").expect("seals");
        let absent = refusal_cause(build_ring(&[("b", 2)]).open("p", "x", &sealed));
        assert!(
            absent.contains("`a`, não pode ser aberto sem ela"),
            "{absent}"
        );
        let wrong = refusal_cause(build_ring(&[("a", 2)]).open("p", "x", &sealed));
        assert!(wrong.contains("`a`, não abre"), "{wrong}");
    }
}
