//! Members of the team.

use std::collections::{BTreeSet, HashMap, HashSet};

use entity::member::{ActiveModel, Column, Entity, Model};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, EntityTrait, ExprTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, sea_query::LockType,
};

use super::{Bind, Conn, Row, columns, convert, driver::is_unique_violation};
use crate::Result;
use domain::{EMAIL_IN_USE, Error, MemberId, Role, UserId, fold_text};
use search::typed::Typed;

pub use domain::Member;

/// Reads the member of a joined row.
pub(super) fn read_row(row: &Row, prefix: &str) -> Result<Member> {
    let role: String = row.try_get(prefix, "role")?;
    let api_access_level: String = row.try_get(prefix, "api_access_level")?;
    Ok(Member {
        id: row.try_get(prefix, "id")?,
        user_id: row.try_get(prefix, "user_id")?,
        name: row.try_get(prefix, "name")?,
        email: row.try_get(prefix, "email")?,
        role: role.parse().map_err(Error::internal)?,
        api_access_level: api_access_level.parse().map_err(Error::internal)?,
        financeiro: row.try_get(prefix, "financeiro")?,
        active: row.try_get(prefix, "active")?,
        cleanup_pending: row.try_get(prefix, "cleanup_pending")?,
        sessions_valid_after: row.try_get(prefix, "sessions_valid_after")?,
        created_at: row.try_get(prefix, "created_at")?,
    })
}

fn into_member(row: Model) -> Result<Member> {
    Ok(Member {
        id: convert(row.id)?,
        user_id: convert(row.user_id)?,
        role: row.role.parse().map_err(Error::internal)?,
        api_access_level: row.api_access_level.parse().map_err(Error::internal)?,
        name: row.name,
        email: row.email,
        financeiro: row.financeiro,
        active: row.active,
        cleanup_pending: row.cleanup_pending,
        sessions_valid_after: row.sessions_valid_after,
        created_at: row.created_at,
    })
}

fn to_model(member: &Member) -> Model {
    Model {
        id: member.id.clone().into(),
        user_id: member.user_id.clone().into(),
        name: member.name.clone(),
        email: member.email.clone(),
        role: member.role.as_str().into(),
        api_access_level: member.api_access_level.as_str().into(),
        financeiro: member.financeiro,
        active: member.active,
        cleanup_pending: member.cleanup_pending,
        sessions_valid_after: member.sessions_valid_after,
        created_at: member.created_at,
    }
}

/// Locks the team until the end of the transaction, for callers whose rules count members or tokens
/// of the team.
pub async fn lock_team(db: &Conn<'_>) -> Result<()> {
    db.run("UPDATE team SET turn = turn + 1 WHERE id = 1", [])
        .await?;
    Ok(())
}

/// Locks a member until the end of the transaction, for callers whose rules count rows of the
/// member.
pub async fn lock_member(db: &Conn<'_>, id: &MemberId) -> Result<()> {
    db.run(
        "UPDATE members SET active = active WHERE id = $1",
        [id.value()],
    )
    .await?;
    Ok(())
}

pub async fn find(db: &Conn<'_>, id: &MemberId) -> Result<Option<Member>> {
    Entity::find_by_id(id.as_str())
        .one(db)
        .await?
        .map(into_member)
        .transpose()
}

/// Finds the active members among these, in no particular order.
pub async fn find_active(
    db: &Conn<'_>,
    ids: impl IntoIterator<Item = &MemberId>,
) -> Result<Vec<Member>> {
    let ids: Vec<&str> = ids.into_iter().map(MemberId::as_str).collect();
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let active = Entity::find().filter(Column::Active.eq(true));
    let rows = active.filter(Column::Id.is_in(ids)).all(db).await?;
    rows.into_iter().map(into_member).collect()
}

/// Finds a member, active or not. Returns an error (404) if there is none.
pub async fn require(db: &Conn<'_>, id: &MemberId) -> Result<Member> {
    find(db, id)
        .await?
        .ok_or_else(|| Error::not_found_in("membro", "list_team").into())
}

