//! The inputs of the video jobs. Each job is implemented in its own module.

use serde::{Deserialize, Serialize};

use domain::VideoId;

/// Submits a video to the provider.
///
/// The state `submitting` is committed before the request is sent. If a job finds a video in this
/// state, the request may already have been sent; the video fails with `OUTCOME_UNKNOWN`.
#[derive(Serialize, Deserialize)]
pub(super) struct SubmitVideo {
    pub video_id: VideoId,
}

/// Requests the progress of a video until the provider has finished it.
#[derive(Serialize, Deserialize)]
pub(super) struct FollowVideo {
    pub video_id: VideoId,
}

/// Copies the result of a video from the provider.
#[derive(Serialize, Deserialize)]
pub(super) struct StoreVideo {
    pub video_id: VideoId,
}

/// Asks the provider to stop a video. If that fails, the provider completes the video and charges
/// for it.
#[derive(Serialize, Deserialize)]
pub(super) struct StopVideo {
    pub provider: String,
    pub provider_job_id: String,
}
