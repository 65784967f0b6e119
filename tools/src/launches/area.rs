//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{
    GetLaunchCrmFunnel, GetLaunchDashboard, GetLaunchDecisionPanel, GetLaunchHealth,
    GetLaunchPaidMedia, GetLaunchProfiles, GetLaunchSalesOrigin, GetLaunchSummary,
    GetLaunchTimelineFunnel, ListLaunchBuyers, ListLaunchDispatches, ListLaunches,
    ListProjectsWithoutLaunch, PutLaunchDashboard, UpdateLaunchDashboard,
};
use crate::figures::SettleFigures;
use gateway::{Area, Entry, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "launches",
    "Lançamentos: metas, vendas, origem, mídia, e-mails e compradores.",
)
.announces_nothing()
.operations(&[
    Entry::for_operation::<ListLaunches>(),
    Entry::for_operation::<ListProjectsWithoutLaunch>(),
    Entry::for_operation::<GetLaunchDashboard>(),
    Entry::for_operation::<PutLaunchDashboard>(),
    Entry::for_operation::<UpdateLaunchDashboard>(),
    Entry::for_operation::<GetLaunchSummary>(),
    Entry::for_operation::<GetLaunchDecisionPanel>(),
    Entry::for_operation::<GetLaunchCrmFunnel>(),
    Entry::for_operation::<GetLaunchTimelineFunnel>(),
    Entry::for_operation::<GetLaunchPaidMedia>(),
    Entry::for_operation::<GetLaunchSalesOrigin>(),
    Entry::for_operation::<ListLaunchDispatches>(),
    Entry::for_operation::<ListLaunchBuyers>(),
    Entry::for_operation::<GetLaunchProfiles>(),
    Entry::for_operation::<GetLaunchHealth>(),
])
.jobs(&[JobEntry::for_job::<SettleFigures>()]);
