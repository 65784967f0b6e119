//! Variants: the content of a piece on each of its channels.
//!
//! Fields that a variant leaves out are taken from its piece. A piece has at most one variant for
//! each format of a channel. An approval applies to one revision of the variant: a variant that
//! changes after its approval needs a new one.

use serde::{Deserialize, Serialize};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::{
    Attached, Event, EventId, Format, MediaId, MemberId, Revision, VariantId,
    channels::TikTokOption, text_enum, time::Millis,
};

text_enum! {
    /// The way in which a variant is published.
    pub enum PublishMode {
        /// A person publishes it.
        Manual = "manual",
        /// The service publishes it at the date.
        Automatic = "automatica",
    }
}

/// A variant of a piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    pub id: VariantId,
    pub event_id: EventId,
    pub channel: String,
    pub format: Format,
    pub content: VariantContent,
    /// The date of the variant; `None` means the date of the piece.
    pub due_at: Option<Millis>,
    pub publish: PublishMode,
    pub revision: Revision,
    /// The revision that was approved.
    pub approved_revision: Option<Revision>,
    /// The revision that was refused.
    pub refused_revision: Option<Revision>,
    /// The member who changed the variant last.
    pub changed_by: MemberId,
    pub created_at: Millis,
    pub updated_at: Millis,
}

/// The content of a variant. An absent field is taken from the piece.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VariantContent {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_comment: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<Vec<VariantMedium>>,
    /// The image that a video shows before it plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<MediaId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privacy: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collaborators: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playlist: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub comments_off: bool,
    /// The position of the cover within the video, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover_at: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiktok: Vec<TikTokOption>,
}

impl VariantContent {
    /// Returns the texts of the variant that replace those of the piece: title, caption and first
    /// comment.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let texts = [&self.title, &self.caption, &self.first_comment];
        texts.into_iter().flatten().map(String::as_str)
    }
}

/// A medium of a variant: one of the media of the piece.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantMedium {
    #[serde(deserialize_with = "deserialize_media_id")]
    pub id: MediaId,
    /// The alternative text; `None` means the alternative text in the piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crop: Option<Crop>,
}

/// The crop of an image: to a ratio, around a point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Crop {
    pub aspect: CropAspect,
    /// The point that stays in view, as fractions of width and height from the upper left corner.
    pub x: f64,
    pub y: f64,
}

text_enum! {
    /// A ratio of width to height.
    pub enum CropAspect {
        Portrait = "4:5",
        Square = "1:1",
        Landscape = "1.91:1",
        Wide = "16:9",
        Vertical = "9:16",
        Pin = "2:3",
    }
}

impl CropAspect {
    /// Returns the width divided by the height.
    #[must_use]
    pub const fn ratio(self) -> f64 {
        match self {
            Self::Portrait => 0.8,
            Self::Square => 1.0,
            Self::Landscape => 1.91,
            Self::Wide => 16.0 / 9.0,
            Self::Vertical => 9.0 / 16.0,
            Self::Pin => 2.0 / 3.0,
        }
    }
}

fn deserialize_media_id<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<MediaId, D::Error> {
    let text = String::deserialize(deserializer)?;
    MediaId::from_stored(text)
        .ok_or_else(|| serde::de::Error::custom("a stored identifier is empty"))
}

/// A medium of a post, with its properties from the variant and from the piece.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedMedium {
    pub id: MediaId,
    pub media_type: String,
    pub alt: Option<String>,
    pub crop: Option<Crop>,
}

/// The complete post of a variant, with the fields that are taken from the piece.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedPost {
    pub caption: String,
    pub first_comment: Option<String>,
    pub title: Option<String>,
    /// The link with its campaign parameters.
    pub link: Option<String>,
    /// The media, in order. Media that are no longer attached to the piece are left out, also as a
    /// cover.
    pub media: Vec<ResolvedMedium>,
    pub cover: Option<MediaId>,
    pub due_at: Option<Millis>,
}

/// The placeholder in a caption or first comment that is replaced by the link of the variant.
pub const LINK_PLACEHOLDER: &str = "{link}";

