//! Creates push messages from the notifications that are due.

use domain::{MailTimes, MemberId, NotificationId, PushId, time::Millis};
use gateway::{Result, Services, jobs::JobContext};
use store::{
    Conn, notifications,
    push::{self, NewMessage},
};

/// The maximum number of members whose messages are created in one transaction.
const MEMBERS: i64 = 50;
/// The maximum number of notifications, due together, that get one message each. A larger number shares
/// one message.
const MOST_SINGLE: usize = 3;

/// Returns the times of push messages: the quiet hours that apply to e-mails, without the hour of a
/// digest.
pub(super) fn push_times(times: MailTimes) -> MailTimes {
    MailTimes {
        digest: None,
        ..times
    }
}

/// Creates the due push messages of up to `MEMBERS` members. Returns true if further members may have
/// due messages.
pub(super) async fn queue_due_messages(ctx: &JobContext) -> Result<bool> {
    let services: &Services = ctx.services();
    let now = services.clock.now();
    let reader = services.db.reader();
    let due = notifications::list_members_to_push(&reader, now, MEMBERS).await?;
    if due.is_empty() {
        return Ok(false);
    }
    let tx = services.db.begin().await?;
    for member in &due {
        queue_member_messages(&tx.conn(), member, now).await?;
    }
    ctx.commit(tx).await?;
    Ok(i64::try_from(due.len()).unwrap_or(i64::MAX) >= MEMBERS)
}

async fn queue_member_messages(db: &Conn<'_>, member: &MemberId, now: Millis) -> Result<()> {
    let settings = notifications::find_settings(db, member).await?;
    let time = push_times(settings.wishes.times).next_time(now);
    if time > now {
        notifications::postpone_pushing(db, member, time, now).await?;
    }
    let taken = notifications::take_to_push(db, member, now).await?;
    let devices = push::list_devices(db, member).await?;
    if devices.is_empty() {
        return Ok(());
    }
    let pushes: Vec<&[NotificationId]> = match taken.len() {
        0 => vec![],
        1..=MOST_SINGLE => taken.chunks(1).collect(),
        _ => vec![&taken],
    };
    for ids in pushes {
        let push_id = PushId::new(now);
        notifications::put_into_push(db, ids, &push_id).await?;
        for device in &devices {
            let new = NewMessage {
                push_id: &push_id,
                device_id: &device.id,
            };
            push::insert_message(db, &new, now).await?;
        }
    }
    Ok(())
}
