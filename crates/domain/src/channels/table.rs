//! The rules of each channel, as its network documents them.
//!
//! `source` names the page of each row, and `read_on` the day on which it was read. Where a page
//! says only "characters", the length is counted in UTF-16 units, the stricter reading. No network
//! documents the folds; they were measured by eye in the applications.

use super::{
    length::Unit::{self, Bytes, EmojiAsBytes, Graphemes, Utf16, Weighted},
    rules::{
        Automatic, Channel, FileRules, Format, FormatRules, MediaCount, Ratio, Ratios, TextLimit,
    },
};

impl Channel {
    /// Returns the channel with this key; `None` if it has no rules.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Self> {
        let key = match key {
            "twitter" => "x",
            key => key,
        };
        CHANNELS.iter().find(|channel| channel.key == key)
    }
}

/// Returns the format of a post on this channel that names no format.
#[must_use]
pub fn usual_format(channel: &str) -> Format {
    Channel::find(channel)
        .and_then(Channel::usual_format)
        .map_or(Format::Post, |rules| rules.format)
}

/// An automatic channel without extra requirements.
const AUTOMATIC: Automatic = Automatic {
    needs_title: false,
    needs_privacy: false,
    closes_comments: false,
    has_playlists: false,
};

/// The privacy level of TikTok for posts that only the account itself sees.
pub const SELF_ONLY: &str = "SELF_ONLY";

/// All channels with rules.
pub static CHANNELS: &[Channel] = &[
    Channel {
        key: "instagram",
        name: "Instagram",
        formats: &[INSTAGRAM_FEED, INSTAGRAM_REEL, INSTAGRAM_STORY],
        automatic: Some(AUTOMATIC),
    },
    Channel {
        key: "facebook",
        name: "Facebook",
        formats: &[FACEBOOK_POST],
        automatic: None,
    },
    Channel {
        key: "linkedin",
        name: "LinkedIn",
        formats: &[LINKEDIN_POST, LINKEDIN_DOCUMENT],
        automatic: Some(AUTOMATIC),
    },
    Channel {
        key: "tiktok",
        name: "TikTok",
        formats: &[TIKTOK_POST],
        automatic: Some(Automatic {
            needs_privacy: true,
            closes_comments: true,
            ..AUTOMATIC
        }),
    },
    Channel {
        key: "youtube",
        name: "YouTube",
        formats: &[YOUTUBE_VIDEO, YOUTUBE_SHORT],
        automatic: Some(Automatic {
            needs_title: true,
            has_playlists: true,
            ..AUTOMATIC
        }),
    },
    Channel {
        key: "threads",
        name: "Threads",
        formats: &[THREADS_POST],
        automatic: None,
    },
    Channel {
        key: "pinterest",
        name: "Pinterest",
        formats: &[PINTEREST_POST],
        automatic: None,
    },
    Channel {
        key: "whatsapp",
        name: "WhatsApp",
        formats: &[WHATSAPP_POST],
        automatic: None,
    },
    Channel {
        key: "x",
        name: "X",
        formats: &[X_POST],
        automatic: None,
    },
    Channel {
        key: "bluesky",
        name: "Bluesky",
        formats: &[BLUESKY_POST],
        automatic: None,
    },
    without_limits("blog", "Blog"),
    without_limits("newsletter", "Newsletter"),
    without_limits("podcast", "Podcast"),
    without_limits("site", "Site"),
];

const fn without_limits(key: &'static str, name: &'static str) -> Channel {
    Channel {
        key,
        name,
        formats: &[UNLIMITED],
        automatic: None,
    }
}

const MEGABYTE: i64 = 1_000_000;

const JPEG: &[&str] = &["image/jpeg"];
const MP4_OR_MOV: &[&str] = &["video/mp4", "video/quicktime"];

const fn limit(most: usize, unit: Unit) -> Option<TextLimit> {
    Some(TextLimit { most, unit })
}

const fn ratio(text: &'static str, value: f64) -> Ratio {
    Ratio { text, value }
}

const fn ratios(narrowest: Ratio, widest: Ratio) -> Option<Ratios> {
    Some(Ratios { narrowest, widest })
}

