//! The origins of purchases, and the days to recount because of them.
//!
//! Settling a purchase marks three kinds of days for a recount: the day of the purchase, the day on
//! which the purchase was counted before, and the days on which another purchase of the same person
//! might become the first. The first and last visit before a purchase are looked up when the purchase is
//! settled, and stored in its row, because the retention deletes visits. Settling a session marks the
//! purchases of its person from its first event on. A new purchase is settled before it is inserted, so
//! that its row is written once.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    sales::{Purchase, Utm},
    sha256_hex,
    time::{DAY, Millis},
    timeline::Channel,
};
use sea_orm::Value;
use serde::Deserialize;

use super::{
    day::{self, Day},
    kind::Kind,
};
use crate::{
    Conn, Result, Row,
    many::{ROWS, bind_rows},
};

/// The maximum age of a visit that counts as the origin of a purchase.
const WINDOW: Millis = 90 * DAY;

/// The value of `stale` for an unchanged purchase whose person's visits have changed.
pub(super) const VISITED: i64 = 2;

/// A marked purchase, or a new one that is not stored yet.
struct Marked {
    store: String,
    transaction_id: String,
    occurred_at: Millis,
    person: Option<String>,
    /// Whether the person was erased.
    severed: bool,
    product_id: String,
    product: String,
    counted_day: Option<String>,
    /// Whether the sale is already counted and only the person's visits have changed.
    is_sale_counted: bool,
    origins: Origins,
    own: Option<Origin>,
}

impl Marked {
    fn new(purchase: &Purchase) -> Self {
        Self {
            store: purchase.store.clone(),
            transaction_id: purchase.transaction_id.clone(),
            occurred_at: purchase.occurred_at,
            person: purchase.person.as_ref().map(|p| p.as_str().to_owned()),
            severed: purchase.severed,
            product_id: purchase.product_id.clone(),
            product: purchase.product.clone(),
            counted_day: None,
            is_sale_counted: false,
            origins: Origins::default(),
            own: Origin::from_store(Utm {
                term: None,
                ..purchase.utm.clone()
            }),
        }
    }
}

/// The ids of the first and the last origin. An origin that is a visit also has an instant.
#[derive(Clone, Default)]
pub(crate) struct Origins {
    pub first: Option<String>,
    pub first_at: Option<Millis>,
    pub last: Option<String>,
    pub last_at: Option<Millis>,
}

impl Origins {
    fn has_same_ids(&self, others: &Self) -> bool {
        self.first == others.first && self.last == others.last
    }
}

/// A channel with its UTM parameters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Origin {
    channel: String,
    utm: Utm,
}

impl Origin {
    /// Returns the origin that the store reports, or `None` if the report has no UTM parameters.
    fn from_store(utm: Utm) -> Option<Self> {
        (utm != Utm::default()).then(|| Self {
            channel: channel_of_utm(&utm).as_str().to_owned(),
            utm,
        })
    }

    fn id(&self) -> String {
        let utm = &self.utm;
        let parts = [&utm.source, &utm.medium, &utm.campaign, &utm.content];
        let parts = parts.map(|part| part.as_deref().unwrap_or("\0"));
        let whole = format!("{}\n{}", self.channel, parts.join("\n"));
        sha256_hex(whole.as_bytes())[..32].to_owned()
    }
}

/// Returns the channel that the store's UTM parameters indicate.
fn channel_of_utm(utm: &Utm) -> Channel {
    let named = Channel::from_detail(|key| {
        let part = match key {
            "utm_source" => &utm.source,
            "utm_medium" => &utm.medium,
            "utm_campaign" => &utm.campaign,
            _ => &None,
        };
        part.as_deref()
    });
    named.unwrap_or(Channel::Other)
}

/// The day on which a purchase counts, and its origins.
pub(crate) struct Settled {
    pub day: String,
    pub origins: Origins,
}

