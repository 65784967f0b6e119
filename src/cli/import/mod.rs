//! `pauta import purchases | subscriptions | ad-spend | crm | dispatches`

mod columns;
mod csv;
mod fields;
mod kinds;
mod lines;
mod parts;
mod progress;
mod records;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use domain::time::Millis;
use gateway::Pepper;
use store::Tx;
use tools::operator::{self, Imported};

use super::{
    offline::open_offline,
    terminal::{err, out},
};
use crate::{app::App, config::Sources, reason::into_anyhow};
use kinds::{AdSpendRows, CrmRows, DispatchRows, PurchaseRows, RowKind, SubscriptionRows};
use lines::Encoding;
use parts::{Parts, Row};
use progress::Progress;

/// Rows per batch that is saved.
const BATCH: usize = 1_000;
/// Maximum number of bad lines that are reported; further ones are only counted.
const MOST_REPORTED: usize = 100;

#[derive(Subcommand)]
pub(super) enum Import {
    /// Importa compras.
    Purchases(Files),
    /// Importa assinaturas.
    Subscriptions(Files),
    /// Importa gastos com mídia paga, por campanha e dia.
    AdSpend(Files),
    /// Importa as etapas do funil de vendas que cada pessoa alcançou.
    Crm(Files),
    /// Importa disparos de mensagens.
    Dispatches(Files),
}

#[derive(Args)]
pub(super) struct Files {
    /// Arquivos CSV ou JSON Lines; `-` lê a entrada padrão.
    #[arg(value_name = "ARQUIVO", required = true)]
    files: Vec<PathBuf>,
    /// Pula as linhas com erro; sem isto, um erro faz com que nada seja gravado.
    #[arg(long)]
    skip_bad: bool,
    /// Codificação dos arquivos.
    #[arg(
        long,
        value_name = "NOME",
        value_enum,
        default_value = "utf8",
        hide_default_value = true
    )]
    encoding: GivenEncoding,
}

#[derive(Clone, Copy, ValueEnum)]
enum GivenEncoding {
    Utf8,
    Latin1,
}

impl Import {
    pub(super) async fn run(self, sources: &Sources) -> Result<()> {
        match self {
            Self::Purchases(files) => files.import::<PurchaseRows>(sources).await,
            Self::Subscriptions(files) => files.import::<SubscriptionRows>(sources).await,
            Self::AdSpend(files) => files.import::<AdSpendRows>(sources).await,
            Self::Crm(files) => files.import::<CrmRows>(sources).await,
            Self::Dispatches(files) => files.import::<DispatchRows>(sources).await,
        }
    }
}

/// Adds the columns of each import file to the command's help.
pub(super) fn with_column_help(command: clap::Command) -> clap::Command {
    command.mut_subcommand("import", |import| {
        import
            .mut_subcommand("purchases", |c| {
                c.after_help(columns::help_text(PurchaseRows::COLUMNS))
            })
            .mut_subcommand("subscriptions", |c| {
                c.after_help(columns::help_text(SubscriptionRows::COLUMNS))
            })
            .mut_subcommand("ad-spend", |c| {
                c.after_help(columns::help_text(AdSpendRows::COLUMNS))
            })
            .mut_subcommand("crm", |c| {
                c.after_help(columns::help_text(CrmRows::COLUMNS))
            })
            .mut_subcommand("dispatches", |c| {
                c.after_help(columns::help_text(DispatchRows::COLUMNS))
            })
    })
}

/// An import in progress.
struct Run<K: RowKind> {
    app: App,
    now: Millis,
    skip_bad: bool,
    tx: Option<Tx>,
    batch: Vec<K::Row>,
    imported: Imported,
    bad: usize,
}

impl Files {
    async fn import<K: RowKind>(self, sources: &Sources) -> Result<()> {
        let app = open_offline(sources).await?;
        let widened = app.gateway.services.db.widen_cache().await;
        widened.map_err(|failure| into_anyhow(failure.0))?;
        let pepper = app.gateway.services.parts.get::<Pepper>().clone();
        let encoding = match self.encoding {
            GivenEncoding::Utf8 => Encoding::Utf8,
            GivenEncoding::Latin1 => Encoding::Latin1,
        };
        let mut run = Run::<K> {
            now: app.gateway.now(),
            app,
            skip_bad: self.skip_bad,
            tx: None,
            batch: Vec::with_capacity(BATCH),
            imported: Imported::default(),
            bad: 0,
        };
        for file in &self.files {
            let mut parts = Parts::start_reader::<K>(file, encoding, &pepper);
            let mut progress = Progress::for_file(file);
            while let Some(part) = parts.next_part().await? {
                for (line, row) in part.rows {
                    run.add_row(row, file, line).await?;
                }
                progress.show_position(part.position);
            }
            progress.end_line();
        }
        run.finish().await
    }
}

impl<K: RowKind> Run<K> {
    async fn add_row(&mut self, row: Row<K::Row>, file: &Path, line: u64) -> Result<()> {
        self.imported.rows_read += 1;
        match row {
            Ok(row) => {
                self.imported.latest = self.imported.latest.max(K::row_instant(&row));
                self.batch.push(row);
            }
            Err(faults) => {
                self.bad += 1;
                if self.bad <= MOST_REPORTED {
                    err!("{}, linha {line}: {}", file.display(), faults.join("; "));
                }
            }
        }
        if self.batch.len() < BATCH {
            return Ok(());
        }
        self.save_batch().await
    }

    /// Saves the batch. Once a line is bad, no further batch is saved, unless bad lines are
    /// skipped.
    async fn save_batch(&mut self) -> Result<()> {
        let rows = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        if self.bad > 0 && !self.skip_bad {
            return Ok(());
        }
        let tx = match self.tx.take() {
            Some(tx) => tx,
            None => self.begin_transaction().await?,
        };
        let written = K::save_rows(&tx.conn(), rows, self.now).await;
        self.imported.rows_written += written.map_err(|failure| into_anyhow(failure.0))?;
        if self.skip_bad {
            commit(tx).await
        } else {
            self.tx = Some(tx);
            Ok(())
        }
    }

    async fn begin_transaction(&self) -> Result<Tx> {
        let tx = self.app.gateway.services.db.begin().await;
        tx.map_err(|failure| into_anyhow(failure.0))
    }

    async fn finish(mut self) -> Result<()> {
        self.save_batch().await?;
        if self.bad > MOST_REPORTED {
            err!("e mais {} linhas com erro", self.bad - MOST_REPORTED);
        }
        if self.bad > 0 && !self.skip_bad {
            bail!(
                "nada foi gravado: {} de {} linhas têm erro; corrija-as, ou pule-as com --skip-bad",
                self.bad,
                self.imported.rows_read
            );
        }
        let tx = match self.tx.take() {
            Some(tx) => tx,
            None => self.begin_transaction().await?,
        };
        operator::finish_import(&tx, K::NAME, self.imported, self.now)
            .await
            .map_err(into_anyhow)?;
        commit(tx).await.context("nada foi gravado")?;
        let db = &self.app.gateway.services.db;
        tools::figures::count_marked_rows(db, self.now)
            .await
            .map_err(into_anyhow)?;
        out!(
            "{} linhas lidas, {} registros novos ou mudados, {} linhas puladas",
            self.imported.rows_read,
            self.imported.rows_written,
            self.bad
        );
        Ok(())
    }
}

async fn commit(tx: Tx) -> Result<()> {
    tx.commit().await.map_err(|failure| into_anyhow(failure.0))
}
