//! The post of a variant: its own content, and the content that it takes from the piece.

use domain::variant::insert_link;

use super::{
    model::{Event, Medium, piece_path},
    variant::Variant,
};
use crate::links::percent_encode;

/// A medium in the post of a variant.
pub(crate) struct PostMedium<'a> {
    pub medium: &'a Medium,
    pub alt: Option<&'a str>,
    /// The ratio to which the medium is cropped, such as `4:5`.
    pub ratio: Option<&'a str>,
}

impl Variant {
    /// Returns the caption of the post: the caption of the variant, otherwise `of_piece`, the caption of
    /// the piece. The link is inserted at its placeholder. A briefing is not used as a caption, because
    /// it is for the team only.
    pub fn post_caption(&self, event: &Event, of_piece: &str) -> String {
        let is_briefing =
            event.description_is_briefing && event.description.as_deref() == Some(of_piece);
        let of_piece = if is_briefing { "" } else { of_piece };
        self.with_link(self.legenda.as_deref().unwrap_or(of_piece))
    }

    /// Returns the first comment of the post, with the link inserted.
    pub fn post_comment(&self) -> Option<String> {
        let comment = self.primeiro_comentario.as_deref();
        comment.map(|comment| self.with_link(comment))
    }

    fn with_link(&self, text: &str) -> String {
        insert_link(text, self.link_final.as_deref())
    }

    /// Returns the media of the post: the media of the piece that the variant chooses, or all media of
    /// the piece.
    pub fn post_media<'a>(&'a self, event: &'a Event) -> Vec<PostMedium<'a>> {
        let whole = |medium: &'a Medium| PostMedium {
            medium,
            alt: medium.alt.as_deref(),
            ratio: None,
        };
        let Some(chosen) = &self.midias else {
            return event.media.iter().map(whole).collect();
        };
        let chosen = chosen.iter().filter_map(|one| {
            let mut media = event.media.iter();
            let medium = media.find(|medium| medium.id == one.media_id)?;
            let ratio = one.recorte.as_ref().map(|crop| crop.proporcao.as_str());
            Some(PostMedium {
                alt: one.alt.as_deref().or(medium.alt.as_deref()),
                ratio: ratio.filter(|_| !medium.is_video()),
                ..whole(medium)
            })
        });
        chosen.collect()
    }
}

/// Returns the path that serves a file of the variant as it is posted. `number` is the position of the
/// file, counted from 1.
pub(super) fn file_path(event_id: &str, variant: &Variant, number: usize) -> String {
    let base = piece_path(event_id);
    let channel = percent_encode(&variant.canal);
    format!(
        "{base}/canais/{channel}/{}/arquivos/{number}",
        variant.formato
    )
}

/// Returns the path of the ZIP archive with the files and texts of the variant.
pub(super) fn package_path(event_id: &str, variant: &Variant) -> String {
    let base = piece_path(event_id);
    let channel = percent_encode(&variant.canal);
    format!("{base}/canais/{channel}/{}/pacote.zip", variant.formato)
}
