//! The activity of a person.
//!
//! A session belongs to the person last identified in it. The events of a session belong to that person
//! too, except those that name another person.

use domain::{
    Error, PersonId,
    time::Millis,
    timeline::{Channel, DeliveryKind},
};

use crate::{Bind, Conn, Result, Row};

/// An event of a person.
#[derive(Debug)]
pub struct Visit {
    pub occurred_at: Millis,
    pub channel: Option<Channel>,
    /// The details as JSON.
    pub detail: Option<String>,
}

/// Whether to read the first or the last event.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    First,
    Last,
}

const FROM: &str = "
SELECT e.occurred_at, e.channel, e.detail
FROM timeline_sessions s JOIN timeline_events e ON e.session_id = s.id
    AND e.occurred_at BETWEEN s.first_at AND s.last_at
WHERE s.person = $1 AND (e.person IS NULL OR e.person = $1)";

/// Lists the page visits of a person, newest first.
pub async fn list_visits(db: &Conn<'_>, person: &PersonId, most: i64) -> Result<Vec<Visit>> {
    let sql = format!(
        "{FROM} AND e.kind = 'visitou_pagina' ORDER BY e.occurred_at DESC, e.id DESC LIMIT $2"
    );
    let rows = db.fetch_all(&sql, [person.value(), most.into()]).await?;
    rows.iter().map(read_row).collect()
}

/// Finds the first or last event with a channel. Without such an event, finds the first or last page
/// visit.
pub async fn find_touch(db: &Conn<'_>, person: &PersonId, order: Order) -> Result<Option<Visit>> {
    let order = match order {
        Order::First => "e.occurred_at, e.id",
        Order::Last => "e.occurred_at DESC, e.id DESC",
    };
    let sql = format!(
        "{FROM} AND (e.channel IS NOT NULL OR e.kind = 'visitou_pagina')
         ORDER BY CASE WHEN e.channel IS NULL THEN 1 ELSE 0 END, {order} LIMIT 1"
    );
    let row = db.fetch_one(&sql, [person.value()]).await?;
    row.as_ref().map(read_row).transpose()
}

/// Lists the polls that a person answered, newest first.
pub async fn list_poll_answers(db: &Conn<'_>, person: &PersonId, most: i64) -> Result<Vec<Visit>> {
    let sql = "SELECT occurred_at, channel, detail FROM timeline_events
        WHERE person = $1 AND kind = 'respondeu_enquete'
        ORDER BY occurred_at DESC, id DESC LIMIT $2";
    let rows = db.fetch_all(sql, [person.value(), most.into()]).await?;
    rows.iter().map(read_row).collect()
}

/// The number of delivery events of one kind for the e-mails to a person.
#[derive(Debug)]
pub struct DeliveryCount {
    pub kind: DeliveryKind,
    pub deliveries: i64,
    pub last_at: Millis,
}

pub async fn load_delivery_counts(db: &Conn<'_>, person: &PersonId) -> Result<Vec<DeliveryCount>> {
    let sql = "SELECT kind, count(*) AS deliveries, max(occurred_at) AS last_at
        FROM email_deliveries WHERE person = $1 GROUP BY kind ORDER BY kind";
    let rows = db.fetch_all(sql, [person.value()]).await?;
    let counts = rows.iter().map(|row| {
        let kind: String = row.try_get("", "kind")?;
        Ok(DeliveryCount {
            kind: kind.parse().map_err(Error::internal)?,
            deliveries: row.try_get("", "deliveries")?,
            last_at: row.try_get("", "last_at")?,
        })
    });
    counts.collect()
}

fn read_row(row: &Row) -> Result<Visit> {
    let channel: Option<String> = row.try_get("", "channel")?;
    Ok(Visit {
        occurred_at: row.try_get("", "occurred_at")?,
        channel: channel
            .map(|channel| channel.parse().map_err(Error::internal))
            .transpose()?,
        detail: row.try_get("", "detail")?,
    })
}
