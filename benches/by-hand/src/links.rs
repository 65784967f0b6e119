//! Signed media links.

use anyhow::Result;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Signs media links.
#[derive(Clone)]
pub struct Links {
    mac: Hmac<Sha256>,
    base: String,
}

impl Links {
    pub fn new(port: u16) -> Result<Self> {
        Ok(Self {
            mac: Hmac::new_from_slice(b"a key of this benchmark and no other")?,
            base: format!("http://127.0.0.1:{port}"),
        })
    }

    /// Returns the link of a medium. It is valid for a week and changes once per hour.
    pub fn media_url(&self, id: &str, now: i64) -> String {
        let until = now / 3_600_000 * 3_600 + 7 * 86_400;
        let mut mac = self.mac.clone();
        mac.update(format!("{id}\n{until}").as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        format!("{}/media/{id}?exp={until}&sig=1.{signature}", self.base)
    }
}
