//! Figures for the dashboards, except sales: sums over days, and pages of dispatches and ended
//! subscriptions.

use domain::time::{LocalDay, Millis};
use sea_orm::Value;

use crate::{Columns, Conn, Result, Row, columns, many::bind_rows};

/// The first and the last day of a span, both inclusive.
pub type Days = (LocalDay, LocalDay);

pub(super) fn day_parameters((first, last): Days) -> [Value; 2] {
    [first.0.to_string().into(), last.0.to_string().into()]
}

pub(super) async fn fetch_all<T: Columns>(
    db: &Conn<'_>,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Vec<T>> {
    let rows = db.fetch_all(sql, values).await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}

/// The sales of a seller in one currency.
#[derive(Debug)]
pub struct SellerFigure {
    pub seller: String,
    pub currency: String,
    pub sales: i64,
    pub gross_cents: i64,
    pub refunded_cents: i64,
}

columns!(SellerFigure {
    seller,
    currency,
    sales,
    gross_cents,
    refunded_cents,
});

/// Lists the sales of each seller on these days.
pub async fn list_sellers(db: &Conn<'_>, days: Days) -> Result<Vec<SellerFigure>> {
    let sql = "SELECT seller, currency, CAST(SUM(sales) AS BIGINT) AS sales,
            CAST(SUM(gross_cents) AS BIGINT) AS gross_cents,
            CAST(SUM(refunded_cents) AS BIGINT) AS refunded_cents
        FROM figure_sellers WHERE day BETWEEN $1 AND $2 GROUP BY seller, currency";
    fetch_all(db, sql, day_parameters(days)).await
}

/// The numbers of distinct sessions and people that reached a funnel step.
#[derive(Debug)]
pub struct JourneyFigure {
    pub step: String,
    pub sessions: i64,
    pub people: i64,
}

columns!(JourneyFigure {
    step,
    sessions,
    people,
});

/// Lists the steps in these scopes on these days.
pub async fn list_journey_steps(
    db: &Conn<'_>,
    scopes: &[String],
    days: Days,
) -> Result<Vec<JourneyFigure>> {
    let Some((scopes, values)) = bind_scopes_and_days(scopes, days) else {
        return Ok(vec![]);
    };
    let sql = format!(
        "SELECT step, CAST(SUM(sessions) AS BIGINT) AS sessions,
            CAST(SUM(people) AS BIGINT) AS people
         FROM figure_journey WHERE scope IN ({scopes}) AND step IN
            ('visitou_pagina', 'identificou', 'abriu_checkout', 'etapa_checkout')
            AND day BETWEEN $1 AND $2 GROUP BY step"
    );
    fetch_all(db, &sql, values).await
}

/// The number of people who gave an answer to a poll.
#[derive(Debug)]
pub struct PollFigure {
    pub poll: String,
    pub choice: String,
    pub people: i64,
}

columns!(PollFigure {
    poll,
    choice,
    people,
});

/// Lists the poll answers in these scopes on these days.
pub async fn list_poll_answers(
    db: &Conn<'_>,
    scopes: &[String],
    days: Days,
) -> Result<Vec<PollFigure>> {
    let Some((scopes, values)) = bind_scopes_and_days(scopes, days) else {
        return Ok(vec![]);
    };
    let sql = format!(
        "SELECT poll, choice, CAST(SUM(people) AS BIGINT) AS people
         FROM figure_journey WHERE scope IN ({scopes}) AND step = 'respondeu_enquete'
            AND day BETWEEN $1 AND $2 GROUP BY poll, choice HAVING SUM(people) > 0"
    );
    fetch_all(db, &sql, values).await
}

fn bind_scopes_and_days(scopes: &[String], days: Days) -> Option<(String, Vec<Value>)> {
    let places = (3..scopes.len() + 3).map(|at| format!("${at}"));
    let values = day_parameters(days).into_iter();
    let values = values.chain(scopes.iter().map(|scope| scope.as_str().into()));
    let places: Vec<String> = places.collect();
    (!scopes.is_empty()).then(|| (places.join(", "), values.collect()))
}

