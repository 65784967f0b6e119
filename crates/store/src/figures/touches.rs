//! The sales of each origin, by day and by month.
//!
//! `figure_touch_months` has monthly sums, so that a launch that lasts a year is read from a few
//! rows per origin. The transaction that changes a day also changes its month by the same
//! difference, so the sums always match `figure_touches`.
//!
//! A row has two groups of sums: of the purchases whose first touch is the origin, and of the
//! purchases whose last touch is the origin. Most purchases have the same origin in both, so they
//! need one row.
//!
//! A recount writes only the rows that differ. A launch is read from its whole months and the days
//! around them.

use std::collections::BTreeMap;

use sea_orm::Value;

use super::{
    months::Months,
    read::{Days, fetch_all},
    sales::Selection,
};
use crate::{
    Conn, Result, columns,
    many::{ROWS, bind_rows},
    sqlite::Cell,
};

/// The scope, currency and origin of a row.
pub(super) type Key = [String; 3];
/// The number of sales, the gross cents and the refunded cents of the first touch, followed by
/// those of the last touch.
pub(super) type Sums = [i64; 6];
const SUMS: [&str; 6] = [
    "first_sales",
    "first_gross_cents",
    "first_refunded_cents",
    "last_sales",
    "last_gross_cents",
    "last_refunded_cents",
];

/// A row of a day before and after its recount.
struct Change<'a> {
    key: &'a Key,
    before: Option<Sums>,
    after: Option<Sums>,
}

impl Change<'_> {
    /// Returns the change of the month: the difference in the number of days that have this row, and the
    /// differences of the sums.
    fn difference(&self) -> (i64, Sums) {
        let days = |sums: Option<Sums>| i64::from(sums.is_some());
        let (before, after) = (
            self.before.unwrap_or_default(),
            self.after.unwrap_or_default(),
        );
        (
            days(self.after) - days(self.before),
            std::array::from_fn(|at| after[at] - before[at]),
        )
    }
}

/// Changes of months, collected before they are written because many days of a month change the
/// same rows.
#[derive(Debug, Default)]
pub(super) struct MonthChanges(BTreeMap<(String, Key), (i64, Sums)>);

impl MonthChanges {
    fn add(&mut self, month: &str, change: &Change<'_>) {
        let sums = self.0.entry((month.to_owned(), change.key.clone()));
        let (days, sums) = sums.or_default();
        let (more_days, difference) = change.difference();
        *days += more_days;
        for (sum, one) in sums.iter_mut().zip(difference) {
            *sum += one;
        }
    }

    /// Writes the changes, and deletes the rows that sum up no day any more.
    pub async fn write(&mut self, db: &Conn<'_>) -> Result<()> {
        let changes = std::mem::take(&mut self.0);
        let changes: Vec<_> = changes
            .iter()
            .filter(|(_, difference)| **difference != Default::default())
            .collect();
        let rows = changes.iter().map(|((month, key), (days, sums))| {
            let [scope, currency, origin] = key.each_ref().map(String::as_str);
            let [
                first_sales,
                first_gross,
                first_refunded,
                last_sales,
                last_gross,
                last_refunded,
            ] = *sums;
            let row: [Cell<'_>; 11] = [
                scope.into(),
                month.as_str().into(),
                currency.into(),
                origin.into(),
                (*days).into(),
                first_sales.into(),
                first_gross.into(),
                first_refunded.into(),
                last_sales.into(),
                last_gross.into(),
                last_refunded.into(),
            ];
            row
        });
        let into = "INTO figure_touch_months (scope, month, currency, origin, days, first_sales,
            first_gross_cents, first_refunded_cents, last_sales, last_gross_cents,
            last_refunded_cents)";
        let update = "ON CONFLICT (scope, month, currency, origin) DO UPDATE SET
            days = figure_touch_months.days + excluded.days,
            first_sales = figure_touch_months.first_sales + excluded.first_sales,
            first_gross_cents = figure_touch_months.first_gross_cents + excluded.first_gross_cents,
            first_refunded_cents =
                figure_touch_months.first_refunded_cents + excluded.first_refunded_cents,
            last_sales = figure_touch_months.last_sales + excluded.last_sales,
            last_gross_cents = figure_touch_months.last_gross_cents + excluded.last_gross_cents,
            last_refunded_cents =
                figure_touch_months.last_refunded_cents + excluded.last_refunded_cents";
        db.insert((into, update), &rows.collect::<Vec<_>>()).await?;
        let fewer = changes.iter().filter(|(_, (days, _))| *days < 0);
        let fewer: Vec<_> = fewer
            .map(|((month, key), _)| (month.as_str(), key))
            .collect();
        delete_rows(
            db,
            ("figure_touch_months", "month"),
            &fewer,
            " AND days = 0",
        )
        .await
    }
}