/// Replaces [`LINK_PLACEHOLDER`] in a caption or first comment by the link, if there is a link.
#[must_use]
pub fn insert_link(text: &str, link: Option<&str>) -> String {
    match link {
        Some(link) => text.replace(LINK_PLACEHOLDER, link),
        None => text.to_owned(),
    }
}

impl Variant {
    /// True if the current revision was approved.
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.approved_revision == Some(self.revision)
    }

    /// True if the current revision was refused, and is therefore not approved.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        !self.is_approved() && self.refused_revision == Some(self.revision)
    }

    /// True if the current revision was neither approved nor refused.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        !self.is_approved() && !self.is_refused()
    }

    /// Returns the date of the variant; without one, the date of the piece.
    #[must_use]
    pub fn due_at(&self, piece: &Event) -> Option<Millis> {
        self.due_at.or(piece.due_at)
    }

    /// Returns the complete post: the content of the variant, completed from the piece.
    #[must_use]
    pub fn resolve(&self, piece: &Event) -> ResolvedPost {
        let link = self.content.link.as_deref();
        let link = link.map(|link| with_campaign(link, &self.channel, self.format, piece));
        let insert_link = |text: &str| insert_link(text, link.as_deref());
        let own = self.content.caption.as_deref();
        // A briefing is only for the team, so it is never used as the caption.
        let of_piece = piece
            .description
            .as_deref()
            .filter(|_| !piece.has_unwritten_caption());
        ResolvedPost {
            caption: insert_link(own.or(of_piece).unwrap_or_default()),
            first_comment: self.content.first_comment.as_deref().map(insert_link),
            title: self.content.title.clone(),
            media: self.resolve_media(&piece.media),
            cover: self.content.cover.clone().filter(|cover| {
                let mut media = piece.media.iter();
                media.any(|medium| medium.id == *cover)
            }),
            due_at: self.due_at(piece),
            link,
        }
    }

    fn resolve_media(&self, attached: &[Attached]) -> Vec<ResolvedMedium> {
        let whole = |medium: &Attached| ResolvedMedium {
            id: medium.id.clone(),
            media_type: medium.media_type.clone(),
            alt: medium.alt.clone(),
            crop: None,
        };
        let Some(chosen) = &self.content.media else {
            return attached.iter().map(whole).collect();
        };
        let chosen = chosen.iter().filter_map(|chosen| {
            let medium = attached.iter().find(|medium| medium.id == chosen.id)?;
            Some(ResolvedMedium {
                alt: chosen.alt.clone().or_else(|| medium.alt.clone()),
                crop: chosen.crop,
                ..whole(medium)
            })
        });
        chosen.collect()
    }
}

/// Adds to a link the campaign parameters that it does not have yet: `utm_source` is the channel,
/// `utm_medium` is `social`, `utm_campaign` the tag or else the title of the piece, `utm_content`
/// the format and the id of the piece, so that sales can be traced to it.
#[must_use]
fn with_campaign(link: &str, channel: &str, format: Format, piece: &Event) -> String {
    let (link, fragment) = match link.split_once('#') {
        Some((link, fragment)) => (link, Some(fragment)),
        None => (link, None),
    };
    let name = piece.editorial_tag.as_deref().unwrap_or(&piece.title);
    let parameters = [
        ("utm_source", to_parameter(channel)),
        ("utm_medium", "social".to_owned()),
        ("utm_campaign", to_parameter(name)),
        ("utm_content", format!("{format}-{}", piece.id)),
    ];
    let mut all = link.to_owned();
    for (name, value) in parameters {
        let query = all.split_once('?').map(|(_, query)| query);
        let has = |query: &str| {
            query
                .split('&')
                .any(|pair| pair.split('=').next() == Some(name))
        };
        if query.is_some_and(has) {
            continue;
        }
        let separator = match query {
            None => "?",
            Some("") => "",
            Some(_) => "&",
        };
        all.push_str(&format!("{separator}{name}={value}"));
    }
    match fragment {
        Some(fragment) => format!("{all}#{fragment}"),
        None => all,
    }
}

