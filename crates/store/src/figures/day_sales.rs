//! The sales of a day, recounted in one pass over its purchases.

use std::collections::BTreeMap;

use sea_orm::Value;

use super::{day::Day, touches};
use crate::{
    Conn, Result, Row,
    many::{ROWS, bind_rows},
};

/// The condition for a purchase that was paid, even if the money was returned later.
pub(super) const PAID: &str = "status IN ('aprovada', 'parcial', 'reembolsada', 'chargeback')";
/// The condition for a sale: a paid purchase that was not completely refunded.
const SALE: &str = "(status IN ('aprovada', 'parcial')
    AND (refunded_cents < amount_cents OR refunded_cents = 0))";
/// The refunded part of a paid amount, in cents.
pub(super) const REFUNDED: &str = "CASE
    WHEN status IN ('reembolsada', 'chargeback') AND refunded_cents = 0 THEN amount_cents
    WHEN refunded_cents > amount_cents THEN amount_cents
    ELSE refunded_cents END";
const REFUND: &str = "(status IN ('parcial', 'reembolsada', 'chargeback') OR refunded_cents > 0)";

/// The lists over all launches, and the column that identifies the rows of each list.
const LISTS: [(&str, &str); 3] = [
    // PostgreSQL refuses to group by a bare constant.
    ("day", "CAST('' AS TEXT)"),
    ("store", "store"),
    ("product_id", "product_id"),
];

/// The numbers of sales and refunds, the gross and refunded cents, and the number of first buyers.
type Sums = [i64; 5];
const SUMS: [&str; 5] = [
    "sales",
    "refunds",
    "gross_cents",
    "refunded_cents",
    "buyers",
];

/// The figures of a day; each map has its own key.
#[derive(Default)]
struct Figures {
    /// The sums by launch, product, currency and store.
    sales: BTreeMap<[String; 4], Sums>,
    /// The sums by currency and seller.
    sellers: BTreeMap<[String; 2], Sums>,
    /// The sums by scope, currency and origin.
    touches: BTreeMap<touches::Key, touches::Sums>,
}

/// Recounts the sales of a day.
pub(super) async fn recount_day(
    db: &Conn<'_>,
    day: &Day,
    months: &mut touches::MonthChanges,
) -> Result<()> {
    for table in ["figure_sales", "figure_days", "figure_sellers"] {
        let sql = format!("DELETE FROM {table} WHERE day = $1");
        db.run(&sql, [day.text.as_str().into()]).await?;
    }
    let figures = load_figures(db, day).await?;
    let today = || Value::from(day.text.as_str());
    let rows = figures
        .sales
        .iter()
        .map(|([launch, product, currency, store], sums)| {
            let [launch, product, currency, store] =
                [launch, product, currency, store].map(|one| Value::from(one.as_str()));
            let [sales, refunds, gross, refunded, buyers] = sums.map(Value::from);
            [
                launch,
                product,
                today(),
                currency,
                store,
                sales,
                refunds,
                gross,
                refunded,
                buyers,
            ]
        });
    let columns = "figure_sales (launch, product_id, day, currency, store, sales, refunds,
        gross_cents, refunded_cents, buyers)";
    insert_rows(db, columns, rows.collect()).await?;
    for (list, name) in LISTS {
        let sql = format!(
            "INSERT INTO figure_days (list, day, currency, name, sales, refunds, gross_cents,
                refunded_cents, buyers)
             SELECT '{list}', day, currency, {name}, CAST(SUM(sales) AS BIGINT),
                CAST(SUM(refunds) AS BIGINT), CAST(SUM(gross_cents) AS BIGINT),
                CAST(SUM(refunded_cents) AS BIGINT), CAST(SUM(buyers) AS BIGINT)
             FROM figure_sales WHERE day = $1 GROUP BY day, currency, {name}"
        );
        db.run(&sql, [today()]).await?;
    }
    let rows = figures.sellers.iter().map(|([currency, seller], sums)| {
        let [sales, _, gross, refunded, _] = sums.map(Value::from);
        let (currency, seller) = (currency.as_str().into(), seller.as_str().into());
        [today(), currency, seller, sales, gross, refunded]
    });
    let columns = "figure_sellers (day, currency, seller, sales, gross_cents, refunded_cents)";
    insert_rows(db, columns, rows.collect()).await?;
    touches::replace_day(db, &day.text, &figures.touches, months).await
}

