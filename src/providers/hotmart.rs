//! The Hotmart API: sales history and subscriptions.
//!
//! <https://developers.hotmart.com/docs/en/v1/sales/sales-history/>

use std::{sync::Mutex, time::Duration};

use async_trait::async_trait;
use domain::{
    sales::{PurchaseStatus, SubscriptionStatus, Utm},
    time::{DAY, Millis},
};
use gateway::{Error, Result};
use ports::{Feed, Pulled, Record, SalesSource, StorePurchase, StoreSubscription, TimeRange};
use reqwest::{Client, Url};
use serde::Deserialize;
use tokio::time::Instant;
use tracing::Instrument;

use super::{
    foreign,
    pulling::{Failure, Provider, clean_text, parse_cents, parse_currency},
};
use crate::config::HotmartAccount;

const HOTMART: Provider = Provider {
    name: "A Hotmart",
    settings: "PAUTA_HOTMART_CLIENT_ID e PAUTA_HOTMART_CLIENT_SECRET",
};

/// The timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Rows per page.
const ROWS: &str = "200";
/// A token is renewed this long before it expires.
const MARGIN: Duration = Duration::from_secs(300);

/// Approved and completed sales, which the API returns by default.
const SALES: Feed = Feed {
    name: "vendas",
    overlap: 3 * DAY,
    reach: 365 * DAY,
    longest: 30 * DAY,
};
/// Returns a feed of refunds or chargebacks. Each pull reads far back, because the API filters by the
/// date of the sale, which may be months before the refund.
const fn reversal_feed(name: &'static str) -> Feed {
    Feed {
        name,
        overlap: 180 * DAY,
        reach: 365 * DAY,
        longest: 366 * DAY,
    }
}
const REVERSALS: [(&str, &str); 3] = [
    ("reembolsos", "REFUNDED"),
    ("reembolsos_parciais", "PARTIALLY_REFUNDED"),
    ("chargebacks", "CHARGEBACK"),
];
/// Each pull reads all subscriptions, because the API cannot filter by time of change.
const SUBSCRIPTIONS: Feed = Feed {
    name: "assinaturas",
    overlap: ALWAYS,
    reach: ALWAYS,
    longest: 2 * ALWAYS,
};
const ALWAYS: Millis = 10 * 365 * DAY;

const FEEDS: &[Feed] = &[
    SALES,
    reversal_feed(REVERSALS[0].0),
    reversal_feed(REVERSALS[1].0),
    reversal_feed(REVERSALS[2].0),
    SUBSCRIPTIONS,
];

/// The adapter of the Hotmart API.
pub struct Hotmart {
    client: Client,
    account: HotmartAccount,
    token: Mutex<Option<Token>>,
}

#[derive(Clone)]
struct Token {
    text: String,
    until: Instant,
}

impl Hotmart {
    pub fn new(account: HotmartAccount) -> anyhow::Result<Self> {
        Ok(Self {
            client: foreign::client_builder().timeout(TIMEOUT).build()?,
            account,
            token: Mutex::default(),
        })
    }

    /// Returns the access token: the cached one while it is valid, otherwise a new one.
    async fn get_token(&self) -> Result<Token> {
        let known = self.lock_cached_token().clone();
        if let Some(token) = known.filter(|token| token.until > Instant::now()) {
            return Ok(token);
        }
        let path = "security/oauth/token";
        let (id, secret) = (&self.account.client_id, &self.account.client_secret);
        let mut url = endpoint_url(&self.account.auth_base, path);
        url.query_pairs_mut()
            .append_pair("grant_type", "client_credentials")
            .append_pair("client_id", id)
            .append_pair("client_secret", secret);
        let request = self.client.post(url).basic_auth(id, Some(secret));
        let host = self.account.auth_base.host_str();
        let span = tracing::info_span!("provider_request", host, path);
        let granted: Granted = HOTMART.send(request).instrument(span).await?;
        let lasts = u64::try_from(granted.expires_in.clamp(0, 604_800)).unwrap_or(0);
        let token = Token {
            text: granted.access_token,
            until: Instant::now() + Duration::from_secs(lasts).saturating_sub(MARGIN),
        };
        *self.lock_cached_token() = Some(token.clone());
        Ok(token)
    }

