//! The posts of a piece, as the previews show them: one for each variant or, without variants, one for
//! the piece itself.

use domain::Format;

use super::signer::Signers;
use crate::piece::{
    model::Event,
    stage::{Cover, Slide},
    variant::Variant,
    variant_post::{PostMedium, file_path},
    words,
};

/// One post of a piece, as its previews show it.
#[derive(Debug)]
pub(crate) struct Post {
    /// A text in the ids of this post's elements, which distinguishes them from the elements of other
    /// posts.
    pub name: String,
    pub channel: String,
    /// The format of the post. `None` for a piece without variants, which is shown in all formats of the
    /// channel.
    pub format: Option<Format>,
    /// The name of the account or team that publishes the post.
    pub signer: String,
    pub title: String,
    pub caption: String,
    /// True if the caption is the caption of the piece, so that the script updates the preview while a
    /// person types.
    pub follows_typing: bool,
    pub slides: Vec<Slide>,
    pub first_comment: Option<String>,
    /// The link of the post, with campaign parameters.
    pub link: Option<String>,
    pub due_at: Option<String>,
    /// The network's options for the post: names and values.
    pub options: Vec<(&'static str, String)>,
}

impl Post {
    /// Returns the posts of a piece with this caption, which may be unsaved. `base` is the path below
    /// which the console serves cropped images. Without `base`, the images are drawn whole.
    pub fn list(
        event: &Event,
        variants: &[Variant],
        caption: &str,
        (signers, base): (&Signers<'_>, Option<&str>),
    ) -> Vec<Self> {
        if variants.is_empty() {
            return vec![Self::from_piece(event, caption, signers)];
        }
        let posts = variants.iter();
        posts
            .map(|variant| Self::from_variant(event, variant, caption, (signers, base)))
            .collect()
    }

    /// Returns the name of the channel and, except for ordinary posts, of the format.
    pub fn display_name(&self) -> String {
        let channel = words::channel_name(&self.channel);
        match self.format {
            None | Some(Format::Post) => channel.to_owned(),
            Some(format) => format!("{channel} · {}", words::format_name(format)),
        }
    }

    fn from_piece(event: &Event, caption: &str, signers: &Signers<'_>) -> Self {
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

    fn from_variant(
        event: &Event,
        variant: &Variant,
        caption: &str,
        (signers, base): (&Signers<'_>, Option<&str>),
    ) -> Self {
        let slide = |(number, one): (usize, PostMedium<'_>)| {
            let whole = Slide {
                alt: one.alt.map(str::to_owned),
                crop: one.ratio.map(str::to_owned),
                ..Slide::new(one.medium)
            };
            match base.filter(|_| one.ratio.is_some()) {
                Some(base) => Slide {
                    address: format!("{base}{}", file_path(&event.id, variant, number)),
                    has_widths: false,
                    is_cropped: true,
                    ..whole
                },
                None => whole,
            }
        };
        let slides = (1..).zip(variant.post_media(event)).map(slide);
        let mut slides: Vec<Slide> = slides.collect();
        let cover = variant.capa.as_deref();
        let cover = cover.and_then(|id| event.media.iter().find(|medium| medium.id == id));
        if let Some(video) = slides.iter_mut().find(|slide| slide.is_video) {
            video.cover = match (cover, variant.capa_segundo) {
                (Some(image), _) => Some(Cover::Image(image.file_address())),
                (None, at) => at.map(Cover::Second),
            };
        }
        let tags = (!variant.tags.is_empty()).then(|| ("Tags", variant.tags.join(", ")));
        Self {
            name: format!("{}-{}", event.id, variant.id),
            channel: variant.canal.clone(),
            format: Some(variant.formato),
            signer: signers.name_on(&variant.canal).to_owned(),
            title: variant
                .titulo
                .clone()
                .unwrap_or_else(|| event.title.clone()),
            caption: variant.post_caption(event, caption),
            follows_typing: variant.legenda.is_none() && variant.link_final.is_none(),
            slides,
            first_comment: variant.post_comment(),
            link: variant.link_final.clone(),
            due_at: variant.due_at.clone(),
            options: tags.into_iter().chain(variant.describe_options()).collect(),
        }
    }
}