/// Settles a batch of marked purchases. Returns the number of purchases processed.
pub(super) async fn settle_batch(db: &Conn<'_>) -> Result<usize> {
    let marked = load_marked_purchases(db).await?;
    if marked.is_empty() {
        return Ok(0);
    }
    let taken = marked.len();
    let settled = settle_all(db, &marked).await?;
    let rows = marked.iter().zip(settled).map(|(purchase, settled)| {
        let Settled { day, origins } = settled;
        let row: [Value; 7] = [
            purchase.store.as_str().into(),
            purchase.transaction_id.as_str().into(),
            day.into(),
            origins.first.into(),
            origins.first_at.into(),
            origins.last.into(),
            origins.last_at.into(),
        ];
        row
    });
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "WITH settled (store, transaction_id, day, first_origin, first_at, last_origin, last_at)
            AS (VALUES {rows})
         UPDATE purchases SET stale = 0, counted_day = settled.day,
            first_origin = settled.first_origin, first_touch_at = settled.first_at,
            last_origin = settled.last_origin, last_touch_at = settled.last_at
         FROM settled WHERE purchases.store = settled.store
            AND purchases.transaction_id = settled.transaction_id"
    );
    db.run(&sql, values).await?;
    Ok(taken)
}

/// Settles purchases before they are stored, so that they need no mark.
pub(crate) async fn settle_new(
    db: &Conn<'_>,
    purchases: impl Iterator<Item = &Purchase>,
) -> Result<Vec<Settled>> {
    let marked: Vec<_> = purchases.map(Marked::new).collect();
    settle_all(db, &marked).await
}

/// Finds the origins of purchases and marks the days to recount.
async fn settle_all(db: &Conn<'_>, marked: &[Marked]) -> Result<Vec<Settled>> {
    if marked.is_empty() {
        return Ok(vec![]);
    }
    let visits = (load_visits(db, marked).await?, find_oldest_event(db).await?);
    let (mut known, mut products) = (BTreeMap::new(), BTreeMap::new());
    let (mut settled, mut stale) = (Vec::with_capacity(marked.len()), BTreeSet::new());
    for purchase in marked {
        products.insert(purchase.product_id.as_str(), purchase.product.as_str());
        let origins = derive_origins(purchase, &visits, &mut known);
        let day = day::day_text(purchase.occurred_at);
        if !purchase.is_sale_counted || !purchase.origins.has_same_ids(&origins) {
            stale.extend(purchase.counted_day.clone());
            stale.insert(day.clone());
        }
        settled.push(Settled { day, origins });
    }
    day::mark_stale_days(db, Kind::Sales, stale).await?;
    day::mark_stale_days(db, Kind::Sales, load_later_days(db, marked).await?).await?;
    save_products(db, &products).await?;
    save_origins(db, &known).await?;
    Ok(settled)
}

async fn load_marked_purchases(db: &Conn<'_>) -> Result<Vec<Marked>> {
    let sql = format!(
        "SELECT store, transaction_id, occurred_at, person, severed, product_id, product, counted_day, stale,
            first_origin, first_touch_at, last_origin, last_touch_at, utm_source, utm_medium,
            utm_campaign, utm_content
         FROM purchases WHERE stale > 0 LIMIT {ROWS}"
    );
    let rows = db.fetch_all(&sql, []).await?;
    rows.iter().map(read_row).collect()
}

fn read_row(row: &Row) -> Result<Marked> {
    let utm = Utm {
        source: row.try_get("", "utm_source")?,
        medium: row.try_get("", "utm_medium")?,
        campaign: row.try_get("", "utm_campaign")?,
        content: row.try_get("", "utm_content")?,
        term: None,
    };
    Ok(Marked {
        store: row.try_get("", "store")?,
        transaction_id: row.try_get("", "transaction_id")?,
        occurred_at: row.try_get("", "occurred_at")?,
        person: row.try_get("", "person")?,
        severed: row.try_get::<i64>("", "severed")? == 1,
        product_id: row.try_get("", "product_id")?,
        product: row.try_get("", "product")?,
        counted_day: row.try_get("", "counted_day")?,
        is_sale_counted: row.try_get::<i64>("", "stale")? == VISITED,
        origins: Origins {
            first: row.try_get("", "first_origin")?,
            first_at: row.try_get("", "first_touch_at")?,
            last: row.try_get("", "last_origin")?,
            last_at: row.try_get("", "last_touch_at")?,
        },
        own: Origin::from_store(utm),
    })
}

/// Visits with a channel, by person, oldest first.
type Visits = BTreeMap<String, Vec<(Millis, Origin)>>;

