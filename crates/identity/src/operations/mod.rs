//! `/auth/v1`: the interface of the embedded identity provider, compatible with GoTrue.
//!
//! A deliberate difference: `POST /auth/v1/logout` returns 200 with a body where GoTrue returns
//! 204.

mod area;
mod change_my_password;
pub(crate) mod change_password;
mod get_invitation_page;
mod get_password_reset_page;
mod issue_session;
mod list_session_keys;
pub(crate) mod password_grant;
pub(crate) mod redeem_invite;
mod refresh_grant;
mod session_tokens;
mod sign_out;

pub use area::AREA;
pub use change_my_password::ChangeMyPassword;
pub use get_invitation_page::GET_INVITATION_PAGE;
pub use get_password_reset_page::GET_PASSWORD_RESET_PAGE;
pub use issue_session::IssueSession;
pub use list_session_keys::ListSessionKeys;
pub use redeem_invite::RedeemInvite;
pub use session_tokens::REFRESH_LIFETIME;
pub use sign_out::SignOut;

use gateway::{self, Code, Context, Outcome, Result};
use store::{Conn, audit, members::Member};

pub const INVALID_CREDENTIALS: Code =
    Code::new("INVALID_CREDENTIALS", 401, "E-mail ou senha incorretos.");

/// Writes the audit row of a sign-in. The gateway cannot do it, because these requests have no
/// authenticated caller.
pub(crate) async fn insert_audit_row(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    action: &'static str,
    member: Option<&Member>,
    outcome: Outcome,
) -> Result<()> {
    let mut row = gateway::actorless_row(action, ctx.origin, ctx.now);
    if let Some(member) = member {
        row = row.with_actor(member);
    }
    let status = if outcome == Outcome::Succeeded {
        row.auth_method = "session";
        200
    } else {
        401
    };
    Ok(audit::insert(db, row.with_outcome(outcome, status)).await?)
}