/// Replaces the rows of a day, but writes only those that differ.
pub(super) async fn replace_day(
    db: &Conn<'_>,
    day: &str,
    lines: &BTreeMap<Key, Sums>,
    months: &mut MonthChanges,
) -> Result<()> {
    let stored = load_day(db, day).await?;
    let gone = stored.iter().filter(|(key, _)| !lines.contains_key(*key));
    let gone: Vec<_> = gone
        .map(|(key, before)| Change {
            key,
            before: Some(*before),
            after: None,
        })
        .collect();
    let changed = lines.iter().filter_map(|(key, after)| {
        let before = stored.get(key).copied();
        let after = Some(*after);
        (before != after).then_some(Change { key, before, after })
    });
    let changed: Vec<_> = changed.collect();
    let month = day.get(..7).unwrap_or(day);
    for change in gone.iter().chain(&changed) {
        months.add(month, change);
    }
    let gone: Vec<_> = gone.iter().map(|change| (day, change.key)).collect();
    delete_rows(db, ("figure_touches", "day"), &gone, "").await?;
    save_rows(db, day, &changed).await
}

async fn load_day(db: &Conn<'_>, day: &str) -> Result<BTreeMap<Key, Sums>> {
    let sql = "SELECT scope, currency, origin, first_sales, first_gross_cents,
            first_refunded_cents, last_sales, last_gross_cents, last_refunded_cents
        FROM figure_touches WHERE day = $1";
    let mut stored = BTreeMap::new();
    for row in db.fetch_all(sql, [day.into()]).await? {
        let key = [
            row.try_get("", "scope")?,
            row.try_get("", "currency")?,
            row.try_get("", "origin")?,
        ];
        let mut sums = Sums::default();
        for (sum, name) in sums.iter_mut().zip(SUMS) {
            *sum = row.try_get("", name)?;
        }
        stored.insert(key, sums);
    }
    Ok(stored)
}

/// Deletes the rows of days or months that meet the condition.
async fn delete_rows(
    db: &Conn<'_>,
    (table, time): (&str, &str),
    gone: &[(&str, &Key)],
    condition: &str,
) -> Result<()> {
    for batch in gone.chunks(ROWS) {
        let keys = batch.iter().map(|(time, key)| {
            let [scope, currency, origin] = key.each_ref().map(String::as_str);
            [*time, scope, currency, origin].map(Value::from)
        });
        let (keys, values) = bind_rows(keys);
        let sql = format!(
            "DELETE FROM {table} WHERE ({time}, scope, currency, origin)
                IN (VALUES {keys}){condition}"
        );
        db.run(&sql, values).await?;
    }
    Ok(())
}

