//! People in the stages of the sales funnel, counted on the day on which they first reached the
//! stage.

use std::collections::BTreeSet;

use sea_orm::Value;

use super::{
    day::{self, Day},
    kind::Kind,
};
use crate::{
    Conn, Result,
    many::{ROWS, bind_rows},
};

/// Settles a batch of marked stages: marks their days, and all counted days of the same people,
/// because the first day of a person may have changed. Returns the number of stages processed.
pub(super) async fn settle_batch(db: &Conn<'_>) -> Result<usize> {
    let sql = format!(
        "SELECT id, person, occurred_at, counted_day FROM crm_stages WHERE stale = 1 LIMIT {ROWS}"
    );
    let (mut rows, mut stale, mut people) = (vec![], BTreeSet::new(), BTreeSet::new());
    for row in db.fetch_all(&sql, []).await? {
        let day = day::day_text(row.try_get("", "occurred_at")?);
        stale.extend(row.try_get::<Option<String>>("", "counted_day")?);
        stale.insert(day.clone());
        people.extend(row.try_get::<Option<String>>("", "person")?);
        let row: [Value; 2] = [row.try_get::<String>("", "id")?.into(), day.into()];
        rows.push(row);
    }
    if rows.is_empty() {
        return Ok(0);
    }
    let taken = rows.len();
    if !people.is_empty() {
        let (people, values) = bind_rows(people.into_iter().map(|person| [person.into()]));
        let sql = format!(
            "SELECT DISTINCT counted_day AS day FROM crm_stages WHERE person IN (VALUES {people})"
        );
        for row in db.fetch_all(&sql, values).await? {
            stale.extend(row.try_get::<Option<String>>("", "day")?);
        }
    }
    day::mark_stale_days(db, Kind::Crm, stale).await?;
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "WITH settled (id, day) AS (VALUES {rows})
         UPDATE crm_stages SET stale = 0, counted_day = settled.day
         FROM settled WHERE crm_stages.id = settled.id"
    );
    db.run(&sql, values).await?;
    Ok(taken)
}

/// Recounts the stages that people first reached on a day.
pub(super) async fn recount_day(db: &Conn<'_>, day: &Day) -> Result<()> {
    let sql = "DELETE FROM figure_crm WHERE day = $1";
    db.run(sql, [day.text.as_str().into()]).await?;
    let sql = "INSERT INTO figure_crm (launch, stage, day, people)
        SELECT COALESCE(c.launch, ''), c.stage, $1, COUNT(*) FROM crm_stages c
        WHERE c.occurred_at >= $2 AND c.occurred_at < $3 AND c.person IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM crm_stages e WHERE e.person = c.person
                AND e.stage = c.stage AND COALESCE(e.launch, '') = COALESCE(c.launch, '')
                AND (e.occurred_at, e.id) < (c.occurred_at, c.id))
        GROUP BY COALESCE(c.launch, ''), c.stage";
    db.run(sql, day.to_parameters()).await?;
    Ok(())
}