/// Finds an active member. Returns an error (404) if there is none.
pub async fn require_active(db: &Conn<'_>, id: &MemberId) -> Result<Member> {
    require(db, id).await.and_then(|member| {
        if member.active {
            Ok(member)
        } else {
            Err(Error::not_found_in("membro ativo", "list_team").into())
        }
    })
}

struct Held {
    id: MemberId,
    active: bool,
}

columns!(Held { id, active });

/// Locks the active members among these and returns their ids. None of them can be offboarded or
/// reactivated until the end of the transaction.
///
/// The rows are locked in the order of their ids, which prevents deadlocks.
pub async fn lock_active_members(
    db: &Conn<'_>,
    ids: impl IntoIterator<Item = &MemberId>,
) -> Result<HashSet<MemberId>> {
    let ids: BTreeSet<&str> = ids.into_iter().map(MemberId::as_str).collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let query = Entity::find()
        .select_only()
        .column(Column::Id)
        .column(Column::Active);
    // SQLite ignores the lock clause, because SQLite has a single writer and no row locks.
    let held = query
        .filter(Column::Id.is_in(ids))
        .order_by_asc(Column::Id)
        .lock(LockType::NoKeyUpdate)
        .into_model::<Held>();
    let held = held.all(db).await?.into_iter();
    let active = held.filter(|held| held.active);
    Ok(active.map(|held| held.id).collect())
}

/// Locks these members, so that they stay active until the end of the transaction. Returns an error
/// (404) if one of them is not active.
pub async fn require_all_active(
    db: &Conn<'_>,
    ids: impl IntoIterator<Item = &MemberId> + Clone,
) -> Result<()> {
    let active = lock_active_members(db, ids.clone()).await?;
    if ids.into_iter().all(|id| active.contains(id)) {
        return Ok(());
    }
    Err(Error::not_found_in("membro ativo", "list_team").into())
}

pub async fn find_by_email(db: &Conn<'_>, email: &str) -> Result<Option<Member>> {
    let row = Entity::find()
        .filter(Column::Email.eq(email))
        .one(db)
        .await?;
    row.map(into_member).transpose()
}

pub async fn find_by_user(db: &Conn<'_>, user_id: &UserId) -> Result<Option<Member>> {
    let row = Entity::find()
        .filter(Column::UserId.eq(user_id.value()))
        .one(db)
        .await?;
    row.map(into_member).transpose()
}

/// Lists the active members by name, after the position `after` (name, id); at most `probe` rows.
pub async fn list_active(
    db: &Conn<'_>,
    after: Option<(String, MemberId)>,
    probe: i64,
) -> Result<Vec<Member>> {
    let mut query = Entity::find().filter(Column::Active.eq(true));
    if let Some((name, id)) = after {
        query = query.filter(
            Column::Name
                .gt(&name)
                .or(Column::Name.eq(&name).and(Column::Id.gt(id.value()))),
        );
    }
    let rows = query
        .order_by_asc(Column::Name)
        .order_by_asc(Column::Id)
        .limit(probe.cast_unsigned())
        .all(db)
        .await?;
    rows.into_iter().map(into_member).collect()
}

const OTHER_ADMINS: &str = "
SELECT count(*) AS n FROM members m JOIN accounts a ON a.user_id = m.user_id
WHERE m.active AND m.role = 'admin' AND m.id <> $1 AND a.password_hash IS NOT NULL";

const OTHER_BOUND_ADMINS: &str = "
SELECT count(*) AS n FROM members m JOIN hosted_identities h ON h.member_id = m.id
WHERE m.active AND m.role = 'admin' AND m.id <> $1 AND h.issuer = $2";

/// Counts the other active admins who can sign in. With embedded accounts, an admin without a password
/// cannot sign in: the invitation is not redeemed yet, or the team used a hosted issuer before and the
/// admin has no embedded account. With a hosted issuer, an admin without a bound account cannot sign in.
pub async fn count_other_admins(db: &Conn<'_>, id: &MemberId, issuer: Option<&str>) -> Result<i64> {
    let row = match issuer {
        None => db.fetch_one(OTHER_ADMINS, [id.value()]).await?,
        Some(issuer) => {
            db.fetch_one(OTHER_BOUND_ADMINS, [id.value(), issuer.into()])
                .await?
        }
    };
    Ok(row.map(|r| r.try_get("", "n")).transpose()?.unwrap_or(0))
}