/// Reads the sums of a day's purchases, grouped by the columns of the most detailed figure.
async fn load_figures(db: &Conn<'_>, day: &Day) -> Result<Figures> {
    let earlier = "EXISTS (SELECT 1 FROM purchases q WHERE q.person = p.person
        AND q.occurred_at <= p.occurred_at
        AND (q.occurred_at, q.store, q.transaction_id)
            < (p.occurred_at, p.store, p.transaction_id)
        AND q.product_id = p.product_id AND COALESCE(q.launch, '') = COALESCE(p.launch, '')
        AND q.status IN ('aprovada', 'parcial')
        AND (q.refunded_cents < q.amount_cents OR q.refunded_cents = 0))";
    let key =
        "p.launch, p.product_id, p.currency, p.store, p.seller, p.first_origin, p.last_origin";
    let sql = format!(
        "SELECT {key},
            CAST(SUM(CASE WHEN {SALE} THEN 1 ELSE 0 END) AS BIGINT) AS sales,
            CAST(SUM(CASE WHEN {REFUND} THEN 1 ELSE 0 END) AS BIGINT) AS refunds,
            CAST(SUM(amount_cents) AS BIGINT) AS gross_cents,
            CAST(SUM({REFUNDED}) AS BIGINT) AS refunded_cents,
            CAST(SUM(CASE WHEN p.person IS NOT NULL AND {SALE} AND NOT {earlier} THEN 1 ELSE 0 END)
                AS BIGINT) AS buyers
         FROM purchases p WHERE p.occurred_at >= $1 AND p.occurred_at < $2 AND p.{PAID}
         GROUP BY {key}"
    );
    let mut figures = Figures::default();
    for row in db
        .fetch_all(&sql, [day.from.into(), day.until.into()])
        .await?
    {
        figures.add_row(&row)?;
    }
    Ok(figures)
}

impl Figures {
    fn add_row(&mut self, row: &Row) -> Result<()> {
        let mut sums = Sums::default();
        for (sum, name) in sums.iter_mut().zip(SUMS) {
            *sum = row.try_get("", name)?;
        }
        let launch: Option<String> = row.try_get("", "launch")?;
        let [product, currency, store]: [String; 3] = [
            row.try_get("", "product_id")?,
            row.try_get("", "currency")?,
            row.try_get("", "store")?,
        ];
        if let Some(seller) = row.try_get("", "seller")? {
            add_sums(&mut self.sellers, [currency.clone(), seller], sums);
        }
        let scope = match &launch {
            Some(launch) => format!("l:{launch}"),
            None => format!("p:{product}"),
        };
        let first: Option<String> = row.try_get("", "first_origin")?;
        let last: Option<String> = row.try_get("", "last_origin")?;
        let mut touched = |origin: Option<String>, sums| {
            let key = [scope.clone(), currency.clone(), origin.unwrap_or_default()];
            add_sums(&mut self.touches, key, sums);
        };
        let [sales, _, gross, refunded, _] = sums;
        if first == last {
            touched(last, [sales, gross, refunded, sales, gross, refunded]);
        } else {
            touched(first, [sales, gross, refunded, 0, 0, 0]);
            touched(last, [0, 0, 0, sales, gross, refunded]);
        }
        let key = [launch.unwrap_or_default(), product, currency, store];
        add_sums(&mut self.sales, key, sums);
        Ok(())
    }
}

fn add_sums<K: Ord, const N: usize>(figures: &mut BTreeMap<K, [i64; N]>, key: K, sums: [i64; N]) {
    let all = figures.entry(key).or_insert([0; N]);
    for (all, one) in all.iter_mut().zip(sums) {
        *all += one;
    }
}

async fn insert_rows<const N: usize>(
    db: &Conn<'_>,
    columns: &str,
    rows: Vec<[Value; N]>,
) -> Result<()> {
    let mut rows = rows.into_iter();
    while rows.len() > 0 {
        let (places, values) = bind_rows(rows.by_ref().take(ROWS));
        let sql = format!("INSERT INTO {columns} VALUES {places}");
        db.run(&sql, values).await?;
    }
    Ok(())
}
