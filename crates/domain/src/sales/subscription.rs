//! Subscriptions, and the rules to merge several reports of one subscription.

use crate::{PersonId, text_enum, time::Millis};

text_enum! {
    pub enum SubscriptionStatus {
        Active = "ativa",
        Overdue = "em_atraso",
        Canceled = "cancelada",
    }
}

/// A subscription according to one report, or merged from all its reports.
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
    /// True if the person was erased: this subscription is never linked to a person again.
    pub severed: bool,
}

impl Subscription {
    /// Removes plain e-mail addresses from the texts of the subscription.
    #[must_use]
    pub fn without_emails(mut self) -> Self {
        super::remove_emails(std::iter::once(&mut self.plan));
        self
    }

    /// Merges a report that arrived later into this subscription.
    ///
    /// The report with the later start is kept, because the subscription was started again. With
    /// equal starts, a cancellation is final. Otherwise the last report is kept, because an overdue
    /// subscription can become active again.
    #[must_use]
    pub fn merge_report(self, report: Self) -> Self {
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