    fn lock_cached_token(&self) -> std::sync::MutexGuard<'_, Option<Token>> {
        let locked = self.token.lock();
        locked.unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Reads a page of a list. After a 401, requests a new token and retries once.
    async fn get_list<T: for<'de> Deserialize<'de>>(
        &self,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<Listed<T>> {
        let first = self.get_page(path, query).await;
        let Err(Failure::Unauthorized(_)) = first else {
            return Ok(first?);
        };
        *self.lock_cached_token() = None;
        Ok(self.get_page(path, query).await?)
    }

    async fn get_page<T: for<'de> Deserialize<'de>>(
        &self,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<Listed<T>, Failure> {
        let token = self.get_token().await.map_err(Failure::Other)?;
        let mut url = endpoint_url(&self.account.base, path);
        url.query_pairs_mut().extend_pairs(query);
        let request = self.client.get(url).bearer_auth(token.text);
        let host = self.account.base.host_str();
        let span = tracing::info_span!("provider_request", host, path);
        HOTMART.send(request).instrument(span).await
    }
}

fn endpoint_url(base: &Url, path: &str) -> Url {
    base.join(path)
        .expect("the base ends in a slash, and the path is plain")
}

#[async_trait]
impl SalesSource for Hotmart {
    fn name(&self) -> &'static str {
        "hotmart"
    }

    fn feeds(&self) -> &'static [Feed] {
        FEEDS
    }

    async fn pull_page(&self, feed: &Feed, span: TimeRange, page: Option<&str>) -> Result<Pulled> {
        let mut query = vec![("max_results", ROWS.to_owned())];
        if let Some(page) = page {
            query.push(("page_token", page.to_owned()));
        }
        if feed.name == SUBSCRIPTIONS.name {
            query.push(("accession_date", span.from.max(0).to_string()));
            query.push(("end_accession_date", span.until.to_string()));
            let listed = self
                .get_list("payments/api/v1/subscriptions", &query)
                .await?;
            return into_pulled(listed, |item: Member| {
                item.into_subscription().map(Record::Subscription)
            });
        }
        query.push(("start_date", span.from.to_string()));
        query.push(("end_date", span.until.to_string()));
        if let Some((_, status)) = REVERSALS.iter().find(|(name, _)| *name == feed.name) {
            query.push(("transaction_status", (*status).to_owned()));
        }
        let listed = self
            .get_list("payments/api/v1/sales/history", &query)
            .await?;
        into_pulled(listed, |item: Sale| {
            item.into_purchase().map(Record::Purchase)
        })
    }

    async fn check_available(&self) -> Result<()> {
        *self.lock_cached_token() = None;
        self.get_token().await.map(drop)
    }
}

fn into_pulled<T>(listed: Listed<T>, read: impl Fn(T) -> Option<Record>) -> Result<Pulled> {
    let records = listed.items.into_iter().map(|item| {
        read(item).ok_or_else(|| HOTMART.malformed_error("um registro da lista não é o esperado"))
    });
    let records = records.collect::<Result<_, Error>>()?;
    let next = listed.page_info.and_then(|info| info.next_page_token);
    Ok(Pulled {
        records,
        next: next.filter(|token| !token.is_empty()),
    })
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    #[serde(default)]
    expires_in: i32,
}

#[derive(Deserialize)]
struct Listed<T> {
    items: Vec<T>,
    page_info: Option<PageInfo>,
}

