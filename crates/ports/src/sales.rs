//! Sales stores and ad platforms that the service pulls from.

use async_trait::async_trait;

use domain::{
    Result,
    sales::{AdSpend, PurchaseStatus, SubscriptionStatus, Utm},
    time::Millis,
};

/// A sales store or an ad platform.
#[async_trait]
pub trait SalesSource: Send + Sync {
    /// The name used in answers and in stored cursors.
    fn name(&self) -> &'static str;

    /// The feeds of the source, in pull order. Each feed has its own cursor.
    fn feeds(&self) -> &'static [Feed];

    /// One page of a feed. The first page has `page` set to `None`; later pages use
    /// [`Pulled::next`] of the page before.
    ///
    /// Refused when the provider fails or limits the rate of requests. A page may be pulled again.
    async fn pull(&self, feed: &Feed, span: TimeRange, page: Option<&str>) -> Result<Pulled>;

    /// Whether the provider accepts the credentials.
    async fn check(&self) -> Result<()>;
}

/// A list of records that a source offers.
#[derive(Debug)]
pub struct Feed {
    pub name: &'static str,
    /// How far before its cursor the feed is read again, because records change later.
    pub overlap: Millis,
    /// How far back the first pull reaches.
    pub reach: Millis,
    /// The longest time span of one request.
    pub longest: Millis,
}

/// A time range; `until` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeRange {
    pub from: Millis,
    pub until: Millis,
}

/// A page of a feed.
#[derive(Debug, Default)]
pub struct Pulled {
    pub records: Vec<Record>,
    /// The parameter of the next page; `None` on the last one.
    pub next: Option<String>,
}

/// A record of a feed, in the terms of this service.
#[derive(Debug, Clone)]
pub enum Record {
    Purchase(StorePurchase),
    Subscription(StoreSubscription),
    Spend(AdSpend),
}

/// A purchase as the store reports it now.
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
    /// The e-mail is hashed before anything is stored.
    pub email: Option<String>,
    pub origin: Utm,
}

/// A subscription as the store reports it now.
#[derive(Debug, Clone)]
pub struct StoreSubscription {
    pub id: String,
    pub plan: String,
    pub status: SubscriptionStatus,
    pub started_at: Millis,
    pub ended_at: Option<Millis>,
    /// The price of one month.
    pub amount_cents: i64,
    pub currency: String,
    /// The e-mail is hashed before anything is stored.
    pub email: Option<String>,
}
