//! Launches: the dashboards of projects, with their products, campaigns and goals.

use sea_orm::Value;

use super::{Bind, Conn, Row};
use crate::Result;
use domain::{
    Error, MemberId, ProjectId, Revision,
    project::ProjectStatus,
    time::{LocalDay, Millis},
};

/// A launch.
#[derive(Debug, Clone)]
pub struct Launch {
    pub project_id: ProjectId,
    pub revision: Revision,
    pub name: String,
    pub starts_on: LocalDay,
    pub ends_on: LocalDay,
    pub goal_cents: i64,
    pub currency: String,
    pub products: Vec<String>,
    /// Patterns of campaign names; `*` matches any text.
    pub campaigns: Vec<String>,
    pub code: Option<String>,
    pub updated_at: Millis,
    pub updated_by: MemberId,
}

const COLUMNS: &str = "project_id, revision, name, starts_on, ends_on, goal_cents, currency, \
    products, campaigns, code, updated_at, updated_by";

fn read_row(row: &Row) -> Result<Launch> {
    let day = |name| -> Result<LocalDay> {
        let text: String = row.try_get("", name)?;
        Ok(LocalDay(text.parse().map_err(Error::internal)?))
    };
    let list = |name| -> Result<Vec<String>> {
        Ok(serde_json::from_str(&row.try_get::<String>("", name)?)?)
    };
    Ok(Launch {
        project_id: row.try_get("", "project_id")?,
        revision: row.try_get("", "revision")?,
        name: row.try_get("", "name")?,
        starts_on: day("starts_on")?,
        ends_on: day("ends_on")?,
        goal_cents: row.try_get("", "goal_cents")?,
        currency: row.try_get("", "currency")?,
        products: list("products")?,
        campaigns: list("campaigns")?,
        code: row.try_get("", "code")?,
        updated_at: row.try_get("", "updated_at")?,
        updated_by: row.try_get("", "updated_by")?,
    })
}

pub async fn find(db: &Conn<'_>, id: &ProjectId) -> Result<Option<Launch>> {
    let sql = format!("SELECT {COLUMNS} FROM launches WHERE project_id = $1");
    let row = db.fetch_one(&sql, [id.value()]).await?;
    row.as_ref().map(read_row).transpose()
}

/// Lists the launches, latest start first, after a position; at most `probe` rows.
pub async fn list(
    db: &Conn<'_>,
    before: Option<(LocalDay, ProjectId)>,
    probe: i64,
) -> Result<Vec<Launch>> {
    let (day, id): (String, Value) = match &before {
        Some((day, id)) => (day.0.to_string(), id.value()),
        None => ("~".into(), "".into()),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM launches
         WHERE starts_on < $1 OR (starts_on = $1 AND project_id < $2)
         ORDER BY starts_on DESC, project_id DESC LIMIT $3"
    );
    let rows = db.fetch_all(&sql, [day.into(), id, probe.into()]).await?;
    rows.iter().map(read_row).collect()
}

/// Lists the ids and names of active projects that have no launch, newest first, before the id `before`;
/// at most `probe` rows.
pub async fn list_projects_without(
    db: &Conn<'_>,
    before: Option<ProjectId>,
    probe: i64,
) -> Result<Vec<(ProjectId, String)>> {
    let sql = "SELECT id, name FROM projects
        WHERE status = $1 AND id < $2
            AND NOT EXISTS (SELECT 1 FROM launches WHERE project_id = projects.id)
        ORDER BY id DESC LIMIT $3";
    let before: Value = before.map_or("~".into(), |id| id.value());
    let active = ProjectStatus::Active.as_str();
    let rows = db
        .fetch_all(sql, [active.into(), before, probe.into()])
        .await?;
    let named = rows
        .iter()
        .map(|row| Ok((row.try_get("", "id")?, row.try_get("", "name")?)));
    named.collect()
}

/// Locks a launch until the end of the transaction, so that only one caller at a time changes it.
pub async fn lock_launch(db: &Conn<'_>, id: &ProjectId) -> Result<()> {
    let sql = "UPDATE launches SET revision = revision WHERE project_id = $1";
    db.run(sql, [id.value()]).await?;
    Ok(())
}

/// Saves a launch if its revision equals `expected`. 0 expects that the launch does not exist yet;
/// `None` saves without a check. Returns the new revision.
///
/// Otherwise returns an error (409) with the current revision.
pub async fn save(db: &Conn<'_>, launch: &Launch, expected: Option<Revision>) -> Result<Revision> {
    let condition = match expected {
        Some(_) => "launches.revision = $12",
        None => "$12 = 0",
    };
    let insert = match expected {
        Some(expected) if expected.get() > 0 => {
            "WHERE EXISTS
            (SELECT 1 FROM launches l WHERE l.project_id = $1)"
        }
        _ => "WHERE 1 = 1",
    };
    let sql = format!(
        "INSERT INTO launches ({COLUMNS})
         SELECT $1, 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 {insert}
         ON CONFLICT (project_id) DO UPDATE SET revision = launches.revision + 1,
            name = excluded.name, starts_on = excluded.starts_on, ends_on = excluded.ends_on,
            goal_cents = excluded.goal_cents, currency = excluded.currency,
            products = excluded.products, campaigns = excluded.campaigns, code = excluded.code,
            updated_at = excluded.updated_at, updated_by = excluded.updated_by
         WHERE {condition}
         RETURNING revision"
    );
    let values = [
        launch.project_id.value(),
        launch.name.as_str().into(),
        launch.starts_on.0.to_string().into(),
        launch.ends_on.0.to_string().into(),
        launch.goal_cents.into(),
        launch.currency.as_str().into(),
        serde_json::to_string(&launch.products)?.into(),
        serde_json::to_string(&launch.campaigns)?.into(),
        launch.code.as_deref().into(),
        launch.updated_at.into(),
        launch.updated_by.value(),
        expected.map_or(0, Revision::get).into(),
    ];
    match db.fetch_one(&sql, values).await? {
        Some(row) => Ok(row.try_get("", "revision")?),
        None => {
            let current = find(db, &launch.project_id).await?;
            let current = current.map_or(0, |launch| launch.revision.get());
            Err(Error::stale_revision(current).into())
        }
    }
}
