//! The posts of a piece as their previews show them: one for each variant, or the piece itself.

use domain::{Format, variant::insert_link};

use super::signer::Signers;
use crate::piece::{model::Event, stage::Slide, variant::Variant, words};

/// One post.
#[derive(Debug)]
pub(crate) struct Post {
    /// Distinguishes the elements of this post from those of the others of the page.
    pub name: String,
    pub channel: String,
    /// The format in which it is published. `None` for a piece without variants: all formats of the
    /// channel are shown.
    pub format: Option<Format>,
    /// The account or team under whose name it appears.
    pub signer: String,
    pub title: String,
    pub caption: String,
    /// True if the caption changes while somebody types that of the piece.
    pub follows_typing: bool,
    pub slides: Vec<Slide>,
    pub first_comment: Option<String>,
    /// With campaign parameters.
    pub link: Option<String>,
    pub due_at: Option<String>,
    /// The options of the network that the post has: their names and values.
    pub options: Vec<(&'static str, String)>,
}

impl Post {
    /// The posts of a piece, with a caption that may be unsaved.
    pub fn list(
        event: &Event,
        variants: &[Variant],
        caption: &str,
        signers: &Signers<'_>,
    ) -> Vec<Self> {
        if variants.is_empty() {
            return vec![Self::of_piece(event, caption, signers)];
        }
        let posts = variants.iter();
        posts
            .map(|variant| Self::of_variant(event, variant, caption, signers))
            .collect()
    }

    /// The channel and, where the channel has several formats, the format.
    pub fn display_name(&self) -> String {
        let channel = words::channel_name(&self.channel);
        match self.format {
            None | Some(Format::Post) => channel.to_owned(),
            Some(format) => format!("{channel} · {}", words::format_name(format)),
        }
    }

    fn of_piece(event: &Event, caption: &str, signers: &Signers<'_>) -> Self {
        Self {
            name: event.id.clone(),
            channel: event.channel.clone(),
            format: None,
            signer: signers.name_on(&event.channel).to_owned(),
            title: event.title.clone(),
            caption: caption.to_owned(),
            follows_typing: true,
            slides: event.media.iter().map(Slide::new).collect(),
            first_comment: None,
            link: None,
            due_at: event.due_at.clone(),
            options: vec![],
        }
    }

    fn of_variant(event: &Event, variant: &Variant, caption: &str, signers: &Signers<'_>) -> Self {
        let link = variant.link_final.as_deref();
        let own = variant.legenda.as_deref();
        // A briefing is for the team, and no caption.
        let is_briefing =
            event.description_is_briefing && event.description.as_deref() == Some(caption);
        let of_piece = if is_briefing { "" } else { caption };
        Self {
            name: format!("{}-{}", event.id, variant.id),
            channel: variant.canal.clone(),
            format: Some(variant.formato),
            signer: signers.name_on(&variant.canal).to_owned(),
            title: variant
                .titulo
                .clone()
                .unwrap_or_else(|| event.title.clone()),
            caption: insert_link(own.unwrap_or(of_piece), link),
            follows_typing: own.is_none() && link.is_none(),
            slides: variant_slides(event, variant),
            first_comment: variant
                .primeiro_comentario
                .as_deref()
                .map(|comment| insert_link(comment, link)),
            link: variant.link_final.clone(),
            due_at: variant.due_at.clone(),
            options: variant.describe_options(),
        }
    }
}

/// The media that a variant chooses from those of its piece, or all of them.
fn variant_slides(event: &Event, variant: &Variant) -> Vec<Slide> {
    let Some(chosen) = &variant.midias else {
        return event.media.iter().map(Slide::new).collect();
    };
    let slides = chosen.iter().filter_map(|chosen| {
        let mut media = event.media.iter();
        let medium = media.find(|medium| medium.id == chosen.media_id)?;
        let mut slide = Slide::new(medium);
        if chosen.alt.is_some() {
            slide.alt.clone_from(&chosen.alt);
        }
        slide.crop = chosen.recorte.as_ref().map(|crop| crop.proporcao.clone());
        Some(slide)
    });
    slides.collect()
}