async fn save_rows(db: &Conn<'_>, day: &str, changed: &[Change<'_>]) -> Result<()> {
    let rows = changed.iter().map(|change| {
        let [scope, currency, origin] = change.key.each_ref().map(String::as_str);
        let [
            first_sales,
            first_gross,
            first_refunded,
            last_sales,
            last_gross,
            last_refunded,
        ] = change.after.unwrap_or_default();
        let row: [Cell<'_>; 10] = [
            day.into(),
            scope.into(),
            currency.into(),
            origin.into(),
            first_sales.into(),
            first_gross.into(),
            first_refunded.into(),
            last_sales.into(),
            last_gross.into(),
            last_refunded.into(),
        ];
        row
    });
    let into = "INTO figure_touches (day, scope, currency, origin, first_sales, first_gross_cents,
        first_refunded_cents, last_sales, last_gross_cents, last_refunded_cents)";
    let update = "ON CONFLICT (day, scope, currency, origin) DO UPDATE SET
        first_sales = excluded.first_sales, first_gross_cents = excluded.first_gross_cents,
        first_refunded_cents = excluded.first_refunded_cents, last_sales = excluded.last_sales,
        last_gross_cents = excluded.last_gross_cents,
        last_refunded_cents = excluded.last_refunded_cents";
    db.insert((into, update), &rows.collect::<Vec<_>>()).await?;
    Ok(())
}

/// The sales of an origin.
#[derive(Debug)]
pub struct TouchFigure {
    pub currency: String,
    /// The id of the origin; empty if it is unknown.
    pub origin: String,
    pub sales: i64,
    pub gross_cents: i64,
    pub refunded_cents: i64,
    pub channel: Option<String>,
    pub source: Option<String>,
    pub medium: Option<String>,
    pub campaign: Option<String>,
    pub content: Option<String>,
}

columns!(TouchFigure {
    currency,
    origin,
    sales,
    gross_cents,
    refunded_cents,
    channel,
    source,
    medium,
    campaign,
    content,
});

/// Lists the sales of these days by origin, for either the first or the last touch.
pub async fn list_touches(
    db: &Conn<'_>,
    selection: &Selection,
    days: Days,
    is_first: bool,
) -> Result<Vec<TouchFigure>> {
    let touch = if is_first { "first" } else { "last" };
    let Selection::Launch { code, products } = selection else {
        return Ok(vec![]);
    };
    let code = code.iter().map(|code| format!("l:{code}"));
    let products = products.iter().map(|product| format!("p:{product}"));
    let scopes: Vec<Value> = code.chain(products).map(Value::from).collect();
    if scopes.is_empty() {
        return Ok(vec![]);
    }
    let whole = Months::from_days(days);
    let mut values: Vec<Value> = vec![whole.first.as_str().into(), whole.after.as_str().into()];
    let mut places = |listed: Vec<Value>| {
        let first = values.len() + 1;
        let places = (first..first + listed.len()).map(|at| format!("${at}"));
        values.extend(listed);
        places.collect::<Vec<_>>().join(", ")
    };
    let of_scopes = format!(
        // A row may have sums of only the first or only the last touch.
        "scope IN ({}) AND ({touch}_sales <> 0 OR {touch}_gross_cents <> 0)",
        places(scopes)
    );
    let columns = format!(
        "currency, origin, {touch}_sales AS sales, {touch}_gross_cents AS gross_cents,
            {touch}_refunded_cents AS refunded_cents"
    );
    let mut sold = format!(
        "SELECT {columns} FROM figure_touch_months
         WHERE {of_scopes} AND month >= $1 AND month < $2"
    );
    let around = whole.days_around(days);
    if !around.is_empty() {
        let around = places(around.into_iter().map(Value::from).collect());
        sold.push_str(&format!(
            " UNION ALL
             SELECT {columns} FROM figure_touches WHERE day IN ({around}) AND {of_scopes}"
        ));
    }
    let sql = format!(
        "SELECT t.currency, t.origin, t.sales, t.gross_cents, t.refunded_cents, o.channel,
            o.source, o.medium, o.campaign, o.content
         FROM (
            SELECT currency, origin, CAST(SUM(sales) AS BIGINT) AS sales,
                CAST(SUM(gross_cents) AS BIGINT) AS gross_cents,
                CAST(SUM(refunded_cents) AS BIGINT) AS refunded_cents
            FROM ({sold}) sold GROUP BY currency, origin) t
         LEFT JOIN figure_origins o ON o.id = t.origin"
    );
    fetch_all(db, &sql, values).await
}
