//! Code for commands that work on the database while the service is stopped.

use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use store::Db;

use super::terminal::err;
use crate::{
    app::{self, App, SystemClock},
    config::{Config, Sources},
    private,
};

/// The argument with the member's e-mail.
#[derive(Args)]
pub(super) struct Email {
    /// E-mail do membro.
    #[arg(long, value_name = "E-MAIL")]
    pub email: String,
}

/// Builds the service without a listener, for commands that work on its database.
pub(super) async fn open_offline(sources: &Sources) -> Result<App> {
    let config = Config::read(sources)?;
    let db = open_migrated(&config).await?;
    let file = config.database_file();
    let public_url = config
        .public_url
        .clone()
        // The running service may use another public URL than the configuration of this command.
        .or_else(|| private::read_service_url(&file?))
        .unwrap_or_else(|| format!("http://{}", config.listen));
    app::assemble(&config, db, public_url, Arc::new(SystemClock)).await
}

/// Opens the database and applies pending migrations. Announces a newly created database, because
/// it may be a mistake.
pub(super) async fn open_migrated(config: &Config) -> Result<Db> {
    let new = config.database_file().filter(|file| !file.exists());
    let db = app::open_database(config).await?;
    if let Some(file) = new {
        err!("nova base criada em {}", file.display());
    }
    app::migrate(&db).await?;
    Ok(db)
}
