//! The area of the embedded identity provider: its name, error codes and operations.

use super::{
    ChangeMyPassword, GET_INVITATION_PAGE, GET_PASSWORD_RESET_PAGE, INVALID_CREDENTIALS,
    IssueSession, ListSessionKeys, RedeemInvite, SignOut,
};
use crate::{Passwords, SessionKeys, passwords::WEAK_PASSWORD};
use gateway::{Area, Entry, Part};

/// The area of the embedded identity provider.
pub static AREA: Area = Area::new(
    "auth",
    "Entrada, renovação e encerramento de sessões; convites e senhas.",
)
.codes(&[INVALID_CREDENTIALS, WEAK_PASSWORD])
.required_parts(&[
    Part::of_type::<Passwords>("Passwords"),
    Part::of_type::<SessionKeys>("SessionKeys"),
])
.announces_nothing()
.operations(&[
    Entry::for_operation::<IssueSession>(),
    Entry::for_operation::<SignOut>(),
    Entry::for_operation::<ListSessionKeys>(),
    Entry::for_operation::<RedeemInvite>(),
    Entry::for_operation::<ChangeMyPassword>(),
])
.pages(&[GET_INVITATION_PAGE, GET_PASSWORD_RESET_PAGE]);
