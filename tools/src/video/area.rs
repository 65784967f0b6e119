//! Declares the area: its name, its description, its operations, pages and jobs.

use super::jobs::{FollowVideo, StopVideo, StoreVideo, SubmitVideo};
use super::{
    CancelVideoGeneration, GetVideoGeneration, JOB_FINISHED, ListVideoGenerations,
    StartVideoGeneration, VIDEO_OPEN,
};
use gateway::{Area, Entry, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new("video", "Vídeos gerados por um provedor, em segundo plano.")
    .codes(&[JOB_FINISHED, VIDEO_OPEN])
    .announces_nothing()
    .operations(&[
        Entry::for_operation::<StartVideoGeneration>(),
        Entry::for_operation::<GetVideoGeneration>(),
        Entry::for_operation::<ListVideoGenerations>(),
        Entry::for_operation::<CancelVideoGeneration>(),
    ])
    .jobs(&[
        JobEntry::for_job::<SubmitVideo>(),
        JobEntry::for_job::<FollowVideo>(),
        JobEntry::for_job::<StoreVideo>(),
        JobEntry::for_job::<StopVideo>(),
    ]);
