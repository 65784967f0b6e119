//! How a password is stored.

use serde::{Deserialize, Serialize};

use gateway::{Keys, Result};
use store::{Conn, secrets, secrets::Sealed};

/// The purpose under which passwords are encrypted.
pub(super) const PURPOSE: &str = "platform password";

/// What is encrypted: the account's name too.
#[derive(Serialize, Deserialize)]
pub(super) struct Secret {
    pub usuario: Option<String>,
    pub senha: String,
}

impl Secret {
    pub(super) fn open(keys: &Keys, id: &str, sealed: &str) -> Result<Self> {
        Ok(serde_json::from_slice(&keys.open(PURPOSE, id, sealed)?)?)
    }

    pub(super) async fn put(&self, db: &Conn<'_>, keys: &Keys, id: &str) -> Result<()> {
        let record = Sealed {
            purpose: PURPOSE.into(),
            id: id.into(),
            kid: keys.active_key().into(),
            sealed: keys.seal(PURPOSE, id, &serde_json::to_vec(self)?)?,
        };
        Ok(secrets::put(db, &record).await?)
    }
}
