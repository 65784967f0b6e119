//! Declares the area: its name, its description, its operations and its jobs.

use super::{
    AREA_NAME, AddPushDevice, ListPushDevices, PreparePushes, Pushing, RemovePushDevice,
    SendPushes, TOO_MANY_PUSH_DEVICES,
};
use gateway::{Area, Entry, Part, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new(AREA_NAME, "Os aparelhos em que quem chama recebe avisos.")
    .codes(&[TOO_MANY_PUSH_DEVICES])
    .required_parts(&[Part::of_type::<Pushing>("Pushing")])
    .announces_nothing()
    .operations(&[
        Entry::for_operation::<ListPushDevices>(),
        Entry::for_operation::<AddPushDevice>(),
        Entry::for_operation::<RemovePushDevice>(),
    ])
    .jobs(&[
        JobEntry::for_job::<SendPushes>(),
        JobEntry::for_job::<PreparePushes>(),
    ]);
