//! A subscription and the rules to merge its reports.

use crate::{PersonId, text_enum, time::Millis};

text_enum! {
    pub enum SubscriptionStatus {
        Active = "ativa",
        Overdue = "em_atraso",
        Canceled = "cancelada",
    }
}

/// A subscription according to one report, or to all its reports together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    pub store: String,
    pub subscription_id: String,
    pub plan: String,
    pub status: SubscriptionStatus,
    pub started_at: Millis,
    pub ended_at: Option<Millis>,
    pub amount_cents: i64,
    pub currency: String,
    pub person: Option<PersonId>,
    /// The person was erased: this subscription is never linked to a person again.
    pub severed: bool,
}

impl Subscription {
    /// Removes plain e-mail addresses from its texts.
    #[must_use]
    pub fn without_emails(mut self) -> Self {
        super::clean(std::iter::once(&mut self.plan));
        self
    }

    /// Merges a report that arrived later into this subscription.
    ///
    /// The report with the later start counts, because the subscription began again. With the same
    /// start, a cancellation is final. Otherwise the last report counts, because an overdue
    /// subscription can become active again.
    #[must_use]
    pub fn followed_by(self, report: Self) -> Self {
        let severed = self.severed || report.severed;
        let is_canceled = |one: &Self| one.status == SubscriptionStatus::Canceled;
        let order = |one: &Self| (one.started_at, is_canceled(one));
        let (newer, older) = if order(&report) >= order(&self) {
            (report, self)
        } else {
            (self, report)
        };
        Self {
            severed,
            person: newer.person.or(older.person).filter(|_| !severed),
            ..newer
        }
    }
}
