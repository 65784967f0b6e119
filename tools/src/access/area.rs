//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{
    API_LEVEL_ABOVE_ROLE, API_TOKEN_LIMIT, CreateMyToken, GetMe, GetMyAccess, GetRouteCatalog,
    ListAccessMembers, ListAgentActivity, ListAuditEvents, ListMyAgents, ListMyTokens,
    RemoveMemberPushDevice, RevokeMemberAgent, RevokeMemberCalendarFeed, RevokeMemberToken,
    RevokeMyAgent, RevokeMyToken, Served, SetAgentLimits, SetTokenLimits, UpdateMemberApiAccess,
};
use gateway::{Area, Entry, Part};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "access",
    "Identidade, tokens pessoais, níveis de acesso, auditoria e catálogo.",
)
.codes(&[API_TOKEN_LIMIT, API_LEVEL_ABOVE_ROLE])
.required_parts(&[Part::of_type::<Served>("Served")])
.announces_nothing()
.operations(&[
    Entry::for_operation::<GetMe>(),
    Entry::for_operation::<GetMyAccess>(),
    Entry::for_operation::<ListAccessMembers>(),
    Entry::for_operation::<UpdateMemberApiAccess>(),
    Entry::for_operation::<RevokeMemberToken>(),
    Entry::for_operation::<ListMyTokens>(),
    Entry::for_operation::<CreateMyToken>(),
    Entry::for_operation::<RevokeMyToken>(),
    Entry::for_operation::<ListMyAgents>(),
    Entry::for_operation::<RevokeMyAgent>(),
    Entry::for_operation::<RevokeMemberAgent>(),
    Entry::for_operation::<RevokeMemberCalendarFeed>(),
    Entry::for_operation::<RemoveMemberPushDevice>(),
    Entry::for_operation::<SetTokenLimits>(),
    Entry::for_operation::<SetAgentLimits>(),
    Entry::for_operation::<ListAgentActivity>(),
    Entry::for_operation::<ListAuditEvents>(),
    Entry::for_operation::<GetRouteCatalog>(),
]);
