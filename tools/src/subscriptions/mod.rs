//! Subscriptions: the active ones, the cancellations and their reasons.

mod area;
mod get_subscription_summary;
mod list_leaving_subscribers;
mod record_cancellation_reason;

pub use area::AREA;
pub use get_subscription_summary::GetSubscriptionSummary;
pub use list_leaving_subscribers::ListLeavingSubscribers;
pub use record_cancellation_reason::RecordCancellationReason;

use gateway::Resource;

const CANCELLATION: Resource = Resource::new("cancellation");
