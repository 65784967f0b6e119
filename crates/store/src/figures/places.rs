//! The places where sessions and people are counted, and the changes of a recount.

use std::collections::BTreeMap;

use sea_orm::Value;
use serde::{Deserialize, Serialize};

use crate::{
    Conn, Result,
    many::{ROWS, bind_rows},
};

/// The place where a session or person is counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Place {
    pub step: String,
    /// `l:` and a launch, `p:` and a product, or `c:` and a campaign. Empty if the event names no
    /// launch, product or campaign.
    pub scope: String,
    /// The poll; set only for answers to polls.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub poll: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub choice: String,
}

/// The first day on which each place was reached.
pub(super) type Counted = BTreeMap<Place, String>;

/// Serialises the counts for storage.
pub(super) fn to_json(counted: &Counted) -> Result<String> {
    Ok(serde_json::to_string(&Vec::from_iter(counted))?)
}

pub(super) fn from_json(text: &str) -> Result<Counted> {
    let pairs: Vec<(Place, String)> = serde_json::from_str(text)?;
    Ok(pairs.into_iter().collect())
}

/// Adds places. For a place that `into` already contains, keeps the earlier day.
pub(super) fn merge_places(into: &mut Counted, other: impl IntoIterator<Item = (Place, String)>) {
    for (place, day) in other {
        let earliest = into.entry(place).or_insert_with(|| day.clone());
        if day < *earliest {
            *earliest = day;
        }
    }
}

/// The changes of the figures: for each place and day, the numbers of sessions and people to add.
#[derive(Default)]
pub(super) struct Difference(BTreeMap<(Place, String), [i64; 2]>);

/// The unit that is counted: sessions or people.
#[derive(Clone, Copy)]
pub(super) enum Of {
    Sessions,
    People,
}

impl Difference {
    /// Subtracts one session or person from the places in `before`, and adds it to the places in
    /// `after`.
    pub fn replace_count(&mut self, of: Of, before: &Counted, after: &Counted) {
        for (counted, change) in [(before, -1), (after, 1)] {
            for (place, day) in counted {
                let figures = self.0.entry((place.clone(), day.clone())).or_default();
                figures[of as usize] += change;
            }
        }
    }

    pub async fn apply(self, db: &Conn<'_>) -> Result<()> {
        let changes = self.0.into_iter().filter(|(_, change)| *change != [0, 0]);
        let changes: Vec<_> = changes.collect();
        for batch in changes.chunks(ROWS) {
            let rows = batch.iter().map(|((place, day), [sessions, people])| {
                let row: [Value; 7] = [
                    place.scope.as_str().into(),
                    place.step.as_str().into(),
                    day.as_str().into(),
                    place.poll.as_str().into(),
                    place.choice.as_str().into(),
                    (*sessions).into(),
                    (*people).into(),
                ];
                row
            });
            let (rows, values) = bind_rows(rows);
            let sql = format!(
                "INSERT INTO figure_journey (scope, step, day, poll, choice, sessions, people)
                 VALUES {rows}
                 ON CONFLICT (scope, step, day, poll, choice) DO UPDATE SET
                    sessions = figure_journey.sessions + excluded.sessions,
                    people = figure_journey.people + excluded.people"
            );
            db.run(&sql, values).await?;
        }
        Ok(())
    }
}
