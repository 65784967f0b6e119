//! Notifications of events that a member should know about.
//!
//! A write is announced in the outbox, in the transaction of the write ([`crate::announcements`]). The
//! job [`MakeNotifications`] reads the outbox and determines the recipients from the state and the
//! rights at that moment. Each recipient must be able to see the resource, by the same
//! [`gateway::Resource`] that guards reading.
//!
//! Decided here:
//!
//! - Members are not notified of their own actions in a session. They are notified of the actions of
//!   their agent, their token or a guest with their link, because they may not have seen these.
//! - The changes of one piece within ten minutes become one notification per kind, while this
//!   notification is unread. The notification shows the number of changes and the last change.
//! - More than 20 pieces of one kind within ten minutes become one summary without names.
//! - A notification of a piece is listed while its reader may see the piece. Its text is not stored:
//!   titles and names are read with the list, so a removed or hidden text is not kept in a notification.
//! - If a piece waits for a decision, the members who decide its current stage are notified, not all
//!   admins who could decide. If changed variants of an approved piece wait, the members who decide the
//!   last stage are notified. The creator of a piece and its assigned members are notified of a
//!   decision.
//! - Settings are stored by kind and channel: the list, e-mail, and devices. A notification that its
//!   member wants only by e-mail or on devices is also stored, but is neither listed nor counted.
//! - A refusal causes work for the owners of a piece, like a request for changes. So both have the same
//!   kind of notification, and approvals have a different kind.
//! - Answers in a thread and remarks of guests have the kind of mentions, because all three address a
//!   member. The other authors of a thread are notified of an answer. If a guest wrote the remark, the
//!   owners of the piece and the member who invited the guest are notified as well. Nobody is notified
//!   of a remark that was removed before the job read its row.
//! - A notification is sent by e-mail when its merge window has passed, so several changes of one piece
//!   cause one e-mail. Quiet hours and the hour of a digest delay the e-mail ([`domain::MailTimes`]).
//!   The visibility of the resource and the settings of the member are checked again when the e-mail is
//!   sent ([`crate::mail`]).
//! - A notification is pushed to the devices of its member at once, and again when its merge window has
//!   passed if changes were added meanwhile ([`crate::push`]).
//! - A reminder is sent at once on all channels, also in quiet hours, because it is useless later. The
//!   reminder of a post that is no longer due is not sent, and is listed as read.
//! - The operations for settings are not MCP tools, because a person rarely changes settings, and each
//!   tool in the list uses part of the context of every conversation.

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

/// The name of the area, to which open pages subscribe.
const AREA_NAME: &str = crate::due_posts::NOTIFICATIONS;

/// The notifications of a member, identified by the id of the member. Only this member is informed of
/// changes.
const INBOX: Resource = Resource::new("inbox")
    .with_audience(|_, member, id| Box::pin(async move { Ok(member.id.as_str() == id) }));
