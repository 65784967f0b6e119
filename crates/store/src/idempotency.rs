//! Idempotency keys and their stored responses.

use entity::idempotency_key::{Entity, Model};
use sea_orm::EntityTrait;

use crate::{Bind, Conn, Result};
use domain::{MemberId, time::Millis};

/// The primary key: the owner (a member or a guest link), the operation and the idempotency key.
#[derive(Clone, Copy, Debug)]
pub struct KeyId<'a> {
    pub member_id: &'a MemberId,
    pub operation: &'a str,
    pub key: &'a str,
}

const RESERVE: &str = "
INSERT INTO idempotency_keys
    (member_id, operation, idempotency_key, fingerprint, status, answer, lease_until, expires_at)
VALUES ($1, $2, $3, $4, NULL, NULL, $5, $6)
ON CONFLICT (member_id, operation, idempotency_key) DO UPDATE
SET fingerprint = excluded.fingerprint, status = NULL, answer = NULL,
    lease_until = excluded.lease_until, expires_at = excluded.expires_at
WHERE idempotency_keys.expires_at <= $7";

/// Reserves the key. Returns `false` if the key is already reserved. Concurrent callers wait for
/// the row lock.
pub async fn reserve_key(
    db: &Conn<'_>,
    id: KeyId<'_>,
    fingerprint: &str,
    lease_until: Option<Millis>,
    now: Millis,
    expires_at: Millis,
) -> Result<bool> {
    let values = [
        id.member_id.value(),
        id.operation.into(),
        id.key.into(),
        fingerprint.into(),
        lease_until.into(),
        expires_at.into(),
        now.into(),
    ];
    Ok(db.run(RESERVE, values).await? == 1)
}

pub async fn find(db: &Conn<'_>, id: KeyId<'_>) -> Result<Option<Model>> {
    let id = (
        id.member_id.clone().into(),
        id.operation.to_owned(),
        id.key.to_owned(),
    );
    Ok(Entity::find_by_id(id).one(db).await?)
}

pub async fn store_answer(db: &Conn<'_>, id: KeyId<'_>, status: u16, answer: &str) -> Result<()> {
    let sql = "UPDATE idempotency_keys SET status = $4, answer = $5, lease_until = NULL
               WHERE member_id = $1 AND operation = $2 AND idempotency_key = $3";
    let values = [
        id.member_id.value(),
        id.operation.into(),
        id.key.into(),
        i64::from(status).into(),
        answer.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Ends the lease of a call whose outcome is unknown.
pub async fn end_lease(db: &Conn<'_>, id: KeyId<'_>, now: Millis) -> Result<()> {
    let sql = "UPDATE idempotency_keys SET lease_until = $4
               WHERE member_id = $1 AND operation = $2 AND idempotency_key = $3
                 AND status IS NULL";
    let values = [
        id.member_id.value(),
        id.operation.into(),
        id.key.into(),
        now.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

pub async fn delete_unanswered(db: &Conn<'_>, id: KeyId<'_>) -> Result<()> {
    let sql = "DELETE FROM idempotency_keys
               WHERE member_id = $1 AND operation = $2 AND idempotency_key = $3
                 AND status IS NULL";
    let values = [id.member_id.value(), id.operation.into(), id.key.into()];
    Ok(db.run_later(sql, values).await?)
}

/// Deletes expired keys.
pub async fn delete_expired(db: &Conn<'_>, now: Millis) -> Result<u64> {
    Ok(db
        .run(
            "DELETE FROM idempotency_keys WHERE expires_at <= $1",
            [now.into()],
        )
        .await?)
}
