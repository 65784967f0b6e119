//! The keys that encrypt secrets in the database.

use anyhow::{Context, Result, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use gateway::{RingKey, is_key_id};

use super::Sources;

/// `PAUTA_KEYRING`: the first key encrypts, all of them decrypt. If it is empty, the key is derived
/// from the master secret.
#[derive(Clone, Default)]
pub struct RingKeys(pub(super) Vec<RingKey>);

impl std::fmt::Debug for RingKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(kid, _)| kid))
            .finish()
    }
}

impl RingKeys {
    /// True if no key is configured, so that the key is derived from the master secret.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn read(sources: &Sources) -> Result<Self> {
        let Some(text) = sources.get("PAUTA_KEYRING") else {
            return Ok(Self::default());
        };
        let mut keys: Vec<RingKey> = vec![];
        for part in text.split(',').map(str::trim) {
            let (kid, key) = parse_key(part).context(
                "PAUTA_KEYRING deve ser uma lista como `id:chave`, separada por vírgulas: o id com \
                 até 40 letras, números, `-` e `_`, e a chave com 32 bytes em base64; crie uma com \
                 `openssl rand -base64 32`",
            )?;
            ensure!(
                keys.iter().all(|(other, _)| *other != kid),
                "PAUTA_KEYRING tem duas chaves com o id `{kid}`"
            );
            ensure!(
                !kid.starts_with("mestre-"),
                "PAUTA_KEYRING: `mestre-` é o começo do id da chave que vem do segredo mestre; dê \
                 outro id a `{kid}`"
            );
            keys.push((kid, key));
        }
        Ok(Self(keys))
    }
}

fn parse_key(part: &str) -> Option<RingKey> {
    let (kid, text) = part.split_once(':')?;
    let bytes = STANDARD.decode(text.trim()).ok()?;
    is_key_id(kid).then(|| Some((kid.to_owned(), bytes.try_into().ok()?)))?
}
