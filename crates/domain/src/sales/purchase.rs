//! A purchase, and which of its reported states holds.

use super::Utm;
use crate::{PersonId, text_enum, time::Millis};

text_enum! {
    /// The state of a purchase, in the order in which a purchase goes through them.
    pub enum PurchaseStatus {
        Pending = "pendente",
        Canceled = "cancelada",
        Approved = "aprovada",
        PartlyRefunded = "parcial",
        Refunded = "reembolsada",
        Chargeback = "chargeback",
    }
}

impl PurchaseStatus {
    /// Whether it was paid, even if the money went back later.
    #[must_use]
    pub fn was_paid(self) -> bool {
        self >= Self::Approved
    }
}

/// A purchase, as one report has it, or as all its reports together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purchase {
    pub store: String,
    pub transaction_id: String,
    /// When it was paid; while it is not, when it was begun.
    pub occurred_at: Millis,
    pub status: PurchaseStatus,
    pub person: Option<PersonId>,
    /// The person was erased: this purchase is never linked to one again.
    pub severed: bool,
    pub product_id: String,
    pub product: String,
    pub amount_cents: i64,
    pub refunded_cents: i64,
    pub currency: String,
    pub seller: Option<String>,
    pub launch: Option<String>,
    pub utm: Utm,
}

impl Purchase {
    /// Without plain e-mail addresses in its texts, which links and product names bring along.
    #[must_use]
    pub fn without_emails(mut self) -> Self {
        let texts = [
            Some(&mut self.product),
            self.seller.as_mut(),
            self.launch.as_mut(),
        ];
        super::clean(texts.into_iter().flatten().chain(self.utm.texts()));
        self
    }

    /// This purchase after a report that arrived later.
    ///
    /// Reports carry no instant of their own, so the state that is furthest in the order of
    /// [`PurchaseStatus`] holds, and of two partial refunds the larger one. A purchase cannot go
    /// back: a report of an earlier state only completes what is missing. Between two reports of
    /// the same state, the one that arrived last holds.
    #[must_use]
    pub fn followed_by(self, report: Self) -> Self {
        let occurred_at = match (self.status.was_paid(), report.status.was_paid()) {
            (true, false) => self.occurred_at,
            (false, true) => report.occurred_at,
            // An approval comes before its refund.
            _ => self.occurred_at.min(report.occurred_at),
        };
        let severed = self.severed || report.severed;
        let advances = (report.status, report.refunded_cents) >= (self.status, self.refunded_cents);
        let (newer, older) = if advances {
            (report, self)
        } else {
            (self, report)
        };
        Self {
            occurred_at,
            severed,
            person: newer.person.or(older.person).filter(|_| !severed),
            seller: newer.seller.or(older.seller),
            launch: newer.launch.or(older.launch),
            utm: newer.utm.or(older.utm),
            ..newer
        }
    }
}
