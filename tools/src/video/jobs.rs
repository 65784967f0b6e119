//! What the jobs of videos are given. What they do is in a module each.

use serde::{Deserialize, Serialize};

use domain::VideoId;

/// Asks the provider for a video.
///
/// `submitting` is committed before the request is sent. A video that is found in this state was
/// perhaps asked for, and fails with `OUTCOME_UNKNOWN`.
#[derive(Serialize, Deserialize)]
pub(super) struct SubmitVideo {
    pub video_id: VideoId,
}

/// Follows a video that the provider makes.
#[derive(Serialize, Deserialize)]
pub(super) struct FollowVideo {
    pub video_id: VideoId,
}

/// Copies the result of a video.
#[derive(Serialize, Deserialize)]
pub(super) struct StoreVideo {
    pub video_id: VideoId,
}

/// Asks the provider to stop a video. Where that fails, the video only costs what it costs.
#[derive(Serialize, Deserialize)]
pub(super) struct StopVideo {
    pub provider: String,
    pub provider_job_id: String,
}