/// Converts a text to the value of a campaign parameter: letters without accents, and digits; all
/// other characters become hyphens.
fn to_parameter(text: &str) -> String {
    let mut parameter = String::new();
    let letters = text.nfd().filter(|letter| !is_combining_mark(*letter));
    for letter in letters.flat_map(char::to_lowercase) {
        match letter {
            letter if letter.is_ascii_alphanumeric() => parameter.push(letter),
            _ if !parameter.is_empty() && !parameter.ends_with('-') => parameter.push('-'),
            _ => {}
        }
    }
    parameter.truncate(60);
    parameter.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventStatus;

    fn piece() -> Event {
        let attached = |id: &str, slide_index| Attached {
            id: MediaId::from_stored(id.into()).expect("an id"),
            slide_index,
            kind: "imagem".into(),
            alt: Some(format!("foto {id}")),
            media_type: "image/jpeg".into(),
        };
        Event {
            id: EventId::from_stored("peca".into()).expect("an id"),
            api_revision: Revision::new(3),
            clickup_id: None,
            title: "Pão de fermentação!".into(),
            channel: "instagram".into(),
            status: EventStatus::InProgress,
            description: Some("Legenda da peça".into()),
            briefing: Some("Pedido".into()),
            due_at: Some(1_000),
            editorial_tag: None,
            created_by: MemberId::from_stored("ana".into()).expect("an id"),
            created_by_name: "Ana".into(),
            created_at: 0,
            updated_at: 0,
            post_url: None,
            assignees: vec![],
            media: vec![attached("a", 0), attached("b", 1)],
        }
    }

    fn variant(content: VariantContent) -> Variant {
        Variant {
            id: VariantId::new(1),
            event_id: piece().id,
            channel: "linkedin".into(),
            format: Format::Post,
            content,
            due_at: None,
            publish: PublishMode::Manual,
            revision: Revision::new(1),
            approved_revision: None,
            refused_revision: None,
            changed_by: piece().created_by,
            created_at: 0,
            updated_at: 0,
        }
    }

    #[test]
    fn fields_that_a_variant_leaves_out_come_from_the_piece() {
        let post = variant(VariantContent::default()).resolve(&piece());
        assert_eq!(post.caption, "Legenda da peça");
        assert_eq!(post.due_at, Some(1_000));
        assert_eq!(post.media.len(), 2);
        assert_eq!(post.media[1].alt.as_deref(), Some("foto b"));
        let mut unwritten = piece();
        unwritten.description = unwritten.briefing.clone();
        assert_eq!(
            variant(VariantContent::default())
                .resolve(&unwritten)
                .caption,
            ""
        );
    }

    #[test]
    fn a_variant_chooses_and_orders_media_that_are_still_attached() {
        let medium = |id: &str, alt: Option<&str>| VariantMedium {
            id: MediaId::from_stored(id.into()).expect("an id"),
            alt: alt.map(str::to_owned),
            crop: None,
        };
        let content = VariantContent {
            media: Some(vec![
                medium("b", None),
                medium("gone", None),
                medium("a", Some("outra")),
            ]),
            ..VariantContent::default()
        };
        let post = variant(content).resolve(&piece());
        let media: Vec<_> = post
            .media
            .iter()
            .map(|medium| (medium.id.as_str(), medium.alt.as_deref()))
            .collect();
        assert_eq!(media, [("b", Some("foto b")), ("a", Some("outra"))]);
    }

    #[test]
    fn a_link_gets_campaign_parameters_and_replaces_the_placeholder() {
        let content = VariantContent {
            caption: Some("Leia: {link}".into()),
            link: Some("https://exemplo.com/loja?utm_source=bio&x=1#topo".into()),
            ..VariantContent::default()
        };
        let post = variant(content).resolve(&piece());
        let link = "https://exemplo.com/loja?utm_source=bio&x=1&utm_medium=social\
            &utm_campaign=pao-de-fermentacao&utm_content=post-peca#topo";
        assert_eq!(post.link.as_deref(), Some(link));
        assert_eq!(post.caption, format!("Leia: {link}"));
    }

    #[test]
    fn content_is_stored_without_absent_fields() {
        let content = VariantContent::default();
        let text = serde_json::to_string(&content).expect("JSON");
        assert_eq!(text, "{}");
        let read: VariantContent = serde_json::from_str(&text).expect("content");
        assert_eq!(read, content);
    }
}
