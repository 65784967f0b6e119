//! Sales by day, product, launch, store and seller, and by the origins of the buyers.

use std::collections::{BTreeMap, BTreeSet};

use domain::time::LocalDay;
use sea_orm::Value;

use super::days::Day;
use crate::{Conn, Result, columns, many::lines};

/// What was paid once, even if the money went back later.
pub(super) const PAID: &str = "status IN ('aprovada', 'parcial', 'reembolsada', 'chargeback')";
/// A sale: paid, and not wholly refunded.
pub(super) const SALE: &str = "(status IN ('aprovada', 'parcial')
    AND (refunded_cents < amount_cents OR refunded_cents = 0))";
/// Of what was paid, what went back.
pub(super) const REFUNDED: &str = "CASE
    WHEN status IN ('reembolsada', 'chargeback') AND refunded_cents = 0 THEN amount_cents
    WHEN refunded_cents > amount_cents THEN amount_cents
    ELSE refunded_cents END";
const REFUND: &str = "(status IN ('parcial', 'reembolsada', 'chargeback') OR refunded_cents > 0)";

/// Counts a day again.
pub(super) async fn count(db: &Conn<'_>, day: &Day) -> Result<()> {
    for table in ["figure_sales", "figure_sellers", "figure_touches"] {
        let sql = format!("DELETE FROM {table} WHERE day = $1");
        db.run(&sql, [day.text.as_str().into()]).await?;
    }
    let sums = format!(
        "CAST(SUM(CASE WHEN {SALE} THEN 1 ELSE 0 END) AS BIGINT),
         CAST(SUM(CASE WHEN {REFUND} THEN 1 ELSE 0 END) AS BIGINT),
         CAST(SUM(amount_cents) AS BIGINT), CAST(SUM({REFUNDED}) AS BIGINT)"
    );
    // SQLite knows the parameters by their numbers, whatever their order.
    let within = format!("p.occurred_at >= $2 AND p.occurred_at < $3 AND p.{PAID}");
    let earlier = "EXISTS (SELECT 1 FROM purchases q WHERE q.person = p.person
        AND q.occurred_at <= p.occurred_at
        AND (q.occurred_at, q.store, q.transaction_id)
            < (p.occurred_at, p.store, p.transaction_id)
        AND q.product_id = p.product_id AND COALESCE(q.launch, '') = COALESCE(p.launch, '')
        AND q.status IN ('aprovada', 'parcial')
        AND (q.refunded_cents < q.amount_cents OR q.refunded_cents = 0))";
    let first = format!("p.person IS NOT NULL AND {SALE} AND NOT {earlier}");
    let sql = format!(
        "INSERT INTO figure_sales (launch, product_id, day, currency, store, sales, refunds,
            gross_cents, refunded_cents, buyers)
         SELECT COALESCE(p.launch, ''), p.product_id, $1, p.currency, p.store, {sums},
            CAST(SUM(CASE WHEN {first} THEN 1 ELSE 0 END) AS BIGINT)
         FROM purchases p WHERE {within}
         GROUP BY COALESCE(p.launch, ''), p.product_id, p.currency, p.store"
    );
    db.run(&sql, day.values()).await?;
    let sums = format!(
        "CAST(SUM(CASE WHEN {SALE} THEN 1 ELSE 0 END) AS BIGINT),
         CAST(SUM(amount_cents) AS BIGINT), CAST(SUM({REFUNDED}) AS BIGINT)"
    );
    let sql = format!(
        "INSERT INTO figure_sellers (day, currency, seller, sales, gross_cents, refunded_cents)
         SELECT $1, p.currency, p.seller, {sums} FROM purchases p
         WHERE {within} AND p.seller IS NOT NULL GROUP BY p.currency, p.seller"
    );
    db.run(&sql, day.values()).await?;
    for (touch, origin) in [("primeiro", "first_origin"), ("ultimo", "last_origin")] {
        let sql = format!(
            "INSERT INTO figure_touches (launch, product_id, day, currency, touch, origin, sales,
                gross_cents, refunded_cents)
             SELECT COALESCE(p.launch, ''), p.product_id, $1, p.currency, '{touch}',
                COALESCE(p.{origin}, ''), {sums}
             FROM purchases p WHERE {within}
             GROUP BY COALESCE(p.launch, ''), p.product_id, p.currency, COALESCE(p.{origin}, '')"
        );
        db.run(&sql, day.values()).await?;
    }
    Ok(())
}

/// Which sales are meant.
#[derive(Debug, Clone)]
pub enum Selection {
    All,
    /// Those with this code, and of those without a code the ones of these products.
    Launch {
        code: Option<String>,
        products: Vec<String>,
    },
}

