//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{GetSubscriptionSummary, ListLeavingSubscribers, RecordCancellationReason};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "subscriptions",
    "Assinaturas: base ativa, saídas e motivos.",
)
.announces_nothing()
.operations(&[
    Entry::for_operation::<GetSubscriptionSummary>(),
    Entry::for_operation::<ListLeavingSubscribers>(),
    Entry::for_operation::<RecordCancellationReason>(),
]);