#[derive(Deserialize)]
struct PageInfo {
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
struct Sale {
    purchase: Purchase,
    buyer: Option<Person>,
    product: Product,
}

#[derive(Deserialize)]
struct Purchase {
    transaction: String,
    status: String,
    approved_date: Option<Millis>,
    order_date: Option<Millis>,
    price: Price,
    tracking: Option<Tracking>,
}

#[derive(Deserialize)]
struct Price {
    value: serde_json::Number,
    currency_code: String,
}

#[derive(Deserialize)]
struct Tracking {
    source: Option<String>,
    source_sck: Option<String>,
}

#[derive(Deserialize)]
struct Person {
    email: Option<String>,
}

#[derive(Deserialize)]
struct Product {
    id: serde_json::Number,
    name: String,
}

impl Price {
    fn parse_price(&self) -> Option<(i64, String)> {
        Some((
            parse_cents(&self.value.to_string())?,
            parse_currency(&self.currency_code)?,
        ))
    }
}

impl Sale {
    fn into_purchase(self) -> Option<StorePurchase> {
        let purchase = self.purchase;
        let (value, currency) = purchase.price.parse_price()?;
        let status = match purchase.status.as_str() {
            "APPROVED" | "COMPLETE" => PurchaseStatus::Approved,
            "REFUNDED" => PurchaseStatus::Refunded,
            "PARTIALLY_REFUNDED" => PurchaseStatus::PartlyRefunded,
            "CHARGEBACK" => PurchaseStatus::Chargeback,
            "CANCELLED" | "EXPIRED" | "NO_FUNDS" | "BLOCKED" => PurchaseStatus::Canceled,
            _ => PurchaseStatus::Pending,
        };
        Some(StorePurchase {
            transaction: clean_text(Some(&purchase.transaction), 100)?,
            occurred_at: purchase.approved_date.or(purchase.order_date)?,
            status,
            product_id: self.product.id.to_string(),
            product: clean_text(Some(&self.product.name), 200)?,
            amount_cents: value,
            // The sales history does not state the amount of a partial refund.
            refunded_cents: match status {
                PurchaseStatus::Refunded | PurchaseStatus::Chargeback => value,
                _ => 0,
            },
            currency,
            email: self.buyer.and_then(|buyer| buyer.email),
            origin: purchase
                .tracking
                .map(Tracking::into_utm)
                .unwrap_or_default(),
        })
    }
}

impl Tracking {
    /// Splits `source_sck`, which usually contains source, medium, campaign, content and term, separated
    /// by `|`.
    fn into_utm(self) -> Utm {
        let sck = self.source_sck.as_deref().unwrap_or_default();
        let mut parts = sck.split('|').map(|part| clean_text(Some(part), 200));
        let mut next = || parts.next().flatten();
        if sck.contains('|') {
            return Utm {
                source: next(),
                medium: next(),
                campaign: next(),
                content: next(),
                term: next(),
            };
        }
        Utm {
            source: clean_text(self.source.as_deref(), 200),
            campaign: clean_text(Some(sck), 200),
            ..Utm::default()
        }
    }
}

#[derive(Deserialize)]
struct Member {
    subscriber_code: String,
    status: String,
    accession_date: Millis,
    end_accession_date: Option<Millis>,
    plan: Plan,
    price: Price,
    subscriber: Option<Person>,
}

#[derive(Deserialize)]
struct Plan {
    name: String,
    /// The billing period in days.
    recurrency_period: Option<i64>,
}

impl Member {
    fn into_subscription(self) -> Option<StoreSubscription> {
        let (value, currency) = self.price.parse_price()?;
        let status = match self.status.as_str() {
            "ACTIVE" | "STARTED" => SubscriptionStatus::Active,
            "DELAYED" | "OVERDUE" => SubscriptionStatus::Overdue,
            _ => SubscriptionStatus::Canceled,
        };
        // A period of 30 days is one month, and 365 days are 12 months.
        let months = (self.plan.recurrency_period.unwrap_or(30).clamp(1, 3_660) + 15) / 30;
        let is_canceled = status == SubscriptionStatus::Canceled;
        Some(StoreSubscription {
            id: clean_text(Some(&self.subscriber_code), 100)?,
            plan: clean_text(Some(&self.plan.name), 200)?,
            status,
            started_at: self.accession_date,
            ended_at: self.end_accession_date.filter(|_| is_canceled),
            amount_cents: value / months.max(1),
            currency,
            email: self.subscriber.and_then(|person| person.email),
        })
    }
}
