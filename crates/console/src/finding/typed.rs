//! The search of the palette while the viewer types.

use gateway::{Content, Context, Entry, OutputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::found::{Item, search};
use crate::{area::page_spec, view::View};

/// The maximum number of results of each kind.
const SHOWN: u8 = 5;

/// The search of the palette.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Typed {
    /// O que foi digitado até agora.
    q: Option<String>,
}

const ROUTE: Spec = page_spec("console_palette_search", "Busca da paleta", "/paleta/busca")
    .sends(OutputForm::Document("application/json"))
    .fails(&[400]);

pub(super) const TYPED: Entry = Entry::for_page::<Typed>(
    ROUTE,
    "O que quem pede acha pelo que digitou, por tipo, para a paleta.",
);

#[derive(Serialize)]
struct Group<'a> {
    grupo: &'a str,
    itens: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Line<'a> {
    titulo: &'a str,
    /// The parts of the title if the title contains all words, otherwise the parts of an excerpt. `true`
    /// marks a matching part.
    partes: Vec<(&'a str, bool)>,
    no_titulo: bool,
    detalhe: String,
    quando: Option<String>,
    endereco: String,
}

impl Page for Typed {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let found = search(&view, self.q.as_deref().unwrap_or_default(), None, SHOWN).await?;
        let groups = found.grupos.iter().map(|group| Group {
            grupo: group.kind_name(),
            itens: group
                .resultados
                .iter()
                .map(|item| result_line(&view, item))
                .collect(),
        });
        let text = serde_json::to_string(&groups.collect::<Vec<_>>())?;
        Ok(Reply::new(Content::Text(text.into())))
    }
}

fn result_line<'a>(view: &View<'_>, item: &'a Item) -> Line<'a> {
    let parts = item.trecho.iter();
    Line {
        titulo: &item.titulo,
        partes: parts
            .map(|part| (part.texto.as_str(), part.achado))
            .collect(),
        no_titulo: item.no_titulo,
        detalhe: item.detail_text(),
        quando: item.date_text(),
        endereco: item.result_address(view),
    }
}
