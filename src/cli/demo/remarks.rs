//! Remarks that the published examples list, resolve and remove.

use domain::{EventId, GuestLinkId, MemberId, RemarkId, Revision, time::Millis};
use store::{
    Conn, Result,
    remarks::{self, NewRemark},
};

const TEXTS: [&str; 2] = [
    "A legenda ainda não diz a quantidade de coco.",
    "Confirmei: são 200 g.",
];

const OF_GUEST: [&str; 2] = ["O paio ficou longe demais na foto.", "Pode ser na quinta?"];

/// Inserts one thread per id, about the whole piece. The author of each thread is the guest of this
/// link, whom the member invited.
pub(super) async fn seed_guest_remarks(
    db: &Conn<'_>,
    event_id: &EventId,
    ids: [RemarkId; 2],
    (link_id, member_id): (&GuestLinkId, &MemberId),
    now: Millis,
) -> Result<()> {
    for (id, text) in ids.iter().zip(OF_GUEST) {
        let remark = NewRemark {
            id,
            event_id,
            thread_id: id,
            author_id: member_id,
            guest_link_id: Some(link_id),
            for_guests: true,
            token_id: None,
            text,
            anchor: None,
            template_id: None,
            passage_at: None,
            read_revision: Revision::FIRST,
        };
        remarks::insert(db, remark, [], now).await?;
    }
    Ok(())
}

/// Inserts one thread per id, about the whole piece, each by a different author.
pub(super) async fn seed_remarks(
    db: &Conn<'_>,
    event_id: &EventId,
    ids: [RemarkId; 2],
    authors: [MemberId; 2],
    now: Millis,
) -> Result<()> {
    for ((id, author_id), text) in ids.iter().zip(&authors).zip(TEXTS) {
        let remark = NewRemark {
            id,
            event_id,
            thread_id: id,
            author_id,
            guest_link_id: None,
            for_guests: false,
            token_id: None,
            text,
            anchor: None,
            template_id: None,
            passage_at: None,
            read_revision: Revision::FIRST,
        };
        remarks::insert(db, remark, [], now).await?;
    }
    Ok(())
}
