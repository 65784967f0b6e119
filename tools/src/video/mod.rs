//! Videos that a provider makes in the background.
//!
//! A video is a row whose state changes by compare-and-set. Each step is a job: submit the video,
//! follow its progress, copy the result, or stop the video at the provider.
//!
//! The states are `queued` → `submitting` → `in_progress` → `storing` → `completed`, `failed` or
//! `canceled`. Each change of state commits together with the next job and, at the end, with the
//! medium, the event and its history. A change by a job also requires the lease of the job
//! (`JobContext::commit`). The steps are separate jobs, so that the job metrics show the states,
//! and so that copying 500 MB has a longer timeout than a progress request.
//!
//! `videos.event_status` is the status that the event gets back. While a video is in progress,
//! `save_draft` and `update_event` set this column instead of the status of the event. A transaction
//! locks the row of the video before the row of the event.

mod area;
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

pub use area::AREA;
use std::sync::Arc;

pub use cancel_video_generation::CancelVideoGeneration;
pub use get_video_generation::GetVideoGeneration;
pub use list_video_generations::ListVideoGenerations;
pub use start_video_generation::StartVideoGeneration;

use gateway::{Code, Resource};

/// The video generator. This part of the service is absent if no provider is configured.
pub type Maker = Arc<dyn ports::VideoGenerator>;

const VIDEO: Resource = Resource::new("video");

pub const VIDEO_OPEN: Code = Code::new(
    "VIDEO_OPEN",
    409,
    "Já há um vídeo em produção para este evento.",
)
.with_next_step(
    "Acompanhe com `get_video_generation`; para pagar por outro de propósito, envie `video_id` em \
     `despite_video_id`.",
);

pub const JOB_FINISHED: Code = Code::new("JOB_FINISHED", 409, "A geração já terminou.")
    .with_next_step("Leia o resultado com `get_video_generation`.");
