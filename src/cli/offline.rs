//! Code that the commands share which work on the database without the service.

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

/// The member that a command is about.
#[derive(Args)]
pub(super) struct Email {
    /// E-mail do membro.
    #[arg(long, value_name = "E-MAIL")]
    pub email: String,
}

/// The service without a listener, for commands that work on its database.
pub(super) async fn offline(sources: &Sources) -> Result<App> {
    let config = Config::read(sources)?;
    let db = migrated(&config).await?;
    let file = config.database_file();
    let public_url = config
        .public_url
        .clone()
        // A running service may listen at another address than the configuration of this command
        // says.
        .or_else(|| private::told_address(&file?))
        .unwrap_or_else(|| format!("http://{}", config.listen));
    app::assemble(&config, db, public_url, Arc::new(SystemClock)).await
}

/// The database with its migrations applied. The creation of a new one is announced, because it may
/// be a mistake.
pub(super) async fn migrated(config: &Config) -> Result<Db> {
    let new = config.database_file().filter(|file| !file.exists());
    let db = app::open_database(config).await?;
    if let Some(file) = new {
        err!("nova base criada em {}", file.display());
    }
    app::migrate(&db).await?;
    Ok(db)
}
