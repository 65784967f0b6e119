//! The area of the embedded identity: its name, error codes and operations.

use super::{
    ChangeMyPassword, GET_INVITATION_PAGE, INVALID_CREDENTIALS, IssueSession, ListSessionKeys,
    RedeemInvite, SignOut,
};
use crate::{LoginLimiter, Passwords, SessionKeys, passwords::WEAK_PASSWORD};
use gateway::{Area, Entry, Part};

/// The area of the embedded identity.
pub static AREA: Area = Area::new(
    "auth",
    "Entrada, renovação e encerramento de sessões; convites e senhas.",
)
.codes(&[INVALID_CREDENTIALS, WEAK_PASSWORD])
.parts(&[
    Part::of::<LoginLimiter>("LoginLimiter"),
    Part::of::<Passwords>("Passwords"),
    Part::of::<SessionKeys>("SessionKeys"),
])
.operations(&[
    Entry::of::<IssueSession>(),
    Entry::of::<SignOut>(),
    Entry::of::<ListSessionKeys>(),
    Entry::of::<RedeemInvite>(),
    Entry::of::<ChangeMyPassword>(),
])
.pages(&[GET_INVITATION_PAGE]);
