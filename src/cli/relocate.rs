//! `pauta move`

use anyhow::{Context, Result, ensure};
use clap::Args;
use identity::sealed::used_key_ids;
use store::{Db, backup};

use super::{backup::print_keys, terminal::out};
use crate::{
    app,
    config::{Config, Sources},
    private,
    reason::into_anyhow,
};

/// The environment variable with the target database URL.
const TO: &str = "PAUTA_MOVE_TO";

#[derive(Args)]
pub(super) struct Move {
    /// Endereço de um PostgreSQL vazio: postgres://usuário@servidor/banco. Com senha, prefira
    /// PAUTA_MOVE_TO: outros usuários da máquina veem os argumentos de um comando.
    #[arg(long, value_name = "ENDEREÇO")]
    to: Option<String>,
}

impl Move {
    pub(super) async fn run(self, sources: &mut Sources) -> Result<()> {
        sources.set(TO, self.to);
        let to = sources.get(TO).context(
            "falta o endereço do banco de destino: defina PAUTA_MOVE_TO, ou informe --to",
        )?;
        let config = Config::read(sources)?;
        let file = config
            .database_file()
            .context("PAUTA_DATABASE_URL já é um banco PostgreSQL; `move` sai de um SQLite")?;
        ensure!(
            to.starts_with("postgres://") || to.starts_with("postgresql://"),
            "o banco de destino (PAUTA_MOVE_TO ou --to) deve começar com postgres://"
        );
        ensure!(
            file.exists(),
            "{} não existe; confira PAUTA_DATABASE_URL",
            file.display()
        );
        let _held = private::lock_database(&file)?;
        let from = app::open_database(&config).await?;
        app::migrate(&from).await?;
        let to = Db::open(to).await.context(
            "o banco de destino não pôde ser aberto; confira o endereço e se ele está no ar",
        )?;
        app::migrate(&to).await?;
        let occupied = backup::find_occupied_table(&from, &to)
            .await
            .map_err(into_anyhow)?;
        if let Some(table) = occupied {
            anyhow::bail!(
                "o banco de destino já foi usado (a tabela {table} tem linhas), e nada é sobrescrito; \
                 crie um banco vazio"
            );
        }
        let moved = backup::transfer(&from, &to)
            .await
            .map_err(into_anyhow)
            .context("nada foi copiado")?;
        for table in &moved {
            out!("{:>9}  {:<22}  {}", table.rows, table.table, table.digest);
        }
        let keys = used_key_ids(&to).await.map_err(into_anyhow)?;
        from.close().await?;
        to.close().await?;
        let rows: u64 = moved.iter().map(|table| table.rows).sum();
        out!(
            "\nCopiadas {rows} linhas de {} tabelas; quantidade e SHA-256 conferem nos dois bancos.",
            moved.len()
        );
        out!("O banco SQLite ficou como estava. Para usar o novo, defina:");
        out!("  PAUTA_DATABASE_URL  o endereço do banco de destino");
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
        print_keys(&keys);
        Ok(())
    }
}
