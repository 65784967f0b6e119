//! The table: every operation and page, in catalog order.
//!
//! What is not here does not exist: not in the router, OpenAPI, the catalog or MCP.

use crate::{
    access, artifacts, config, email_drafts, figures, knowledge, launches, mcp, media, members,
    platforms, projects, publishing, sales, script, shortvideo, skills, subscriptions, system,
    timeline, video, workflow,
};
use gateway::{Area, Code, Entry, Registry, jobs::JobEntry};
use identity::{authorization, operations as auth};

/// Every area, in catalog order.
pub static AREAS: &[Area] = &[
    system::AREA,
    auth::AREA,
    authorization::AREA,
    artifacts::AREA,
    mcp::AREA,
    access::AREA,
    workflow::AREA,
    media::AREA,
    config::AREA,
    email_drafts::AREA,
    members::AREA,
    skills::AREA,
    knowledge::AREA,
    projects::AREA,
    publishing::AREA,
    platforms::AREA,
    video::AREA,
    timeline::AREA,
    launches::AREA,
    sales::AREA,
    subscriptions::AREA,
];

/// The jobs of every area that has any.
static JOBS: &[(Area, &[JobEntry])] = &[
    (system::AREA, system::JOBS),
    (media::AREA, media::JOBS),
    (knowledge::AREA, knowledge::JOBS),
    (publishing::AREA, publishing::JOBS),
    (publishing::AREA, shortvideo::JOBS),
    (video::AREA, video::JOBS),
    (timeline::AREA, timeline::JOBS),
    (sales::AREA, figures::JOBS),
];

/// Every job.
pub fn jobs() -> impl Iterator<Item = JobEntry> {
    let of_area =
        |(area, jobs): &'static (Area, &[JobEntry])| jobs.iter().map(|job| job.of_area(*area));
    JOBS.iter().flat_map(of_area)
}

