//! Devices of members that receive notifications by Web Push, and the messages to them. The endpoints
//! and keys of devices are in the table `secrets`.

mod messages;

pub(crate) use messages::end_all;
pub use messages::{
    Due, NewMessage, Outcome, begin_sending, delete_before, end_interrupted_messages, end_pending,
    expire_pending, find_next_due, insert_message, list_due, postpone_without_attempt,
    record_outcome,
};

use std::collections::HashSet;

use super::{Bind, Conn, Row};
use crate::Result;
use domain::{Error, MemberId, PushDeviceId, SessionId, UserId, time::Millis};

/// The `purpose` of the endpoint and keys of a device in the table `secrets`; the `id` is the id of the
/// device.
pub const SUBSCRIPTION: &str = "push subscription";

/// The number of rows deleted per call.
const DELETED: i64 = 1_000;

/// A device, without its endpoint and keys.
#[derive(Debug, Clone)]
pub struct PushDevice {
    pub id: PushDeviceId,
    pub member_id: MemberId,
    /// The session in which the device was registered. The device is deleted when the member signs out
    /// of this session.
    pub session_id: Option<SessionId>,
    pub name: String,
    pub created_at: Millis,
    /// When a page of the member last registered the device. The first page of each session registers
    /// it.
    pub renewed_at: Millis,
    /// When the push service of the device last accepted a message.
    pub received_at: Option<Millis>,
}

const SELECT: &str = "
SELECT id, member_id, session_id, name, created_at, renewed_at, received_at
FROM push_devices WHERE ";

fn read_device(row: &Row) -> Result<PushDevice> {
    let session_id: Option<String> = row.try_get("", "session_id")?;
    Ok(PushDevice {
        id: row.try_get("", "id")?,
        member_id: row.try_get("", "member_id")?,
        session_id: session_id.and_then(SessionId::from_stored),
        name: row.try_get("", "name")?,
        created_at: row.try_get("", "created_at")?,
        renewed_at: row.try_get("", "renewed_at")?,
        received_at: row.try_get("", "received_at")?,
    })
}

fn session_value(session_id: Option<&SessionId>) -> sea_orm::Value {
    session_id.map(|id| id.as_str().to_owned()).into()
}

