//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{
    CountWaiting, CreateDemand, CreateDemands, DecideApproval, DecideAsGuest, DecideVariants,
    EVENT_NOT_PENDING, GetEvent, GetMyDay, GetPublishingTimeInsights, IndexEvents,
    ListAttachableEvents, ListEvents, ListMyTasks, ListPendingApprovals, ListTeam,
    MEDIA_PROCESSING, RecordPost, ReopenEvent, SaveDraft, SubmitForApproval, UpdateEvent,
    stages::{HandleOverdueStages, NOT_YOUR_STAGE, OWN_PIECE},
};
use crate::approval_rules::RULE_WOULD_CHANGE;
use crate::editable::{EVENT_NOT_EDITABLE, NOT_APPROVED};
use crate::media::{GenerateArt, GenerateCarousel};
use crate::variants::{CHANNEL_RULES, PutVariants};
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
    NOT_YOUR_STAGE,
    RULE_WOULD_CHANGE,
    OWN_PIECE,
    CHANNEL_RULES,
])
.operations(&[
    Entry::for_operation::<CreateDemand>(),
    Entry::for_operation::<ListEvents>(),
    Entry::for_operation::<GetEvent>(),
    Entry::for_operation::<UpdateEvent>(),
    Entry::for_operation::<SaveDraft>(),
    Entry::for_operation::<SubmitForApproval>(),
    Entry::for_operation::<ListPendingApprovals>(),
    Entry::for_operation::<DecideApproval>(),
    Entry::for_operation::<DecideAsGuest>(),
    Entry::for_operation::<PutVariants>(),
    Entry::for_operation::<DecideVariants>(),
    Entry::for_operation::<ReopenEvent>(),
    Entry::for_operation::<RecordPost>(),
    Entry::for_operation::<ListAttachableEvents>(),
    Entry::for_operation::<ListMyTasks>(),
    Entry::for_operation::<GetMyDay>(),
    Entry::for_operation::<CountWaiting>(),
    Entry::for_operation::<ListTeam>(),
    Entry::for_operation::<CreateDemands>(),
    Entry::for_operation::<GetPublishingTimeInsights>(),
    Entry::for_operation::<GenerateArt>(),
    Entry::for_operation::<GenerateCarousel>(),
])
.jobs(&[
    JobEntry::for_job::<IndexEvents>(),
    JobEntry::for_job::<HandleOverdueStages>(),
]);
