//! Sales of a period, over all launches.

mod area;
pub(crate) mod commissions;
mod get_commercial_team_sales;
mod get_sales_summary;

pub use area::AREA;
pub use get_commercial_team_sales::GetCommercialTeamSales;
pub use get_sales_summary::GetSalesSummary;
pub(crate) use get_sales_summary::day_lines;