const fn media(least: usize, most: usize, most_videos: usize, is_mixed: bool) -> MediaCount {
    MediaCount {
        least,
        most,
        is_mixed,
        most_videos,
    }
}

/// Rules of a file without limits, the base of all other file rules.
const FILE: FileRules = FileRules {
    types: &[],
    most_bytes: i64::MAX,
    ratios: None,
    seconds: None,
    width: None,
    height: None,
};

const JPEG_FILE: FileRules = FileRules {
    types: JPEG,
    most_bytes: 8 * MEGABYTE,
    ..FILE
};

/// Rules of a format without limits, the base of all other formats.
const UNLIMITED: FormatRules = FormatRules {
    format: Format::Post,
    caption: None,
    caption_bytes: None,
    forbidden: &[],
    fold: None,
    hashtags: None,
    mentions: None,
    title: None,
    tags: None,
    first_comment: None,
    alt: None,
    collaborators: 0,
    has_cover: false,
    has_cover_at: false,
    has_disclosure: false,
    privacy: &[],
    media: media(0, 100, 100, true),
    image: None,
    video: None,
    source: "",
    read_on: "",
};

/// Images: 8 MB, 4:5 to 1.91:1, JPEG. Reels: 3 s to 15 min, 300 MB. Captions: 2,200 characters, 30
/// hashtags, 20 mentions. Carousels: 2 to 10. `alt_text`: 1,000 characters, images only.
const INSTAGRAM: &str = "https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media";

/// Videos: at most 1,920 columns.
const INSTAGRAM_WIDTH: Option<(i64, i64)> = Some((1, 1_920));

const INSTAGRAM_FEED: FormatRules = FormatRules {
    format: Format::Feed,
    caption: limit(2_200, Utf16),
    fold: Some(125),
    hashtags: Some(30),
    mentions: Some(20),
    first_comment: limit(2_200, Utf16),
    alt: Some(1_000),
    collaborators: 3,
    media: media(1, 10, 10, true),
    image: Some(FileRules {
        types: JPEG,
        most_bytes: 8 * MEGABYTE,
        ratios: ratios(ratio("4:5", 0.8), ratio("1.91:1", 1.91)),
        ..FILE
    }),
    video: Some(FileRules {
        types: MP4_OR_MOV,
        most_bytes: 300 * MEGABYTE,
        seconds: Some((3, 60)),
        width: INSTAGRAM_WIDTH,
        ..FILE
    }),
    source: INSTAGRAM,
    read_on: "2026-11-28",
    ..UNLIMITED
};

const INSTAGRAM_REEL: FormatRules = FormatRules {
    format: Format::Reel,
    fold: Some(55),
    alt: None,
    has_cover: true,
    has_cover_at: true,
    media: media(1, 1, 1, false),
    image: None,
    video: Some(FileRules {
        types: MP4_OR_MOV,
        most_bytes: 300 * MEGABYTE,
        ratios: ratios(ratio("0.01:1", 0.01), ratio("10:1", 10.0)),
        seconds: Some((3, 900)),
        width: INSTAGRAM_WIDTH,
        ..FILE
    }),
    ..INSTAGRAM_FEED
};

/// A story shows neither a caption nor comments, and the interface takes no stickers.
const INSTAGRAM_STORY: FormatRules = FormatRules {
    format: Format::Story,
    caption: None,
    fold: None,
    hashtags: None,
    mentions: None,
    first_comment: None,
    alt: None,
    collaborators: 0,
    media: media(1, 1, 1, false),
    image: Some(JPEG_FILE),
    video: Some(FileRules {
        types: MP4_OR_MOV,
        most_bytes: 100 * MEGABYTE,
        ratios: ratios(ratio("0.1:1", 0.1), ratio("10:1", 10.0)),
        seconds: Some((3, 60)),
        width: INSTAGRAM_WIDTH,
        ..FILE
    }),
    ..INSTAGRAM_FEED
};

const FACEBOOK_POST: FormatRules = FormatRules {
    caption: limit(63_206, Utf16),
    fold: Some(477),
    first_comment: limit(8_000, Utf16),
    media: media(0, 10, 1, false),
    source: "https://developers.facebook.com/docs/pages-api/posts",
    read_on: "2026-11-28",
    ..UNLIMITED
};

