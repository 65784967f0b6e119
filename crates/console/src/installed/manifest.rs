//! The manifest of the app (W3C Web Application Manifest).

use gateway::{Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{area::public_spec, assets::asset_path, links::href_to, shell};

/// The manifest.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Manifest {}

const ROUTE: Spec = public_spec(
    "console_manifest",
    "Manifesto do app",
    Verb::Get,
    shell::MANIFEST_PATH,
)
.sends(OutputForm::Document("application/manifest+json"));

pub(super) const MANIFEST: Entry = Entry::for_page::<Manifest>(
    ROUTE,
    "O que um navegador precisa para instalar o console como app.",
);

impl Page for Manifest {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let services = ctx.services;
        let icon = |file, sizes, purpose| {
            json!({
                "src": href_to(services, asset_path(file)),
                "type": "image/png",
                "sizes": sizes,
                "purpose": purpose,
            })
        };
        let shortcut = |name, path| {
            json!({
                "name": name,
                "url": href_to(services, path),
                "icons": [icon("icon-192.png", "192x192", "any")],
            })
        };
        let manifest = json!({
            "id": href_to(services, "/"),
            "name": "Pauta",
            "short_name": "Pauta",
            "description": shell::DESCRIPTION,
            "lang": "pt-BR",
            "dir": "ltr",
            "start_url": href_to(services, "/"),
            "scope": href_to(services, "/"),
            "display": "standalone",
            "background_color": shell::LIGHT,
            "theme_color": shell::LIGHT,
            "categories": ["productivity"],
            "icons": [
                icon("icon-192.png", "192x192", "any"),
                icon("icon-512.png", "512x512", "any"),
                icon("icon-maskable.png", "512x512", "maskable"),
            ],
            "shortcuts": [
                shortcut("Hoje", "/"),
                shortcut("Aprovações", "/aprovacoes"),
                shortcut("Agenda", "/agenda"),
            ],
        });
        let reply = Reply::new(Content::Text(manifest.to_string().into()));
        Ok(reply
            .with_etag()
            .with_header("cache-control", "public, max-age=3600"))
    }
}
