//! The content of a post, in the form that is stored when its preparation begins.

use domain::{
    Event, EventStatus, MediaId,
    channels::TikTokOption,
    time::Millis,
    variant::{Crop, PublishMode, Variant},
};
use gateway::Result;
use ports::publishing::Disclosure;
use serde::{Deserialize, Serialize};
use store::{Conn, events, scheduled_posts::ScheduledPost, variants};

/// The complete content of a post.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::publishing) struct StoredPost {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub caption: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub privacy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_comment: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub comments_off: bool,
    pub files: Vec<StoredFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<MediaId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playlist: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiktok: Vec<TikTokOption>,
}

/// An image or video of the post.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::publishing) struct StoredFile {
    pub id: MediaId,
    pub is_video: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crop: Option<Crop>,
}

impl StoredPost {
    pub fn from_variant(variant: &Variant, piece: &Event) -> Self {
        let whole = variant.resolve(piece);
        let files = whole.media.into_iter().map(|medium| StoredFile {
            is_video: medium.media_type.starts_with("video/"),
            id: medium.id,
            alt: medium.alt,
            crop: medium.crop,
        });
        Self {
            title: whole.title,
            caption: whole.caption,
            tags: variant.content.tags.clone(),
            privacy: variant.content.privacy.clone(),
            first_comment: whole.first_comment.filter(|text| !text.trim().is_empty()),
            comments_off: variant.content.comments_off,
            files: files.collect(),
            cover: whole.cover,
            cover_at: variant.content.cover_at,
            playlist: variant.content.playlist.clone(),
            tiktok: variant.content.tiktok.clone(),
        }
    }

    pub fn disclosure(&self) -> Disclosure {
        let has = |option| self.tiktok.contains(&option);
        Disclosure {
            own_brand: has(TikTokOption::OwnBrand),
            paid_partnership: has(TikTokOption::PaidPartnership),
            duet_off: has(TikTokOption::DuetOff),
            stitch_off: has(TikTokOption::StitchOff),
        }
    }

    pub fn has_video(&self) -> bool {
        self.files.iter().any(|file| file.is_video)
    }
}

/// The current state of the variant of a publication.
pub(super) enum Current {
    /// The variant may be published, with this post, at this hour.
    Approved {
        piece: Box<Event>,
        post: Box<StoredPost>,
        due_at: Millis,
    },
    /// The variant was changed or deleted, or the variant or its piece is not approved.
    Withdrawn,
}

/// Loads the current state of the variant of a publication and of its piece.
pub(super) async fn load_current(db: &Conn<'_>, publication: &ScheduledPost) -> Result<Current> {
    let variant = variants::find(db, &publication.variant_id).await?;
    let piece = events::find(db, &publication.event_id).await?;
    let (Some(variant), Some(piece)) = (variant, piece) else {
        return Ok(Current::Withdrawn);
    };
    let due_at = match publication.hour_chosen {
        1 => Some(publication.due_at),
        _ => variant.due_at(&piece),
    };
    let valid = piece.status == EventStatus::Approved
        && variant.is_approved()
        && variant.revision == publication.variant_revision
        && variant.publish == PublishMode::Automatic;
    Ok(match due_at.filter(|_| valid) {
        Some(due_at) => Current::Approved {
            post: Box::new(StoredPost::from_variant(&variant, &piece)),
            piece: Box::new(piece),
            due_at,
        },
        None => Current::Withdrawn,
    })
}
