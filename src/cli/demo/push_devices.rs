//! The device that the published examples use.

use domain::{
    MemberId, PushDeviceId, sha256_hex,
    time::{DAY, Millis},
};
use gateway::{Keys, Result};
use store::{
    Conn,
    push::{self, PushDevice},
};
use tools::push::seed_subscription;

/// Inserts a device at an address that does not exist.
pub(super) async fn seed_push_device(
    db: &Conn<'_>,
    keys: &Keys,
    id: PushDeviceId,
    member_id: &MemberId,
    now: Millis,
) -> Result<()> {
    let device = PushDevice {
        member_id: member_id.clone(),
        session_id: None,
        name: "Firefox em Linux".into(),
        created_at: now - DAY,
        renewed_at: now,
        received_at: None,
        id,
    };
    push::insert_device(db, &device, &sha256_hex(device.id.as_str().as_bytes())).await?;
    seed_subscription(db, keys, &device.id).await
}
