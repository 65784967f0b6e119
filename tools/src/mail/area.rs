//! Declares the area: its name, its description and its jobs.

use super::{PrepareMails, SendMails};
use gateway::{Area, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new("mail", "E-mails aos membros da equipe.")
    .announces_nothing()
    .jobs(&[
        JobEntry::for_job::<SendMails>(),
        JobEntry::for_job::<PrepareMails>(),
    ]);
