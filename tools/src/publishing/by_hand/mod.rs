//! Posts that a person publishes: the reminder at their hour, and what the page for it needs.
//!
//! Decided here:
//!
//! - The job `remind_of_posts` reads the approved manual variants whose hour has come. Nothing is stored
//!   before the hour, so there is nothing to cancel when an approval ends or an hour changes. The row
//!   that says that people were reminded and the announcement commit together, under the lease of the
//!   job: a job that is killed does it later, and two instances do it once.
//! - A format of a channel is told once for each hour, also if its variant was removed and stated again.
//!   Another hour is another reminder. An hour of which nobody was told, because the variant changed at
//!   that moment, or whose reminder ended because the post was not to be posted any more, is told if the
//!   post is due again.
//! - Whether a post is due is asked again whenever somebody is told: when the notification is made, when
//!   it is listed, when its e-mail, push or message is sent. The job ends the unread reminders of posts
//!   that are not due any more.
//! - A member may put the reminder off for an hour. Only this member is told then, so webhooks send
//!   nothing.
//! - An hour that is more than a day past is not told: the page of the piece shows it as late.
//! - Those of the responsible people who may publish are told. If none of them may, all who may publish
//!   and see the piece are.
//! - The hour was chosen by the team, and a reminder is of no use after it. So it goes out at once, also
//!   in quiet hours and without waiting for a digest ([`domain::NotificationKind::is_for_now`]). Who does not
//!   want that turns reminders off for e-mail or devices.
//! - A post by hand is a publication in the state `published` without an account. So a variant is online
//!   at most once, whoever published it, and the piece is `publicado` when all its variants are online.

mod record;
mod remind;
mod snooze_post_reminder;
mod variant_file;
mod variant_package;

pub(crate) use record::record_by_hand;
pub(super) use remind::RemindOfPosts;
pub use snooze_post_reminder::SnoozePostReminder;
pub(super) use variant_file::FOR_BROWSER as VARIANT_FILE;
pub(super) use variant_package::FOR_BROWSER as VARIANT_PACKAGE;
