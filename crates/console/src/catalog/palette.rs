//! The entries of the palette that do not depend on the typed text: pages, actions, and the
//! operations that the member may call.

use gateway::{Content, Context, Entry, OutputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{operation::can_be_tried, paths::operation_path};
use crate::{
    actions,
    area::{Table, page_spec},
    view::View,
};

/// The route of the palette's entries.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Palette {}

const ROUTE: Spec = page_spec("console_palette", "Paleta", "/paleta")
    .sends(OutputForm::Document("application/json"));

pub(crate) const PALETTE: Entry = Entry::for_page::<Palette>(
    ROUTE,
    "As páginas, as ações e as operações que quem pede pode abrir, para a paleta.",
);

/// A page, an action or an operation.
#[derive(Serialize)]
pub(crate) struct Offer<'a> {
    /// The name of the entry.
    pub nome: &'a str,
    /// The group of the entry.
    pub grupo: &'a str,
    /// Synonyms for the search.
    pub tambem: &'a str,
    pub endereco: String,
    /// `lugar`, `acao` or `operacao`.
    tipo: &'static str,
}

impl Offer<'_> {
    pub const OPERATIONS: &'static str = "Operações";

    /// Returns the plural name for the kind of the entry.
    pub fn kind_name(&self) -> &'static str {
        match self.tipo {
            "lugar" => "Páginas",
            "acao" => "Ações",
            _ => Self::OPERATIONS,
        }
    }
}

/// Lists the pages, actions and operations that the viewer may open.
pub(crate) fn list_offers<'a>(view: &View<'a>) -> Vec<Offer<'a>> {
    let table = view.ctx.services.parts.get::<Table>();
    let mut offers = vec![];
    for (group, places) in table.places {
        for place in places.iter().copied().flatten() {
            if view.sees_place(place) {
                offers.push(Offer {
                    nome: place.name,
                    grupo: group,
                    tambem: "",
                    endereco: view.href_to(place.path),
                    tipo: "lugar",
                });
            }
        }
    }
    offers.extend(actions::offered_actions(view).map(|action| Offer {
        nome: action.name,
        grupo: "Ação",
        tambem: action.also,
        endereco: view.href_to(action.path),
        tipo: "acao",
    }));
    for operation in &table.registry.operations {
        let spec = &operation.spec;
        if can_be_tried(view, operation) {
            offers.push(Offer {
                nome: spec.title,
                grupo: "Operação",
                tambem: spec.name,
                endereco: view.href_to(&format!("{}#experimente", operation_path(spec.name))),
                tipo: "operacao",
            });
        }
    }
    offers
}

impl Page for Palette {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let text = serde_json::to_string(&list_offers(&view))?;
        Ok(Reply::new(Content::Text(text.into())))
    }
}
