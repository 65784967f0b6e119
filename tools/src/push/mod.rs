//! Notifications on the devices of members, by Web Push.
//!
//! A member registers a browser ([`AddPushDevice`]). [`SendPushes`] takes the notifications that are due
//! ([`crate::notifications`]), makes a message for each device, encrypts it (RFC 8291), signs the request
//! with the key of this installation (RFC 8292) and sends it to the push service of the browser
//! (RFC 8030). [`PreparePushes`] looks after the messages of ended processes.
//!
//! Decided here:
//!
//! - No message is sent twice. Its row is marked in a transaction that commits before the push service
//!   is spoken to. If it is not known whether the push service has accepted it, as after a killed process
//!   or a timeout, nothing is sent again. A refusal that may pass (429, 5xx) and a failed connection are
//!   tried again for a day.
//! - A notification is pushed at once, and a second time when its window to be merged has passed and it
//!   has changed meanwhile. More than three that are due together are one message that counts them.
//!   Quiet hours put messages off; the hour of a digest is for e-mails only.
//! - The text is made when it is sent, for what the member may see, wants and has not read. It is the
//!   name of the team and the sentence that an e-mail has as its subject: a lock screen shows it. No
//!   caption, remark or link with a right is in it.
//! - Messages about the same piece have the same topic, so a device that was off gets the last one only.
//! - An endpoint is an address that a browser has sent, so it is treated as the address of a webhook:
//!   https, no redirect, no address outside the public internet. Endpoint and keys are encrypted in the
//!   database, and are in no answer, log or audit row.
//! - A push service that answers 404 or 410 no longer knows the device, which is removed.
//! - A device ends with what ends the sessions of its member: a sign-out in it, a new password,
//!   offboarding. A session that expires ends no device, or members would have to switch it on each
//!   week. The page of a later session says that it is still the same device (`anterior`). A device that
//!   no page has registered for 180 days ends too.
//! - A sign-out in the console also ends the subscription of the browser, so a shared computer shows
//!   nothing more even if the session did not know the device.
//! - A browser belongs to the member who registered it last. A page of another member ends the
//!   subscription of the browser.
//! - The key that signs is generated once, encrypted with the key ring, and shared by the instances
//!   through the database. A copy has it too, so devices still know a restored service.

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

/// The name of the area, for open pages.
const AREA_NAME: &str = "push";

/// Maximum number of devices of a member.
const MOST_DEVICES: usize = 10;

pub const TOO_MANY_PUSH_DEVICES: Code = Code::new(
    "TOO_MANY_PUSH_DEVICES",
    409,
    "Você já recebe avisos em 10 aparelhos.",
)
.with_next_step("Remova os que não usa mais; veja `list_push_devices`.");

/// A device of a member, which only they see.
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
    /// Whom push services may write to: `mailto:…` or `https://…`.
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

    /// The key of this installation, which the first call generates. No transaction may be open.
    async fn load_key(&self, db: &Db, keys: &Keys) -> Result<&VapidKey> {
        let loading = || VapidKey::load(db, keys);
        self.key.get_or_try_init(loading).await
    }
}
