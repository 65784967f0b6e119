//! Notifications: what happened that a member should know.
//!
//! A write is announced in the outbox, in its own transaction ([`crate::announcements`]). The job
//! [`MakeNotifications`] reads the outbox and decides who is told, with the state and the rights of
//! that moment: the same [`gateway::Resource`] that guards reading is asked for every member.
//!
//! Decided here:
//!
//! - Nobody is told what they did in a session of their own. They are told what their agent, their
//!   token or a guest with their link did, because they may not have seen it.
//! - The changes of one piece within ten minutes become one notification per kind, while it is
//!   unread. It counts them and shows the last one.
//! - More than 20 pieces of one kind within ten minutes become one summary without names.
//! - A notification of a piece is listed while its reader may see the piece. It has no text of its
//!   own: title and names are read with the list, so a removed or hidden text is not kept here.
//! - A piece waits for those who decide its current stage, not for all admins who could decide it. Changed
//!   variants of an approved piece wait for those who decide its last stage.
//!   Whoever is told of a decision created the piece or is assigned to it.
//! - Settings are stored by kind and channel: the list, e-mail, and devices. A notification that its member
//!   wants by e-mail or on devices only is stored like the others, but is neither listed nor counted.
//! - A refusal asks its owner for work like a request for changes, so both are one kind, apart from
//!   approvals.
//! - Answers in a thread and remarks of guests are of the kind of mentions: all three are words to a member.
//!   An answer is told to the other authors of its thread, a remark of a guest also to the owners of the
//!   piece and to the member who invited the guest. A remark that is removed before is not told.
//! - A notification goes by e-mail when its window to be merged has passed, so several changes of one
//!   piece are one e-mail. Quiet hours and the hour of a digest put it off ([`domain::MailTimes`]).
//!   Who gets it is decided again when the e-mail is sent ([`crate::mail`]), by the same resources.
//! - A notification goes to the devices of its member at once, and again when its window has passed if
//!   it has changed meanwhile ([`crate::push`]).
//! - A reminder is sent at once everywhere, also in quiet hours, because it is of no use later. One of a
//!   post that is not due any more is not sent, and is listed as read.
//! - Settings are no tools: a person changes them rarely, and the list of tools has a price in every
//!   conversation.

mod area;
mod batch;
mod due_in_list;
mod get_notification_settings;
mod list_notifications;
mod mailed;
mod make_notifications;
mod mark_notifications_read;
mod merging;
mod notification_view;
mod pushed;
mod recipients;
mod sentences;
mod set_notification_settings;
mod settings_view;
mod still_seen;
mod telling;

pub use area::AREA;
pub use get_notification_settings::GetNotificationSettings;
pub use list_notifications::ListNotifications;
pub(crate) use mailed::{MailedNotification, load_mailed};
pub use make_notifications::MakeNotifications;
pub use mark_notifications_read::MarkNotificationsRead;
pub(crate) use pushed::{PushedNotification, SEND_PUSHES, load_pushed};
pub use set_notification_settings::SetNotificationSettings;

use gateway::Resource;

/// The name of the area, for open pages.
const AREA_NAME: &str = crate::due_posts::NOTIFICATIONS;

/// The notifications of a member, by the id of the member. Only they are notified of changes.
const INBOX: Resource = Resource::new("inbox")
    .with_audience(|_, member, id| Box::pin(async move { Ok(member.id.as_str() == id) }));