/// Lists the scopes of visits that have only a campaign, for campaigns whose names start with one of
/// these texts.
pub async fn list_campaign_scopes(db: &Conn<'_>, beginnings: &[&str]) -> Result<Vec<String>> {
    // The query jumps from scope to scope in the index, instead of reading all days of each.
    let sql = "WITH RECURSIVE found (scope) AS (
            SELECT MIN(scope) FROM figure_journey WHERE scope >= $1 AND scope < $2
            UNION ALL
            SELECT (SELECT MIN(j.scope) FROM figure_journey j
                WHERE j.scope > found.scope AND j.scope < $2)
            FROM found WHERE found.scope IS NOT NULL)
        SELECT scope FROM found WHERE scope IS NOT NULL";
    let mut scopes = vec![];
    for beginning in beginnings {
        let first = format!("c:{beginning}");
        let after = format!("{first}\u{10ffff}");
        for row in db.fetch_all(sql, [first.into(), after.into()]).await? {
            scopes.push(row.try_get("", "scope")?);
        }
    }
    scopes.sort();
    scopes.dedup();
    Ok(scopes)
}

/// The number of people in a stage of the sales funnel.
#[derive(Debug)]
pub struct CrmFigure {
    pub stage: String,
    pub people: i64,
}

columns!(CrmFigure { stage, people });

/// Lists the stages reached on these days.
pub async fn list_crm_stages(db: &Conn<'_>, code: &str, days: Days) -> Result<Vec<CrmFigure>> {
    let sql = "SELECT stage, CAST(SUM(people) AS BIGINT) AS people FROM figure_crm
        WHERE launch = $3 AND day BETWEEN $1 AND $2 GROUP BY stage
        HAVING SUM(people) > 0 ORDER BY people DESC, stage";
    let values = day_parameters(days).into_iter().chain([code.into()]);
    fetch_all(db, sql, values).await
}

/// A dispatch of a launch.
#[derive(Debug)]
pub struct DispatchFigure {
    pub id: String,
    pub name: String,
    pub channel: String,
    pub sent_at: Millis,
    pub sent: i64,
}

columns!(DispatchFigure {
    id,
    name,
    channel,
    sent_at,
    sent,
});

/// Lists the dispatches of a launch in a span, newest first, after a position; at most `probe`
/// rows.
pub async fn list_dispatches(
    db: &Conn<'_>,
    code: &str,
    (from, until): (Millis, Millis),
    before: Option<(Millis, String)>,
    probe: i64,
) -> Result<Vec<DispatchFigure>> {
    let (at, id) = before.unwrap_or((i64::MAX, String::new()));
    let sql = "SELECT id, name, channel, sent_at, sent FROM dispatches
        WHERE launch = $1 AND sent_at >= $2 AND sent_at < $3
            AND sent_at <= $4 AND (sent_at < $4 OR id > $5)
        ORDER BY sent_at DESC, id LIMIT $6";
    let values = [
        code.into(),
        from.into(),
        until.into(),
        at.into(),
        id.into(),
        probe.into(),
    ];
    fetch_all(db, sql, values).await
}

/// Loads the number of e-mails of each dispatch, by kind of delivery event: (dispatch, kind, mails).
pub async fn load_mail_counts(
    db: &Conn<'_>,
    dispatches: &[&str],
) -> Result<Vec<(String, String, i64)>> {
    let mut found = vec![];
    for batch in dispatches.chunks(crate::many::ROWS) {
        let (ids, values) = bind_rows(batch.iter().map(|id| [(*id).into()]));
        let sql = format!(
            "SELECT dispatch_id, kind, mails FROM figure_dispatches
             WHERE dispatch_id IN (VALUES {ids})"
        );
        for row in db.fetch_all(&sql, values).await? {
            found.push((
                row.try_get("", "dispatch_id")?,
                row.try_get("", "kind")?,
                row.try_get("", "mails")?,
            ));
        }
    }
    Ok(found)
}

/// The numbers of subscriptions of a plan that started and that ended.
#[derive(Debug)]
pub struct SubscriptionFigure {
    pub plan: String,
    pub currency: String,
    pub started: i64,
    pub started_cents: i64,
    pub ended: i64,
    pub ended_cents: i64,
    pub overdue: i64,
}

columns!(SubscriptionFigure {
    plan,
    currency,
    started,
    started_cents,
    ended,
    ended_cents,
    overdue,
});

const SUBSCRIPTIONS: &str = "SELECT plan, currency, CAST(SUM(started) AS BIGINT) AS started,
    CAST(SUM(started_cents) AS BIGINT) AS started_cents, CAST(SUM(ended) AS BIGINT) AS ended,
    CAST(SUM(ended_cents) AS BIGINT) AS ended_cents, CAST(SUM(overdue) AS BIGINT) AS overdue
    FROM figure_subscriptions";

