//! The embedded stylesheet, scripts and icons. Each file name contains a hash of the content.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use gateway::{
    Content, Context, Document, Entry, Error, Page, Reply, Result, Spec, StaticDocument, Verb,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::area::public_spec;

const STYLE: &str = concat!(
    include_str!("../assets/css/base.css"),
    include_str!("../assets/css/shell.css"),
    include_str!("../assets/css/cards.css"),
    include_str!("../assets/css/today.css"),
    include_str!("../assets/css/agenda.css"),
    include_str!("../assets/css/piece.css"),
    include_str!("../assets/css/approvals.css"),
    include_str!("../assets/css/remarks.css"),
    include_str!("../assets/css/guest.css"),
    include_str!("../assets/css/projects.css"),
    include_str!("../assets/css/emails.css"),
    include_str!("../assets/css/publishing.css"),
    include_str!("../vendor/uplot-1.6.32.min.css"),
    include_str!("../assets/css/figures.css"),
    include_str!("../assets/css/library.css"),
    include_str!("../assets/css/people.css"),
    include_str!("../assets/css/catalog.css"),
    include_str!("../assets/css/print.css"),
);

/// The icon of the service, as SVG.
pub const ICON_SVG: &str = include_str!("../assets/icon.svg");
/// The icon of the service as PNG, 512 pixels wide, for hosts that show no SVG.
pub const ICON_PNG: &[u8] = include_bytes!("../assets/icon.png");

const FILES: [(&str, &str, &str); 14] = [
    ("console.css", "text/css", STYLE),
    (
        "htmx.js",
        JAVASCRIPT,
        include_str!("../vendor/htmx-4.0.1.min.js"),
    ),
    (
        "shell.js",
        JAVASCRIPT,
        concat!(
            include_str!("../assets/js/shell.js"),
            include_str!("../assets/js/palette.js"),
            include_str!("../assets/js/keys.js"),
            include_str!("../assets/js/sorting.js"),
            include_str!("../assets/js/dates.js"),
            include_str!("../assets/js/live.js"),
            include_str!("../assets/js/installed.js"),
        ),
    ),
    (
        "calendar.js",
        JAVASCRIPT,
        concat!(
            include_str!("../assets/js/calendar.js"),
            include_str!("../assets/js/drag.js"),
        ),
    ),
    (
        "editor.js",
        JAVASCRIPT,
        concat!(
            include_str!("../assets/js/editor.js"),
            include_str!("../assets/js/uploads.js"),
        ),
    ),
    (
        "carousel.js",
        JAVASCRIPT,
        include_str!("../assets/js/carousel.js"),
    ),
    ("push.js", JAVASCRIPT, include_str!("../assets/js/push.js")),
    ("mail.js", JAVASCRIPT, include_str!("../assets/js/mail.js")),
    (
        "posting.js",
        JAVASCRIPT,
        include_str!("../assets/js/posting.js"),
    ),
    (
        "brand.js",
        JAVASCRIPT,
        include_str!("../assets/js/brand.js"),
    ),
    (
        "decisions.js",
        JAVASCRIPT,
        include_str!("../assets/js/decisions.js"),
    ),
    (
        "charts.js",
        JAVASCRIPT,
        include_str!("../assets/js/charts.js"),
    ),
    (
        "uplot.js",
        JAVASCRIPT,
        include_str!("../vendor/uplot-1.6.32.min.js"),
    ),
    ("icon.svg", "image/svg+xml", ICON_SVG),
];

/// The icons of the installed app. The maskable icon and the Apple icon fill their squares, because
/// Apple icons have no transparent corners. The badge is a white shape, which Android shows beside the
/// clock.
const PICTURES: [(&str, &[u8]); 5] = [
    ("icon-192.png", include_bytes!("../assets/icon-192.png")),
    ("icon-512.png", ICON_PNG),
    (
        "icon-maskable.png",
        include_bytes!("../assets/icon-maskable.png"),
    ),
    ("icon-apple.png", include_bytes!("../assets/icon-apple.png")),
    ("badge.png", include_bytes!("../assets/badge.png")),
];

const JAVASCRIPT: &str = "text/javascript";
const PREFIX: &str = "/estatico/";

struct Assets {
    by_path: BTreeMap<String, Arc<StaticDocument>>,
    paths: BTreeMap<&'static str, String>,
}

static ASSETS: LazyLock<Assets> = LazyLock::new(|| {
    let mut assets = Assets {
        by_path: BTreeMap::new(),
        paths: BTreeMap::new(),
    };
    let texts = FILES.map(|(name, media_type, text)| (name, media_type, text.as_bytes()));
    let pictures = PICTURES.map(|(name, bytes)| (name, "image/png", bytes));
    for (name, media_type, bytes) in texts.into_iter().chain(pictures) {
        let document = StaticDocument::new(media_type, bytes);
        let (stem, suffix) = name.rsplit_once('.').unwrap_or((name, ""));
        let hashed = format!("{stem}.{}.{suffix}", &document.sha256[..12]);
        assets.paths.insert(name, format!("{PREFIX}{hashed}"));
        assets.by_path.insert(hashed, document);
    }
    assets
});

/// Returns the path of a file.
pub(crate) fn asset_path(name: &str) -> &'static str {
    ASSETS.paths.get(name).map_or("", String::as_str)
}

/// Returns the paths of all files.
pub(crate) fn asset_paths() -> impl Iterator<Item = &'static str> {
    ASSETS.paths.values().map(String::as_str)
}

/// The route of an asset.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Asset {
    arquivo: String,
}

const ROUTE: Spec = public_spec(
    "console_asset",
    "Arquivo do console",
    Verb::Get,
    "/estatico/{arquivo}",
)
.fails(&[404]);

pub(crate) const ASSET: Entry =
    Entry::for_page::<Asset>(ROUTE, "Folha de estilo, scripts e ícones do console.");

impl Page for Asset {
    async fn run(self, _: &Context<'_>) -> Result<Reply> {
        let document = ASSETS.by_path.get(&self.arquivo).cloned();
        let document: Arc<dyn Document> = document.ok_or_else(|| Error::not_found("arquivo"))?;
        Ok(Reply::new(Content::Document(document))
            .with_header("cache-control", "public, max-age=31536000, immutable"))
    }
}
