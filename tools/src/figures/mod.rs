//! What the dashboards share: periods, sums and rates. `docs/METRICS.md` defines every figure.

mod fold;
mod period;
mod settle_figures;
mod sums;
mod value_range;

pub(crate) use fold::{fold, shown};
pub(crate) use period::{Period, Span};
pub(crate) use settle_figures::settle_later;
pub use settle_figures::{SettleFigures, settle};
pub(crate) use sums::{DayLine, Totals, by_currency, divided, rate};
pub(crate) use value_range::ValueRange;

use domain::time::Timestamp;
use gateway::{Context, Result};
use store::figures::{self, Kind};

/// The currency of a dashboard that does not belong to a launch.
pub(crate) const REAL: &str = "BRL";

/// The time of a dashboard's data: the oldest update among these kinds. Kinds that never had data
/// do not count.
pub(crate) async fn updated_at(ctx: &Context<'_>, kinds: &[Kind]) -> Result<Option<Timestamp>> {
    let at = figures::updated_at(&ctx.db(), kinds).await?;
    Ok(at.map(Timestamp))
}
