//! Who one is, what one may do, personal tokens, the audit trail and the catalog.

mod create_my_token;
mod get_me;
mod get_my_access;
mod get_route_catalog;
mod list_access_members;
mod list_audit_events;
mod list_my_tokens;
mod member_access;
mod revoke_member_token;
mod revoke_my_token;
mod route;
mod scopes;
mod token_view;
mod update_member_api_access;

pub use create_my_token::CreateMyToken;
pub use get_me::GetMe;
pub use get_my_access::GetMyAccess;
pub use get_route_catalog::GetRouteCatalog;
pub use list_access_members::ListAccessMembers;
pub use list_audit_events::ListAuditEvents;
pub use list_my_tokens::ListMyTokens;
pub use revoke_member_token::RevokeMemberToken;
pub use revoke_my_token::RevokeMyToken;
pub use update_member_api_access::UpdateMemberApiAccess;

use gateway::Area;

/// The area of these operations.
pub const AREA: Area = Area::new(
    "access",
    "Identidade, tokens pessoais, níveis de acesso, auditoria e catálogo.",
);

#[cfg(test)]
mod tests {
    use super::*;
    use gateway::Operation;

    #[test]
    fn tokens_that_end_with_a_password_are_audited_as_revoked_by_these() {
        assert_eq!(RevokeMyToken::SPEC.name, identity::REVOKE_OWN);
        assert_eq!(RevokeMemberToken::SPEC.name, identity::REVOKE_OF_OTHERS);
    }
}
