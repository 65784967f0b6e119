//! E-mail delivery events, as the delivery service reports them.

use domain::{PersonId, time::Millis, timeline::DeliveryKind};

use crate::{
    Conn, Result,
    many::{ROWS, bind_rows},
};

/// A delivery event of one recipient in a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The id of the notification.
    pub message_id: String,
    /// The recipient's position in the notification.
    pub position: i64,
    pub person: Option<PersonId>,
    pub kind: DeliveryKind,
    pub occurred_at: Millis,
    pub mail_id: String,
    pub dispatch_id: Option<String>,
    pub launch: Option<String>,
    pub bounce_type: Option<String>,
    pub link: Option<String>,
}

/// Saves deliveries. Ignores the deliveries of an already stored notification. Returns the number of new
/// deliveries.
pub async fn save(db: &Conn<'_>, deliveries: &[Delivery], now: Millis) -> Result<usize> {
    let mut new = 0;
    for batch in deliveries.chunks(ROWS) {
        let rows = batch.iter().map(|one| {
            [
                one.message_id.as_str().into(),
                one.position.into(),
                one.person.as_ref().map(PersonId::as_str).into(),
                one.kind.as_str().into(),
                one.occurred_at.into(),
                one.mail_id.as_str().into(),
                one.dispatch_id.as_deref().into(),
                one.launch.as_deref().into(),
                one.bounce_type.as_deref().into(),
                one.link.as_deref().into(),
                now.into(),
            ]
        });
        let (rows, values) = bind_rows(rows);
        let sql = format!(
            "INSERT INTO email_deliveries (message_id, position, person, kind, occurred_at, mail_id,
                dispatch_id, launch, bounce_type, link, received_at)
             VALUES {rows} ON CONFLICT (message_id, position) DO NOTHING"
        );
        new += usize::try_from(db.run(&sql, values).await?).unwrap_or(0);
    }
    Ok(new)
}
