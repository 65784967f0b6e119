//! Messages sent to many recipients.

use std::collections::BTreeMap;

use domain::{sales::Dispatch, time::Millis, without_emails};

use crate::{
    Conn, Result, figures,
    many::{ROWS, bind_rows},
    turns::{Turn, take_turn},
};

/// Saves dispatches. A later dispatch with the same id replaces the earlier one. Returns the number of
/// distinct dispatches.
pub async fn save(db: &Conn<'_>, dispatches: Vec<Dispatch>, now: Millis) -> Result<usize> {
    take_turn(db, Turn::Sales).await?;
    let latest: BTreeMap<String, Dispatch> = dispatches
        .into_iter()
        .map(|one| (one.id.clone(), one))
        .collect();
    let latest: Vec<Dispatch> = latest.into_values().collect();
    for batch in latest.chunks(ROWS) {
        let rows = batch.iter().map(|one| {
            [
                one.id.as_str().into(),
                without_emails(&one.name).into_owned().into(),
                one.channel.as_str().into(),
                one.sent_at.into(),
                one.sent.into(),
                one.launch.as_deref().into(),
                now.into(),
            ]
        });
        let (rows, values) = bind_rows(rows);
        let sql = format!(
            "INSERT INTO dispatches (id, name, channel, sent_at, sent, launch, updated_at)
             VALUES {rows}
             ON CONFLICT (id) DO UPDATE SET name = excluded.name, channel = excluded.channel,
                sent_at = excluded.sent_at, sent = excluded.sent, launch = excluded.launch,
                updated_at = excluded.updated_at"
        );
        db.run(&sql, values).await?;
    }
    figures::record_update(db, figures::Kind::Deliveries, now).await?;
    Ok(latest.len())
}
