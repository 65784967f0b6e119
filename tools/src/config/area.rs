//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{GetConfig, ListConfigHistory, PublishConfigVersion};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new("config", "Configuração versionada e seu histórico.")
    .announces_nothing()
    .operations(&[
        Entry::for_operation::<GetConfig>(),
        Entry::for_operation::<PublishConfigVersion>(),
        Entry::for_operation::<ListConfigHistory>(),
    ]);
