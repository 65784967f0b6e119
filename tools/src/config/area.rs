//! The area: what it is called and what it offers.

use super::{GetConfig, ListConfigHistory, PublishConfigVersion};
use gateway::{Area, Entry};

/// The area of these operations.
pub static AREA: Area =
    Area::new("config", "Configuração versionada e seu histórico.").operations(&[
        Entry::of::<GetConfig>(),
        Entry::of::<PublishConfigVersion>(),
        Entry::of::<ListConfigHistory>(),
    ]);
