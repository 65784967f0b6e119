//! Videos that a provider makes in the background.
//!
//! A video is a row whose state changes by compare-and-set. Each step is a job: one submits the request,
//! one follows it, one copies the result, one stops it at the provider.

mod cancel_video_generation;
mod download;
mod event;
mod follow_video;
mod get_video_generation;
mod hints;
mod jobs;
mod list_video_generations;
mod offer;
mod start_video_generation;
mod step;
mod stop_video;
mod store_video;
mod submit_video;
mod video_view;

use std::sync::Arc;

pub use cancel_video_generation::CancelVideoGeneration;
pub use get_video_generation::GetVideoGeneration;
pub use list_video_generations::ListVideoGenerations;
pub use start_video_generation::StartVideoGeneration;

use gateway::{Area, Code, Resource, jobs::JobEntry};

/// Makes videos; a part of the service where a provider is configured.
pub type Maker = Arc<dyn ports::VideoGenerator>;

const VIDEO: Resource = Resource::new("video");

/// The area of these operations.
pub const AREA: Area =
    Area::new("video", "Vídeos gerados por um provedor, em segundo plano.").codes(&[JOB_FINISHED]);

pub const JOB_FINISHED: Code = Code::new("JOB_FINISHED", 409, "A geração já terminou.")
    .next("Leia o resultado com `get_video_generation`.");

/// The jobs of this area.
pub const JOBS: &[JobEntry] = &[
    JobEntry::of::<jobs::SubmitVideo>(),
    JobEntry::of::<jobs::FollowVideo>(),
    JobEntry::of::<jobs::StoreVideo>(),
    JobEntry::of::<jobs::StopVideo>(),
];
