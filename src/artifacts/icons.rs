//! The icons of the service, for hosts that list it.

use serde::Serialize;

use super::source::document_url;

/// An icon: its file, its media type and its sizes, as MCP and the registry describe them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Icon {
    /// The address of the file.
    pub src: String,
    pub mime_type: &'static str,
    pub sizes: [&'static str; 1],
}

/// File name, media type and size of each icon. Hosts use the first one that they can show.
const ICONS: [(&str, &str, &str); 2] = [
    ("icon.png", "image/png", "512x512"),
    ("icon.svg", "image/svg+xml", "any"),
];

/// Finds the content of an icon; `None` if no icon has this file name.
pub(super) fn find_icon(file_name: &str) -> Option<&'static [u8]> {
    Some(match file_name {
        "icon.png" => console::ICON_PNG,
        "icon.svg" => console::ICON_SVG.as_bytes(),
        _ => return None,
    })
}

/// Lists the icons, with their addresses below the public URL.
pub(crate) fn list_icons(public_url: &str) -> Vec<Icon> {
    let icon = |(name, mime_type, size)| Icon {
        src: document_url(public_url, name),
        mime_type,
        sizes: [size],
    };
    ICONS.map(icon).into()
}
