//! The credentials (tokens or agents) of several members, a few per member.

use super::{Bind, Conn, Row};
use crate::Result;
use domain::{MemberId, time::Millis};

const LATEST: &str = "
SELECT * FROM (
    SELECT c.*, row_number() OVER (PARTITION BY c.member_id ORDER BY
        CASE WHEN c.revoked_at IS NULL AND c.expires_at > $1 THEN 0 ELSE 1 END,
        c.created_at DESC, c.id DESC) AS place
    FROM {table} c WHERE c.member_id IN ({members})
) ranked WHERE place <= 20 ORDER BY member_id, place";

/// Lists up to 20 rows per member, active ones first, then by age, newest first.
///
/// The table must have the columns `id`, `member_id`, `created_at`, `expires_at` and `revoked_at`.
pub(crate) async fn list_latest_of_members(
    db: &Conn<'_>,
    table: &str,
    member_ids: &[MemberId],
    now: Millis,
) -> Result<Vec<Row>> {
    if member_ids.is_empty() {
        return Ok(vec![]);
    }
    let places: Vec<String> = (2..member_ids.len() + 2).map(|n| format!("${n}")).collect();
    let sql = LATEST
        .replace("{table}", table)
        .replace("{members}", &places.join(", "));
    let ids = member_ids.iter().map(Bind::value);
    Ok(db
        .fetch_all(&sql, std::iter::once(now.into()).chain(ids))
        .await?)
}
