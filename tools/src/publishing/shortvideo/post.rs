//! The content of a publication: its stored form, and the checks against the provider's limits.

pub(super) use domain::channels::SELF_ONLY;
use domain::{Fault, MediaId, PublicationKind, Revision};
use gateway::{Error, Result};
use ports::shortvideo::{Creator, PostInfo};
use serde::{Deserialize, Serialize};
use store::media::Media;

/// Maximum UTF-16 units of a caption, as the provider counts them.
const PHOTO_CAPTION: usize = 4_000;
const VIDEO_CAPTION: usize = 2_200;

/// The name of the publishing operation in the history of events.
pub(super) const ACTION: &str = "publish_shortvideo";

/// The submitted content.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Post {
    pub media_ids: Vec<MediaId>,
    /// The ids of the files that are sent. They differ from `media_ids` for photos that had to be
    /// converted.
    pub sent_ids: Vec<MediaId>,
    pub caption: String,
    pub privacy_level: String,
    pub disable_comment: bool,
    pub disable_duet: bool,
    pub disable_stitch: bool,
    pub brand_organic: bool,
    pub brand_content: bool,
    pub auto_add_music: bool,
    /// The revision at which the event was approved.
    pub event_revision: Option<Revision>,
}

impl Post {
    pub fn to_post_info(&self) -> PostInfo {
        PostInfo {
            caption: self.caption.clone(),
            privacy_level: self.privacy_level.clone(),
            disable_comment: self.disable_comment,
            brand_organic: self.brand_organic,
            brand_content: self.brand_content,
        }
    }

    /// Refuses (400) a caption that is too long.
    pub fn require_caption_length(&self, kind: PublicationKind) -> Result<()> {
        let (most, what) = match kind {
            PublicationKind::Photo => (PHOTO_CAPTION, "fotos"),
            PublicationKind::Video => (VIDEO_CAPTION, "vídeos"),
        };
        if self.caption.encode_utf16().count() <= most {
            return Ok(());
        }
        let message = format!("passa de {most} unidades UTF-16, o limite do TikTok para {what}");
        Err(Error::invalid_field("caption", "maxLength", &message))
    }

    /// Applies the options of the account. Refuses (400) a privacy level that the account does not offer.
    pub fn apply_account_options(&mut self, creator: &Creator) -> Result<()> {
        let offered = creator.privacy_levels.join("`, `");
        if self.privacy_level.is_empty() {
            return Err(Error::invalid_field(
                "privacy_level",
                "required",
                &format!("é necessário; a conta oferece `{offered}`"),
            ));
        }
        if !creator.privacy_levels.contains(&self.privacy_level) {
            return Err(Error::invalid_field(
                "privacy_level",
                "enum",
                &format!("não é oferecido pela conta agora, que oferece `{offered}`"),
            ));
        }
        self.disable_comment |= creator.comment_disabled;
        self.disable_duet |= creator.duet_disabled;
        self.disable_stitch |= creator.stitch_disabled;
        Ok(())
    }
}

/// Builds a field error.
pub(super) fn field_fault(field: &str, rule: &str, message: String) -> Fault {
    Fault {
        field: field.into(),
        rule: rule.into(),
        message,
    }
}

/// Builds the field error of a medium that cannot be published.
pub(super) fn media_fault(index: usize, media: &Media, rule: &str, message: &str) -> Fault {
    let message = format!("{message} (mídia {})", media.id);
    field_fault(&format!("mediaIds.{index}"), rule, message)
}

pub(super) fn require_no_faults(faults: Vec<Fault>) -> Result<()> {
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Error::from_faults(faults)),
    }
}
