//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{
    ACCOUNT_NOT_LINKED, EMAIL_IN_USE, INVITATION_REDEEMED, InviteMember, LAST_ADMIN, ListMembers,
    OffboardMember, ReissueInvitation, SetMemberPassword, UpdateMember,
};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "members",
    "Membros da equipe: convite, papel, senha e desligamento.",
)
.codes(&[
    LAST_ADMIN,
    EMAIL_IN_USE,
    INVITATION_REDEEMED,
    ACCOUNT_NOT_LINKED,
])
.announces_nothing()
.operations(&[
    Entry::for_operation::<ListMembers>(),
    Entry::for_operation::<UpdateMember>(),
    Entry::for_operation::<InviteMember>(),
    Entry::for_operation::<ReissueInvitation>(),
    Entry::for_operation::<OffboardMember>(),
    Entry::for_operation::<SetMemberPassword>(),
]);
