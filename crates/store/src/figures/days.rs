//! Days whose figures are counted again.

use std::collections::BTreeSet;

use domain::{
    Error,
    time::{Millis, day_of, end_of_day, start_of_day},
};
use sea_orm::Value;

use super::{Kind, crm, sales, subscriptions};
use crate::{
    Conn, Result,
    many::{ROWS, lines},
};

/// A day of Brasilia as the figures have it.
pub(super) fn day(instant: Millis) -> String {
    day_of(instant).to_string()
}

/// A day with its first instant, and the first one after it.
pub(super) struct Day {
    pub text: String,
    pub from: Millis,
    pub until: Millis,
}

impl Day {
    pub fn read(text: String) -> Result<Self> {
        let date = text.parse().map_err(Error::internal)?;
        Ok(Self {
            from: start_of_day(date),
            until: end_of_day(date),
            text,
        })
    }

    /// As the parameters `$1`, `$2` and `$3`.
    pub fn values(&self) -> [Value; 3] {
        [
            self.text.as_str().into(),
            self.from.into(),
            self.until.into(),
        ]
    }
}

/// Marks days of a kind.
pub(super) async fn mark(db: &Conn<'_>, kind: Kind, days: BTreeSet<String>) -> Result<()> {
    let days: Vec<String> = days.into_iter().collect();
    for batch in days.chunks(ROWS) {
        let rows = batch.iter().map(|day| {
            let row: [Value; 2] = [kind.as_str().into(), day.as_str().into()];
            row
        });
        let (rows, values) = lines(rows);
        let sql = format!(
            "INSERT INTO figure_stale_days (kind, day) VALUES {rows} ON CONFLICT DO NOTHING"
        );
        db.run(&sql, values).await?;
    }
    Ok(())
}

/// Counts one marked day again.
pub(super) async fn settle(db: &Conn<'_>) -> Result<Option<Kind>> {
    let sql = "DELETE FROM figure_stale_days WHERE (kind, day) IN
            (SELECT kind, day FROM figure_stale_days ORDER BY kind, day LIMIT 1)
        RETURNING kind, day";
    let Some(row) = db.one(sql, []).await? else {
        return Ok(None);
    };
    let name: String = row.try_get("", "kind")?;
    let day = Day::read(row.try_get("", "day")?)?;
    let kinds = [Kind::Sales, Kind::Subscriptions, Kind::Crm];
    let kind = kinds.into_iter().find(|kind| kind.as_str() == name);
    match kind {
        Some(Kind::Sales) => sales::count(db, &day).await?,
        Some(Kind::Subscriptions) => subscriptions::count(db, &day).await?,
        Some(Kind::Crm) => crm::count(db, &day).await?,
        _ => return Err(Error::internal("a day is of a kind that has no days").into()),
    }
    Ok(kind)
}
