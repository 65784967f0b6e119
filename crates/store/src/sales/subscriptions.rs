//! Subscriptions: one row each, with the state that results from its reports.

use std::collections::BTreeMap;

use domain::{Error, PersonId, sales::Subscription, time::Millis};
use sea_orm::Value;

use super::change::{self, Change};
use crate::{
    Bind, Conn, Result, Row,
    many::{ROWS, bind_rows},
    turns::{Turn, take_turn},
};

const COLUMNS: &str = "store, subscription_id, plan, status, started_at, ended_at, amount_cents, \
    currency, person, severed";

/// Saves reports in the order of arrival. Returns the number of changed subscriptions.
///
/// [`Subscription::merge_report`] determines the resulting state.
pub async fn save(db: &Conn<'_>, reports: Vec<Subscription>, now: Millis) -> Result<usize> {
    take_turn(db, Turn::Sales).await?;
    let mut reports = reports.into_iter().map(Subscription::without_emails);
    let mut changed = 0;
    loop {
        let batch: Vec<Subscription> = reports.by_ref().take(ROWS).collect();
        if batch.is_empty() {
            return Ok(changed);
        }
        let changes = load_changes(db, batch).await?;
        write_changes(db, &changes, now).await?;
        changed += changes.len();
    }
}

async fn load_changes(
    db: &Conn<'_>,
    reports: Vec<Subscription>,
) -> Result<Vec<Change<Subscription>>> {
    let key = |one: &Subscription| (one.store.clone(), one.subscription_id.clone());
    let keys = reports.iter().map(|report| {
        let key: [Value; 2] = [
            report.store.as_str().into(),
            report.subscription_id.as_str().into(),
        ];
        key
    });
    let (keys, values) = bind_rows(keys);
    let sql = format!(
        "SELECT {COLUMNS} FROM subscriptions
         WHERE (store, subscription_id) IN (VALUES {keys})"
    );
    let mut before = BTreeMap::new();
    for row in db.fetch_all(&sql, values).await? {
        let subscription = read_row(&row)?;
        before.insert(key(&subscription), subscription);
    }
    Ok(change::merge_reports(
        before,
        reports,
        key,
        Subscription::merge_report,
    ))
}

async fn write_changes(db: &Conn<'_>, changes: &[Change<Subscription>], now: Millis) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (rows, values) = bind_rows(changes.iter().map(|change| row_values(&change.after, now)));
    let sql = format!(
        "INSERT INTO subscriptions ({COLUMNS}, updated_at) VALUES {rows}
         ON CONFLICT (store, subscription_id) DO UPDATE SET
            plan = excluded.plan, status = excluded.status, started_at = excluded.started_at,
            ended_at = excluded.ended_at, amount_cents = excluded.amount_cents,
            currency = excluded.currency, person = excluded.person, severed = excluded.severed,
            updated_at = excluded.updated_at, stale = 1"
    );
    db.run(&sql, values).await?;
    Ok(())
}

/// Returns the subscriptions of a person, newest first.
pub async fn list_of_person(
    db: &Conn<'_>,
    person: &PersonId,
    most: i64,
) -> Result<Vec<Subscription>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM subscriptions WHERE person = $1
         ORDER BY started_at DESC, store, subscription_id LIMIT $2"
    );
    let rows = db.fetch_all(&sql, [person.value(), most.into()]).await?;
    rows.iter().map(read_row).collect()
}

fn row_values(subscription: &Subscription, now: Millis) -> [Value; 11] {
    [
        subscription.store.as_str().into(),
        subscription.subscription_id.as_str().into(),
        subscription.plan.as_str().into(),
        subscription.status.as_str().into(),
        subscription.started_at.into(),
        subscription.ended_at.into(),
        subscription.amount_cents.into(),
        subscription.currency.as_str().into(),
        subscription.person.as_ref().map(PersonId::as_str).into(),
        i64::from(subscription.severed).into(),
        now.into(),
    ]
}

fn read_row(row: &Row) -> Result<Subscription> {
    let status: String = row.try_get("", "status")?;
    Ok(Subscription {
        store: row.try_get("", "store")?,
        subscription_id: row.try_get("", "subscription_id")?,
        plan: row.try_get("", "plan")?,
        status: status.parse().map_err(Error::internal)?,
        started_at: row.try_get("", "started_at")?,
        ended_at: row.try_get("", "ended_at")?,
        amount_cents: row.try_get("", "amount_cents")?,
        currency: row.try_get("", "currency")?,
        person: row.try_get("", "person")?,
        severed: row.try_get::<i64>("", "severed")? == 1,
    })
}
