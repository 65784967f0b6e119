//! The marks of channels: small icons that distinguish channels at a glance. The name of the channel is
//! always beside its mark, and assistive technology reads only the name.

use maud::{Markup, html};

/// The marks: channel, SVG path of the lines, and SVG path of the filled shapes, on a grid of 16 by 16.
const MARKS: [(&str, &str, &str); 14] = [
    (
        "instagram",
        "M5 1.5h6A3.5 3.5 0 0 1 14.5 5v6a3.5 3.5 0 0 1-3.5 3.5H5A3.5 3.5 0 0 1 1.5 11V5A3.5 3.5 0 0 1 5 1.5z\
         M8 4.9a3.1 3.1 0 1 0 0 6.2 3.1 3.1 0 0 0 0-6.2z",
        "M11.9 3.2a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8z",
    ),
    (
        "facebook",
        "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM10.6 4.9h-.9c-.9 0-1.4.5-1.4 1.4v8M6.2 8.6h4",
        "",
    ),
    (
        "linkedin",
        "M2 2h12v12H2zM4.9 7v4.4M7.6 11.4V7M7.6 9.2c0-2.6 3.8-2.6 3.8 0v2.2",
        "M4.9 4.1a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6z",
    ),
    (
        "tiktok",
        "M9.2 1.5v9.2a2.9 2.9 0 1 1-2.9-2.9M9.2 1.5c.3 2.2 1.8 3.6 4 3.8",
        "",
    ),
    (
        "youtube",
        "M3.5 3.2h9a2.3 2.3 0 0 1 2.3 2.3v5a2.3 2.3 0 0 1-2.3 2.3h-9a2.3 2.3 0 0 1-2.3-2.3v-5a2.3 2.3 0 0 1 2.3-2.3z",
        "M6.6 5.6 10.6 8l-4 2.4z",
    ),
    (
        "threads",
        "M12.6 6C12.2 3.2 10.6 1.8 8.2 1.8 4.9 1.8 3 4.2 3 8s1.9 6.2 5.2 6.2c2.7 0 4.6-1.5 4.6-3.5\
         0-2-1.8-3-4-3-1.9 0-2.9.8-2.9 1.9s1 1.7 2.1 1.7c1.6 0 2.5-1.1 2.5-2.9 0-1.7-.8-2.7-2.4-2.7",
        "",
    ),
    (
        "pinterest",
        "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM6.6 12.8 8.2 6.2M5.9 8.7C4.8 6.5 6.2 4.6 8.3 4.6\
         c1.9 0 3 1.2 2.7 2.9-.3 2-2.3 2.9-3.3 1.6",
        "",
    ),
    (
        "whatsapp",
        "M2 14l.9-3.3A6.1 6.1 0 1 1 5.3 13.1zM6 5.4c-.6 2 2.6 5.2 4.6 4.6",
        "",
    ),
    ("x", "M2.5 2.5l11 11M13.3 2.5 2.7 13.5", ""),
    (
        "bluesky",
        "M8 7.4C6.8 5 4.5 2.9 2.2 2.3c-.5 2.7.2 6.3 3.6 6.5-2.5.5-2.3 3.2-.6 4.2C6.6 13.8 7.5 12 8 10.7\
         c.5 1.3 1.4 3.1 2.8 2.3 1.7-1 1.9-3.7-.6-4.2 3.4-.2 4.1-3.8 3.6-6.5C11.5 2.9 9.2 5 8 7.4z",
        "",
    ),
    ("blog", "M3 1.5h10v13H3zM5.5 5h5M5.5 8h5M5.5 11h3", ""),
    ("newsletter", "M1.5 3.2h13v9.6h-13zM2 4l6 4.7L14 4", ""),
    (
        "podcast",
        "M8 1.5a2.2 2.2 0 0 1 2.2 2.2v3.6a2.2 2.2 0 0 1-4.4 0V3.7A2.2 2.2 0 0 1 8 1.5z\
         M3.5 7.3a4.5 4.5 0 0 0 9 0M8 11.8v2.7M5.5 14.5h5",
        "",
    ),
    (
        "site",
        "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM1.5 8h13M8 1.5c-4 4-4 9 0 13 4-4 4-9 0-13z",
        "",
    ),
];

/// Draws the mark of a channel. `None` if the channel has no mark.
pub(crate) fn network_mark(channel: &str) -> Option<Markup> {
    let channel = match channel {
        "twitter" => "x",
        other => other,
    };
    let (_, lines, shapes) = MARKS.iter().find(|(name, ..)| *name == channel)?;
    Some(html! {
        svg class="net" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" {
            path class="lines" d=(lines) {}
            @if !shapes.is_empty() { path d=(shapes) {} }
        }
    })
}
