//! Purchases: one row each, with the state that results from its reports.

use std::collections::BTreeMap;

use domain::{
    Error, PersonId,
    sales::{Purchase, Utm},
    time::Millis,
};
use sea_orm::Value;

use super::change::{self, Change};
use crate::{
    Bind, Conn, Result, Row,
    figures::{self, Settled},
    many::{ROWS, bind_rows},
    sqlite::Cell,
    turns::{Turn, take_turn},
};

const COLUMNS: &str = "store, transaction_id, occurred_at, status, person, severed, product_id, \
    product, amount_cents, refunded_cents, currency, seller, launch, utm_source, utm_medium, \
    utm_campaign, utm_content, utm_term";

/// Saves reports in the order of arrival. Returns the number of changed purchases.
///
/// [`Purchase::merge_report`] determines the resulting state. A report without new information
/// changes nothing.
pub async fn save(db: &Conn<'_>, reports: Vec<Purchase>, now: Millis) -> Result<usize> {
    take_turn(db, Turn::Sales).await?;
    let mut reports = reports.into_iter().map(Purchase::without_emails);
    let mut changed = 0;
    loop {
        let batch: Vec<Purchase> = reports.by_ref().take(ROWS).collect();
        if batch.is_empty() {
            return Ok(changed);
        }
        let changes = load_changes(db, batch).await?;
        write_changes(db, &changes, now).await?;
        mark_former_buyers(db, &changes).await?;
        changed += changes.len();
    }
}

async fn load_changes(db: &Conn<'_>, reports: Vec<Purchase>) -> Result<Vec<Change<Purchase>>> {
    let key = |one: &Purchase| (one.store.clone(), one.transaction_id.clone());
    let keys = reports.iter().map(|report| {
        let key: [Value; 2] = [
            report.store.as_str().into(),
            report.transaction_id.as_str().into(),
        ];
        key
    });
    let (keys, values) = bind_rows(keys);
    let sql =
        format!("SELECT {COLUMNS} FROM purchases WHERE (store, transaction_id) IN (VALUES {keys})");
    let mut before = BTreeMap::new();
    for row in db.fetch_all(&sql, values).await? {
        let purchase = read_row(&row)?;
        before.insert(key(&purchase), purchase);
    }
    Ok(change::merge_reports(
        before,
        reports,
        key,
        Purchase::merge_report,
    ))
}

async fn write_changes(db: &Conn<'_>, changes: &[Change<Purchase>], now: Millis) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (new, known): (Vec<_>, Vec<_>) = changes.iter().partition(|one| one.before.is_none());
    let new = || new.iter().map(|change| &change.after);
    let settled = figures::settle_new(db, new()).await?;
    let into = format!(
        "INTO purchases ({COLUMNS}, updated_at, stale, counted_day, first_origin, first_touch_at,
            last_origin, last_touch_at)"
    );
    let rows = new().zip(&settled);
    let rows: Vec<_> = rows
        .map(|(purchase, settled)| row_cells(purchase, Some(settled), now))
        .collect();
    db.insert((&into, ""), &rows).await?;
    let rows: Vec<_> = known
        .iter()
        .map(|change| row_cells(&change.after, None, now))
        .collect();
    let update = "ON CONFLICT (store, transaction_id) DO UPDATE SET
        occurred_at = excluded.occurred_at, status = excluded.status,
        person = excluded.person, severed = excluded.severed,
        product_id = excluded.product_id, product = excluded.product,
        amount_cents = excluded.amount_cents, refunded_cents = excluded.refunded_cents,
        currency = excluded.currency, seller = excluded.seller, launch = excluded.launch,
        utm_source = excluded.utm_source, utm_medium = excluded.utm_medium,
        utm_campaign = excluded.utm_campaign, utm_content = excluded.utm_content,
        utm_term = excluded.utm_term, updated_at = excluded.updated_at, stale = 1";
    db.insert((&into, update), &rows).await?;
    Ok(())
}

/// Marks the purchases of people who lost a purchase to another person, because another purchase
/// may now be their first.
async fn mark_former_buyers(db: &Conn<'_>, changes: &[Change<Purchase>]) -> Result<()> {
    let former = changes.iter().filter_map(|change| {
        let before = change.before.as_ref()?.person.as_ref()?;
        (change.after.person.as_ref() != Some(before)).then(|| [before.value()])
    });
    let (people, values) = bind_rows(former);
    if values.is_empty() {
        return Ok(());
    }
    let sql = format!("UPDATE purchases SET stale = 1 WHERE person IN (VALUES {people})");
    db.run(&sql, values).await?;
    Ok(())
}

/// Returns the purchases of a person, newest first.
pub async fn list_of_person(db: &Conn<'_>, person: &PersonId, most: i64) -> Result<Vec<Purchase>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM purchases WHERE person = $1
         ORDER BY occurred_at DESC, store, transaction_id LIMIT $2"
    );
    let rows = db.fetch_all(&sql, [person.value(), most.into()]).await?;
    rows.iter().map(read_row).collect()
}

/// Returns the values of a row. Without `settled`, marks the row as not counted.
fn row_cells<'a>(
    purchase: &'a Purchase,
    settled: Option<&'a Settled>,
    now: Millis,
) -> [Cell<'a>; 25] {
    let utm = &purchase.utm;
    let origins = settled.map(|settled| &settled.origins);
    [
        purchase.store.as_str().into(),
        purchase.transaction_id.as_str().into(),
        purchase.occurred_at.into(),
        purchase.status.as_str().into(),
        purchase.person.as_ref().map(PersonId::as_str).into(),
        i64::from(purchase.severed).into(),
        purchase.product_id.as_str().into(),
        purchase.product.as_str().into(),
        purchase.amount_cents.into(),
        purchase.refunded_cents.into(),
        purchase.currency.as_str().into(),
        purchase.seller.as_deref().into(),
        purchase.launch.as_deref().into(),
        utm.source.as_deref().into(),
        utm.medium.as_deref().into(),
        utm.campaign.as_deref().into(),
        utm.content.as_deref().into(),
        utm.term.as_deref().into(),
        now.into(),
        i64::from(settled.is_none()).into(),
        settled.map(|settled| settled.day.as_str()).into(),
        origins.and_then(|o| o.first.as_deref()).into(),
        origins.and_then(|o| o.first_at).into(),
        origins.and_then(|o| o.last.as_deref()).into(),
        origins.and_then(|o| o.last_at).into(),
    ]
}

fn read_row(row: &Row) -> Result<Purchase> {
    let status: String = row.try_get("", "status")?;
    Ok(Purchase {
        store: row.try_get("", "store")?,
        transaction_id: row.try_get("", "transaction_id")?,
        occurred_at: row.try_get("", "occurred_at")?,
        status: status.parse().map_err(Error::internal)?,
        person: row.try_get("", "person")?,
        severed: row.try_get::<i64>("", "severed")? == 1,
        product_id: row.try_get("", "product_id")?,
        product: row.try_get("", "product")?,
        amount_cents: row.try_get("", "amount_cents")?,
        refunded_cents: row.try_get("", "refunded_cents")?,
        currency: row.try_get("", "currency")?,
        seller: row.try_get("", "seller")?,
        launch: row.try_get("", "launch")?,
        utm: Utm {
            source: row.try_get("", "utm_source")?,
            medium: row.try_get("", "utm_medium")?,
            campaign: row.try_get("", "utm_campaign")?,
            content: row.try_get("", "utm_content")?,
            term: row.try_get("", "utm_term")?,
        },
    })
}
