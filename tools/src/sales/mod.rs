//! Sales of a period, over all launches.

mod commissions;
mod get_commercial_team_sales;
mod get_sales_summary;

pub use get_commercial_team_sales::GetCommercialTeamSales;
pub use get_sales_summary::GetSalesSummary;
pub(crate) use get_sales_summary::lines;

use gateway::Area;

/// The area of these operations.
pub const AREA: Area = Area::new("sales", "Vendas de um período, da loja à equipe comercial.");
