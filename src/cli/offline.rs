//! What the commands that work on the database without the service share.

use std::sync::Arc;

use anyhow::Result;
use clap::Args;

use crate::{
    app::{self, App, SystemClock},
    config::{Config, Sources},
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
    let db = app::open_database(&config).await?;
    app::migrate(&db).await?;
    let public_url = config
        .public_url
        .clone()
        .unwrap_or_else(|| format!("http://{}", config.listen));
    app::assemble(&config, db, public_url, Arc::new(SystemClock)).await
}
