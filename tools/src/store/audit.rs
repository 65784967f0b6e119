//! The audit trail.

use entity::audit_event::{Column, Entity, Model};
use sea_orm::{ColumnTrait, EntityTrait, ExprTrait, QueryFilter, QueryOrder, QuerySelect};

use super::Conn;
use crate::{
    domain::{new_id, time::Millis},
    registry::{AuditRow, Outcome, Result},
};

const INSERT: &str = "
INSERT INTO audit_events (id, occurred_at, request_id, actor_member_id, actor_user_id, token_id,
    auth_method, capability, action, resource_type, resource_id, outcome, status_code, metadata)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

pub async fn insert(db: &Conn<'_>, row: AuditRow) -> Result<()> {
    let values = [
        new_id(row.occurred_at).into(),
        row.occurred_at.into(),
        row.request_id.into(),
        row.actor_member_id.into(),
        row.actor_user_id.into(),
        row.token_id.into(),
        row.auth_method.into(),
        row.capability.into(),
        row.action.into(),
        row.resource_type.into(),
        row.resource_id.into(),
        row.outcome.as_str().into(),
        row.status_code.map(i64::from).into(),
        serde_json::to_string(&row.metadata)?.into(),
    ];
    db.run(INSERT, values).await?;
    Ok(())
}

/// Which rows to list.
#[derive(Debug, Default)]
pub struct Filter {
    pub member_id: Option<String>,
    pub action: Option<String>,
    pub outcome: Option<Outcome>,
    /// Rows older than this (occurred_at, id).
    pub before: Option<(Millis, String)>,
}

/// Newest first, at most `probe`.
pub async fn list(db: &Conn<'_>, filter: Filter, probe: i64) -> Result<Vec<Model>> {
    let mut query = Entity::find();
    if let Some(member_id) = filter.member_id {
        query = query.filter(Column::ActorMemberId.eq(member_id));
    }
    if let Some(action) = filter.action {
        query = query.filter(Column::Action.eq(action));
    }
    if let Some(outcome) = filter.outcome {
        query = query.filter(Column::Outcome.eq(outcome.as_str()));
    }
    if let Some((at, id)) = filter.before {
        let earlier = Column::OccurredAt.eq(at).and(Column::Id.lt(id));
        query = query.filter(Column::OccurredAt.lt(at).or(earlier));
    }
    let query = query
        .order_by_desc(Column::OccurredAt)
        .order_by_desc(Column::Id);
    Ok(query.limit(probe.cast_unsigned()).all(db).await?)
}
