//! The types that make up the rules of a channel.

use super::length::Unit;
use crate::{fold_text, text_enum};

text_enum! {
    /// The form in which a network shows a post.
    pub enum Format {
        Post = "post",
        Feed = "feed",
        Story = "story",
        Reel = "reel",
        Video = "video",
        Short = "short",
        /// Images as the pages of a document, through which readers swipe.
        Document = "documento",
    }
}

text_enum! {
    /// The options of a post on TikTok: its statements about brands, and what others may not do
    /// with the post.
    pub enum TikTokOption {
        /// The post promotes the author's own business.
        OwnBrand = "marca",
        /// A third party pays for the post.
        PaidPartnership = "parceria",
        DuetOff = "sem_dueto",
        StitchOff = "sem_stitch",
    }
}

/// The maximum length of a text, in the unit in which the network counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLimit {
    pub most: usize,
    pub unit: Unit,
}

/// The range within which the ratio of width to height must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratios {
    pub narrowest: Ratio,
    pub widest: Ratio,
}

/// A ratio of width to height, as a number and as text, such as `4:5`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    pub text: &'static str,
    pub value: f64,
}

/// The limits of a file of one kind, an image or a video.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FileRules {
    /// The media types that the network accepts. Images of other types are converted to JPEG.
    pub types: &'static [&'static str],
    /// The maximum size of a file, in bytes.
    pub most_bytes: i64,
    pub ratios: Option<Ratios>,
    /// The minimum and maximum duration of a video, in seconds.
    pub seconds: Option<(u32, u32)>,
    /// The minimum and maximum width of a video, in pixels. Images have no such limit, because they
    /// are scaled.
    pub width: Option<(i64, i64)>,
    /// The minimum and maximum height of a video, in pixels.
    pub height: Option<(i64, i64)>,
}

/// The permitted number of media of a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaCount {
    pub least: usize,
    pub most: usize,
    /// True if images and videos may be mixed in one post.
    pub is_mixed: bool,
    /// The maximum number of videos in a post.
    pub most_videos: usize,
}

/// The rules of a format of a channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormatRules {
    pub format: Format,
    pub caption: Option<TextLimit>,
    /// The maximum length of a caption in UTF-8 bytes; `None` if the network does not limit the
    /// bytes.
    pub caption_bytes: Option<usize>,
    /// Characters that neither a title nor a caption may have.
    pub forbidden: &'static [char],
    /// The number of characters of a caption that the network shows before "mais".
    pub fold: Option<usize>,
    pub hashtags: Option<usize>,
    pub mentions: Option<usize>,
    /// The limit of a title; `None` if the format has none.
    pub title: Option<TextLimit>,
    /// The limit of all tags of a video together, in characters, including separators and quotes;
    /// `None` if the format has no tags.
    pub tags: Option<usize>,
    /// The limit of the first comment; `None` if the network takes none.
    pub first_comment: Option<TextLimit>,
    /// The limit of an alternative text; `None` if the network takes none.
    pub alt: Option<usize>,
    /// The maximum number of collaborators; 0 if the network has no collaborators.
    pub collaborators: usize,
    /// Whether an image can be chosen as cover.
    pub has_cover: bool,
    /// Whether a moment of the video can be chosen as cover.
    pub has_cover_at: bool,
    /// True if posts have the options that TikTok asks for: brands, duet and stitch.
    pub has_disclosure: bool,
    /// The levels of privacy that can be chosen.
    pub privacy: &'static [&'static str],
    pub media: MediaCount,
    pub image: Option<FileRules>,
    pub video: Option<FileRules>,
    /// The URL at which the network documents the limits.
    pub source: &'static str,
    /// The day on which the source was read, as `2026-11-28`.
    pub read_on: &'static str,
}

/// A channel with rules.
#[derive(Debug)]
pub struct Channel {
    /// The key, in lower case.
    pub key: &'static str,
    pub name: &'static str,
    /// The formats; the first one is the usual one.
    pub formats: &'static [FormatRules],
    /// The requirements for automatic publication; `None` if the service cannot publish on this
    /// channel.
    pub automatic: Option<Automatic>,
}

/// The requirements and options of a variant that the service publishes by itself.
#[derive(Debug, Clone, Copy)]
pub struct Automatic {
    pub needs_title: bool,
    pub needs_privacy: bool,
    /// Whether the service can close the comments.
    pub closes_comments: bool,
    /// Whether the service adds a video to a playlist.
    pub has_playlists: bool,
}

/// Returns the key of a channel from the name that a person wrote: the name in lower case, without
/// surrounding blanks.
#[must_use]
pub fn channel_key(named: &str) -> String {
    named.trim().to_lowercase()
}

/// Returns whether two names denote the same channel, regardless of case and accents.
#[must_use]
pub fn is_same_channel(one: &str, other: &str) -> bool {
    fold_text(one.trim()) == fold_text(other.trim())
}

impl Channel {
    /// True if the service can publish on this channel by itself.
    #[must_use]
    pub fn is_automatic(&self) -> bool {
        self.automatic.is_some()
    }

    /// Returns the rules of a format; `None` if the channel does not have it.
    #[must_use]
    pub fn find_format(&self, format: Format) -> Option<&'static FormatRules> {
        self.formats.iter().find(|rules| rules.format == format)
    }

    /// Returns the rules of the usual format.
    #[must_use]
    pub fn usual_format(&self) -> Option<&'static FormatRules> {
        self.formats.first()
    }
}
