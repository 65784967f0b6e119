//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{
    CountWaiting, CreateDemand, CreateDemands, DecideApproval, EVENT_NOT_PENDING, GetEvent,
    GetMyDay, GetPublishingTimeInsights, IndexEvents, ListAttachableEvents, ListEvents,
    ListMyTasks, ListPendingApprovals, ListTeam, MEDIA_PROCESSING, NOT_APPROVED, RecordPost,
    ReopenEvent, SaveDraft, SubmitForApproval, UpdateEvent,
};
use crate::editable::EVENT_NOT_EDITABLE;
use crate::media::{GenerateArt, GenerateCarousel};
use gateway::{Area, Entry, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "workflow",
    "Demandas, rascunhos, envio, aprovação e calendário editorial.",
)
.codes(&[
    EVENT_NOT_EDITABLE,
    EVENT_NOT_PENDING,
    NOT_APPROVED,
    MEDIA_PROCESSING,
])
.operations(&[
    Entry::of::<CreateDemand>(),
    Entry::of::<ListEvents>(),
    Entry::of::<GetEvent>(),
    Entry::of::<UpdateEvent>(),
    Entry::of::<SaveDraft>(),
    Entry::of::<SubmitForApproval>(),
    Entry::of::<ListPendingApprovals>(),
    Entry::of::<DecideApproval>(),
    Entry::of::<ReopenEvent>(),
    Entry::of::<RecordPost>(),
    Entry::of::<ListAttachableEvents>(),
    Entry::of::<ListMyTasks>(),
    Entry::of::<GetMyDay>(),
    Entry::of::<CountWaiting>(),
    Entry::of::<ListTeam>(),
    Entry::of::<CreateDemands>(),
    Entry::of::<GetPublishingTimeInsights>(),
    Entry::of::<GenerateArt>(),
    Entry::of::<GenerateCarousel>(),
])
.jobs(&[JobEntry::of::<IndexEvents>()]);
