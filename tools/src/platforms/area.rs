//! The area: what it is called and what it offers.

use super::{GetPlatformPassword, ListPlatformPasswords, PutPlatformPassword};
use gateway::{Area, Entry};

/// The area of these operations.
pub static AREA: Area = Area::new(
    "platforms",
    "Senhas das plataformas da equipe, cifradas e com cada leitura na auditoria.",
)
.operations(&[
    Entry::of::<ListPlatformPasswords>(),
    Entry::of::<GetPlatformPassword>(),
    Entry::of::<PutPlatformPassword>(),
]);
