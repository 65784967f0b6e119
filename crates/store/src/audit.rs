//! The audit trail.

use entity::audit_event::{Column, Entity};
use sea_orm::{ColumnTrait, EntityTrait, ExprTrait, QueryFilter, QueryOrder, QuerySelect};

pub use domain::Outcome;
use domain::{AuditEventId, Code, Error, Member, MemberId, TokenId, UserId, time::Millis};
use serde_json::{Map, Value};

use crate::{Bind, Conn, Result, columns};

/// An audit row to insert. It never contains a body, a header or a secret.
#[derive(Debug, Clone)]
pub struct AuditRow {
    pub occurred_at: Millis,
    pub request_id: Option<String>,
    pub actor_member_id: Option<MemberId>,
    pub actor_user_id: Option<UserId>,
    pub token_id: Option<TokenId>,
    pub auth_method: &'static str,
    pub capability: Option<&'static str>,
    pub action: &'static str,
    pub resource_type: Option<&'static str>,
    pub resource_id: Option<String>,
    pub outcome: Outcome,
    pub status_code: Option<u16>,
    pub metadata: Map<String, Value>,
}

impl AuditRow {
    /// Sets the member who acted.
    #[must_use]
    pub fn with_actor(mut self, member: &Member) -> Self {
        self.actor_member_id = Some(member.id.clone());
        self.actor_user_id = Some(member.user_id.clone());
        self
    }

    #[must_use]
    pub fn with_outcome(mut self, outcome: Outcome, status: u16) -> Self {
        self.outcome = outcome;
        self.status_code = Some(status);
        self
    }

    /// Sets the outcome of a refused call: `denied` if the caller lacked a right, otherwise
    /// `failed`.
    #[must_use]
    pub fn with_refusal(mut self, error: &Error) -> Self {
        self.metadata
            .insert("code".into(), error.code.as_str().into());
        let denied = matches!(
            error.code,
            Code::SESSION_REQUIRED
                | Code::CAPABILITY_REQUIRED
                | Code::SCOPE_NOT_GRANTED
                | Code::API_ACCESS_DISABLED
                | Code::UNAUTHENTICATED
                | Code::TOKEN_EXPIRED
                | Code::TOKEN_REVOKED
                | Code::NOT_A_MEMBER
        );
        self.with_outcome(
            if denied {
                Outcome::Denied
            } else {
                Outcome::Failed
            },
            error.status(),
        )
    }
}

const INSERT: &str = "
INSERT INTO audit_events (id, occurred_at, request_id, actor_member_id, actor_user_id, token_id,
    auth_method, capability, action, resource_type, resource_id, outcome, status_code, metadata)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

pub async fn insert(db: &Conn<'_>, row: AuditRow) -> Result<()> {
    let values = [
        String::from(AuditEventId::new(row.occurred_at)).into(),
        row.occurred_at.into(),
        row.request_id.into(),
        row.actor_member_id.map(String::from).into(),
        row.actor_user_id.map(String::from).into(),
        row.token_id.map(String::from).into(),
        row.auth_method.into(),
        row.capability.into(),
        row.action.into(),
        row.resource_type.into(),
        row.resource_id.into(),
        row.outcome.as_str().into(),
        row.status_code.map(i64::from).into(),
        serde_json::to_string(&row.metadata)?.into(),
    ];
    Ok(db.run_later(INSERT, values).await?)
}

/// A stored row of the audit trail.
#[derive(Debug)]
pub struct Stored {
    pub id: AuditEventId,
    pub occurred_at: Millis,
    pub request_id: Option<String>,
    pub actor_member_id: Option<MemberId>,
    pub actor_user_id: Option<UserId>,
    pub token_id: Option<TokenId>,
    pub auth_method: String,
    pub capability: Option<String>,
    pub action: String,
    pub resource_type: Option<String>,
    pub resource_id: Option<String>,
    pub outcome: String,
    pub status_code: Option<i64>,
    pub metadata: String,
}

columns!(Stored {
    id,
    occurred_at,
    request_id,
    actor_member_id,
    actor_user_id,
    token_id,
    auth_method,
    capability,
    action,
    resource_type,
    resource_id,
    outcome,
    status_code,
    metadata,
});

/// A filter of audit rows.
#[derive(Debug, Default)]
pub struct Filter {
    pub member_id: Option<MemberId>,
    pub action: Option<String>,
    pub outcome: Option<Outcome>,
    /// Only rows of this personal token or connected agent.
    pub token_id: Option<TokenId>,
    /// Only rows of calls through this interface.
    pub door: Option<&'static str>,
    pub from: Option<Millis>,
    /// The end of the span, exclusive.
    pub until: Option<Millis>,
    /// Only rows older than this position (occurred_at, id).
    pub before: Option<(Millis, AuditEventId)>,
}

/// Lists the rows that match the filter, newest first, at most `probe`.
pub async fn list(db: &Conn<'_>, filter: Filter, probe: i64) -> Result<Vec<Stored>> {
    let mut query = Entity::find();
    if let Some(member_id) = filter.member_id {
        query = query.filter(Column::ActorMemberId.eq(member_id.value()));
    }
    if let Some(action) = filter.action {
        query = query.filter(Column::Action.eq(action));
    }
    if let Some(outcome) = filter.outcome {
        query = query.filter(Column::Outcome.eq(outcome.as_str()));
    }
    if let Some(token_id) = filter.token_id {
        query = query.filter(Column::TokenId.eq(token_id.value()));
    }
    if let Some(door) = filter.door {
        // JSON escapes quotes inside strings, so this pattern matches only the field `door`.
        query = query.filter(Column::Metadata.contains(format!("\"door\":\"{door}\"")));
    }
    if let Some(from) = filter.from {
        query = query.filter(Column::OccurredAt.gte(from));
    }
    if let Some(until) = filter.until {
        query = query.filter(Column::OccurredAt.lt(until));
    }
    if let Some((at, id)) = filter.before {
        let earlier = Column::OccurredAt.eq(at).and(Column::Id.lt(id.value()));
        query = query.filter(Column::OccurredAt.lt(at).or(earlier));
    }
    let query = query
        .order_by_desc(Column::OccurredAt)
        .order_by_desc(Column::Id);
    Ok(query
        .limit(probe.cast_unsigned())
        .into_model()
        .all(db)
        .await?)
}
