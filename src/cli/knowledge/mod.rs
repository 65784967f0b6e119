//! `pauta knowledge add | list | remove`

mod add;
mod files;

use anyhow::{Result, bail};
use clap::Args;
use tools::operator;

use super::{
    offline::open_offline,
    terminal::{err, format_instant, out},
};
use crate::{config::Sources, reason::into_anyhow};

pub(super) use crate::providers::pdf::{READ_PDF, run_reader as read_pdf};
pub(super) use add::Add;

#[derive(Args)]
pub(super) struct Remove {
    /// Ids dos documentos.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

impl Remove {
    pub(super) async fn run(self, sources: &Sources) -> Result<()> {
        let app = open_offline(sources).await?;
        let mut failed = 0;
        for id in &self.ids {
            match operator::remove_knowledge(&app.gateway, &id.as_str().into()).await {
                Ok(source) => out!("removido    {source}"),
                Err(error) => {
                    failed += 1;
                    err!("falhou      {id}: {}", into_anyhow(error));
                }
            }
        }
        app.gateway.services.changes.send_remaining().await;
        if failed > 0 {
            bail!(
                "{failed} de {} documentos não foram removidos",
                self.ids.len()
            );
        }
        Ok(())
    }
}

/// Formats a number of passages: `1 trecho`, `2 trechos`.
fn passages_text(count: usize) -> String {
    match count {
        1 => "1 trecho".into(),
        _ => format!("{count} trechos"),
    }
}

pub(super) async fn list_documents(sources: &Sources) -> Result<()> {
    let app = open_offline(sources).await?;
    let documents = operator::list_knowledge(&app.gateway)
        .await
        .map_err(into_anyhow)?;
    if documents.is_empty() {
        out!("A base de conhecimento está vazia. Adicione arquivos com `pauta knowledge add`.");
    }
    for document in documents {
        let tags = match document.tags.as_slice() {
            [] => String::new(),
            tags => format!("  [{}]", tags.join(", ")),
        };
        out!(
            "{}  {}  {:>11}  {}  {}{tags}",
            document.id,
            format_instant(document.updated_at),
            passages_text(document.chunks),
            document.source,
            document.title,
        );
    }
    Ok(())
}
