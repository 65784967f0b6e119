//! Sales data, as reported by stores and platforms. Amounts of money are integer cents.

mod money;
mod pace;
mod purchase;
mod subscription;

pub use money::{NoMoney, parse_cents};
pub use pace::{Pace, Stage, divide_rounded};
pub use purchase::{Purchase, PurchaseStatus};
pub use subscription::{Subscription, SubscriptionStatus};

use std::borrow::Cow;

use crate::{PersonId, time::Millis, without_emails};

/// Removes plain e-mail addresses from the texts.
fn remove_emails<'a>(texts: impl Iterator<Item = &'a mut String>) {
    for text in texts {
        if let Cow::Owned(clean) = without_emails(text) {
            *text = clean;
        }
    }
}

/// The campaign parameters of a link.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Utm {
    pub source: Option<String>,
    pub medium: Option<String>,
    pub campaign: Option<String>,
    pub content: Option<String>,
    pub term: Option<String>,
}

impl Utm {
    fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let parameters = [
            &mut self.source,
            &mut self.medium,
            &mut self.campaign,
            &mut self.content,
            &mut self.term,
        ];
        parameters.into_iter().flatten()
    }

    /// Returns these parameters, or `older` if none of these parameters is set.
    #[must_use]
    pub fn or_older(self, older: Self) -> Self {
        if self == Self::default() { older } else { self }
    }
}

/// The cost of a paid media campaign on one day.
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

/// A stage of the sales funnel that a person has reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrmStage {
    pub person: PersonId,
    pub stage: String,
    pub occurred_at: Millis,
    pub launch: Option<String>,
}

/// A bulk message: one message sent to many people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    pub id: String,
    pub name: String,
    pub channel: String,
    pub sent_at: Millis,
    pub sent: i64,
    pub launch: Option<String>,
}
