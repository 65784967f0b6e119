//! Sales by day, product, launch, store and seller, and by the origins of the buyers.

use std::collections::{BTreeMap, BTreeSet};

use domain::time::LocalDay;
use sea_orm::Value;

use super::day::Day;
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

/// The lists of the sales of all launches, and what the lines of each are named by.
const LISTS: [(&str, &str); 3] = [
    // PostgreSQL refuses to group by a bare constant.
    ("day", "CAST('' AS TEXT)"),
    ("store", "store"),
    ("product_id", "product_id"),
];

/// Counts a day again.
pub(super) async fn count(db: &Conn<'_>, day: &Day) -> Result<()> {
    for table in [
        "figure_sales",
        "figure_days",
        "figure_sellers",
        "figure_touches",
    ] {
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
    for (list, name) in LISTS {
        let sql = format!(
            "INSERT INTO figure_days (list, day, currency, name, sales, refunds, gross_cents,
                refunded_cents, buyers)
             SELECT '{list}', day, currency, {name}, CAST(SUM(sales) AS BIGINT),
                CAST(SUM(refunds) AS BIGINT), CAST(SUM(gross_cents) AS BIGINT),
                CAST(SUM(refunded_cents) AS BIGINT), CAST(SUM(buyers) AS BIGINT)
             FROM figure_sales WHERE day = $1 GROUP BY day, currency, {name}"
        );
        db.run(&sql, [day.text.as_str().into()]).await?;
    }
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
            "INSERT INTO figure_touches (scope, touch, day, currency, origin, sales, gross_cents,
                refunded_cents)
             SELECT COALESCE('l:' || p.launch, 'p:' || p.product_id), '{touch}', $1, p.currency,
                COALESCE(p.{origin}, ''), {sums}
             FROM purchases p WHERE {within}
             GROUP BY COALESCE('l:' || p.launch, 'p:' || p.product_id), p.currency,
                COALESCE(p.{origin}, '')"
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

/// What the lines of a list of sales are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Everything together.
    Nothing,
    Day,
    Store,
    Product,
}

impl By {
    const fn column(self) -> &'static str {
        match self {
            Self::Nothing | Self::Day => "day",
            Self::Store => "store",
            Self::Product => "product_id",
        }
    }
}

/// The sales of these days, both included: for each currency one line by what is asked for. What a
/// line is not of is empty in it.
pub async fn sales(
    db: &Conn<'_>,
    selection: &Selection,
    (first, last): (LocalDay, LocalDay),
    by: By,
) -> Result<Vec<SalesFigure>> {
    let mut values = vec![first.0.to_string().into(), last.0.to_string().into()];
    let column = by.column();
    let (from, name) = match selection {
        Selection::All if by == By::Day => {
            (format!("figure_days s WHERE s.list = '{column}'"), "s.day")
        }
        Selection::All => (format!("figure_days s WHERE s.list = '{column}'"), "s.name"),
        Selection::Launch { .. } => {
            let condition = selection.condition("s", "= ''", &mut values);
            let name = match by {
                By::Day | By::Nothing => "s.day",
                By::Store => "s.store",
                By::Product => "s.product_id",
            };
            (format!("figure_sales s WHERE {condition}"), name)
        }
    };
    let name = if by == By::Nothing { "''" } else { name };
    let of = |one: By| if one == by { name } else { "''" };
    let group = if by == By::Nothing {
        "s.currency".to_owned()
    } else {
        format!("s.currency, {name}")
    };
    let sql = format!(
        "SELECT {} AS day, {} AS product_id, {} AS store, s.currency AS currency,
            CAST(SUM(s.sales) AS BIGINT) AS sales, CAST(SUM(s.refunds) AS BIGINT) AS refunds,
            CAST(SUM(s.gross_cents) AS BIGINT) AS gross_cents,
            CAST(SUM(s.refunded_cents) AS BIGINT) AS refunded_cents,
            CAST(SUM(s.buyers) AS BIGINT) AS buyers
         FROM {from} AND s.day BETWEEN $1 AND $2 GROUP BY {group}",
        of(By::Day),
        of(By::Product),
        of(By::Store),
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

/// The sales of these days by origin: by the first touch, or by the last one.
pub async fn touches(
    db: &Conn<'_>,
    selection: &Selection,
    (first, last): (LocalDay, LocalDay),
    is_first: bool,
) -> Result<Vec<TouchFigure>> {
    let touch = if is_first { "primeiro" } else { "ultimo" };
    let Selection::Launch { code, products } = selection else {
        return Ok(vec![]);
    };
    let code = code.iter().map(|code| format!("l:{code}"));
    let products = products.iter().map(|product| format!("p:{product}"));
    let scopes: Vec<Value> = code.chain(products).map(Value::from).collect();
    if scopes.is_empty() {
        return Ok(vec![]);
    }
    let places: Vec<String> = (3..scopes.len() + 3).map(|at| format!("${at}")).collect();
    let places = places.join(", ");
    let mut values = vec![first.0.to_string().into(), last.0.to_string().into()];
    values.extend(scopes);
    let sql = format!(
        "SELECT t.currency, t.origin, t.sales, t.gross_cents, t.refunded_cents, o.channel,
            o.source, o.medium, o.campaign, o.content
         FROM (
            SELECT t.currency, t.origin, CAST(SUM(t.sales) AS BIGINT) AS sales,
                CAST(SUM(t.gross_cents) AS BIGINT) AS gross_cents,
                CAST(SUM(t.refunded_cents) AS BIGINT) AS refunded_cents
            FROM figure_touches t
            WHERE t.scope IN ({places}) AND t.touch = '{touch}' AND t.day BETWEEN $1 AND $2
            GROUP BY t.currency, t.origin) t
         LEFT JOIN figure_origins o ON o.id = t.origin"
    );
    let rows = db.all(&sql, values).await?;
    Ok(rows
        .iter()
        .map(|row| row.read(""))
        .collect::<Result<_, _>>()?)
}
