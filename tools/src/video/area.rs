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
    .operations(&[
        Entry::of::<StartVideoGeneration>(),
        Entry::of::<GetVideoGeneration>(),
        Entry::of::<ListVideoGenerations>(),
        Entry::of::<CancelVideoGeneration>(),
    ])
    .jobs(&[
        JobEntry::of::<SubmitVideo>(),
        JobEntry::of::<FollowVideo>(),
        JobEntry::of::<StoreVideo>(),
        JobEntry::of::<StopVideo>(),
    ]);
