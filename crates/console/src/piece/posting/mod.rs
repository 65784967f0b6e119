//! The page on which a person posts a variant by hand, made for the phone: the texts to paste, the files
//! to download or to share, and the form that records the post. Everything except sharing files works
//! without a script.

mod draw;
mod files;
mod page;
mod places;

pub(super) use page::PAGE;

/// Returns the path of the page on which a person posts a variant.
pub(super) fn posting_path(event_id: &str, channel: &str, format: &str) -> String {
    let channel = crate::links::percent_encode(channel);
    format!("/eventos/{event_id}/canais/{channel}/{format}/postar")
}
