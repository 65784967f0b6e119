//! Declares the area: its name, its description, its pages and its jobs.

use super::{ListUndeliveredMails, PrepareMails, SendMails, unsubscribe};
use gateway::{Area, Entry, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new("mail", "E-mails aos membros da equipe.")
    .announces_nothing()
    .operations(&[Entry::for_operation::<ListUndeliveredMails>()])
    .pages(&[unsubscribe::PAGE, unsubscribe::UNSUBSCRIBE])
    .jobs(&[
        JobEntry::for_job::<SendMails>(),
        JobEntry::for_job::<PrepareMails>(),
    ]);
