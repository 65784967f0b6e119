//! Publishing of short videos and photos to an account at an external provider.

use async_trait::async_trait;

use super::ByteStream;

/// The reason why a call to the provider has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The provider rejected the call, so it had no effect.
    Refused {
        /// The provider's error code, or the HTTP status.
        code: String,
        /// Seconds to wait before a retry.
        wait: Option<u64>,
    },
    /// The request was never sent.
    Unreached,
    /// The request was sent, but its effect is unknown.
    Lost,
}

/// The publishing options that the provider currently offers for the connected account.
#[derive(Debug, Clone)]
pub struct Creator {
    pub username: String,
    pub nickname: String,
    pub avatar_url: Option<String>,
    /// The privacy levels that are available to the account.
    pub privacy_levels: Vec<String>,
    pub comment_disabled: bool,
    pub duet_disabled: bool,
    pub stitch_disabled: bool,
    pub max_video_seconds: u64,
}

/// The settings that photo and video posts share.
#[derive(Debug, Clone, Default)]
pub struct PostInfo {
    pub caption: String,
    pub privacy_level: String,
    pub disable_comment: bool,
    pub brand_organic: bool,
    pub brand_content: bool,
}

/// A photo post. The provider downloads the photos itself.
#[derive(Debug, Clone)]
pub struct PhotoPost {
    pub info: PostInfo,
    pub auto_add_music: bool,
    /// Public URLs of the photos, in order.
    pub links: Vec<String>,
}

/// A video post. The video is uploaded in chunks.
#[derive(Debug, Clone)]
pub struct VideoPost {
    pub info: PostInfo,
    pub disable_duet: bool,
    pub disable_stitch: bool,
    /// The position of the cover within the video, in milliseconds.
    pub cover_at: Option<u64>,
    pub chunks: Chunks,
}

/// The division of a video into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunks {
    /// Size of the video in bytes.
    pub size: u64,
    /// Size of each chunk in bytes. The last chunk also contains the remainder.
    pub chunk: u64,
    pub count: u64,
}

impl Chunks {
    /// The chunk size of a video with several chunks, in bytes.
    const CHUNK: u64 = 10 << 20;

    /// Splits a video into chunks of 10 MiB. A video of less than 20 MiB is a single chunk.
    #[must_use]
    pub fn for_size(size: u64) -> Self {
        let chunk = if size < 2 * Self::CHUNK {
            size
        } else {
            Self::CHUNK
        };
        let count = size.checked_div(chunk).unwrap_or(1);
        Self { size, chunk, count }
    }

    /// Returns the byte range of the next chunk after `sent` bytes.
    #[must_use]
    pub fn range_after(self, sent: u64) -> std::ops::Range<u64> {
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

/// An announced video that the provider is ready to receive.
#[derive(Debug, Clone)]
pub struct VideoStarted {
    pub publish_id: String,
    /// The upload URL, which is secret.
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

/// The response to an uploaded chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// The provider expects more chunks.
    Part,
    All,
}

/// The state of a publication at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The provider is receiving, downloading or checking the media. `uploaded` is the number of
    /// bytes received.
    Working { uploaded: u64 },
    /// The post is online. The provider may omit its id.
    Published { post_id: Option<String> },
    /// The post was not published; `reason` is the provider's reason.
    Failed { reason: String },
}

/// The provider's publishing API. The parameter `token` is the access token of the account.
///
/// Implementations never retry a call.
#[async_trait]
pub trait ShortVideo: Send + Sync {
    /// Fetches the current publishing options of the account.
    async fn fetch_creator(&self, token: &str) -> Result<Creator, Trouble>;

    /// Submits a photo post. Returns the provider's id of the publication.
    async fn submit_photos(&self, token: &str, post: &PhotoPost) -> Result<String, Trouble>;

    /// Announces a video post. The provider publishes it after the upload.
    async fn submit_video(&self, token: &str, post: &VideoPost) -> Result<VideoStarted, Trouble>;

    /// Uploads one chunk.
    async fn upload_chunk(&self, url: &str, chunk: UploadChunk) -> Result<Received, Trouble>;

    /// Fetches the state of a publication.
    async fn fetch_progress(&self, token: &str, publish_id: &str) -> Result<Progress, Trouble>;
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
            let chunks = Chunks::for_size(size);
            assert_eq!(chunks.count, size / chunks.chunk, "{size}");
            let mut sent = 0;
            for number in 1..=chunks.count {
                let range = chunks.range_after(sent);
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
