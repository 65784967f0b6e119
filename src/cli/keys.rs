//! `pauta keys rotate`

use anyhow::{Result, anyhow};
use identity::sealed;

use super::terminal::out;
use crate::{
    app,
    config::{Config, Sources},
    reason,
};

/// Encrypts every secret in the database with the active key. Services may be running meanwhile.
pub(super) async fn rotate_keys(sources: &Sources) -> Result<()> {
    let config = Config::read(sources)?;
    let db = app::open_database(&config).await?;
    app::migrate(&db).await?;
    let keys = config.load_keys(app::has_session_keys(&db).await?)?;
    let active = keys.active_key_id();
    let rotated = sealed::reencrypt_records(&db, &keys).await;
    let rotated = rotated.map_err(|error| anyhow!(reason::explain_cause(&error)))?;
    let needed = sealed::used_key_ids(&db)
        .await
        .map_err(reason::into_anyhow)?;
    db.close().await?;
    out!(
        "Registros cifrados de novo sob a chave `{active}`: {}. Sob outras chaves: {}.",
        rotated.moved,
        rotated.left
    );
    match rotated.left {
        0 => out!("Nenhum segredo guardado precisa de outra chave."),
        _ => out!(
            "Um serviço no ar gravou enquanto isso; suba-o com a chave nova e rode de novo. Chaves em \
             uso: {}.",
            needed.join(", ")
        ),
    }
    Ok(())
}