/// Derives the origins of a purchase: the first and the last visit of its person within the window,
/// or, without a visit, the origin that the store reports.
///
/// Keeps stored origins that can no longer be derived: visits before the oldest stored event, and
/// visits of erased persons.
fn derive_origins(
    purchase: &Marked,
    (visits, oldest): &(Visits, Millis),
    origins: &mut BTreeMap<Origin, String>,
) -> Origins {
    let had = &purchase.origins;
    if purchase.severed && had.first.is_some() {
        return had.clone();
    }
    let mut keep = |origin: &Origin| {
        let known = origins.get(origin).cloned();
        let id = known.unwrap_or_else(|| {
            let id = origin.id();
            origins.insert(origin.clone(), id.clone());
            id
        });
        Some(id)
    };
    let at = purchase.occurred_at;
    let of_person = purchase.person.as_ref().and_then(|p| visits.get(p));
    let of_person = of_person.map(Vec::as_slice).unwrap_or_default();
    let mut within = of_person
        .iter()
        .filter(|(visited, _)| (at - WINDOW..=at).contains(visited));
    let first = within.next();
    let last = within.next_back().or(first);
    let is_gone = |at: Option<Millis>| at.is_some_and(|at| at < *oldest);
    let own = purchase.own.as_ref().and_then(&mut keep);
    let (first, first_at) = match first {
        _ if is_gone(had.first_at) => (had.first.clone(), had.first_at),
        Some((at, origin)) => (keep(origin), Some(*at)),
        None => (own.clone(), None),
    };
    let (last, last_at) = match last {
        Some((at, origin)) => (keep(origin), Some(*at)),
        None if is_gone(had.last_at) => (had.last.clone(), had.last_at),
        None => (own, None),
    };
    Origins {
        first,
        first_at,
        last,
        last_at,
    }
}

/// Returns the instant of the oldest stored event.
async fn find_oldest_event(db: &Conn<'_>) -> Result<Millis> {
    let sql = "SELECT MIN(occurred_at) AS oldest FROM timeline_events";
    let row = db.fetch_one(sql, []).await?;
    let oldest = row.map(|row| row.try_get("", "oldest")).transpose()?;
    Ok(oldest.flatten().unwrap_or(Millis::MAX))
}

/// Reads the visits of sessions that are already counted. When another session is counted later, it
/// marks the purchases of its person again.
async fn load_visits(db: &Conn<'_>, marked: &[Marked]) -> Result<Visits> {
    let mut spans: BTreeMap<&str, (Millis, Millis)> = BTreeMap::new();
    for purchase in marked {
        let Some(person) = &purchase.person else {
            continue;
        };
        let at = purchase.occurred_at;
        let span = spans.entry(person).or_insert((at - WINDOW, at));
        *span = (span.0.min(at - WINDOW), span.1.max(at));
    }
    if spans.is_empty() {
        return Ok(Visits::new());
    }
    let rows = spans.into_iter().map(|(person, (since, until))| {
        let row: [Value; 3] = [person.into(), since.into(), until.into()];
        row
    });
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "WITH wanted (person, since, until) AS (VALUES {rows})
         SELECT w.person, e.occurred_at, e.channel, e.detail
         FROM wanted w
         JOIN timeline_sessions s ON s.person = w.person AND s.counted_for = s.person
            AND s.first_at <= w.until AND s.last_at >= w.since
         JOIN timeline_events e ON e.session_id = s.id
            AND e.occurred_at BETWEEN s.first_at AND s.last_at
         WHERE e.channel IS NOT NULL AND e.occurred_at BETWEEN w.since AND w.until
         ORDER BY w.person, e.occurred_at, e.id, s.session"
    );
    let mut visits = Visits::new();
    for row in db.fetch_all(&sql, values).await? {
        let detail: Option<String> = row.try_get("", "detail")?;
        let detail: Option<Detail> = detail.as_deref().map(serde_json::from_str).transpose()?;
        let origin = Origin {
            channel: row.try_get("", "channel")?,
            utm: detail.unwrap_or_default().into_utm(),
        };
        let of_person: &mut Vec<_> = visits.entry(row.try_get("", "person")?).or_default();
        of_person.push((row.try_get("", "occurred_at")?, origin));
    }
    Ok(visits)
}