/// Commentary: 3,000 characters. Images: 2 to 20 in a post of several. Video: 3 s to 30 min, 75 kB to
/// 500 MB. Alternative text: 4,086 characters.
const LINKEDIN_POST: FormatRules = FormatRules {
    caption: limit(3_000, Utf16),
    fold: Some(210),
    first_comment: limit(1_250, Utf16),
    alt: Some(4_086),
    privacy: &["PUBLIC", "CONNECTIONS"],
    media: media(0, 20, 1, false),
    image: Some(FileRules {
        types: &["image/jpeg", "image/png", "image/gif"],
        most_bytes: 8 * MEGABYTE,
        ..FILE
    }),
    video: Some(FileRules {
        types: &["video/mp4"],
        most_bytes: 500 * MEGABYTE,
        seconds: Some((3, 1_800)),
        ..FILE
    }),
    source: "https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api",
    read_on: "2026-11-28",
    ..UNLIMITED
};

/// Documents: 100 MB and 300 pages, of which the service makes 40. The documentation states no limit of
/// the title; the form of LinkedIn's page takes 58 characters.
const LINKEDIN_DOCUMENT: FormatRules = FormatRules {
    format: Format::Document,
    title: limit(58, Utf16),
    alt: None,
    media: media(1, 40, 0, false),
    image: Some(JPEG_FILE),
    video: None,
    source: "https://learn.microsoft.com/linkedin/marketing/community-management/shares/documents-api",
    read_on: "2026-11-29",
    ..LINKEDIN_POST
};

/// Photos: a description of 4,000 UTF-16 units, up to 35, JPEG or WebP, 20 MB. A video: a title of
/// 2,200 UTF-16 units, sides of 360 to 4,096 pixels. Both use the smaller limit here, so that a
/// post may change its medium.
const TIKTOK_POST: FormatRules = FormatRules {
    caption: limit(2_200, Utf16),
    fold: Some(100),
    has_cover_at: true,
    has_disclosure: true,
    privacy: &[
        "PUBLIC_TO_EVERYONE",
        "MUTUAL_FOLLOW_FRIENDS",
        "FOLLOWER_OF_CREATOR",
        SELF_ONLY,
    ],
    media: media(1, 35, 1, false),
    image: Some(FileRules {
        types: &["image/jpeg", "image/webp"],
        most_bytes: 20 * MEGABYTE,
        ..FILE
    }),
    video: Some(FileRules {
        types: &["video/mp4", "video/quicktime", "video/webm"],
        most_bytes: 4_000 * MEGABYTE,
        seconds: Some((1, 600)),
        width: Some((360, 4_096)),
        height: Some((360, 4_096)),
        ..FILE
    }),
    source: "https://developers.tiktok.com/doc/content-posting-api-reference-direct-post",
    read_on: "2026-11-28",
    ..UNLIMITED
};

/// `snippet.title`: 100 characters; `snippet.description`: 5,000 bytes; both without `<` and `>`.
/// `snippet.tags`: 500 characters together, with commas, and with quotes around a tag with a blank.
const YOUTUBE_VIDEO: FormatRules = FormatRules {
    format: Format::Video,
    caption: limit(5_000, Bytes),
    forbidden: &['<', '>'],
    fold: Some(157),
    title: limit(100, Utf16),
    tags: Some(500),
    first_comment: limit(10_000, Utf16),
    has_cover: true,
    privacy: &["public", "unlisted", "private"],
    media: media(1, 1, 1, false),
    video: Some(FileRules {
        types: &["video/mp4", "video/quicktime", "video/webm"],
        most_bytes: 256_000 * MEGABYTE,
        seconds: Some((1, 43_200)),
        ..FILE
    }),
    source: "https://developers.google.com/youtube/v3/docs/videos",
    read_on: "2026-11-28",
    ..UNLIMITED
};

