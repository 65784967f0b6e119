//! Purchases, and the rules to merge several reports of one purchase.

use super::Utm;
use crate::{PersonId, text_enum, time::Millis};

text_enum! {
    /// The state of a purchase. The variants are in the order in which a purchase reaches them.
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
    /// True if the purchase was paid, even if the money was refunded later.
    #[must_use]
    pub fn was_paid(self) -> bool {
        self >= Self::Approved
    }
}

/// A purchase according to one report, or merged from all its reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purchase {
    pub store: String,
    pub transaction_id: String,
    /// The time of the payment; before the payment, the time of the order.
    pub occurred_at: Millis,
    pub status: PurchaseStatus,
    pub person: Option<PersonId>,
    /// True if the person was erased: this purchase is never linked to a person again.
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
    /// Removes plain e-mail addresses from the texts of the purchase, such as links and product
    /// names.
    #[must_use]
    pub fn without_emails(mut self) -> Self {
        let texts = [
            Some(&mut self.product),
            self.seller.as_mut(),
            self.launch.as_mut(),
        ];
        super::remove_emails(texts.into_iter().flatten().chain(self.utm.texts_mut()));
        self
    }

    /// Merges a report that arrived later into this purchase.
    ///
    /// Reports have no timestamp of their own, so the furthest state in the order of
    /// [`PurchaseStatus`] is kept, and the larger of two partial refunds. A state cannot go back: a
    /// report of an earlier state only fills in missing fields. Of two reports with the same state,
    /// the last one is kept.
    #[must_use]
    pub fn merge_report(self, report: Self) -> Self {
        let occurred_at = match (self.status.was_paid(), report.status.was_paid()) {
            (true, false) => self.occurred_at,
            (false, true) => report.occurred_at,
            // The approval happened before the refund.
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
            utm: newer.utm.or_older(older.utm),
            ..newer
        }
    }
}
