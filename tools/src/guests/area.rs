//! Declares the area: its name, its description, its operations and pages.

use super::{
    CreateGuestLink, EnterGuestCode, ListGuestLinks, ListGuestPieces, RevokeGuestLink,
    TOO_MANY_GUEST_LINKS, get_guest_media,
};
use gateway::{Area, Entry, GUEST_CODE_REQUIRED, GUEST_RIGHT_REQUIRED};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "guests",
    "Links para convidados: pessoas de fora que veem, comentam ou decidem peças.",
)
.codes(&[
    GUEST_RIGHT_REQUIRED,
    GUEST_CODE_REQUIRED,
    TOO_MANY_GUEST_LINKS,
])
.announces_nothing()
.operations(&[
    Entry::for_operation::<CreateGuestLink>(),
    Entry::for_operation::<ListGuestLinks>(),
    Entry::for_operation::<RevokeGuestLink>(),
    Entry::for_operation::<ListGuestPieces>(),
    Entry::for_operation::<EnterGuestCode>(),
])
.pages(&[get_guest_media::PAGE]);
