//! Sales by day, product, launch and store.

use std::collections::{BTreeMap, BTreeSet};

use domain::time::LocalDay;
use sea_orm::Value;

use crate::{Conn, Result, Row, columns, many::bind_rows};

/// A selection of sales.
#[derive(Debug, Clone)]
pub enum Selection {
    All,
    /// The sales with this launch code, and the sales of these products without a launch code.
    Launch {
        code: Option<String>,
        products: Vec<String>,
    },
}

impl Selection {
    /// Returns the SQL condition that selects the sales. `launch` and `product_id` are the SQL
    /// expressions of these columns; for a sale without a launch, `launch` is empty. Appends the query
    /// parameters to `values`.
    pub(super) fn sql_condition(
        &self,
        launch: &str,
        product_id: &str,
        values: &mut Vec<Value>,
    ) -> String {
        let Self::Launch { code, products } = self else {
            return "1 = 1".into();
        };
        let mut any = vec![];
        if let Some(code) = code {
            values.push(code.as_str().into());
            any.push(format!("{launch} = ${}", values.len()));
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
            any.push(format!("({launch} = '' AND {product_id} IN ({places}))"));
        }
        if any.is_empty() {
            return "1 = 0".into();
        }
        format!("({})", any.join(" OR "))
    }
}

/// The sales of a product in a store on a day.
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

/// The dimension of a list of sales.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// No dimension: one total per currency.
    Nothing,
    Day,
    Store,
    Product,
}

impl By {
    const fn list_column(self) -> &'static str {
        match self {
            Self::Nothing | Self::Day => "day",
            Self::Store => "store",
            Self::Product => "product_id",
        }
    }
}

/// Lists the sales of these days, both inclusive: one row per currency and requested dimension. The
/// columns of other dimensions are empty.
pub async fn list_sales(
    db: &Conn<'_>,
    selection: &Selection,
    (first, last): (LocalDay, LocalDay),
    by: By,
) -> Result<Vec<SalesFigure>> {
    let mut values = vec![first.0.to_string().into(), last.0.to_string().into()];
    let column = by.list_column();
    let (from, name) = match selection {
        Selection::All if by == By::Day => {
            (format!("figure_days s WHERE s.list = '{column}'"), "s.day")
        }
        Selection::All => (format!("figure_days s WHERE s.list = '{column}'"), "s.name"),
        Selection::Launch { .. } => {
            let condition = selection.sql_condition("s.launch", "s.product_id", &mut values);
            let name = match by {
                By::Day | By::Nothing => "s.day",
                By::Store => "s.store",
                By::Product => "s.product_id",
            };
            (format!("figure_sales s WHERE {condition}"), name)
        }
    };
    let name = if by == By::Nothing { "''" } else { name };
    let column_for = |one: By| if one == by { name } else { "''" };
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
        column_for(By::Day),
        column_for(By::Product),
        column_for(By::Store),
    );
    let rows = db.fetch_all(&sql, values).await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}

/// Loads the names of products, by id.
pub async fn load_product_names(
    db: &Conn<'_>,
    ids: BTreeSet<&str>,
) -> Result<BTreeMap<String, String>> {
    let mut names = BTreeMap::new();
    let ids: Vec<&str> = ids.into_iter().collect();
    for batch in ids.chunks(crate::many::ROWS) {
        let (ids, values) = bind_rows(batch.iter().map(|id| [(*id).into()]));
        let sql = format!(
            "SELECT product_id, product FROM figure_products WHERE product_id IN (VALUES {ids})"
        );
        for row in db.fetch_all(&sql, values).await? {
            names.insert(row.try_get("", "product_id")?, row.try_get("", "product")?);
        }
    }
    Ok(names)
}
