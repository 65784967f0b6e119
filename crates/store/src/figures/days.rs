//! Recounts marked days.
//!
//! A marked day is recounted from its rows. So a correction, a refund or a late report needs no separate
//! arithmetic.

use domain::Error;

use super::{crm, day::Day, day_sales, kind::Kind, subscriptions, touches::MonthChanges};
use crate::{Conn, Result};

/// Recounts one marked day. The caller must write the changes collected in `months`.
pub(super) async fn recount_next_day(
    db: &Conn<'_>,
    months: &mut MonthChanges,
) -> Result<Option<Kind>> {
    let sql = "DELETE FROM figure_stale_days WHERE (kind, day) IN
            (SELECT kind, day FROM figure_stale_days ORDER BY kind, day LIMIT 1)
        RETURNING kind, day";
    let Some(row) = db.fetch_one(sql, []).await? else {
        return Ok(None);
    };
    let name: String = row.try_get("", "kind")?;
    let day = Day::parse(row.try_get("", "day")?)?;
    let kinds = [Kind::Sales, Kind::Subscriptions, Kind::Crm];
    let kind = kinds.into_iter().find(|kind| kind.as_str() == name);
    match kind {
        Some(Kind::Sales) => day_sales::recount_day(db, &day, months).await?,
        Some(Kind::Subscriptions) => subscriptions::recount_day(db, &day).await?,
        Some(Kind::Crm) => crm::recount_day(db, &day).await?,
        _ => return Err(Error::internal("a marked day has a kind without daily figures").into()),
    }
    Ok(kind)
}
