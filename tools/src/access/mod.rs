//! The caller and their rights, personal tokens, the audit trail and the catalog.

mod agent_view;
mod area;
mod create_my_token;
mod daily_use;
mod get_me;
mod get_my_access;
mod get_route_catalog;
mod hints;
mod list_access_members;
mod list_agent_activity;
mod list_audit_events;
mod list_my_agents;
mod list_my_tokens;
mod member_access;
mod remove_member_push_device;
mod revoke_member_agent;
mod revoke_member_calendar_feed;
mod revoke_member_token;
mod revoke_my_agent;
mod revoke_my_token;
mod route;
mod scopes;
mod set_agent_limits;
mod set_token_limits;
mod token_view;
mod update_member_api_access;

pub use area::AREA;
pub use create_my_token::CreateMyToken;
pub use get_me::GetMe;
pub use get_my_access::GetMyAccess;
pub use get_route_catalog::GetRouteCatalog;
pub use list_access_members::ListAccessMembers;
pub use list_agent_activity::ListAgentActivity;
pub use list_audit_events::ListAuditEvents;
pub use list_my_agents::ListMyAgents;
pub use list_my_tokens::ListMyTokens;
pub use remove_member_push_device::RemoveMemberPushDevice;
pub use revoke_member_agent::RevokeMemberAgent;
pub use revoke_member_calendar_feed::RevokeMemberCalendarFeed;
pub use revoke_member_token::RevokeMemberToken;
pub use revoke_my_agent::RevokeMyAgent;
pub use revoke_my_token::RevokeMyToken;
pub use set_agent_limits::SetAgentLimits;
pub use set_token_limits::SetTokenLimits;
pub use update_member_api_access::UpdateMemberApiAccess;

use std::sync::Arc;

use gateway::{Code, Registry, Resource};

/// The registry of the operations and pages that this service serves.
pub type Served = Arc<Registry>;

/// A calendar of any member, for admins.
const MEMBER_CALENDAR: Resource = Resource::new(identity::calendar_feed::RESOURCE.kind);

/// A device of any member, for admins.
const MEMBER_DEVICE: Resource = Resource::new("push_device");

pub const API_TOKEN_LIMIT: Code = Code::new(
    "API_TOKEN_LIMIT",
    429,
    "Há 10 tokens pessoais ativos, o máximo.",
)
.with_next_step("Revogue um token em `revoke_my_token`.");

pub const API_LEVEL_ABOVE_ROLE: Code = Code::new(
    "API_LEVEL_ABOVE_ROLE",
    409,
    "O nível de API passa do papel do membro.",
)
.with_next_step("Escolha um nível até o papel do membro, ou mude o papel primeiro.");

#[cfg(test)]
mod tests {
    use super::*;
    use gateway::Operation;

    #[test]
    fn identity_names_the_operations_that_revoke_tokens() {
        assert_eq!(RevokeMyToken::SPEC.name, identity::REVOKE_OWN);
        assert_eq!(RevokeMemberToken::SPEC.name, identity::REVOKE_OF_OTHERS);
    }
}
