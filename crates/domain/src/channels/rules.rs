//! What the rules of a channel are made of.

use super::length::Unit;
use crate::text_enum;

text_enum! {
    /// The form in which a network shows a post.
    pub enum Format {
        Post = "post",
        Feed = "feed",
        Story = "story",
        Reel = "reel",
        Video = "video",
        Short = "short",
    }
}

text_enum! {
    /// What a post says at TikTok about brands, and what it does not allow others.
    pub enum TikTokOption {
        /// It promotes the own business.
        OwnBrand = "marca",
        /// A third party pays for it.
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

/// A range of the ratio of width to height, with the texts that people know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratios {
    pub narrowest: Ratio,
    pub widest: Ratio,
}

/// A ratio of width to height.
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
    /// The largest file, in bytes.
    pub most_bytes: i64,
    pub ratios: Option<Ratios>,
    /// The shortest and the longest duration of a video, in seconds.
    pub seconds: Option<(u32, u32)>,
    /// The least and the most pixels of the width and of the height of a video. Images are scaled.
    pub width: Option<(i64, i64)>,
    pub height: Option<(i64, i64)>,
}

/// How many media a post has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaCount {
    pub least: usize,
    pub most: usize,
    /// True if images and videos may be mixed in one post.
    pub is_mixed: bool,
    /// How many videos a post may have.
    pub most_videos: usize,
}

/// The rules of a format of a channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormatRules {
    pub format: Format,
    pub caption: Option<TextLimit>,
    /// The most bytes of UTF-8 of a caption, for a network that limits them too.
    pub caption_bytes: Option<usize>,
    /// Characters that neither a title nor a caption may have.
    pub forbidden: &'static [char],
    /// The number of characters of a caption that the network shows before "mais".
    pub fold: Option<usize>,
    pub hashtags: Option<usize>,
    pub mentions: Option<usize>,
    /// The limit of a title; `None` if the format has none.
    pub title: Option<TextLimit>,
    /// The limit of all tags of a video together, in characters with their separators and quotes; `None` if
    /// the format has none.
    pub tags: Option<usize>,
    /// The limit of the first comment; `None` if the network takes none.
    pub first_comment: Option<TextLimit>,
    /// The limit of an alternative text; `None` if the network takes none.
    pub alt: Option<usize>,
    /// The limit of collaborators; 0 if the network has none.
    pub collaborators: usize,
    /// Whether an image can be chosen as cover.
    pub has_cover: bool,
    /// Whether a moment of the video can be chosen as cover.
    pub has_cover_at: bool,
    /// Whether posts say what TikTok asks for: brands, duet and stitch.
    pub has_disclosure: bool,
    /// The levels of privacy that can be chosen.
    pub privacy: &'static [&'static str],
    pub media: MediaCount,
    pub image: Option<FileRules>,
    pub video: Option<FileRules>,
    /// Where the network documents the limits.
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
    /// How the service publishes on it by itself; `None` if it does not.
    pub automatic: Option<Automatic>,
}

/// What a variant needs, and may have, that the service publishes by itself.
#[derive(Debug, Clone, Copy)]
pub struct Automatic {
    pub needs_title: bool,
    pub needs_privacy: bool,
    /// Whether the service can close the comments.
    pub closes_comments: bool,
    /// Whether the service adds a video to a playlist.
    pub has_playlists: bool,
}

/// The key of a channel that a person named: in lower case, without blanks around it.
#[must_use]
pub fn channel_key(named: &str) -> String {
    named.trim().to_lowercase()
}

impl Channel {
    /// Whether the service can publish on this channel by itself.
    #[must_use]
    pub fn is_automatic(&self) -> bool {
        self.automatic.is_some()
    }

    /// The rules of a format; `None` if the channel does not have it.
    #[must_use]
    pub fn find_format(&self, format: Format) -> Option<&'static FormatRules> {
        self.formats.iter().find(|rules| rules.format == format)
    }

    /// The rules of the usual format.
    #[must_use]
    pub fn usual_format(&self) -> Option<&'static FormatRules> {
        self.formats.first()
    }
}
