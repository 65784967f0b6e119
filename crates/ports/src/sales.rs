//! Sales stores and ad platforms that the service pulls from.

use async_trait::async_trait;

use domain::{
    Result,
    sales::{AdSpend, PurchaseStatus, SubscriptionStatus, Utm},
    time::Millis,
};

/// A store or an ad platform.
#[async_trait]
pub trait SalesSource: Send + Sync {
    /// The name in answers and in the stored cursors.
    fn name(&self) -> &'static str;

    /// What it offers, in the order in which it is pulled. Each feed has a cursor of its own.
    fn feeds(&self) -> &'static [Feed];

    /// One page of a feed. The first one has no `page`; each of the others is named by the one before.
    ///
    /// Refused when the provider fails or limits the requests. A page may be pulled again.
    async fn pull(&self, feed: &Feed, span: TimeRange, page: Option<&str>) -> Result<Pulled>;

    /// Whether the provider accepts the credentials.
    async fn check(&self) -> Result<()>;
}

/// A list of records that a source offers.
#[derive(Debug)]
pub struct Feed {
    pub name: &'static str,
    /// How far before its cursor it is read again, because records change later.
    pub overlap: Millis,
    /// How far back it is read at first.
    pub reach: Millis,
    /// The longest span of one request.
    pub longest: Millis,
}

/// From an instant to another, which is not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeRange {
    pub from: Millis,
    pub until: Millis,
}

/// A page of a feed.
#[derive(Debug, Default)]
pub struct Pulled {
    pub records: Vec<Record>,
    /// The next page; `None` at the last.
    pub next: Option<String>,
}

/// A record of a feed, in the terms of this service.
#[derive(Debug, Clone)]
pub enum Record {
    Purchase(StorePurchase),
    Subscription(StoreSubscription),
    Spend(AdSpend),
}

/// A purchase as its store reports it now.
#[derive(Debug, Clone)]
pub struct StorePurchase {
    pub transaction: String,
    pub occurred_at: Millis,
    pub status: PurchaseStatus,
    pub product_id: String,
    pub product: String,
    pub amount_cents: i64,
    pub refunded_cents: i64,
    pub currency: String,
    /// Hashed before anything is stored.
    pub email: Option<String>,
    pub origin: Utm,
}

/// A subscription as its store reports it now.
#[derive(Debug, Clone)]
pub struct StoreSubscription {
    pub id: String,
    pub plan: String,
    pub status: SubscriptionStatus,
    pub started_at: Millis,
    pub ended_at: Option<Millis>,
    /// Of a month.
    pub amount_cents: i64,
    pub currency: String,
    /// Hashed before anything is stored.
    pub email: Option<String>,
}
