//! `pauta move`

use anyhow::{Context, Result, ensure};
use clap::Args;
use identity::sealed::keys_in_use;
use store::{Db, backup};

use super::{backup::tell_keys, terminal::out};
use crate::{
    app,
    config::{Config, Sources},
    private,
    reason::refusal,
};

#[derive(Args)]
pub(super) struct Move {
    /// Endereço do banco PostgreSQL, vazio: postgres://usuário:senha@servidor/banco.
    #[arg(long, value_name = "ENDEREÇO")]
    to: String,
}

impl Move {
    pub(super) async fn run(self, sources: &Sources) -> Result<()> {
        let config = Config::read(sources)?;
        let file = config
            .database_file()
            .context("PAUTA_DATABASE_URL já é um banco PostgreSQL; `move` sai de um SQLite")?;
        ensure!(
            self.to.starts_with("postgres://") || self.to.starts_with("postgresql://"),
            "--to deve começar com postgres://"
        );
        ensure!(
            file.exists(),
            "{} não existe; confira PAUTA_DATABASE_URL",
            file.display()
        );
        let _held = private::hold(&file)?;
        let from = app::open_database(&config).await?;
        app::migrate(&from).await?;
        let to = Db::open(&self.to).await.context(
            "o banco de --to não pôde ser aberto; confira o endereço e se ele está no ar",
        )?;
        app::migrate(&to).await?;
        let occupied = backup::occupied(&from, &to).await.map_err(refusal)?;
        if let Some(table) = occupied {
            anyhow::bail!(
                "o banco de --to já foi usado (a tabela {table} tem linhas), e nada é sobrescrito; \
                 crie um banco vazio"
            );
        }
        let moved = backup::transfer(&from, &to)
            .await
            .map_err(refusal)
            .context("nada foi copiado")?;
        for table in &moved {
            out!("{:>9}  {:<22}  {}", table.rows, table.table, table.digest);
        }
        let keys = keys_in_use(&to).await.map_err(refusal)?;
        from.close().await?;
        to.close().await?;
        let rows: u64 = moved.iter().map(|table| table.rows).sum();
        out!(
            "\nCopiadas {rows} linhas de {} tabelas; quantidade e SHA-256 conferem nos dois bancos.",
            moved.len()
        );
        out!("O banco SQLite ficou como estava. Para usar o novo, defina:");
        out!("  PAUTA_DATABASE_URL  o endereço dado em --to");
        match config.secret {
            Some(_) => out!("  PAUTA_SECRET        o mesmo de agora"),
            None => out!(
                "  PAUTA_SECRET        o conteúdo de {}",
                file.with_file_name("pauta.secret").display()
            ),
        }
        if !config.keyring.is_empty() {
            out!("  PAUTA_KEYRING       o mesmo de agora");
        }
        out!("  PAUTA_STORAGE       {}", config.storage);
        tell_keys(&keys);
        Ok(())
    }
}
