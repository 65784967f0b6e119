//! Calendar days of the figures.

use std::collections::BTreeSet;

use domain::{
    Error,
    time::{Millis, brasilia_day, end_of_day, start_of_day},
};
use sea_orm::Value;

use super::kind::Kind;
use crate::{Conn, Result, sqlite::Cell};

/// Returns the day of an instant in Brasilia time, as text.
pub(super) fn day_text(instant: Millis) -> String {
    brasilia_day(instant).to_string()
}

/// A day as text, with its first instant and the first instant of the next day.
pub(super) struct Day {
    pub text: String,
    pub from: Millis,
    pub until: Millis,
}

impl Day {
    pub fn parse(text: String) -> Result<Self> {
        let date = text.parse().map_err(Error::internal)?;
        Ok(Self {
            from: start_of_day(date),
            until: end_of_day(date),
            text,
        })
    }

    /// Returns the day and its bounds as the parameters `$1`, `$2` and `$3`.
    pub fn to_parameters(&self) -> [Value; 3] {
        [
            self.text.as_str().into(),
            self.from.into(),
            self.until.into(),
        ]
    }
}

/// Marks days of a kind to be recounted.
pub(super) async fn mark_stale_days(
    db: &Conn<'_>,
    kind: Kind,
    days: BTreeSet<String>,
) -> Result<()> {
    let rows: Vec<[Cell<'_>; 2]> = days
        .iter()
        .map(|day| [kind.as_str().into(), day.as_str().into()])
        .collect();
    let into = "INTO figure_stale_days (kind, day)";
    db.insert((into, "ON CONFLICT DO NOTHING"), &rows).await?;
    Ok(())
}
