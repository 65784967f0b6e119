//! Stores and ad platforms from which the service pulls sales data.

use async_trait::async_trait;

use domain::{
    Result,
    sales::{AdSpend, PurchaseStatus, SubscriptionStatus, Utm},
    time::Millis,
};

/// A store or an ad platform.
#[async_trait]
pub trait SalesSource: Send + Sync {
    /// Returns the name of the source in responses and in stored cursors.
    fn name(&self) -> &'static str;

    /// Returns the feeds of the source, in pull order. Each feed has its own cursor.
    fn feeds(&self) -> &'static [Feed];

    /// Pulls one page of a feed. For the first page, `page` is `None`; for later pages, it is the
    /// [`Pulled::next`] of the previous page.
    ///
    /// Fails if the provider fails or limits the request rate. A page may be pulled again.
    async fn pull_page(&self, feed: &Feed, span: TimeRange, page: Option<&str>) -> Result<Pulled>;

    /// Checks whether the provider accepts the credentials.
    async fn check_available(&self) -> Result<()>;
}

/// A list of records that a source provides.
#[derive(Debug)]
pub struct Feed {
    pub name: &'static str,
    /// The period before the cursor of the feed that is pulled again, because older records may
    /// change.
    pub overlap: Millis,
    /// The period before the present that the first pull covers.
    pub reach: Millis,
    /// The longest time range of one request.
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
    /// The page parameter of the next page; `None` on the last page.
    pub next: Option<String>,
}

/// A record of a feed, converted to the types of this service.
#[derive(Debug, Clone)]
pub enum Record {
    Purchase(StorePurchase),
    Subscription(StoreSubscription),
    Spend(AdSpend),
}

/// The current state of a purchase at the store.
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
    /// The e-mail of the buyer. It is hashed before anything is stored.
    pub email: Option<String>,
    pub origin: Utm,
}

/// The current state of a subscription at the store.
#[derive(Debug, Clone)]
pub struct StoreSubscription {
    pub id: String,
    pub plan: String,
    pub status: SubscriptionStatus,
    pub started_at: Millis,
    pub ended_at: Option<Millis>,
    /// The price per month.
    pub amount_cents: i64,
    pub currency: String,
    /// The e-mail of the subscriber. It is hashed before anything is stored.
    pub email: Option<String>,
}
