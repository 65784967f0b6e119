//! Idempotency keys, reserved and answered.

use entity::idempotency_key::{Entity, Model};
use sea_orm::EntityTrait;

use super::Conn;
use crate::{
    domain::time::Millis,
    registry::{Keyed, Result},
};

const RESERVE: &str = "
INSERT INTO idempotency_keys
    (member_id, operation, idempotency_key, fingerprint, status, answer, lease_until, expires_at)
VALUES ($1, $2, $3, $4, NULL, NULL, $5, $6)
ON CONFLICT (member_id, operation, idempotency_key) DO UPDATE
SET fingerprint = excluded.fingerprint, status = NULL, answer = NULL,
    lease_until = excluded.lease_until, expires_at = excluded.expires_at
WHERE idempotency_keys.expires_at <= $7";

/// Reserves the key; `false` when it is taken. Simultaneous callers queue on the row.
pub async fn reserve(
    db: &Conn<'_>,
    keyed: &Keyed,
    fingerprint: &str,
    lease_until: Option<Millis>,
    now: Millis,
    expires_at: Millis,
) -> Result<bool> {
    let values = [
        keyed.member_id.as_str().into(),
        keyed.operation.into(),
        keyed.key.as_str().into(),
        fingerprint.into(),
        lease_until.into(),
        expires_at.into(),
        now.into(),
    ];
    Ok(db.run(RESERVE, values).await? == 1)
}

pub async fn find(db: &Conn<'_>, keyed: &Keyed) -> Result<Option<Model>> {
    let id = (
        keyed.member_id.clone(),
        keyed.operation.to_owned(),
        keyed.key.as_str().to_owned(),
    );
    Ok(Entity::find_by_id(id).one(db).await?)
}

pub async fn keep(db: &Conn<'_>, keyed: &Keyed, status: u16, answer: &str) -> Result<()> {
    let sql = "UPDATE idempotency_keys SET status = $4, answer = $5, lease_until = NULL
               WHERE member_id = $1 AND operation = $2 AND idempotency_key = $3";
    let values = [
        keyed.member_id.as_str().into(),
        keyed.operation.into(),
        keyed.key.as_str().into(),
        i64::from(status).into(),
        answer.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Ends the lease: from now on nobody knows what became of the call.
pub async fn abandon(db: &Conn<'_>, keyed: &Keyed, now: Millis) -> Result<()> {
    let sql = "UPDATE idempotency_keys SET lease_until = $4
               WHERE member_id = $1 AND operation = $2 AND idempotency_key = $3
                 AND status IS NULL";
    let values = [
        keyed.member_id.as_str().into(),
        keyed.operation.into(),
        keyed.key.as_str().into(),
        now.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

pub async fn release(db: &Conn<'_>, keyed: &Keyed) -> Result<()> {
    let sql = "DELETE FROM idempotency_keys
               WHERE member_id = $1 AND operation = $2 AND idempotency_key = $3
                 AND status IS NULL";
    let values = [
        keyed.member_id.as_str().into(),
        keyed.operation.into(),
        keyed.key.as_str().into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Forgets the keys whose day is over.
pub async fn sweep(db: &Conn<'_>, now: Millis) -> Result<u64> {
    Ok(db
        .run(
            "DELETE FROM idempotency_keys WHERE expires_at <= $1",
            [now.into()],
        )
        .await?)
}
