//! Converts records of a store to rows. E-mail addresses are replaced by person ids.

use domain::{
    Email,
    sales::{AdSpend, Purchase, Subscription},
    time::Millis,
};
use gateway::{Pepper, Result};
use ports::Record;
use store::{Conn, sales};

/// Saves the records of a page. Returns the number of new or changed records.
pub(super) async fn save_records(
    db: &Conn<'_>,
    store: &str,
    records: Vec<Record>,
    pepper: &Pepper,
    now: Millis,
) -> Result<usize> {
    let (mut purchases, mut subscriptions, mut spend) = (vec![], vec![], Vec::<AdSpend>::new());
    let person = |email: Option<String>| {
        let email: Option<Email> = email.and_then(|email| email.trim().parse().ok());
        email.map(|email| pepper.person_id(&email)).transpose()
    };
    for record in records {
        match record {
            Record::Purchase(one) => purchases.push(Purchase {
                store: store.to_owned(),
                transaction_id: one.transaction,
                occurred_at: one.occurred_at,
                status: one.status,
                person: person(one.email)?,
                severed: false,
                product_id: one.product_id,
                product: one.product,
                amount_cents: one.amount_cents,
                refunded_cents: one.refunded_cents,
                currency: one.currency,
                seller: None,
                launch: None,
                utm: one.origin,
            }),
            Record::Subscription(one) => subscriptions.push(Subscription {
                store: store.to_owned(),
                subscription_id: one.id,
                plan: one.plan,
                status: one.status,
                started_at: one.started_at,
                ended_at: one.ended_at,
                amount_cents: one.amount_cents,
                currency: one.currency,
                person: person(one.email)?,
                severed: false,
            }),
            Record::Spend(one) => spend.push(one),
        }
    }
    let mut written = 0;
    if !purchases.is_empty() {
        written += sales::save_purchases(db, purchases, now).await?;
    }
    if !subscriptions.is_empty() {
        written += sales::save_subscriptions(db, subscriptions, now).await?;
    }
    if !spend.is_empty() {
        written += sales::save_ad_spend(db, spend, now).await?;
    }
    Ok(written)
}