/// Inserts a device. Returns `false` if another device has the same endpoint.
pub async fn insert_device(
    db: &Conn<'_>,
    device: &PushDevice,
    endpoint_sha256: &str,
) -> Result<bool> {
    let sql = "INSERT INTO push_devices
                   (id, member_id, session_id, endpoint_sha256, name, created_at, renewed_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (endpoint_sha256) DO NOTHING";
    let values = [
        device.id.value(),
        device.member_id.value(),
        session_value(device.session_id.as_ref()),
        endpoint_sha256.into(),
        device.name.as_str().into(),
        device.created_at.into(),
        device.renewed_at.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// Stores the name, the session, the renewal and the endpoint of a device. Returns an error if another
/// device has the same endpoint.
pub async fn update_device(
    db: &Conn<'_>,
    device: &PushDevice,
    endpoint_sha256: &str,
) -> Result<()> {
    let sql = "UPDATE push_devices
               SET session_id = $2, endpoint_sha256 = $3, name = $4, renewed_at = $5
               WHERE id = $1";
    let values = [
        device.id.value(),
        session_value(device.session_id.as_ref()),
        endpoint_sha256.into(),
        device.name.as_str().into(),
        device.renewed_at.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Finds the device with this endpoint, regardless of its member.
pub async fn find_by_endpoint(db: &Conn<'_>, endpoint_sha256: &str) -> Result<Option<PushDevice>> {
    let sql = format!("{SELECT} endpoint_sha256 = $1");
    let row = db.fetch_one(&sql, [endpoint_sha256.into()]).await?;
    row.as_ref().map(read_device).transpose()
}

/// Finds a device of this member. Returns an error (404) if there is none.
pub async fn require_for_member(
    db: &Conn<'_>,
    member_id: &MemberId,
    id: &PushDeviceId,
) -> Result<PushDevice> {
    let sql = format!("{SELECT} id = $1 AND member_id = $2");
    let row = db.fetch_one(&sql, [id.value(), member_id.value()]).await?;
    let found = row.as_ref().map(read_device).transpose()?;
    Ok(found.ok_or_else(|| Error::not_found_in("aparelho", "list_push_devices"))?)
}

/// Lists the devices of a member, the newest first.
pub async fn list_devices(db: &Conn<'_>, member_id: &MemberId) -> Result<Vec<PushDevice>> {
    let sql = format!("{SELECT} member_id = $1 ORDER BY created_at DESC, id DESC");
    let rows = db.fetch_all(&sql, [member_id.value()]).await?;
    rows.iter().map(read_device).collect()
}

/// Lists the devices of these members, the newest first.
pub async fn list_devices_of(db: &Conn<'_>, members: &[MemberId]) -> Result<Vec<PushDevice>> {
    if members.is_empty() {
        return Ok(vec![]);
    }
    let places: Vec<String> = (1..=members.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "{SELECT} member_id IN ({}) ORDER BY created_at DESC, id DESC",
        places.join(", ")
    );
    let rows = db.fetch_all(&sql, members.iter().map(Bind::value)).await?;
    rows.iter().map(read_device).collect()
}

/// Returns the members who have a device.
pub async fn list_members(db: &Conn<'_>) -> Result<HashSet<MemberId>> {
    let sql = "SELECT DISTINCT member_id FROM push_devices";
    let rows = db.fetch_all(sql, []).await?;
    let ids = rows.iter().map(|row| Ok(row.try_get("", "member_id")?));
    ids.collect()
}

/// Records that the push service of a device has accepted a message.
pub async fn set_received(db: &Conn<'_>, id: &PushDeviceId, at: Millis) -> Result<()> {
    let sql = "UPDATE push_devices SET received_at = $2
               WHERE id = $1 AND (received_at IS NULL OR received_at < $2)";
    Ok(db.run_later(sql, [id.value(), at.into()]).await?)
}

/// Deletes a device with its keys and its messages.
pub async fn delete_device(db: &Conn<'_>, id: &PushDeviceId) -> Result<()> {
    delete_where(db, "id = $1", vec![id.value()]).await?;
    Ok(())
}

/// Deletes a device if it still has this endpoint. Returns `false` if the device was registered again
/// with another endpoint.
pub async fn delete_device_at(
    db: &Conn<'_>,
    id: &PushDeviceId,
    endpoint_sha256: &str,
) -> Result<bool> {
    let values = vec![id.value(), endpoint_sha256.into()];
    let deleted = delete_where(db, "id = $1 AND endpoint_sha256 = $2", values).await?;
    Ok(deleted > 0)
}

/// Deletes the devices that were registered in a session.
pub(crate) async fn delete_devices_of_session(db: &Conn<'_>, id: &SessionId) -> Result<()> {
    delete_where(db, "session_id = $1", vec![id.value()]).await?;
    Ok(())
}

/// Deletes the devices of a person, except those that were registered in the session `kept`.
pub(crate) async fn delete_devices_of_user(
    db: &Conn<'_>,
    user_id: &UserId,
    kept: Option<&SessionId>,
) -> Result<()> {
    let of_user = "member_id IN (SELECT m.id FROM members m WHERE m.user_id = $1)
                   AND (session_id IS NULL OR session_id <> $2)";
    let kept = kept.map_or("", SessionId::as_str);
    delete_where(db, of_user, vec![user_id.value(), kept.into()]).await?;
    Ok(())
}

/// Deletes devices that were last registered before an instant; at most 1,000. Returns whether more may
/// remain.
pub async fn delete_unrenewed(db: &Conn<'_>, before: Millis) -> Result<bool> {
    let old = "renewed_at < $1 AND id IN (
        SELECT o.id FROM push_devices o WHERE o.renewed_at < $1 ORDER BY o.id LIMIT $2)";
    let deleted = delete_where(db, old, vec![before.into(), DELETED.into()]).await?;
    Ok(deleted >= DELETED.unsigned_abs())
}

/// Deletes devices with their keys. Returns the number of deleted devices. Locks the devices first, as
/// the registration of a device does, which prevents deadlocks.
async fn delete_where(db: &Conn<'_>, condition: &str, values: Vec<sea_orm::Value>) -> Result<u64> {
    let devices = format!("DELETE FROM push_devices WHERE {condition} RETURNING id");
    let rows = db.fetch_all(&devices, values).await?;
    let ids = rows.iter().map(|row| row.try_get::<String>("", "id"));
    let ids: Vec<sea_orm::Value> = ids.map(|id| id.map(Into::into)).collect::<Result<_, _>>()?;
    if ids.is_empty() {
        return Ok(0);
    }
    let places: Vec<String> = (1..=ids.len()).map(|n| format!("${n}")).collect();
    let secrets = format!(
        "DELETE FROM secrets WHERE purpose = '{SUBSCRIPTION}' AND id IN ({})",
        places.join(", ")
    );
    let deleted = ids.len() as u64;
    db.run(&secrets, ids).await?;
    Ok(deleted)
}