impl Selection {
    /// The condition over `launch` and `product_id`, with its values from the given number on.
    pub(super) fn condition(
        &self,
        table: &str,
        no_launch: &str,
        values: &mut Vec<Value>,
    ) -> String {
        let Self::Launch { code, products } = self else {
            return "1 = 1".into();
        };
        let mut any = vec![];
        if let Some(code) = code {
            values.push(code.as_str().into());
            any.push(format!("{table}.launch = ${}", values.len()));
        }
        if !products.is_empty() {
            let places: Vec<String> = products
                .iter()
                .map(|product| {
                    values.push(product.as_str().into());
                    format!("${}", values.len())
                })
                .collect();
            let places = places.join(", ");
            any.push(format!(
                "({table}.launch {no_launch} AND {table}.product_id IN ({places}))"
            ));
        }
        if any.is_empty() {
            return "1 = 0".into();
        }
        format!("({})", any.join(" OR "))
    }
}

/// Sales of a product in a store on a day.
#[derive(Debug)]
pub struct SalesFigure {
    pub day: String,
    pub product_id: String,
    pub store: String,
    pub currency: String,
    pub sales: i64,
    pub refunds: i64,
    pub gross_cents: i64,
    pub refunded_cents: i64,
    pub buyers: i64,
}

columns!(SalesFigure {
    day,
    product_id,
    store,
    currency,
    sales,
    refunds,
    gross_cents,
    refunded_cents,
    buyers,
});

/// The sales of these days, both included, summed over what `by` does not name; what is summed over
/// is empty in the answer.
pub async fn sales(
    db: &Conn<'_>,
    selection: &Selection,
    (first, last): (LocalDay, LocalDay),
    by: &[&str],
) -> Result<Vec<SalesFigure>> {
    let mut values = vec![first.0.to_string().into(), last.0.to_string().into()];
    let condition = selection.condition("s", "= ''", &mut values);
    let column = |name: &str| match by.contains(&name) {
        true => format!("s.{name} AS {name}"),
        false => format!("'' AS {name}"),
    };
    let group: Vec<String> = by.iter().map(|name| format!("s.{name}")).collect();
    let sql = format!(
        "SELECT {}, {}, {}, s.currency AS currency, CAST(SUM(s.sales) AS BIGINT) AS sales,
            CAST(SUM(s.refunds) AS BIGINT) AS refunds,
            CAST(SUM(s.gross_cents) AS BIGINT) AS gross_cents,
            CAST(SUM(s.refunded_cents) AS BIGINT) AS refunded_cents,
            CAST(SUM(s.buyers) AS BIGINT) AS buyers
         FROM figure_sales s WHERE s.day BETWEEN $1 AND $2 AND {condition}
         GROUP BY {}",
        column("day"),
        column("product_id"),
        column("store"),
        [group, vec!["s.currency".into()]].concat().join(", ")
    );
    let rows = db.all(&sql, values).await?;
    Ok(rows
        .iter()
        .map(|row| row.read(""))
        .collect::<Result<_, _>>()?)
}

/// The names of products.
pub async fn product_names(db: &Conn<'_>, ids: BTreeSet<&str>) -> Result<BTreeMap<String, String>> {
    let mut names = BTreeMap::new();
    let ids: Vec<&str> = ids.into_iter().collect();
    for batch in ids.chunks(crate::many::ROWS) {
        let (ids, values) = lines(batch.iter().map(|id| [(*id).into()]));
        let sql = format!(
            "SELECT product_id, product FROM figure_products WHERE product_id IN (VALUES {ids})"
        );
        for row in db.all(&sql, values).await? {
            names.insert(row.try_get("", "product_id")?, row.try_get("", "product")?);
        }
    }
    Ok(names)
}

/// Sales of an origin.
#[derive(Debug)]
pub struct TouchFigure {
    pub currency: String,
    /// The id; empty where the origin is not known.
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

/// An origin, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub channel: Option<String>,
    pub source: Option<String>,
    pub medium: Option<String>,
    pub campaign: Option<String>,
}

/// The sales of these days by origin: by the first touch, or by the last one.
pub async fn touches(
    db: &Conn<'_>,
    selection: &Selection,
    (first, last): (LocalDay, LocalDay),
    is_first: bool,
) -> Result<Vec<TouchFigure>> {
    let touch = if is_first { "primeiro" } else { "ultimo" };
    let mut values = vec![first.0.to_string().into(), last.0.to_string().into()];
    let condition = selection.condition("t", "= ''", &mut values);
    let sql = format!(
        "SELECT t.currency, t.origin, t.sales, t.gross_cents, t.refunded_cents, o.channel,
            o.source, o.medium, o.campaign, o.content
         FROM (
            SELECT t.currency, t.origin, CAST(SUM(t.sales) AS BIGINT) AS sales,
                CAST(SUM(t.gross_cents) AS BIGINT) AS gross_cents,
                CAST(SUM(t.refunded_cents) AS BIGINT) AS refunded_cents
            FROM figure_touches t
            WHERE t.day BETWEEN $1 AND $2 AND t.touch = '{touch}' AND {condition}
            GROUP BY t.currency, t.origin) t
         LEFT JOIN figure_origins o ON o.id = t.origin"
    );
    let rows = db.all(&sql, values).await?;
    Ok(rows
        .iter()
        .map(|row| row.read(""))
        .collect::<Result<_, _>>()?)
}
