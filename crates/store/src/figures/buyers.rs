//! The buyers of a launch, in pages.

use domain::{PersonId, time::Millis};
use sea_orm::Value;

use super::{
    day_sales::{PAID, REFUNDED},
    sales::Selection,
};
use crate::{
    Conn, Result, columns,
    many::{ROWS, bind_rows},
};

/// A buyer with their latest purchase.
#[derive(Debug, Clone)]
pub struct Buyer {
    pub person: PersonId,
    pub occurred_at: Millis,
    pub store: String,
    pub transaction_id: String,
}

columns!(Buyer {
    person,
    occurred_at,
    store,
    transaction_id,
});

/// A filter of purchases; an absent field matches every purchase.
#[derive(Debug, Default, Clone, Copy)]
pub struct Chosen<'a> {
    pub product: Option<&'a str>,
    pub status: Option<&'a str>,
    /// The minimum amount that was paid and not refunded, in cents.
    pub least_cents: Option<i64>,
    /// The maximum amount that was paid and not refunded, in cents.
    pub most_cents: Option<i64>,
}

impl Chosen<'_> {
    /// Returns the SQL condition. Its columns are unqualified, so they refer to the innermost
    /// `purchases`.
    ///
    /// PostgreSQL estimates that a condition in this form keeps half of the rows. With an estimate
    /// of one or two rows, it would read the purchases of all launches by their instant and sort
    /// them.
    fn sql_condition(&self, values: &mut Vec<Value>) -> String {
        let mut tests = vec![];
        let mut require = |wanted: Option<Value>, test: &str| {
            if let Some(wanted) = wanted {
                values.push(wanted);
                tests.push(format!("{test} ${}", values.len()));
            }
        };
        let net = format!("amount_cents - ({REFUNDED})");
        require(self.product.map(Into::into), "product_id =");
        require(self.status.map(Into::into), "status =");
        require(self.least_cents.map(Into::into), &format!("{net} >="));
        require(self.most_cents.map(Into::into), &format!("{net} <="));
        if tests.is_empty() {
            return String::new();
        }
        format!(" AND COALESCE({}, FALSE)", tests.join(" AND "))
    }
}

/// Lists people with a matching purchase in a span, latest purchase first, at most `probe`. People
/// whose latest matching purchase is after the instant `latest` are omitted.
///
/// A launch is found by its code and by its products. Both keys have an index in the order of the
/// list, so a page reads about as many rows as it returns.
pub async fn list_buyers(
    db: &Conn<'_>,
    selection: &Selection,
    chosen: Chosen<'_>,
    (from, until): (Millis, Millis),
    latest: Option<Millis>,
    probe: i64,
) -> Result<Vec<Buyer>> {
    let Selection::Launch { code, products } = selection else {
        return Ok(vec![]);
    };
    let mut streams: Vec<(&str, &str)> = vec![];
    streams.extend(code.as_deref().map(|code| ("p.launch = $5", code)));
    let of_product = "p.launch IS NULL AND p.product_id = $5";
    let is_chosen = |product: &&String| chosen.product.is_none_or(|one| one == *product);
    let products = products.iter().filter(is_chosen);
    streams.extend(products.map(|product| (of_product, product.as_str())));
    let latest = latest.unwrap_or(Millis::MAX);
    let most = usize::try_from(probe).unwrap_or(usize::MAX);
    let position = |one: &Buyer| {
        (
            one.occurred_at,
            one.store.clone(),
            one.transaction_id.clone(),
        )
    };
    let (mut found, mut from): (Vec<Buyer>, Millis) = (vec![], from);
    for (condition, key) in streams {
        let mut values: Vec<Value> = vec![
            from.into(),
            until.into(),
            latest.into(),
            probe.into(),
            key.into(),
        ];
        let in_launch = selection_condition(selection, "q", &mut values);
        let counts = chosen.sql_condition(&mut values);
        let sql = format!(
            "SELECT p.person, p.occurred_at, p.store, p.transaction_id FROM purchases p
             WHERE {condition} AND p.person IS NOT NULL AND p.{PAID}
                AND p.occurred_at >= $1 AND p.occurred_at < $2 AND p.occurred_at <= $3{counts}
                AND NOT EXISTS (SELECT 1 FROM purchases q WHERE q.person = p.person
                    AND q.{PAID} AND q.occurred_at >= p.occurred_at AND q.occurred_at < $2
                    AND (q.occurred_at, q.store, q.transaction_id)
                        > (p.occurred_at, p.store, p.transaction_id)
                    AND {in_launch}{counts})
             ORDER BY p.occurred_at DESC, p.store DESC, p.transaction_id DESC LIMIT $4"
        );
        for row in db.fetch_all(&sql, values).await? {
            found.push(row.read()?);
        }
        found.sort_by_key(|one| std::cmp::Reverse(position(one)));
        found.truncate(most);
        // Rows of the next key count only if they sort within a full page.
        if let Some(last) = found.last().filter(|_| found.len() == most) {
            from = from.max(last.occurred_at);
        }
    }
    Ok(found)
}

