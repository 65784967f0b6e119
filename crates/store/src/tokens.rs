//! Personal tokens.

use entity::personal_token::{Column, Entity, Model};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, ExprTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect,
};
use serde::Deserialize;

use super::{Bind, Conn, Row, agents, convert, latest, members::Member, sqlite::InOrder};
use crate::{Failure, Result};
use domain::{Capabilities, Capability, Error, Level, MemberId, Role, TokenId, time::Millis};

/// A personal token without its secret.
#[derive(Debug, Clone)]
pub struct Token {
    pub id: TokenId,
    pub member_id: MemberId,
    pub label: String,
    pub prefix: String,
    pub secret_sha256: String,
    pub scopes: Capabilities,
    pub created_at: Millis,
    pub expires_at: Millis,
    pub last_used_at: Option<Millis>,
    pub revoked_at: Option<Millis>,
}

impl TryFrom<Model> for Token {
    type Error = Failure;

    fn try_from(row: Model) -> Result<Self> {
        Ok(Self {
            id: convert(row.id)?,
            member_id: convert(row.member_id)?,
            scopes: parse_scopes(&row.scopes)?,
            label: row.label,
            prefix: row.prefix,
            secret_sha256: row.secret_sha256,
            created_at: row.created_at,
            expires_at: row.expires_at,
            last_used_at: row.last_used_at,
            revoked_at: row.revoked_at,
        })
    }
}

fn parse_scopes(json: &str) -> Result<Capabilities> {
    Ok(serde_json::from_str::<Vec<Capability>>(json)?
        .into_iter()
        .collect())
}

/// The data of a token that authentication needs.
pub struct Presented {
    pub id: TokenId,
    pub secret_sha256: String,
    pub scopes: Capabilities,
    pub expires_at: Millis,
    pub revoked_at: Option<Millis>,
    pub member: Member,
}

/// The columns are in the order of the fields of [`PresentedRow`].
const PRESENTED: &str = "
SELECT t.id, t.secret_sha256, t.scopes, t.expires_at, t.revoked_at, m.id AS m_id, m.user_id,
       m.name, m.email, m.role, m.api_access_level, m.financeiro, m.active, m.cleanup_pending,
       m.sessions_valid_after, m.created_at
FROM personal_tokens t JOIN members m ON m.id = t.member_id
WHERE t.prefix = $1";

#[derive(Deserialize)]
struct PresentedRow {
    id: String,
    secret_sha256: String,
    scopes: String,
    expires_at: Millis,
    revoked_at: Option<Millis>,
    member_id: String,
    user_id: String,
    name: String,
    email: String,
    role: Role,
    api_access_level: Level,
    financeiro: bool,
    active: bool,
    cleanup_pending: bool,
    sessions_valid_after: Millis,
    created_at: Millis,
}

impl InOrder for PresentedRow {}

impl PresentedRow {
    fn from_row(row: &Row) -> Result<Self> {
        let text = |name: &str| row.try_get::<String>("", name);
        Ok(Self {
            id: text("id")?,
            secret_sha256: text("secret_sha256")?,
            scopes: text("scopes")?,
            expires_at: row.try_get("", "expires_at")?,
            revoked_at: row.try_get("", "revoked_at")?,
            member_id: text("m_id")?,
            user_id: text("user_id")?,
            name: text("name")?,
            email: text("email")?,
            role: text("role")?.parse().map_err(Error::internal)?,
            api_access_level: text("api_access_level")?.parse().map_err(Error::internal)?,
            financeiro: row.try_get("", "financeiro")?,
            active: row.try_get("", "active")?,
            cleanup_pending: row.try_get("", "cleanup_pending")?,
            sessions_valid_after: row.try_get("", "sessions_valid_after")?,
            created_at: row.try_get("", "created_at")?,
        })
    }
}

/// Finds a token by its prefix, and its member, with one indexed query, because every request with
/// a token runs it.
pub async fn find_by_prefix(db: &Conn<'_>, prefix: &str) -> Result<Option<Presented>> {
    let row: Option<PresentedRow> = if db.get_database_backend() == DbBackend::Sqlite {
        db.fetch_deserialized(PRESENTED, vec![prefix.into()])
            .await?
            .pop()
    } else {
        let row = db.fetch_one(PRESENTED, [prefix.into()]).await?;
        row.as_ref().map(PresentedRow::from_row).transpose()?
    };
    let Some(row) = row else {
        return Ok(None);
    };
    Ok(Some(Presented {
        id: convert(row.id)?,
        secret_sha256: row.secret_sha256,
        scopes: parse_scopes(&row.scopes)?,
        expires_at: row.expires_at,
        revoked_at: row.revoked_at,
        member: Member {
            id: convert(row.member_id)?,
            user_id: convert(row.user_id)?,
            name: row.name,
            email: row.email,
            role: row.role,
            api_access_level: row.api_access_level,
            financeiro: row.financeiro,
            active: row.active,
            cleanup_pending: row.cleanup_pending,
            sessions_valid_after: row.sessions_valid_after,
            created_at: row.created_at,
        },
    }))
}