/// Every operation.
pub static OPERATIONS: &[Entry] = &[
    Entry::of::<system::GetHealth>(),
    Entry::of::<auth::IssueSession>(),
    Entry::of::<auth::SignOut>(),
    Entry::of::<auth::ListSessionKeys>(),
    Entry::of::<auth::RedeemInvite>(),
    Entry::of::<auth::ChangeMyPassword>(),
    Entry::of::<access::GetMe>(),
    Entry::of::<access::GetMyAccess>(),
    Entry::of::<access::ListAccessMembers>(),
    Entry::of::<access::UpdateMemberApiAccess>(),
    Entry::of::<access::RevokeMemberToken>(),
    Entry::of::<access::ListMyTokens>(),
    Entry::of::<access::CreateMyToken>(),
    Entry::of::<access::RevokeMyToken>(),
    Entry::of::<access::ListMyAgents>(),
    Entry::of::<access::RevokeMyAgent>(),
    Entry::of::<access::RevokeMemberAgent>(),
    Entry::of::<access::ListAuditEvents>(),
    Entry::of::<access::GetRouteCatalog>(),
    Entry::of::<workflow::CreateDemand>(),
    Entry::of::<workflow::ListEvents>(),
    Entry::of::<workflow::GetEvent>(),
    Entry::of::<workflow::UpdateEvent>(),
    Entry::of::<workflow::SaveDraft>(),
    Entry::of::<workflow::SubmitForApproval>(),
    Entry::of::<workflow::ListPendingApprovals>(),
    Entry::of::<workflow::DecideApproval>(),
    Entry::of::<workflow::ReopenEvent>(),
    Entry::of::<workflow::ListAttachableEvents>(),
    Entry::of::<workflow::ListMyTasks>(),
    Entry::of::<workflow::ListTeam>(),
    Entry::of::<workflow::CreateDemands>(),
    Entry::of::<workflow::GetPublishingTimeInsights>(),
    Entry::of::<media::GenerateArt>(),
    Entry::of::<media::GenerateCarousel>(),
    Entry::of::<media::UploadMedia>(),
    Entry::of::<media::ListMedia>(),
    Entry::of::<media::UpdateEventMedia>(),
    Entry::of::<config::GetConfig>(),
    Entry::of::<config::PublishConfigVersion>(),
    Entry::of::<config::ListConfigHistory>(),
    Entry::of::<email_drafts::ListEmailDrafts>(),
    Entry::of::<email_drafts::GetEmailDraft>(),
    Entry::of::<email_drafts::PutEmailDraft>(),
    Entry::of::<email_drafts::ReplaceInEmailDraft>(),
    Entry::of::<email_drafts::DeleteEmailDraft>(),
    Entry::of::<members::ListMembers>(),
    Entry::of::<members::UpdateMember>(),
    Entry::of::<members::InviteMember>(),
    Entry::of::<members::ReissueInvitation>(),
    Entry::of::<members::OffboardMember>(),
    Entry::of::<members::SetMemberPassword>(),
    Entry::of::<skills::ListSkills>(),
    Entry::of::<skills::PublishSkillVersion>(),
    Entry::of::<knowledge::SearchKnowledge>(),
    Entry::of::<knowledge::ListKnowledgeDocuments>(),
    Entry::of::<script::GenerateScript>(),
    Entry::of::<projects::ListProjects>(),
    Entry::of::<projects::CreateProject>(),
    Entry::of::<projects::GetProject>(),
    Entry::of::<projects::ListProjectOperations>(),
    Entry::of::<projects::ApplyProjectOperation>(),
    Entry::of::<projects::ApplyProjectOperations>(),
    Entry::of::<publishing::ListConnectedAccounts>(),
    Entry::of::<publishing::StartOauthConnection>(),
    Entry::of::<publishing::DisconnectOauthAccount>(),
    Entry::of::<shortvideo::GetShortvideoCreatorInfo>(),
    Entry::of::<shortvideo::PublishShortvideo>(),
    Entry::of::<shortvideo::ListShortvideoPublications>(),
    Entry::of::<platforms::ListPlatformPasswords>(),
    Entry::of::<platforms::GetPlatformPassword>(),
    Entry::of::<platforms::PutPlatformPassword>(),
    Entry::of::<video::StartVideoGeneration>(),
    Entry::of::<video::GetVideoGeneration>(),
    Entry::of::<video::ListVideoGenerations>(),
    Entry::of::<video::CancelVideoGeneration>(),
    Entry::of::<timeline::IngestTimelineEvents>(),
    Entry::of::<timeline::GetLeadContext>(),
    Entry::of::<timeline::GetPersonalProfile>(),
    Entry::of::<timeline::ReceiveEmailDeliveryEvents>(),
    Entry::of::<timeline::SynchronizeTimeline>(),
    Entry::of::<launches::ListLaunches>(),
    Entry::of::<launches::PutLaunchDashboard>(),
    Entry::of::<launches::GetLaunchSummary>(),
    Entry::of::<launches::GetLaunchDecisionPanel>(),
    Entry::of::<launches::GetLaunchCrmFunnel>(),
    Entry::of::<launches::GetLaunchTimelineFunnel>(),
    Entry::of::<launches::GetLaunchPaidMedia>(),
    Entry::of::<launches::GetLaunchSalesOrigin>(),
    Entry::of::<launches::ListLaunchDispatches>(),
    Entry::of::<launches::ListLaunchBuyers>(),
    Entry::of::<launches::GetLaunchProfiles>(),
    Entry::of::<launches::GetLaunchHealth>(),
    Entry::of::<sales::GetSalesSummary>(),
    Entry::of::<sales::GetCommercialTeamSales>(),
    Entry::of::<subscriptions::GetSubscriptionSummary>(),
    Entry::of::<subscriptions::ListLeavingSubscribers>(),
    Entry::of::<subscriptions::RecordCancellationReason>(),
];

/// Every route that only HTTP can serve.
pub fn pages() -> impl Iterator<Item = &'static Entry> {
    artifacts::PAGES
        .iter()
        .chain(authorization::PAGES)
        .chain(OTHER_PAGES)
}

const OTHER_PAGES: &[Entry] = &[
    mcp::PAGE,
    media::GET_MEDIA,
    system::GET_READINESS,
    auth::GET_INVITATION_PAGE,
    publishing::COMPLETE_OAUTH_CONNECTION,
    publishing::GET_OAUTH_STATUS_PAGE,
];

/// Every error code: the common ones, then those of the areas.
pub fn codes() -> impl Iterator<Item = Code> {
    let own = AREAS.iter().flat_map(|area| area.codes);
    Code::COMMON.iter().chain(own).copied()
}

/// The whole table, ready to serve.
#[must_use]
pub fn registry() -> Registry {
    Registry::new(OPERATIONS, pages())
}

/// The table with a hosted issuer: `/auth/v1` belongs to the embedded identity.
#[must_use]
pub fn hosted_registry() -> Registry {
    let served = |entry: &&Entry| is_served(entry.spec.area.name, true);
    Registry::new(OPERATIONS.iter().filter(served), pages().filter(served))
}

/// Whether the area is served, with a hosted issuer or without.
pub(crate) fn is_served(area: &str, hosted: bool) -> bool {
    !hosted || area != auth::AREA.name
}
