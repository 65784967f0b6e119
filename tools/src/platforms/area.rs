//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{GetPlatformPassword, ListPlatformPasswords, PutPlatformPassword};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "platforms",
    "Senhas das plataformas da equipe, cifradas e com cada leitura na auditoria.",
)
.announces_nothing()
.operations(&[
    Entry::for_operation::<ListPlatformPasswords>(),
    Entry::for_operation::<GetPlatformPassword>(),
    Entry::for_operation::<PutPlatformPassword>(),
]);
