//! Declares the area: its name, its description, its operations and its jobs.

use super::{
    AREA_NAME, GetNotificationSettings, ListNotifications, MakeNotifications,
    MarkNotificationsRead, SetNotificationSettings,
};
use gateway::{Area, Entry, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new(AREA_NAME, "O que aconteceu e interessa a quem chama.")
    .announces_nothing()
    .operations(&[
        Entry::for_operation::<ListNotifications>(),
        Entry::for_operation::<MarkNotificationsRead>(),
        Entry::for_operation::<GetNotificationSettings>(),
        Entry::for_operation::<SetNotificationSettings>(),
    ])
    .jobs(&[JobEntry::for_job::<MakeNotifications>()]);
