//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{
    API_LEVEL_ABOVE_ROLE, API_TOKEN_LIMIT, CreateMyToken, GetMe, GetMyAccess, GetRouteCatalog,
    ListAccessMembers, ListAgentActivity, ListAuditEvents, ListMyAgents, ListMyTokens,
    RevokeMemberAgent, RevokeMemberToken, RevokeMyAgent, RevokeMyToken, Served,
    UpdateMemberApiAccess,
};
use gateway::{Area, Entry, Part};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "access",
    "Identidade, tokens pessoais, níveis de acesso, auditoria e catálogo.",
)
.codes(&[API_TOKEN_LIMIT, API_LEVEL_ABOVE_ROLE])
.parts(&[Part::of::<Served>("Served")])
.operations(&[
    Entry::of::<GetMe>(),
    Entry::of::<GetMyAccess>(),
    Entry::of::<ListAccessMembers>(),
    Entry::of::<UpdateMemberApiAccess>(),
    Entry::of::<RevokeMemberToken>(),
    Entry::of::<ListMyTokens>(),
    Entry::of::<CreateMyToken>(),
    Entry::of::<RevokeMyToken>(),
    Entry::of::<ListMyAgents>(),
    Entry::of::<RevokeMyAgent>(),
    Entry::of::<RevokeMemberAgent>(),
    Entry::of::<ListAgentActivity>(),
    Entry::of::<ListAuditEvents>(),
    Entry::of::<GetRouteCatalog>(),
]);
