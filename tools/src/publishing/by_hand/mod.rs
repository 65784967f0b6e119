//! Posts that a person publishes by hand: the reminder at the hour of the post, and the files and texts
//! of the post for this person.
//!
//! Decided here:
//!
//! - The job `remind_of_posts` reads the approved manual variants whose hour has come, and the automatic
//!   ones that are late because their network or account is missing. Nothing is stored
//!   before the hour, so there is nothing to cancel when an approval ends or an hour changes. The row in
//!   `post_reminders` and the announcement commit together, under the lease of the job: a job that is
//!   killed announces the post in its next run, and two instances announce it once.
//! - For one format of one channel, people are reminded only once at the same hour, even if the
//!   variant was removed and created again. If the hour of the post changes, people are reminded
//!   again at the new hour.
//! - The rule of one reminder per hour has two exceptions. If the variant changed while the reminder was
//!   created, nobody was reminded. If the post was no longer due, the reminder ended. In both cases people
//!   are reminded when the post is due at this hour again.
//! - The service checks that the post is still due whenever it creates or lists the notification, and
//!   whenever it sends the e-mail, push message or webhook message. The job ends the unread reminders of
//!   posts that are no longer due.
//! - A member may snooze the reminder for an hour. The second reminder goes only to this member, so
//!   webhooks send nothing.
//! - Nobody is reminded of a manual post whose hour is more than a day past (two days for the late post
//!   of a disconnected account): the page of the piece shows the post as late.
//! - The reminder goes to the responsible people who may publish. If none of them may, it goes to all
//!   members who may publish and see the piece.
//! - The team chose the hour, and a reminder is useless after it. So the reminder is sent at once, also
//!   in quiet hours and without waiting for a digest ([`domain::NotificationKind::is_for_now`]). A
//!   member who does not want this turns reminders off for e-mail or devices.
//! - A post by hand is a publication in the state `published` without an account. So a variant is online
//!   at most once, whether the service or a person published it, and the piece becomes `publicado` when
//!   all its variants are online.

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
