//! `pauta knowledge add`

use std::{collections::HashSet, path::PathBuf};

use anyhow::{Result, bail, ensure};
use clap::Args;
use gateway::jobs::Worker;
use search::Prepared;
use store::knowledge::Kept;
use tools::{
    knowledge::{DocumentReader, clean_tag},
    operator,
};

use super::{
    super::{
        offline::open_offline,
        terminal::{err, out},
    },
    files::{self, File},
    passages_text,
};
use crate::{app::App, config::Sources, reason};

#[derive(Args)]
pub(in crate::cli) struct Add {
    /// Arquivos ou pastas.
    #[arg(value_name = "ARQUIVO", required = true)]
    files: Vec<PathBuf>,
    /// Etiqueta dos documentos; pode ser repetida. Sem ela, as que o documento já tem ficam.
    #[arg(long = "tag", value_name = "ETIQUETA")]
    tags: Vec<String>,
}

impl Add {
    pub(in crate::cli) async fn run(self, settings: &Sources) -> Result<()> {
        let tags: Vec<String> = self.tags.iter().map(|tag| clean_tag(tag)).collect();
        for tag in &tags {
            let fits = (1..=64).contains(&tag.chars().count()) && !tag.contains(char::is_control);
            ensure!(
                fits,
                "uma etiqueta tem de 1 a 64 caracteres, sem caracteres de controle"
            );
        }
        let tags = (!tags.is_empty()).then_some(tags);
        let app = open_offline(settings).await?;
        let reader = app.gateway.services.parts.get::<DocumentReader>();
        let mut sources = HashSet::new();
        let (mut failed, mut seen) = (0, 0);
        for argument in self.files {
            let found = files::find_files(&argument);
            for path in found.unsupported {
                let path = path.display();
                out!("ignorado    {path}: o formato não é aceito; use .md, .txt, .html ou .pdf");
            }
            for file in found.files {
                seen += 1;
                let name = file.path.display().to_string();
                let known = !sources.insert(file.source.clone());
                let outcome = match prepare_file(reader, file, tags.clone(), known).await {
                    Ok(document) => operator::add_knowledge(&app.gateway, document)
                        .await
                        .map_err(reason::into_anyhow),
                    Err(error) => Err(error),
                };
                match outcome {
                    Ok(kept) => out!("{}", result_line(&kept, &name)),
                    Err(error) => {
                        failed += 1;
                        err!("falhou      {name}: {}", reason::error_text(&error));
                    }
                }
            }
        }
        ensure!(
            seen > 0,
            "nenhum arquivo Markdown, texto, HTML ou PDF foi encontrado"
        );
        embed_new_passages(&app).await;
        app.gateway.services.changes.send_remaining().await;
        if failed > 0 {
            bail!("{failed} de {seen} arquivos não foram adicionados");
        }
        Ok(())
    }
}

/// Embeds the new passages in this process, because a running service is not notified of changes in
/// an embedded database.
async fn embed_new_passages(app: &App) {
    let mut worker = Worker::new(app.gateway.clone(), tools::knowledge::AREA.jobs);
    if let Err(error) = worker.drain().await {
        err!(
            "aviso: os textos ainda não têm vetores: {}",
            reason::into_anyhow(error)
        );
    }
}

/// Reads a file. `known` is true if another file of this command has the same source; the function then
/// fails.
async fn prepare_file(
    reader: &DocumentReader,
    file: File,
    tags: Option<Vec<String>>,
    known: bool,
) -> Result<Prepared> {
    ensure!(
        !known,
        "outro arquivo deste comando já é a fonte `{}`; adicione a pasta que contém os dois",
        file.source
    );
    let read = reader.read_document(file.path, file.source).await?;
    Ok(Prepared {
        tags,
        ..read.into_document()
    })
}

fn result_line(kept: &Kept, name: &str) -> String {
    match kept {
        Kept::Added(chunks) => format!("adicionado  {name} ({})", passages_text(*chunks)),
        Kept::Replaced(_) => format!("atualizado  {name}"),
        Kept::Unchanged => format!("sem mudança {name}"),
        Kept::Elsewhere(source) => format!("já existe   {name} (mesmo texto de {source})"),
    }
}