/// Returns the condition that a purchase belongs to the selection. The condition is written so that no
/// index matches it: the database then looks up the purchases by person instead of reading the whole
/// launch.
fn selection_condition(selection: &Selection, table: &str, values: &mut Vec<Value>) -> String {
    let launch = format!("COALESCE({table}.launch, '')");
    selection.sql_condition(&launch, &format!("{table}.product_id"), values)
}

/// A purchase with its origins.
#[derive(Debug)]
pub struct Bought {
    pub person: PersonId,
    pub product_id: String,
    pub product: String,
    pub status: String,
    pub currency: String,
    pub occurred_at: Millis,
    pub amount_cents: i64,
    pub refunded_cents: i64,
    pub first_touch_at: Option<Millis>,
    pub first_channel: Option<String>,
    pub first_source: Option<String>,
    pub first_medium: Option<String>,
    pub first_campaign: Option<String>,
    pub last_touch_at: Option<Millis>,
    pub last_channel: Option<String>,
    pub last_source: Option<String>,
    pub last_medium: Option<String>,
    pub last_campaign: Option<String>,
}

columns!(Bought {
    person,
    product_id,
    product,
    status,
    currency,
    occurred_at,
    amount_cents,
    refunded_cents,
    first_touch_at,
    first_channel,
    first_source,
    first_medium,
    first_campaign,
    last_touch_at,
    last_channel,
    last_source,
    last_medium,
    last_campaign,
});

/// Lists the matching purchases of these people in a span, by person, oldest first.
///
/// `occurred_at + 0` matches no index, so the database looks up the purchases by person instead of
/// reading the whole span.
pub async fn list_purchases_of_buyers(
    db: &Conn<'_>,
    selection: &Selection,
    chosen: Chosen<'_>,
    (from, until): (Millis, Millis),
    people: &[&PersonId],
) -> Result<Vec<Bought>> {
    let mut found = vec![];
    for batch in people.chunks(ROWS) {
        let (ids, mut values) = bind_rows(batch.iter().map(|person| [person.as_str().into()]));
        values.extend([from.into(), until.into()]);
        let (first, last) = (values.len() - 1, values.len());
        let in_launch = selection_condition(selection, "p", &mut values);
        let counts = chosen.sql_condition(&mut values);
        let sql = format!(
            "SELECT p.person, p.product_id, p.product, p.status, p.currency, p.occurred_at, p.amount_cents,
                {REFUNDED} AS refunded_cents, p.first_touch_at, f.channel AS first_channel,
                f.source AS first_source, f.medium AS first_medium, f.campaign AS first_campaign,
                p.last_touch_at, l.channel AS last_channel, l.source AS last_source,
                l.medium AS last_medium, l.campaign AS last_campaign
             FROM purchases p
             LEFT JOIN figure_origins f ON f.id = p.first_origin
             LEFT JOIN figure_origins l ON l.id = p.last_origin
             WHERE p.person IN ({ids}) AND p.{PAID} AND p.occurred_at + 0 >= ${first}
                AND p.occurred_at + 0 < ${last} AND {in_launch}{counts}
             ORDER BY p.person, p.occurred_at, p.store, p.transaction_id"
        );
        for row in db.fetch_all(&sql, values).await? {
            found.push(row.read::<Bought>()?);
        }
    }
    Ok(found)
}
