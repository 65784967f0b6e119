//! Launches: the dashboards of a project's sales.

mod alerts;
mod area;
mod get_launch_crm_funnel;
mod get_launch_dashboard;
mod get_launch_decision_panel;
mod get_launch_health;
mod get_launch_paid_media;
mod get_launch_profiles;
mod get_launch_sales_origin;
mod get_launch_summary;
mod get_launch_timeline_funnel;
mod hints;
mod launch_view;
mod list_launch_buyers;
mod list_launch_dispatches;
mod list_launches;
mod list_projects_without_launch;
mod put_launch_dashboard;
mod scope;
mod touch;
mod update_launch_dashboard;

pub use area::AREA;
pub use get_launch_crm_funnel::GetLaunchCrmFunnel;
pub use get_launch_dashboard::GetLaunchDashboard;
pub use get_launch_decision_panel::GetLaunchDecisionPanel;
pub use get_launch_health::GetLaunchHealth;
pub use get_launch_paid_media::GetLaunchPaidMedia;
pub use get_launch_profiles::GetLaunchProfiles;
pub use get_launch_sales_origin::GetLaunchSalesOrigin;
pub use get_launch_summary::GetLaunchSummary;
pub use get_launch_timeline_funnel::GetLaunchTimelineFunnel;
pub use list_launch_buyers::ListLaunchBuyers;
pub use list_launch_dispatches::ListLaunchDispatches;
pub use list_launches::ListLaunches;
pub use list_projects_without_launch::ListProjectsWithoutLaunch;
pub use put_launch_dashboard::PutLaunchDashboard;
pub use update_launch_dashboard::UpdateLaunchDashboard;

use gateway::Resource;

const LAUNCH: Resource = Resource::new("launch");
