//! The area: what it is called and what it offers.

use super::{GetSubscriptionSummary, ListLeavingSubscribers, RecordCancellationReason};
use gateway::{Area, Entry};

/// The area of these operations.
pub static AREA: Area = Area::new(
    "subscriptions",
    "Assinaturas: base ativa, saídas e motivos.",
)
.operations(&[
    Entry::of::<GetSubscriptionSummary>(),
    Entry::of::<ListLeavingSubscribers>(),
    Entry::of::<RecordCancellationReason>(),
]);
