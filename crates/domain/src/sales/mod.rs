//! What was sold, as stores and platforms report it. Money is integer cents.

mod purchase;
mod subscription;

pub use purchase::{Purchase, PurchaseStatus};
pub use subscription::{Subscription, SubscriptionStatus};

use crate::{PersonId, time::Millis};

/// The campaign parameters of a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Utm {
    pub source: Option<String>,
    pub medium: Option<String>,
    pub campaign: Option<String>,
    pub content: Option<String>,
    pub term: Option<String>,
}

impl Utm {
    /// The parameters of this one, completed from an older one if it has none at all.
    #[must_use]
    pub fn or(self, older: Self) -> Self {
        if self == Self::default() { older } else { self }
    }
}

/// What a campaign of paid media cost on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdSpend {
    pub platform: String,
    pub campaign_id: String,
    pub day: jiff::civil::Date,
    pub campaign: String,
    pub spend_cents: i64,
    pub impressions: i64,
    pub clicks: i64,
    pub currency: String,
}

/// A stage of the sales funnel that a person reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrmStage {
    pub person: PersonId,
    pub stage: String,
    pub occurred_at: Millis,
    pub launch: Option<String>,
}

/// A message that was sent to many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    pub id: String,
    pub name: String,
    pub channel: String,
    pub sent_at: Millis,
    pub sent: i64,
    pub launch: Option<String>,
}
