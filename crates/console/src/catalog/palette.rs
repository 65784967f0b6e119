//! The entries of the palette: pages, and the operations that the member may call.

use gateway::{Content, Context, Entry, OutputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{operation::can_be_tried, paths::path};
use crate::{
    area::{Table, page},
    view::View,
};

/// The route of the palette's entries.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Palette {}

const ROUTE: Spec =
    page("console_palette", "Paleta", "/paleta").sends(OutputForm::Document("application/json"));

pub(crate) const PALETTE: Entry = Entry::page::<Palette>(
    ROUTE,
    "As páginas e as operações que quem pede pode abrir, para a paleta.",
);

#[derive(Serialize)]
struct Offer<'a> {
    /// The name of the entry.
    nome: &'a str,
    /// The group of the entry.
    grupo: &'a str,
    /// Synonyms for the search.
    tambem: &'a str,
    endereco: String,
}

impl Page for Palette {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let table = ctx.services.parts.get::<Table>();
        let mut offers = vec![];
        for (group, places) in table.places {
            for place in places.iter().copied().flatten() {
                if view.offers(place) {
                    offers.push(Offer {
                        nome: place.name,
                        grupo: group,
                        tambem: "",
                        endereco: view.at(place.path),
                    });
                }
            }
        }
        for operation in &table.registry.operations {
            let spec = &operation.spec;
            if can_be_tried(&view, operation) {
                offers.push(Offer {
                    nome: spec.title,
                    grupo: "Operação",
                    tambem: spec.name,
                    endereco: view.at(&format!("{}#experimente", path(spec.name))),
                });
            }
        }
        let text = serde_json::to_string(&offers)?;
        Ok(Reply::new(Content::Text(text.into())))
    }
}
