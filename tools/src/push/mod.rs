//! Notifications on the devices of members, by Web Push.
//!
//! A member registers a browser ([`AddPushDevice`]). [`SendPushes`] takes the notifications that are due
//! ([`crate::notifications`]), composes a message for each device, encrypts it (RFC 8291), signs the
//! request with the key of this installation (RFC 8292) and sends it to the push service of the browser
//! (RFC 8030). [`PreparePushes`] cleans up the messages of ended processes.
//!
//! Decided here:
//!
//! - No message is sent twice. Its row is marked in a transaction that commits before the request to the
//!   push service. If it is unknown whether the push service has accepted the message, as after a killed
//!   process or a timeout, it is not sent again. After a temporary refusal (429, 5xx) or a failed
//!   connection, the message is retried for a day.
//! - A notification is pushed at once. It is pushed a second time if it has changed by the end of its
//!   window for merging. If more than three notifications are due together, one message states their
//!   number. Quiet hours postpone messages; the hour of a digest is for e-mails only.
//! - The text is composed when the message is sent, from the notifications that the member may see,
//!   wants and has not read. It consists of the name of the team and the sentence that an e-mail has as
//!   its subject, because a lock screen shows it. It contains no caption, no remark and no link with a
//!   right.
//! - Messages about the same piece have the same topic, so a device that was off gets only the last of
//!   them.
//! - An endpoint is an address that a browser has sent, so the same rules apply as to the address of a
//!   webhook: https, no redirect, no address outside the public internet. Endpoint and keys are
//!   encrypted in the database, and appear in no answer, log or audit row.
//! - A device is removed if the push service answers 404 or 410, because it no longer knows the device.
//! - The events that end the sessions of a member also remove devices: a sign-out on the device, a new
//!   password, offboarding. The expiry of a session removes no device, or members would have to register
//!   it again each week. The page of a later session states that it is the same device (`anterior`). A
//!   device that no page has registered for 180 days is removed.
//! - A sign-out in the console also ends the subscription of the browser. So a shared computer shows no
//!   further message, even if the session did not know the device.
//! - A browser belongs to the member who registered it last. A page of another member ends the
//!   subscription of the browser.
//! - The signing key is generated once, encrypted with the key ring, and shared by the instances through
//!   the database. A backup contains the key, so devices accept messages of a restored service.

mod add_push_device;
mod area;
mod compose;
mod device_view;
mod encryption;
mod list_push_devices;
mod prepare_pushes;
mod queueing;
mod remove_push_device;
mod send_pushes;
mod subscription;
mod vapid;

pub use add_push_device::AddPushDevice;
pub use area::AREA;
pub use list_push_devices::ListPushDevices;
pub use prepare_pushes::PreparePushes;
pub use remove_push_device::RemovePushDevice;
pub use send_pushes::SendPushes;
pub use subscription::seed_subscription;

use std::sync::Arc;

use gateway::{Code, Keys, Resource, Result};
use ports::PushSender;
use store::{Db, push};
use tokio::sync::OnceCell;

use vapid::VapidKey;

/// The name of the area, for the pages that subscribe to its changes.
const AREA_NAME: &str = "push";

/// The maximum number of devices of a member.
const MOST_DEVICES: usize = 10;

pub const TOO_MANY_PUSH_DEVICES: Code = Code::new(
    "TOO_MANY_PUSH_DEVICES",
    409,
    "Você já recebe avisos em 10 aparelhos.",
)
.with_next_step("Remova os que não usa mais; veja `list_push_devices`.");

/// The resource kind of devices. Only its member sees a device.
const PUSH_DEVICE: Resource = Resource::new("push_device")
    .with_visibility(|db, member, id| {
        Box::pin(async move {
            push::require_for_member(&db, &member.id, &id.into()).await?;
            Ok(())
        })
    })
    .with_audience(|db, member, id| {
        Box::pin(async move {
            let found = push::require_for_member(&db, &member.id, &id.into()).await;
            Ok(found.is_ok())
        })
    });

/// The sender of messages to devices, with the key of this installation.
pub struct Pushing {
    sender: Arc<dyn PushSender>,
    /// The contact address for the operators of push services: `mailto:…` or `https://…`.
    contact: String,
    key: OnceCell<VapidKey>,
}

impl Pushing {
    #[must_use]
    pub fn new(sender: Arc<dyn PushSender>, contact: String) -> Self {
        Self {
            sender,
            contact,
            key: OnceCell::new(),
        }
    }

    /// Returns the signing key of this installation. The first call loads or generates it, so no
    /// transaction may be open.
    async fn load_key(&self, db: &Db, keys: &Keys) -> Result<&VapidKey> {
        let loading = || VapidKey::load(db, keys);
        self.key.get_or_try_init(loading).await
    }
}
