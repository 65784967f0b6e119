//! Subscriptions: how many there are, and who leaves and why.

mod get_subscription_summary;
mod list_leaving_subscribers;
mod record_cancellation_reason;

pub use get_subscription_summary::GetSubscriptionSummary;
pub use list_leaving_subscribers::ListLeavingSubscribers;
pub use record_cancellation_reason::RecordCancellationReason;

use gateway::{Area, Resource};

const CANCELLATION: Resource = Resource::new("cancellation");

/// The area of these operations.
pub const AREA: Area = Area::new(
    "subscriptions",
    "Assinaturas: base ativa, saídas e motivos.",
);
