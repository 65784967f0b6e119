//! Adds when a device that receives notifications was last registered (`renewed_at`).
//!
//! For existing devices this time is unknown. It is set to the time of the last accepted message or,
//! without one, of the creation.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261128_000049_device_renewals",
    up: UP,
    ..Plain::EMPTY
};

const UP: &str = "
ALTER TABLE push_devices ADD COLUMN renewed_at BIGINT NOT NULL DEFAULT 0;
UPDATE push_devices SET renewed_at = COALESCE(received_at, created_at);
CREATE INDEX push_devices_by_renewal ON push_devices (renewed_at);
";