pub async fn insert(db: &Conn<'_>, token: &Token) -> Result<()> {
    let scopes: Vec<Capability> = token.scopes.iter().collect();
    let row = Model {
        id: token.id.clone().into(),
        member_id: token.member_id.clone().into(),
        label: token.label.clone(),
        prefix: token.prefix.clone(),
        secret_sha256: token.secret_sha256.clone(),
        scopes: serde_json::to_string(&scopes)?,
        created_at: token.created_at,
        expires_at: token.expires_at,
        last_used_at: token.last_used_at,
        revoked_at: token.revoked_at,
    };
    Entity::insert(row.into_active_model())
        .exec_without_returning(db)
        .await?;
    Ok(())
}

pub async fn count_active(db: &Conn<'_>, member_id: &MemberId, now: Millis) -> Result<i64> {
    let sql = "SELECT count(*) AS n FROM personal_tokens
               WHERE member_id = $1 AND revoked_at IS NULL AND expires_at > $2";
    let row = db.fetch_one(sql, [member_id.value(), now.into()]).await?;
    Ok(row.map(|r| r.try_get("", "n")).transpose()?.unwrap_or(0))
}

/// Finds a member's token. Returns `None` if the token belongs to another member.
pub async fn find_for_member(
    db: &Conn<'_>,
    member_id: &MemberId,
    id: &TokenId,
) -> Result<Option<Token>> {
    let row = Entity::find_by_id(id.as_str())
        .filter(Column::MemberId.eq(member_id.value()))
        .one(db)
        .await?;
    row.map(TryInto::try_into).transpose()
}

/// Lists a member's tokens, newest first, after the position `after` (created_at, id); at most `probe`
/// rows.
pub async fn list_for_member(
    db: &Conn<'_>,
    member_id: &MemberId,
    after: Option<(Millis, TokenId)>,
    probe: i64,
) -> Result<Vec<Token>> {
    let mut query = Entity::find().filter(Column::MemberId.eq(member_id.value()));
    if let Some((at, id)) = after {
        let later = Column::CreatedAt.eq(at).and(Column::Id.lt(id.value()));
        query = query.filter(Column::CreatedAt.lt(at).or(later));
    }
    let rows = query
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id)
        .limit(probe.cast_unsigned())
        .all(db)
        .await?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// Lists up to 20 tokens per member, active ones first, then by age, newest first.
pub async fn list_latest_of_members(
    db: &Conn<'_>,
    member_ids: &[MemberId],
    now: Millis,
) -> Result<Vec<Token>> {
    let rows = latest::list_latest_of_members(db, "personal_tokens", member_ids, now).await?;
    let read = |row: &Row| row.read_model::<Model>()?.try_into();
    rows.iter().map(read).collect()
}

/// Revokes one token of a member. A token that is already revoked keeps its time of revocation.
pub async fn revoke(db: &Conn<'_>, member_id: &MemberId, id: &TokenId, now: Millis) -> Result<()> {
    let sql = "UPDATE personal_tokens SET revoked_at = $3
               WHERE id = $2 AND member_id = $1 AND revoked_at IS NULL";
    db.run(sql, [member_id.value(), id.value(), now.into()])
        .await?;
    Ok(())
}

/// Revokes all active tokens and connected agents of a member. Returns their ids.
pub async fn revoke_all(db: &Conn<'_>, member_id: &MemberId, now: Millis) -> Result<Vec<TokenId>> {
    let sql = "UPDATE personal_tokens SET revoked_at = $2
               WHERE member_id = $1 AND revoked_at IS NULL AND expires_at > $2 RETURNING id";
    let rows = db.fetch_all(sql, [member_id.value(), now.into()]).await?;
    let ids = rows.iter().map(|row| row.try_get("", "id"));
    let mut ids = ids.collect::<std::result::Result<Vec<TokenId>, _>>()?;
    let agents = agents::revoke_all(db, member_id, now).await?;
    ids.extend(
        agents
            .into_iter()
            .filter_map(|id| TokenId::from_stored(id.into())),
    );
    Ok(ids)
}

/// Records the last use of a personal token or a connected agent.
pub async fn set_last_used(db: &Conn<'_>, id: &TokenId, at: Millis) -> Result<()> {
    for sql in [
        "UPDATE personal_tokens SET last_used_at = $2 WHERE id = $1",
        "UPDATE agents SET last_used_at = $2 WHERE id = $1",
    ] {
        if db.run(sql, [id.value(), at.into()]).await? > 0 {
            break;
        }
    }
    Ok(())
}