/// Counts the subscriptions that started and ended up to a day, inclusive.
pub async fn count_subscriptions_until(
    db: &Conn<'_>,
    last: LocalDay,
) -> Result<Vec<SubscriptionFigure>> {
    let sql = format!("{SUBSCRIPTIONS} WHERE day <= $1 GROUP BY plan, currency");
    fetch_all(db, &sql, [last.0.to_string().into()]).await
}

/// Counts the subscriptions that started and ended on these days.
pub async fn count_subscriptions_on_days(
    db: &Conn<'_>,
    days: Days,
) -> Result<Vec<SubscriptionFigure>> {
    let sql = format!("{SUBSCRIPTIONS} WHERE day BETWEEN $1 AND $2 GROUP BY plan, currency");
    fetch_all(db, &sql, day_parameters(days)).await
}

/// A subscription that ended, with the cancellation reason recorded last.
#[derive(Debug)]
pub struct LeavingSubscription {
    pub store: String,
    pub subscription_id: String,
    pub plan: String,
    pub started_at: Millis,
    pub left_at: Millis,
    pub amount_cents: i64,
    pub currency: String,
    pub reason: Option<String>,
}

columns!(LeavingSubscription {
    store,
    subscription_id,
    plan,
    started_at,
    left_at,
    amount_cents,
    currency,
    reason,
});

/// The cancellation reason recorded last for the subscription `s`.
const LAST_REASON: &str = "(SELECT c.reason FROM subscription_cancellations c
    WHERE c.subscription_id = s.subscription_id ORDER BY c.recorded_at DESC, c.id DESC LIMIT 1)";

/// A filter of ended subscriptions; an absent field matches every subscription.
#[derive(Debug, Default)]
pub struct Left<'a> {
    pub plan: Option<&'a str>,
    /// The cancellation reason recorded last.
    pub reason: Option<&'a str>,
    /// True to select only subscriptions without a recorded reason.
    pub without_reason: bool,
    /// The minimum price, in cents.
    pub least_cents: Option<i64>,
    /// The maximum price, in cents.
    pub most_cents: Option<i64>,
}

/// Lists the subscriptions that ended in a span, latest first, after a position; at most `probe`
/// rows.
pub async fn list_ended_subscriptions(
    db: &Conn<'_>,
    (from, until): (Millis, Millis),
    which: Left<'_>,
    before: Option<(Millis, String, String)>,
    probe: i64,
) -> Result<Vec<LeavingSubscription>> {
    let (at, store, id) = before.unwrap_or((i64::MAX, String::new(), String::new()));
    let mut values: Vec<Value> = vec![
        from.into(),
        until.into(),
        at.into(),
        store.into(),
        id.into(),
        probe.into(),
    ];
    let mut conditions = String::new();
    let tests: [(&str, &str, Option<Value>); 4] = [
        ("s.plan", "=", which.plan.map(Into::into)),
        (LAST_REASON, "=", which.reason.map(Into::into)),
        ("s.amount_cents", ">=", which.least_cents.map(Into::into)),
        ("s.amount_cents", "<=", which.most_cents.map(Into::into)),
    ];
    for (column, test, wanted) in tests {
        if let Some(wanted) = wanted {
            values.push(wanted);
            conditions = format!("{conditions} AND {column} {test} ${}", values.len());
        }
    }
    if which.without_reason {
        conditions = format!("{conditions} AND {LAST_REASON} IS NULL");
    }
    let sql = format!(
        "SELECT s.store, s.subscription_id, s.plan, s.started_at, s.left_at, s.amount_cents,
            s.currency, {LAST_REASON} AS reason
         FROM subscriptions s
         WHERE s.left_at >= $1 AND s.left_at < $2 AND s.left_at <= $3
            AND (s.left_at < $3 OR (s.store, s.subscription_id) > ($4, $5)){conditions}
         ORDER BY s.left_at DESC, s.store, s.subscription_id LIMIT $6"
    );
    fetch_all(db, &sql, values).await
}

/// Returns whether a subscription with this id exists.
pub async fn subscription_exists(db: &Conn<'_>, id: &str) -> Result<bool> {
    let sql = "SELECT 1 AS found FROM subscriptions WHERE subscription_id = $1 LIMIT 1";
    Ok(db.fetch_one(sql, [id.into()]).await?.is_some())
}
