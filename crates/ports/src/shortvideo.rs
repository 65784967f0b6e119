//! Publishing of short videos and photos at an outside account.

use async_trait::async_trait;

use super::ByteStream;

/// Why a call to the provider has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The provider refused, and nothing happened.
    Refused {
        /// The provider's own code, or the HTTP status.
        code: String,
        /// Seconds to wait before a retry.
        wait: Option<u64>,
    },
    /// The call was never sent.
    Unreached,
    /// The call was sent, and whether it had an effect is unknown.
    Lost,
}

/// What the connected account may publish now.
#[derive(Debug, Clone)]
pub struct Creator {
    pub username: String,
    pub nickname: String,
    pub avatar_url: Option<String>,
    /// The privacy levels that it may choose from.
    pub privacy_levels: Vec<String>,
    pub comment_disabled: bool,
    pub duet_disabled: bool,
    pub stitch_disabled: bool,
    pub max_video_seconds: u64,
}

/// What photos and videos have in common.
#[derive(Debug, Clone, Default)]
pub struct PostInfo {
    pub caption: String,
    pub privacy_level: String,
    pub disable_comment: bool,
    pub brand_organic: bool,
    pub brand_content: bool,
}

/// Photos that the provider fetches.
#[derive(Debug, Clone)]
pub struct PhotoPost {
    pub info: PostInfo,
    pub auto_add_music: bool,
    /// Public links, in order.
    pub links: Vec<String>,
}

/// A video that is uploaded in chunks.
#[derive(Debug, Clone)]
pub struct VideoPost {
    pub info: PostInfo,
    pub disable_duet: bool,
    pub disable_stitch: bool,
    pub chunks: Chunks,
}

/// How a video is cut into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunks {
    /// Bytes of the video.
    pub size: u64,
    /// Bytes of each chunk but the last, which also takes the rest.
    pub chunk: u64,
    pub count: u64,
}

impl Chunks {
    /// Bytes of a chunk of a longer video.
    const CHUNK: u64 = 10 << 20;

    /// Chunks of 10 MiB. A video of less than two of them is one chunk.
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

    /// The chunk that follows after this many bytes: where it begins and ends.
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

/// A video that the provider waits for.
#[derive(Debug, Clone)]
pub struct VideoStarted {
    pub publish_id: String,
    /// Where its bytes go; a secret.
    pub upload_url: String,
}

/// A chunk on its way.
pub struct UploadChunk {
    /// Where it begins and ends in the video.
    pub range: std::ops::Range<u64>,
    /// Bytes of the whole video.
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

/// How far the provider is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// It receives, fetches or checks the media; with the bytes that were uploaded.
    Working { uploaded: u64 },
    /// It is online, with the id of the post if the provider reports it.
    Published { post_id: Option<String> },
    /// It is not published, for this reason.
    Failed { reason: String },
}

/// The provider's interface for publishing. `token` is the access token of the account.
///
/// No call is repeated by the adapter.
#[async_trait]
pub trait ShortVideo: Send + Sync {
    /// What the account may publish now.
    async fn creator(&self, token: &str) -> Result<Creator, Trouble>;

    /// Submits photos; the answer is the provider's id of the publication.
    async fn submit_photos(&self, token: &str, post: &PhotoPost) -> Result<String, Trouble>;

    /// Announces a video, which is not published before it is uploaded.
    async fn submit_video(&self, token: &str, post: &VideoPost) -> Result<VideoStarted, Trouble>;

    /// Uploads a chunk.
    async fn upload(&self, url: &str, chunk: UploadChunk) -> Result<Received, Trouble>;

    /// How far a publication is.
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
