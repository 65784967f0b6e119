//! Projects: one document each, changed by compare-and-set, with the history of operations. The cost of
//! an operation does not depend on the length of the history.

use std::collections::{BTreeMap, BTreeSet};

use entity::{
    project::{Column, Entity, Model},
    project_operation,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde_json::{Map, Value, json};

use super::{Bind, Conn, Row, columns, convert};
use crate::{
    Failure, Result,
    searching::{self, FoundText, Joined, Kind},
};
use domain::{
    Error, EventId, MemberId, ProjectId, ProjectOperationId, Revision,
    project::{PROJECT_LIMIT, Project, ProjectOperation, ProjectStatus},
    time::Millis,
};
use search::typed::Typed;

/// The maximum size of a document, in bytes. Every operation reads and writes the whole document.
pub const MOST_BYTES: usize = 4_000_000;
/// The maximum number of operations in the error of a stale write. A single revision never has more
/// operations.
const MAX_LISTED: usize = 50;

/// A project with its id, revision and times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub id: ProjectId,
    pub revision: Revision,
    pub created_by: MemberId,
    pub created_at: Millis,
    pub updated_at: Millis,
    pub project: Project,
}

impl TryFrom<Model> for Stored {
    type Error = Failure;

    fn try_from(row: Model) -> Result<Self> {
        Ok(Self {
            id: convert(row.id)?,
            revision: convert(row.revision)?,
            created_by: convert(row.created_by)?,
            project: serde_json::from_str(&row.document)?,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

pub async fn find(db: &Conn<'_>, id: &ProjectId) -> Result<Option<Stored>> {
    let row = Entity::find_by_id(id.as_str()).one(db).await?;
    row.map(TryInto::try_into).transpose()
}

/// Finds a project. Returns an error (404) if there is none.
pub async fn require(db: &Conn<'_>, id: &ProjectId) -> Result<Stored> {
    find(db, id)
        .await?
        .ok_or_else(|| Error::not_found_in("projeto", "list_projects").into())
}

/// Returns an error (404) if the project does not exist.
pub async fn require_exists(db: &Conn<'_>, id: &ProjectId) -> Result<()> {
    let sql = "SELECT id FROM projects WHERE id = $1";
    match db.fetch_one(sql, [id.value()]).await? {
        Some(_) => Ok(()),
        None => Err(Error::not_found_in("projeto", "list_projects").into()),
    }
}

/// A project in a list.
#[derive(Debug)]
pub struct ProjectSummary {
    pub id: ProjectId,
    pub revision: Revision,
    pub name: String,
    pub status: String,
    pub sections: i64,
    pub items: i64,
    pub done: i64,
    pub members: i64,
    pub updated_at: Millis,
}

columns!(ProjectSummary {
    id,
    revision,
    name,
    status,
    sections,
    items,
    done,
    members,
    updated_at,
});

/// Lists projects without their documents, newest first, before the id `before`; at most `probe` rows.
pub async fn list(
    db: &Conn<'_>,
    status: Option<ProjectStatus>,
    before: Option<ProjectId>,
    probe: i64,
) -> Result<Vec<ProjectSummary>> {
    let columns = [
        Column::Id,
        Column::Revision,
        Column::Name,
        Column::Status,
        Column::Sections,
        Column::Items,
        Column::Done,
        Column::Members,
        Column::UpdatedAt,
    ];
    let mut query = Entity::find().select_only().columns(columns);
    if let Some(status) = status {
        query = query.filter(Column::Status.eq(status.as_str()));
    }
    if let Some(before) = before {
        query = query.filter(Column::Id.lt(before.value()));
    }
    let query = query.order_by_desc(Column::Id).limit(probe.cast_unsigned());
    Ok(query.into_model().all(db).await?)
}

/// Lists the active projects whose document mentions this member.
pub async fn list_mentioning(db: &Conn<'_>, member_id: &MemberId) -> Result<Vec<ProjectId>> {
    let sql = "SELECT id FROM projects WHERE status = $1 AND document LIKE $2 ORDER BY id";
    let pattern = format!("%\"{member_id}\"%");
    let active = ProjectStatus::Active.as_str();
    let rows = db.fetch_all(sql, [active.into(), pattern.into()]).await?;
    Ok(rows
        .iter()
        .map(|row| row.try_get("", "id"))
        .collect::<Result<_, _>>()?)
}

/// Finds which of these projects the event is linked to.
pub async fn find_linked(
    db: &Conn<'_>,
    projects: &BTreeSet<ProjectId>,
    event_id: &EventId,
) -> Result<BTreeSet<ProjectId>> {
    if projects.is_empty() {
        return Ok(BTreeSet::new());
    }
    let ids = projects.iter().map(ProjectId::as_str);
    let mentioned = Entity::find()
        .filter(Column::Id.is_in(ids))
        .filter(Column::Document.contains(format!("\"{event_id}\"")));
    let mut linked = BTreeSet::new();
    for row in mentioned.all(db).await? {
        // The id may also occur in a text of the document, so the document is parsed.
        let stored = Stored::try_from(row)?;
        if stored.project.linked_events().any(|id| id == event_id) {
            linked.insert(stored.id);
        }
    }
    Ok(linked)
}

/// Finds which of these projects each of these events is linked to. Events that are linked to none of the
/// projects are missing.
pub async fn find_all_linked(
    db: &Conn<'_>,
    projects: &BTreeSet<ProjectId>,
    events: &BTreeSet<&EventId>,
) -> Result<BTreeMap<EventId, BTreeSet<ProjectId>>> {
    let mut linked: BTreeMap<EventId, BTreeSet<ProjectId>> = BTreeMap::new();
    if projects.is_empty() || events.is_empty() {
        return Ok(linked);
    }
    let ids = projects.iter().map(ProjectId::as_str);
    for row in Entity::find().filter(Column::Id.is_in(ids)).all(db).await? {
        let stored = Stored::try_from(row)?;
        for id in stored.project.linked_events() {
            if events.contains(id) {
                let of_event = linked.entry(id.clone()).or_default();
                of_event.insert(stored.id.clone());
            }
        }
    }
    Ok(linked)
}

/// Finds which of these projects exist.
pub async fn find_existing(
    db: &Conn<'_>,
    projects: impl IntoIterator<Item = &ProjectId>,
) -> Result<BTreeSet<ProjectId>> {
    let ids = projects.into_iter().map(ProjectId::as_str);
    let query = Entity::find().select_only().column(Column::Id);
    let query = query.filter(Column::Id.is_in(ids)).into_tuple::<String>();
    query
        .all(db)
        .await?
        .into_iter()
        .map(|id| Ok(convert(id)?))
        .collect()
}

const INSERT: &str = "
INSERT INTO projects (id, revision, name, status, sections, items, done, members, created_by,
    created_at, updated_at, document)
VALUES ($1, 1, $2, $3, 0, 0, 0, 0, $4, $5, $5, $6)";

/// Stores a new project. Its creation is revision 1 and the first entry of its history.
pub async fn create(
    db: &Conn<'_>,
    id: ProjectId,
    creation: &ProjectOperation,
    actor: &MemberId,
    now: Millis,
) -> Result<Stored> {
    let mut project = Project::default();
    if project.apply(creation).is_err() {
        return Err(Error::internal("an empty project refused its creation").into());
    }
    let values = [
        id.value(),
        project.name.as_str().into(),
        project.status.as_str().into(),
        actor.value(),
        now.into(),
        serde_json::to_string(&project)?.into(),
    ];
    db.run(INSERT, values).await?;
    let stored = Stored {
        id,
        revision: Revision::FIRST,
        created_by: actor.clone(),
        created_at: now,
        updated_at: now,
        project,
    };
    insert_operation(db, &stored, creation, actor).await?;
    save_text(db, &stored).await?;
    Ok(stored)
}

const UPDATE: &str = "
UPDATE projects SET revision = revision + 1, name = $3, status = $4, sections = $5, items = $6,
    done = $7, members = $8, updated_at = $9, document = $10
WHERE id = $1 AND revision = $2";

/// An operation in the history.
#[derive(Debug)]
pub struct RecordedOperation {
    pub id: ProjectOperationId,
    pub kind: String,
    pub payload: Map<String, Value>,
}

/// Writes `after`, the result of `operation`, if the stored project has not changed. Returns the new
/// entry of the history.
///
/// If the project has changed, returns an error (409) with the operations since the revision of `after`.
/// If the document exceeds [`MOST_BYTES`], returns `PROJECT_LIMIT`.
pub async fn save(
    db: &Conn<'_>,
    after: &mut Stored,
    operation: &ProjectOperation,
    actor: &MemberId,
    now: Millis,
) -> Result<RecordedOperation> {
    let document = serde_json::to_string(&after.project)?;
    if document.len() > MOST_BYTES {
        return Err(Error::new(PROJECT_LIMIT)
            .because(format!("O projeto passaria de {MOST_BYTES} bytes."))
            .with_detail("limit", MOST_BYTES.into())
            .into());
    }
    let before = after.revision;
    // `updated_at` also serves as a token, so no two revisions may have the same value.
    after.updated_at = now.max(after.updated_at + 1);
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let counts = after.project.count_contents();
    let values = [
        after.id.value(),
        before.value(),
        after.project.name.as_str().into(),
        after.project.status.as_str().into(),
        count(counts.sections).into(),
        count(counts.items).into(),
        count(counts.done).into(),
        count(counts.members).into(),
        after.updated_at.into(),
        document.into(),
    ];
    if db.run(UPDATE, values).await? == 0 {
        return Err(load_stale_refusal(db, &after.id, before).await?.into());
    }
    after.revision = before.next();
    save_text(db, after).await?;
    insert_operation(db, after, operation, actor).await
}

/// Returns the text by which a project is found: its name, and all titles, descriptions and notes in its
/// document.
pub(crate) fn search_text(project: &Project) -> String {
    let sections = project.sections.iter().flat_map(|section| {
        let items = section.items.iter();
        let items = items.flat_map(|item| [item.title.as_str(), item.notes.as_str()]);
        std::iter::once(section.title.as_str()).chain(items)
    });
    let description = project.description.as_str();
    searching::join_text(&project.name, std::iter::once(description).chain(sections))
}

async fn save_text(db: &Conn<'_>, stored: &Stored) -> Result<()> {
    let text = search_text(&stored.project);
    searching::save_text(
        db,
        Kind::Project,
        stored.id.as_str(),
        stored.updated_at,
        text,
    )
    .await
}

/// Finds projects by their texts.
pub async fn find_by_query(db: &Conn<'_>, typed: &Typed, most: usize) -> Result<Vec<FoundText>> {
    searching::find_texts(db, Kind::Project, typed, Joined::default(), most).await
}

const RECORD: &str = "
INSERT INTO project_operations
    (project_id, revision, id, type, payload, actor_member_id, occurred_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)";

async fn insert_operation(
    db: &Conn<'_>,
    after: &Stored,
    operation: &ProjectOperation,
    actor: &MemberId,
) -> Result<RecordedOperation> {
    let id = ProjectOperationId::new(after.updated_at);
    let mut whole = serde_json::to_value(operation)?;
    let (Value::String(kind), Value::Object(payload)) =
        (whole["type"].take(), whole["payload"].take())
    else {
        return Err(Error::internal("an operation has no type or no payload").into());
    };
    let values = [
        after.id.value(),
        after.revision.value(),
        id.value(),
        kind.as_str().into(),
        serde_json::to_string(&payload)?.into(),
        actor.value(),
        after.updated_at.into(),
    ];
    db.run(RECORD, values).await?;
    Ok(RecordedOperation { id, kind, payload })
}

const SINCE: &str = "
SELECT revision, type, payload FROM project_operations
WHERE project_id = $1 AND revision > $2 ORDER BY revision DESC LIMIT $3";

/// Loads the error for a writer who read the revision `seen`. The error contains the current tokens, and
/// the types and ids of the operations since `seen`, oldest first.
pub async fn load_stale_refusal(db: &Conn<'_>, id: &ProjectId, seen: Revision) -> Result<Error> {
    let sql = "SELECT revision, updated_at FROM projects WHERE id = $1";
    let row = db.fetch_one(sql, [id.value()]).await?;
    let row = row.ok_or_else(|| Error::not_found_in("projeto", "list_projects"))?;
    let current: Revision = row.try_get("", "revision")?;
    let updated_at = domain::time::Timestamp(row.try_get("", "updated_at")?);
    let most = i64::try_from(MAX_LISTED).unwrap_or(i64::MAX);
    let rows = db
        .fetch_all(SINCE, [id.value(), seen.value(), most.into()])
        .await?;
    let (mut since, mut listed) = (vec![], 0);
    for row in &rows {
        let operations = summarize_operations(row)?;
        if since.len() + operations.len() > MAX_LISTED {
            break;
        }
        listed += 1;
        since.splice(0..0, operations);
    }
    let omitted = current.changes_since(seen) - listed;
    let mut error = Error::stale_revision(current)
        .with_detail("current_updated_at", json!(updated_at))
        .with_detail("since", since.into());
    if omitted > 0 {
        error = error.with_detail("since_omitted", omitted.into());
    }
    Ok(error)
}

/// Returns the operations of one revision, with their types and ids.
fn summarize_operations(row: &Row) -> Result<Vec<Value>> {
    let revision: Revision = row.try_get("", "revision")?;
    let payload: String = row.try_get("", "payload")?;
    let payload: Value = serde_json::from_str(&payload)?;
    let operations = match payload["operations"].as_array() {
        Some(operations) => operations.clone(),
        None => vec![json!({ "type": row.try_get::<String>("", "type")?, "payload": payload })],
    };
    let summaries = operations.into_iter().map(|operation| {
        let mut summary = Map::new();
        summary.insert("revision".into(), revision.into());
        summary.insert("type".into(), operation["type"].clone());
        let payload = operation["payload"].as_object().into_iter().flatten();
        let ids = payload.filter(|(name, _)| name.ends_with("_id"));
        summary.extend(ids.map(|(name, id)| (name.clone(), id.clone())));
        Value::Object(summary)
    });
    Ok(summaries.collect())
}

/// An entry of the history.
#[derive(Debug)]
pub struct Stated {
    pub id: ProjectOperationId,
    pub revision: Revision,
    pub r#type: String,
    /// The operation as JSON, with the generated ids.
    pub payload: String,
    pub actor_member_id: MemberId,
    pub occurred_at: Millis,
}

impl TryFrom<project_operation::Model> for Stated {
    type Error = Failure;

    fn try_from(row: project_operation::Model) -> Result<Self> {
        Ok(Self {
            id: convert(row.id)?,
            revision: convert(row.revision)?,
            actor_member_id: convert(row.actor_member_id)?,
            r#type: row.r#type,
            payload: row.payload,
            occurred_at: row.occurred_at,
        })
    }
}

/// Lists the entries before the revision `before`, newest first; at most `probe` rows.
pub async fn list_history(
    db: &Conn<'_>,
    id: &ProjectId,
    before: Option<Revision>,
    probe: i64,
) -> Result<Vec<Stated>> {
    use project_operation::{Column, Entity};
    let mut query = Entity::find().filter(Column::ProjectId.eq(id.value()));
    if let Some(before) = before {
        query = query.filter(Column::Revision.lt(before.value()));
    }
    let query = query
        .order_by_desc(Column::Revision)
        .limit(probe.cast_unsigned());
    let rows = query.all(db).await?.into_iter();
    rows.map(TryInto::try_into).collect()
}

/// Returns the operation in an entry of the history.
pub fn parse_operation(row: &Stated) -> Result<ProjectOperation> {
    let payload: Value = serde_json::from_str(&row.payload)?;
    Ok(serde_json::from_value(
        json!({ "type": row.r#type, "payload": payload }),
    )?)
}
