//! Counts the people in the steps of the timeline.

use std::collections::BTreeMap;

use domain::PersonId;
use sea_orm::Value;

use super::places::{Counted, Difference, Of, from_json, merge_places, to_json};
use crate::{
    Bind, Conn, Result,
    many::{ROWS, bind_rows},
};

/// Recounts the people in `named`. The value `true` means that a session no longer belongs to the
/// person: their previous count is discarded.
pub(super) async fn recount_people(
    db: &Conn<'_>,
    named: &BTreeMap<String, bool>,
    difference: &mut Difference,
) -> Result<()> {
    let all: Vec<(&String, &bool)> = named.iter().collect();
    for batch in all.chunks(ROWS) {
        let (places, values) = bind_rows(batch.iter().map(|(person, _)| [person.as_str().into()]));
        let mut before: BTreeMap<String, Counted> = BTreeMap::new();
        let sql =
            format!("SELECT person, counted FROM figure_people WHERE person IN (VALUES {places})");
        for row in db.fetch_all(&sql, values.clone()).await? {
            let counted: String = row.try_get("", "counted")?;
            before.insert(row.try_get("", "person")?, from_json(&counted)?);
        }
        let mut after: BTreeMap<String, Counted> = BTreeMap::new();
        for (person, lost) in batch {
            let kept = before.get(*person).filter(|_| !**lost);
            after.insert((*person).clone(), kept.cloned().unwrap_or_default());
        }
        let sql = format!(
            "SELECT person, counted FROM timeline_sessions WHERE person IN (VALUES {places})"
        );
        for row in db.fetch_all(&sql, values).await? {
            let person: String = row.try_get("", "person")?;
            let counted: Option<String> = row.try_get("", "counted")?;
            if let (Some(after), Some(counted)) = (after.get_mut(&person), counted) {
                merge_places(after, from_json(&counted)?);
            }
        }
        let nothing = Counted::new();
        for (person, after) in &after {
            let before = before.get(person).unwrap_or(&nothing);
            difference.replace_count(Of::People, before, after);
        }
        save_counts(db, &after).await?;
    }
    Ok(())
}

async fn save_counts(db: &Conn<'_>, counted: &BTreeMap<String, Counted>) -> Result<()> {
    let gone = counted.iter().filter(|(_, counted)| counted.is_empty());
    let (gone, values) = bind_rows(gone.map(|(person, _)| [person.as_str().into()]));
    if !values.is_empty() {
        let sql = format!("DELETE FROM figure_people WHERE person IN (VALUES {gone})");
        db.run(&sql, values).await?;
    }
    let counted = counted.iter().filter(|(_, counted)| !counted.is_empty());
    let rows = counted.map(|(person, counted)| {
        let row: [Value; 2] = [person.as_str().into(), to_json(counted)?.into()];
        Ok(row)
    });
    let (rows, values) = bind_rows(rows.collect::<Result<Vec<_>>>()?);
    if values.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "INSERT INTO figure_people (person, counted) VALUES {rows}
         ON CONFLICT (person) DO UPDATE SET counted = excluded.counted"
    );
    db.run(&sql, values).await?;
    Ok(())
}

/// Removes a person from the figures. The caller must call this before it clears the person in the
/// other tables.
///
/// Counts of people decrease by one; sums, sessions and the origins of purchases stay.
pub async fn forget(db: &Conn<'_>, person: &PersonId) -> Result<()> {
    let sql = "DELETE FROM figure_people WHERE person = $1 RETURNING counted";
    if let Some(row) = db.fetch_one(sql, [person.value()]).await? {
        let counted: String = row.try_get("", "counted")?;
        let mut difference = Difference::default();
        difference.replace_count(Of::People, &from_json(&counted)?, &Counted::new());
        difference.apply(db).await?;
    }
    for table in ["purchases", "crm_stages"] {
        let sql = format!("UPDATE {table} SET stale = 1 WHERE person = $1");
        db.run(&sql, [person.value()]).await?;
    }
    let sql = "UPDATE timeline_sessions SET counted_for = NULL
        WHERE person = $1 OR counted_for = $1";
    db.run(sql, [person.value()]).await?;
    Ok(())
}
