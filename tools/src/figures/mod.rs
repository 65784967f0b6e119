//! Periods, sums and rates that several dashboards use. `docs/METRICS.md` defines every figure.

mod fold;
mod period;
mod settle_figures;
mod sums;
mod value_range;

pub(crate) use fold::{fold_small_groups, hide_if_small};
pub(crate) use period::{Period, Span};
pub(crate) use settle_figures::enqueue_settling;
pub use settle_figures::{SettleFigures, count_marked_rows};
pub(crate) use sums::{DayLine, Totals, rounded_ratio, split_by_currency};
pub(crate) use value_range::ValueRange;

use domain::time::Timestamp;
use gateway::{Context, Result};
use store::figures::{self, Kind};

/// The currency of a dashboard that does not belong to a launch.
pub(crate) const REAL: &str = "BRL";

/// Returns when the data of a dashboard were updated: the oldest update among these kinds of data. Kinds
/// without data are ignored.
pub(crate) async fn updated_at(ctx: &Context<'_>, kinds: &[Kind]) -> Result<Option<Timestamp>> {
    let at = figures::find_oldest_update(&ctx.db(), kinds).await?;
    Ok(at.map(Timestamp))
}
