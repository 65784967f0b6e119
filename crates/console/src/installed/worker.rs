//! The script of the service worker.

use std::sync::OnceLock;

use domain::sha256_hex;
use gateway::{
    Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Services, Spec, Verb,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::offline;
use crate::{
    area::{Table, public_spec},
    assets::{asset_path, asset_paths},
    links::href_to,
};

/// The script of the service worker.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ServiceWorker {}

const ROUTE: Spec = public_spec(
    "console_service_worker",
    "Script do app instalado",
    Verb::Get,
    "/app.js",
)
.sends(OutputForm::Document("text/javascript"));

pub(super) const WORKER: Entry = Entry::for_page::<ServiceWorker>(
    ROUTE,
    "O script com que o navegador guarda os arquivos do console e mostra os avisos.",
);

/// The files that the worker stores when it is installed. Other files are stored at their first use.
const NEEDED: [&str; 5] = [
    "console.css",
    "htmx.js",
    "shell.js",
    "icon.svg",
    "icon-192.png",
];
const SCRIPT: &str = include_str!("../../assets/js/worker.js");
/// The content security policy of the script, which may fetch from this service only.
const POLICY: &str = "default-src 'none'; connect-src 'self'";

impl Page for ServiceWorker {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        static TEXT: OnceLock<String> = OnceLock::new();
        // The table and the public address do not change while the service runs.
        let text = TEXT.get_or_init(|| build_script(ctx.services));
        Ok(Reply::new(Content::Text(text.clone().into()))
            .with_etag()
            .with_header("cache-control", "no-cache")
            .with_header("content-security-policy", POLICY))
    }
}

/// Returns the script, preceded by the constant `RELEASE` with the paths and files of this release.
fn build_script(services: &Services) -> String {
    let base = href_to(services, "");
    let mut needed: Vec<String> = NEEDED
        .iter()
        .map(|name| href_to(services, asset_path(name)))
        .collect();
    needed.push(href_to(services, offline::PATH));
    let files: Vec<String> = asset_paths().map(|path| href_to(services, path)).collect();
    let registry = &services.parts.get::<Table>().registry;
    let pages = registry.console.iter().map(|page| &page.spec);
    let pages = pages.filter(|spec| is_page(spec)).map(|spec| spec.path);
    let facts = json!({
        "base": base,
        "needed": needed,
        "files": files,
        "pages": pages.collect::<Vec<_>>(),
        "offline": href_to(services, offline::PATH),
        "icon": href_to(services, asset_path("icon-192.png")),
        "badge": href_to(services, asset_path("badge.png")),
    });
    let version = &sha256_hex(format!("{facts}{SCRIPT}").as_bytes())[..12];
    format!("const RELEASE = {{ version: \"{version}\", ...{facts} }};\n{SCRIPT}")
}

/// True if the route is a page that a member opens in the console, and not a file or a stream.
fn is_page(spec: &Spec) -> bool {
    spec.verb == Verb::Get
        && spec.output == OutputForm::Html
        && matches!(spec.access, Access::Browser)
        && !spec.path.contains('.')
}
