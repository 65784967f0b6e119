//! Publishing of short videos and photos to an account at an outside provider.

use async_trait::async_trait;

use super::ByteStream;

/// Why a call to the provider has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The provider refused the call; it had no effect.
    Refused {
        /// The provider's error code, or the HTTP status.
        code: String,
        /// Seconds to wait before a retry.
        wait: Option<u64>,
    },
    /// The call was never sent.
    Unreached,
    /// The call was sent, and whether it had an effect is unknown.
    Lost,
}

/// The publishing options of the connected account at this moment.
#[derive(Debug, Clone)]
pub struct Creator {
    pub username: String,
    pub nickname: String,
    pub avatar_url: Option<String>,
    /// The privacy levels that the account may choose from.
    pub privacy_levels: Vec<String>,
    pub comment_disabled: bool,
    pub duet_disabled: bool,
    pub stitch_disabled: bool,
    pub max_video_seconds: u64,
}

/// Settings common to photo and video posts.
#[derive(Debug, Clone, Default)]
pub struct PostInfo {
    pub caption: String,
    pub privacy_level: String,
    pub disable_comment: bool,
    pub brand_organic: bool,
    pub brand_content: bool,
}

/// A post of photos, which the provider downloads itself.
#[derive(Debug, Clone)]
pub struct PhotoPost {
    pub info: PostInfo,
    pub auto_add_music: bool,
    /// Public links to the photos, in order.
    pub links: Vec<String>,
}

/// A post of a video, which is uploaded in chunks.
#[derive(Debug, Clone)]
pub struct VideoPost {
    pub info: PostInfo,
    pub disable_duet: bool,
    pub disable_stitch: bool,
    pub chunks: Chunks,
}

/// How a video is split into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunks {
    /// Size of the video in bytes.
    pub size: u64,
    /// Size of each chunk in bytes. The last chunk also contains the remainder.
    pub chunk: u64,
    pub count: u64,
}

impl Chunks {
    /// Chunk size in bytes for a video that is split.
    const CHUNK: u64 = 10 << 20;

    /// Splits a video into chunks of 10 MiB. A video of less than 20 MiB is one chunk.
    #[must_use]
    pub fn of(size: u64) -> Self {
        let chunk = if size < 2 * Self::CHUNK {
            size
        } else {
            Self::CHUNK
        };
        let count = size.checked_div(chunk).unwrap_or(1);
        Self { size, chunk, count }
    }

    /// The byte range of the chunk that starts after `sent` bytes.
    #[must_use]
    pub fn after(self, sent: u64) -> std::ops::Range<u64> {
        let number = sent
            .checked_div(self.chunk)
            .unwrap_or(0)
            .min(self.count.saturating_sub(1));
        let start = number * self.chunk;
        let end = if number + 1 >= self.count {
            self.size
        } else {
            start + self.chunk
        };
        start..end
    }
}

/// A video that the provider is ready to receive.
#[derive(Debug, Clone)]
pub struct VideoStarted {
    pub publish_id: String,
    /// The address for the upload; a secret.
    pub upload_url: String,
}

/// A chunk to upload.
pub struct UploadChunk {
    /// The byte range of the chunk within the video.
    pub range: std::ops::Range<u64>,
    /// Size of the whole video in bytes.
    pub size: u64,
    pub media_type: String,
    pub bytes: ByteStream,
}

/// The answer to a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// More chunks are expected.
    Part,
    All,
}

/// The state of a publication at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The provider receives, fetches or checks the media. `uploaded` is the number of bytes
    /// received.
    Working { uploaded: u64 },
    /// The post is online. The provider may omit its id.
    Published { post_id: Option<String> },
    /// The post was not published, for this reason.
    Failed { reason: String },
}

/// The provider's publishing API. `token` is the access token of the account.
///
/// Implementations never retry a call.
#[async_trait]
pub trait ShortVideo: Send + Sync {
    /// The publishing options of the account at this moment.
    async fn creator(&self, token: &str) -> Result<Creator, Trouble>;

    /// Submits photos; returns the provider's id of the publication.
    async fn submit_photos(&self, token: &str, post: &PhotoPost) -> Result<String, Trouble>;

    /// Announces a video. The provider publishes it after the upload.
    async fn submit_video(&self, token: &str, post: &VideoPost) -> Result<VideoStarted, Trouble>;

    /// Uploads a chunk.
    async fn upload(&self, url: &str, chunk: UploadChunk) -> Result<Received, Trouble>;

    /// The state of a publication.
    async fn progress(&self, token: &str, publish_id: &str) -> Result<Progress, Trouble>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_follow_the_rules_of_the_provider() {
        const MIB: u64 = 1 << 20;
        for size in [
            1,
            4 * MIB,
            5 * MIB,
            10 * MIB,
            20 * MIB - 1,
            20 * MIB,
            20 * MIB + 1,
            64 * MIB,
            129 * MIB - 1,
            500_000_000,
        ] {
            let chunks = Chunks::of(size);
            assert_eq!(chunks.count, size / chunks.chunk, "{size}");
            let mut sent = 0;
            for number in 1..=chunks.count {
                let range = chunks.after(sent);
                let length = range.end - range.start;
                assert_eq!(range.start, sent, "{size}");
                if size >= 5 * MIB {
                    assert!(length >= 5_000_000, "{size}");
                }
                let most = if number == chunks.count { 128 } else { 64 };
                assert!(length <= most * 1_000_000, "{size}");
                sent = range.end;
            }
            assert_eq!(sent, size);
        }
    }
}
