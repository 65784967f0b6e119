//! Makes messages of the notifications that are due.

use domain::{MailTimes, MemberId, NotificationId, PushId, time::Millis};
use gateway::{Result, Services, jobs::JobContext};
use store::{
    Conn, notifications,
    push::{self, NewMessage},
};

/// Members that are looked after in one transaction.
const MEMBERS: i64 = 50;
/// Notifications that are due together and still have a message each. More are one message.
const MOST_SINGLE: usize = 3;

/// The times of messages to devices: the quiet hours of e-mails, but not the hour of their digest.
pub(super) fn push_times(times: MailTimes) -> MailTimes {
    MailTimes {
        digest: None,
        ..times
    }
}

/// Makes the messages of some members. Returns whether there may be more.
pub(super) async fn queue_some(ctx: &JobContext) -> Result<bool> {
    let services: &Services = ctx.services();
    let now = services.clock.now();
    let reader = services.db.reader();
    let due = notifications::list_members_to_push(&reader, now, MEMBERS).await?;
    if due.is_empty() {
        return Ok(false);
    }
    let tx = services.db.begin().await?;
    for member in &due {
        queue_of(&tx.conn(), member, now).await?;
    }
    ctx.commit(tx).await?;
    Ok(i64::try_from(due.len()).unwrap_or(i64::MAX) >= MEMBERS)
}

async fn queue_of(db: &Conn<'_>, member: &MemberId, now: Millis) -> Result<()> {
    let settings = notifications::find_settings(db, member).await?;
    let time = push_times(settings.wishes.times).next_time(now);
    if time > now {
        notifications::move_to_push(db, member, time, now).await?;
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