/// Inserts a member. Returns an error (409) if another member has the same e-mail.
pub async fn insert(db: &Conn<'_>, member: &Member) -> Result<()> {
    let row = to_model(member).into_active_model();
    match Entity::insert(row).exec_without_returning(db).await {
        Ok(_) => Ok(()),
        Err(error) if is_unique_violation(&error) => Err(Error::new(EMAIL_IN_USE).into()),
        Err(error) => Err(error.into()),
    }
}

const REACTIVATE: &str = "
UPDATE members SET name = $2, role = $3, api_access_level = $4, financeiro = $5, active = $6,
    cleanup_pending = $7
WHERE id = $1 AND NOT active";

/// Reactivates a former member. Returns `false` if another caller has already done so.
pub async fn reactivate(db: &Conn<'_>, member: &Member) -> Result<bool> {
    let values = [
        member.id.value(),
        member.name.as_str().into(),
        member.role.as_str().into(),
        member.api_access_level.as_str().into(),
        member.financeiro.into(),
        true.into(),
        false.into(),
    ];
    Ok(db.run(REACTIVATE, values).await? == 1)
}

/// Records that the cleanup after an offboarding is complete.
pub async fn record_cleanup(db: &Conn<'_>, id: &MemberId) -> Result<()> {
    let sql = "UPDATE members SET cleanup_pending = $2 WHERE id = $1";
    db.run(sql, [id.value(), false.into()]).await?;
    Ok(())
}

/// Writes all columns of a member. The caller must have locked the member before reading the row.
pub async fn update(db: &Conn<'_>, member: &Member) -> Result<()> {
    let row: ActiveModel = to_model(member).into();
    row.reset_all().update(db).await?;
    Ok(())
}

/// Finds the ids of members, including former ones, whose name contains the text, regardless of case and
/// accents.
pub async fn find_ids_by_name(db: &Conn<'_>, text: &str) -> Result<Vec<MemberId>> {
    let text = fold_text(text);
    let mut ids = vec![];
    for row in db.fetch_all("SELECT id, name FROM members", []).await? {
        if fold_text(&row.try_get::<String>("", "name")?).contains(&text) {
            ids.push(row.try_get("", "id")?);
        }
    }
    Ok(ids)
}

/// A member with their role.
#[derive(Debug)]
pub struct FoundMember {
    pub id: MemberId,
    pub name: String,
    pub role: String,
}

columns!(FoundMember { id, name, role });

/// Finds active members by the starts of their names, in the order of the names.
pub async fn find_by_query(db: &Conn<'_>, typed: &Typed, most: usize) -> Result<Vec<FoundMember>> {
    let sql = "SELECT id, name, role FROM members WHERE active ORDER BY name, id";
    let mut found = vec![];
    for row in db.fetch_all(sql, []).await? {
        let member: FoundMember = row.read()?;
        if typed.find_place(&member.name).is_some() {
            found.push(member);
            if found.len() == most {
                break;
            }
        }
    }
    Ok(found)
}

/// Loads all active members with their names and roles.
pub async fn load_team(db: &Conn<'_>) -> Result<Vec<(MemberId, String, Role)>> {
    let sql = "SELECT id, name, role FROM members WHERE active ORDER BY name, id";
    let mut team = vec![];
    for row in db.fetch_all(sql, []).await? {
        let FoundMember { id, name, role } = row.read()?;
        team.push((id, name, role.parse().map_err(Error::internal)?));
    }
    Ok(team)
}

struct Named {
    id: MemberId,
    name: String,
}

columns!(Named { id, name });

/// Loads the names of these members, by id, in one query.
pub async fn load_names(
    db: &Conn<'_>,
    ids: BTreeSet<&MemberId>,
) -> Result<HashMap<MemberId, String>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let query = Entity::find()
        .select_only()
        .column(Column::Id)
        .column(Column::Name);
    let ids = ids.into_iter().map(Bind::value);
    let named = query.filter(Column::Id.is_in(ids)).into_model::<Named>();
    let named = named.all(db).await?.into_iter();
    Ok(named.map(|named| (named.id, named.name)).collect())
}