#[derive(Default, Deserialize)]
struct Detail {
    utm_source: Option<String>,
    utm_medium: Option<String>,
    utm_campaign: Option<String>,
    utm_content: Option<String>,
}

impl Detail {
    fn into_utm(self) -> Utm {
        Utm {
            source: self.utm_source,
            medium: self.utm_medium,
            campaign: self.utm_campaign,
            content: self.utm_content,
            term: None,
        }
    }
}

/// Finds the last counted day, from `since` on, that is not marked. Counted days without rows have no
/// buyers and are ignored.
async fn find_last_counted_day(db: &Conn<'_>, since: &str) -> Result<Option<String>> {
    let sql = "SELECT f.day FROM figure_days f WHERE f.list = 'day' AND f.day >= $1
            AND NOT EXISTS (SELECT 1 FROM figure_stale_days s WHERE s.kind = $2 AND s.day = f.day)
        ORDER BY f.day DESC LIMIT 1";
    let values = [since.into(), Kind::Sales.as_str().into()];
    let row = db.fetch_one(sql, values).await?;
    Ok(row.map(|row| row.try_get("", "day")).transpose()?)
}

/// Loads the days of later purchases of the same people, because an earlier purchase determines whether
/// a later one is the first of its person. Skips people whose marked purchases are all later than the
/// last unmarked day: if many purchases are new, most days are already marked.
///
/// The index by person contains the instants, so the query does not read the purchases themselves. A
/// purchase whose instant has changed is itself marked, and marks its own days.
async fn load_later_days(db: &Conn<'_>, marked: &[Marked]) -> Result<BTreeSet<String>> {
    let mut since: BTreeMap<&str, Millis> = BTreeMap::new();
    for purchase in marked {
        let (Some(person), false) = (&purchase.person, purchase.is_sale_counted) else {
            continue;
        };
        let mut from = purchase.occurred_at;
        if let Some(before) = &purchase.counted_day {
            from = from.min(Day::parse(before.clone())?.from);
        }
        let earliest = since.entry(person).or_insert(from);
        *earliest = from.min(*earliest);
    }
    let Some(earliest) = since.values().min() else {
        return Ok(BTreeSet::new());
    };
    let Some(last) = find_last_counted_day(db, &day::day_text(*earliest)).await? else {
        return Ok(BTreeSet::new());
    };
    let until = Day::parse(last)?.until;
    since.retain(|_, from| *from < until);
    let rows = since.into_iter().map(|(person, from)| {
        let row: [Value; 2] = [person.into(), from.into()];
        row
    });
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "WITH changed (person, since) AS (VALUES {rows})
         SELECT DISTINCT p.occurred_at FROM changed c
         JOIN purchases p ON p.person = c.person AND p.occurred_at >= c.since"
    );
    let rows = db.fetch_all(&sql, values).await?;
    let read = |row: &Row| Ok(day::day_text(row.try_get("", "occurred_at")?));
    rows.iter().map(read).collect()
}

async fn save_products(db: &Conn<'_>, products: &BTreeMap<&str, &str>) -> Result<()> {
    let rows = products.iter().map(|(id, name)| {
        let row: [Value; 2] = [(*id).into(), (*name).into()];
        row
    });
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "INSERT INTO figure_products (product_id, product) VALUES {rows}
         ON CONFLICT (product_id) DO UPDATE SET product = excluded.product
         WHERE figure_products.product <> excluded.product"
    );
    db.run(&sql, values).await?;
    Ok(())
}

async fn save_origins(db: &Conn<'_>, origins: &BTreeMap<Origin, String>) -> Result<()> {
    if origins.is_empty() {
        return Ok(());
    }
    let rows = origins.iter().map(|(origin, id)| {
        let utm = &origin.utm;
        let row: [Value; 6] = [
            id.as_str().into(),
            origin.channel.as_str().into(),
            utm.source.as_deref().into(),
            utm.medium.as_deref().into(),
            utm.campaign.as_deref().into(),
            utm.content.as_deref().into(),
        ];
        row
    });
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "INSERT INTO figure_origins (id, channel, source, medium, campaign, content)
         VALUES {rows} ON CONFLICT (id) DO NOTHING"
    );
    db.run(&sql, values).await?;
    Ok(())
}
