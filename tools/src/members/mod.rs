//! The team's members: list, invitation, role, password and offboarding.
//!
//! The admin interface of a hosted issuer is called outside transactions. A call that gives access
//! (an invitation, or lifting a ban) or on which the local write depends (a password) comes before
//! the local write. A call that takes access away comes after it. So a failure between the two
//! never leaves more access than was decided. Offboarding records the missing ban in
//! `cleanup_pending`, and reads the member again after the ban, because another admin may have
//! reactivated the member meanwhile.
//!
//! Decided here:
//!
//! - An invitation for a former member's e-mail reactivates that member, with the same id, a new role
//!   and the API level `nenhum`.
//! - The link of an invitation that is sent by e-mail is not in the response, so that only the invited
//!   person has it.

mod account;
mod area;
mod by_email;
mod hints;
mod invite_member;
mod list_members;
mod member_view;
mod offboard_member;
mod offboarding;
mod reissue_invitation;
mod set_member_password;
mod update_member;

pub(crate) use account::{find_subject, keep, link_and_warnings};
pub use area::AREA;
pub use invite_member::InviteMember;
pub use list_members::ListMembers;
pub use offboard_member::OffboardMember;
pub use reissue_invitation::ReissueInvitation;
pub use set_member_password::SetMemberPassword;
pub use update_member::UpdateMember;

use domain::{ACCOUNT_NOT_LINKED, EMAIL_IN_USE, MemberId, Role};
use gateway::{Code, Error, Result, Services};
use store::{
    Conn,
    members::{self, Member},
};

pub const LAST_ADMIN: Code = Code::new(
    "LAST_ADMIN",
    409,
    "A equipe precisa de ao menos um admin ativo que já possa entrar.",
)
.with_next_step(
    "Promova outro membro a admin antes, ou espere que o admin convidado aceite o convite.",
);

pub const INVITATION_REDEEMED: Code = Code::new(
    "INVITATION_REDEEMED",
    409,
    "O convite já foi aceito: a pessoa tem senha.",
)
.with_next_step("Para quem esqueceu a senha, defina uma nova (set_member_password).");

/// Locks the team and the member until the transaction ends, so that neither the member nor the number
/// of admins changes. Refuses (404) an id without a member.
async fn lock_member(db: &Conn<'_>, id: &MemberId) -> Result<Member> {
    members::lock_team(db).await?;
    members::lock_member(db, id).await?;
    Ok(members::require(db, id).await?)
}

/// Refuses (409) a change that would leave the team without an active admin who can sign in. The
/// caller must have locked the member.
async fn require_other_admin(services: &Services, db: &Conn<'_>, member: &Member) -> Result<()> {
    let is_admin = member.active && member.role == Role::Admin;
    let issuer = services.identity.issuer();
    if is_admin && members::count_other_admins(db, &member.id, issuer).await? == 0 {
        return Err(Error::new(LAST_ADMIN));
    }
    Ok(())
}
