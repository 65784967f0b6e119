//! Subscriptions that started and ended, by day and plan.

use std::collections::BTreeSet;

use domain::time::Millis;
use sea_orm::Value;

use super::{
    day::{self, Day},
    kind::Kind,
};
use crate::{
    Conn, Result,
    many::{ROWS, bind_rows},
};

/// Settles a batch of marked subscriptions: determines when they ended, and marks their days.
/// Returns the number of subscriptions processed.
pub(super) async fn settle_batch(db: &Conn<'_>) -> Result<usize> {
    let sql = format!(
        "SELECT store, subscription_id, status, started_at, ended_at, updated_at, counted_start,
            counted_end
         FROM subscriptions WHERE stale = 1 LIMIT {ROWS}"
    );
    let (mut rows, mut stale) = (vec![], BTreeSet::new());
    for row in db.fetch_all(&sql, []).await? {
        let status: String = row.try_get("", "status")?;
        let ended_at: Option<Millis> = row.try_get("", "ended_at")?;
        let updated_at: Millis = row.try_get("", "updated_at")?;
        // A cancellation without a date is counted on the date on which it was reported.
        let left_at = (status == "cancelada").then(|| ended_at.unwrap_or(updated_at));
        let start = day::day_text(row.try_get("", "started_at")?);
        let end = left_at.map(day::day_text);
        for counted in ["counted_start", "counted_end"] {
            stale.extend(row.try_get::<Option<String>>("", counted)?);
        }
        stale.insert(start.clone());
        stale.extend(end.clone());
        let row: [Value; 5] = [
            row.try_get::<String>("", "store")?.into(),
            row.try_get::<String>("", "subscription_id")?.into(),
            left_at.into(),
            start.into(),
            end.into(),
        ];
        rows.push(row);
    }
    if rows.is_empty() {
        return Ok(0);
    }
    let taken = rows.len();
    day::mark_stale_days(db, Kind::Subscriptions, stale).await?;
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "WITH settled (store, subscription_id, left_at, counted_start, counted_end)
            AS (VALUES {rows})
         UPDATE subscriptions SET stale = 0, left_at = settled.left_at,
            counted_start = settled.counted_start, counted_end = settled.counted_end
         FROM settled WHERE subscriptions.store = settled.store
            AND subscriptions.subscription_id = settled.subscription_id"
    );
    db.run(&sql, values).await?;
    Ok(taken)
}

/// Recounts the subscriptions that started and ended on a day.
pub(super) async fn recount_day(db: &Conn<'_>, day: &Day) -> Result<()> {
    let sql = "DELETE FROM figure_subscriptions WHERE day = $1";
    db.run(sql, [day.text.as_str().into()]).await?;
    let sql = "INSERT INTO figure_subscriptions (day, plan, currency, started, started_cents,
            ended, ended_cents, overdue)
        SELECT $1, plan, currency, CAST(SUM(started) AS BIGINT), CAST(SUM(started_cents) AS BIGINT),
            CAST(SUM(ended) AS BIGINT), CAST(SUM(ended_cents) AS BIGINT),
            CAST(SUM(overdue) AS BIGINT)
        FROM (
            SELECT plan, currency, 1 AS started, amount_cents AS started_cents, 0 AS ended,
                0 AS ended_cents, CASE WHEN status = 'em_atraso' THEN 1 ELSE 0 END AS overdue
            FROM subscriptions WHERE started_at >= $2 AND started_at < $3
            UNION ALL
            SELECT plan, currency, 0, 0, 1, amount_cents, 0
            FROM subscriptions WHERE left_at >= $2 AND left_at < $3) changes
        GROUP BY plan, currency";
    db.run(sql, day.to_parameters()).await?;
    Ok(())
}
