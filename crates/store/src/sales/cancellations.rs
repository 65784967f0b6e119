//! The recorded reasons for cancelled subscriptions.

use domain::{CancellationId, MemberId, time::Millis, without_emails, without_phones};

use crate::{Bind, Conn, Result};

/// The reason for a cancellation, recorded by a member.
#[derive(Debug)]
pub struct Cancellation {
    pub id: CancellationId,
    pub subscription_id: String,
    pub reason: String,
    pub note: Option<String>,
    pub recorded_by: MemberId,
    pub recorded_at: Millis,
}

pub async fn save(db: &Conn<'_>, cancellation: Cancellation) -> Result<()> {
    let sql = "INSERT INTO subscription_cancellations
        (id, subscription_id, reason, note, recorded_by, recorded_at)
        VALUES ($1, $2, $3, $4, $5, $6)";
    let values = [
        cancellation.id.value(),
        cancellation.subscription_id.into(),
        cancellation.reason.into(),
        cancellation
            .note
            .map(|note| without_phones(&without_emails(&note)).into_owned())
            .into(),
        cancellation.recorded_by.value(),
        cancellation.recorded_at.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}