/// YouTube shows a video as a Short if it is square or taller, and not longer than three minutes
/// (<https://support.google.com/youtube/answer/15424877>).
const YOUTUBE_SHORT: FormatRules = FormatRules {
    format: Format::Short,
    has_cover: false,
    video: Some(FileRules {
        types: &["video/mp4", "video/quicktime", "video/webm"],
        most_bytes: 256_000 * MEGABYTE,
        ratios: ratios(ratio("1:10", 0.1), ratio("1:1", 1.0)),
        seconds: Some((1, 180)),
        ..FILE
    }),
    ..YOUTUBE_VIDEO
};

/// 500 characters, "emojis are counted as the number of UTF-8 bytes"; carousels of 2 to 20.
const THREADS_POST: FormatRules = FormatRules {
    caption: limit(500, EmojiAsBytes),
    alt: Some(1_000),
    media: media(0, 20, 20, true),
    image: Some(FileRules {
        types: &["image/jpeg", "image/png"],
        most_bytes: 8 * MEGABYTE,
        ratios: ratios(ratio("1:10", 0.1), ratio("10:1", 10.0)),
        ..FILE
    }),
    video: Some(FileRules {
        types: MP4_OR_MOV,
        most_bytes: 1_000 * MEGABYTE,
        seconds: Some((1, 300)),
        ..FILE
    }),
    source: "https://developers.facebook.com/documentation/threads/posts",
    read_on: "2026-11-28",
    ..UNLIMITED
};

const PINTEREST_POST: FormatRules = FormatRules {
    caption: limit(800, Utf16),
    fold: Some(50),
    title: limit(100, Utf16),
    alt: Some(500),
    media: media(1, 5, 1, false),
    source: "https://developers.pinterest.com/docs/api/v5/pins-create",
    read_on: "2026-11-28",
    ..UNLIMITED
};

const WHATSAPP_POST: FormatRules = FormatRules {
    caption: limit(1_024, Utf16),
    media: media(0, 1, 1, false),
    source: "https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages",
    read_on: "2026-11-28",
    ..UNLIMITED
};

const X_POST: FormatRules = FormatRules {
    caption: limit(280, Weighted),
    alt: Some(1_000),
    media: media(0, 4, 4, true),
    image: Some(FileRules {
        types: &["image/jpeg", "image/png", "image/webp", "image/gif"],
        most_bytes: 5 * MEGABYTE,
        ..FILE
    }),
    video: Some(FileRules {
        types: MP4_OR_MOV,
        most_bytes: 512 * MEGABYTE,
        ratios: ratios(ratio("1:3", 1.0 / 3.0), ratio("3:1", 3.0)),
        seconds: Some((1, 140)),
        ..FILE
    }),
    source: "https://docs.x.com/fundamentals/counting-characters",
    read_on: "2026-11-28",
    ..UNLIMITED
};

const BLUESKY_POST: FormatRules = FormatRules {
    caption: limit(300, Graphemes),
    caption_bytes: Some(3_000),
    alt: Some(2_000),
    media: media(0, 4, 1, false),
    image: Some(FileRules {
        types: &["image/jpeg", "image/png", "image/webp"],
        most_bytes: MEGABYTE,
        ..FILE
    }),
    video: Some(FileRules {
        types: &["video/mp4"],
        most_bytes: 100 * MEGABYTE,
        seconds: Some((1, 180)),
        ..FILE
    }),
    source: "https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json",
    read_on: "2026-11-28",
    ..UNLIMITED
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_channel_with_a_limit_names_its_source() {
        for channel in CHANNELS {
            let first = channel.formats.first().expect("a format");
            for rules in channel.formats {
                let has_limit = *rules != UNLIMITED;
                let has_source = rules.source.starts_with("https://");
                assert_eq!(has_limit, has_source, "{}", channel.key);
                let is_day = rules.read_on.parse::<jiff::civil::Date>().is_ok();
                assert_eq!(has_limit, is_day, "{}", channel.key);
                assert!(rules.media.least <= rules.media.most);
                let of_format = channel.formats.iter().filter(|r| r.format == rules.format);
                assert_eq!(of_format.count(), 1, "{}", channel.key);
            }
            assert_eq!(channel.find_format(first.format), Some(first));
            assert_eq!(channel.key, channel.key.to_lowercase());
        }
    }
}
