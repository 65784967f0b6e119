//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{
    GetLaunchCrmFunnel, GetLaunchDashboard, GetLaunchDecisionPanel, GetLaunchHealth,
    GetLaunchPaidMedia, GetLaunchProfiles, GetLaunchSalesOrigin, GetLaunchSummary,
    GetLaunchTimelineFunnel, ListLaunchBuyers, ListLaunchDispatches, ListLaunches,
    PutLaunchDashboard, UpdateLaunchDashboard,
};
use crate::figures::SettleFigures;
use gateway::{Area, Entry, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "launches",
    "Lançamentos: metas, vendas, origem, mídia, e-mails e compradores.",
)
.operations(&[
    Entry::of::<ListLaunches>(),
    Entry::of::<GetLaunchDashboard>(),
    Entry::of::<PutLaunchDashboard>(),
    Entry::of::<UpdateLaunchDashboard>(),
    Entry::of::<GetLaunchSummary>(),
    Entry::of::<GetLaunchDecisionPanel>(),
    Entry::of::<GetLaunchCrmFunnel>(),
    Entry::of::<GetLaunchTimelineFunnel>(),
    Entry::of::<GetLaunchPaidMedia>(),
    Entry::of::<GetLaunchSalesOrigin>(),
    Entry::of::<ListLaunchDispatches>(),
    Entry::of::<ListLaunchBuyers>(),
    Entry::of::<GetLaunchProfiles>(),
    Entry::of::<GetLaunchHealth>(),
])
.jobs(&[JobEntry::of::<SettleFigures>()]);
