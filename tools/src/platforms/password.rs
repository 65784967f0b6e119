//! The stored form of a password.

use serde::{Deserialize, Serialize};

use domain::{MemberId, PlatformId, time::Millis};
use gateway::{Keys, Result};
use store::{Conn, platform_passwords, secrets, secrets::Sealed};

/// The purpose under which passwords are encrypted.
pub(super) const PURPOSE: &str = "platform password";

/// The content that is encrypted: the user name and the password.
#[derive(Serialize, Deserialize)]
pub struct Secret {
    pub usuario: Option<String>,
    pub senha: String,
}

impl Secret {
    pub(super) fn decrypt(keys: &Keys, id: &PlatformId, sealed: &str) -> Result<Self> {
        Ok(serde_json::from_slice(&keys.open(
            PURPOSE,
            id.as_str(),
            sealed,
        )?)?)
    }

    /// Stores the password of a platform. Replaces the previous password.
    pub async fn store_password(
        &self,
        db: &Conn<'_>,
        keys: &Keys,
        id: &PlatformId,
        by: &MemberId,
        now: Millis,
    ) -> Result<()> {
        platform_passwords::save_update(db, id, by, now).await?;
        let record = Sealed {
            purpose: PURPOSE.into(),
            id: id.as_str().into(),
            kid: keys.active_key_id().into(),
            sealed: keys.seal(PURPOSE, id.as_str(), &serde_json::to_vec(self)?)?,
        };
        Ok(secrets::save_record(db, &record).await?)
    }
}
