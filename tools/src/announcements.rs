//! The announcements that operations and jobs write to the outbox. The spec of an operation lists its
//! announcements.

use domain::Event;
use gateway::{Announcement, Made, Principal, Result, Services};
use identity::authorization::AGENT_CONNECTED;
use serde_json::Map;
use store::Conn;

use crate::visibility::EVENT;

/// A piece was created.
pub const PIECE_CREATED: Announcement = Announcement::new("piece_created")
    .with_answer(&[ASSIGNEES_OF_PIECE])
    .revision_at("/event/api_revision");

/// Several pieces were created.
pub const PIECES_CREATED: Announcement = PIECE_CREATED.for_each("/demandas");

/// A piece was changed.
pub const PIECE_UPDATED: Announcement = Announcement::new("piece_updated")
    .with_input(&[(ASSIGNEES, "assignee_ids"), ("status", "status")]);

pub const PIECE_SUBMITTED: Announcement = Announcement::new("piece_submitted");

pub const PIECE_DECIDED: Announcement = Announcement::new("piece_decided")
    .with_input(&[(DECISION, "action")])
    .with_answer(&[("status", "/status")]);

pub const PIECE_DECIDED_BY_GUEST: Announcement = PIECE_DECIDED.with_input(&[(DECISION, "acao")]);

/// Changed variants of an approved piece wait for a decision.
pub const VARIANTS_WAIT: Announcement = Announcement::new("variants_wait")
    .with_answer(&[("variants", "/esperam")])
    .if_any_fact();

/// Changed variants of an approved piece were decided.
pub const VARIANTS_DECIDED: Announcement =
    Announcement::new("variants_decided").with_input(&[(DECISION, "action")]);

/// A member recorded that a post was published by hand: the post of the piece, or of one of its
/// variants. The fact `status` contains the new status of the piece.
pub const PIECE_PUBLISHED: Announcement = Announcement::new("piece_published")
    .with_input(&[(VARIANT, "variant_id")])
    .with_answer(&[("status", "/status")]);

/// The only variant that was not yet online was removed from a piece, so the piece is now published.
pub const PIECE_COMPLETED: Announcement = Announcement::new(PIECE_PUBLISHED.kind)
    .with_answer(&[("status", "/status")])
    .if_any_fact();

/// A member wrote a remark that mentions members or answers in a thread.
pub const REMARK_ADDED: Announcement = Announcement::new("remark_added")
    .with_input(&[(MENTIONS, "mencoes"), (ANSWERED, "responde_a")])
    .if_any_fact();

/// A guest wrote a remark.
pub const REMARK_ADDED_BY_GUEST: Announcement =
    Announcement::new(REMARK_ADDED.kind).with_input(&[(ANSWERED, "responde_a")]);

/// The deadline of a stage of approval has passed.
pub const STAGE_OVERDUE: Announcement = Announcement::new("stage_overdue");

/// A publication at a network has ended. The fact `state` contains the outcome.
pub const PUBLICATION_ENDED: Announcement = Announcement::new("publication_ended");

/// The planned time of a post that a person publishes by hand has come. The facts identify the variant.
pub const POST_DUE: Announcement = Announcement::new("post_due");

/// The time has come at which a member asked to be reminded again of a post that is published by hand.
/// The facts identify the variant and the member.
pub const POST_DUE_AGAIN: Announcement = Announcement::new("post_due_again");

/// The connection to a network ends soon, and only a person can renew it.
pub const CONNECTION_ENDING: Announcement = Announcement::new("connection_ending");

/// A network has refused to renew a connection.
pub const CONNECTION_ENDED: Announcement = Announcement::new("connection_ended");

/// A webhook stopped, or one of its messages was refused for three days. The fact `state` contains the
/// state of the webhook or of the message.
pub const WEBHOOK_FAILED: Announcement = Announcement::new("webhook_failed");

/// A guest's link was revoked after too many wrong codes. The fact `made_by` contains the id of the
/// member who created the link.
pub const GUEST_LINK_ENDED: Announcement = Announcement::new("guest_link_ended");

/// The kinds of announcements that webhooks can send.
pub const SENT_BY_WEBHOOKS: &[&str] = &[
    PIECE_CREATED.kind,
    PIECE_UPDATED.kind,
    PIECE_SUBMITTED.kind,
    PIECE_DECIDED.kind,
    VARIANTS_WAIT.kind,
    VARIANTS_DECIDED.kind,
    PIECE_PUBLISHED.kind,
    REMARK_ADDED.kind,
    STAGE_OVERDUE.kind,
    PUBLICATION_ENDED.kind,
    POST_DUE.kind,
    CONNECTION_ENDING.kind,
    CONNECTION_ENDED.kind,
    AGENT_CONNECTED.kind,
];

/// The fact with the ids of the assigned members.
pub const ASSIGNEES: &str = "assignees";
/// The fact with the ids of the mentioned members.
pub const MENTIONS: &str = "mentions";
/// The fact with the id of the remark that a new remark answers.
pub const ANSWERED: &str = "answered";
/// The fact with the id of a variant.
pub const VARIANT: &str = "variant_id";
/// The fact with the channel of a post.
pub const POST_CHANNEL: &str = "channel";
/// The fact with the id of the member who is reminded.
pub const REMINDED: &str = "member_id";
/// The fact with the planned time of a post.
pub const DUE_AT: &str = "due_at";
/// The fact with the id of the member who created a link.
pub const MADE_BY: &str = "made_by";
/// The fact with the decision, as the caller sent it.
pub const DECISION: &str = "decision";

const ASSIGNEES_OF_PIECE: (&str, &str) = (ASSIGNEES, "/event/assignee_member_ids");

/// Announces the change of a piece, in the transaction of the change, if the spec of the operation
/// cannot do so: the piece is not the resource of the operation, or the service itself made the change
/// (`caller` is `None`).
pub(crate) async fn record_change(
    services: &Services,
    db: &Conn<'_>,
    saved: &Event,
    caller: Option<&Principal>,
) -> Result<()> {
    let made = Made {
        at: saved.updated_at,
        revision: Some(saved.api_revision),
        caller,
    };
    let piece = (EVENT, saved.id.as_str());
    let facts = Map::new();
    PIECE_UPDATED
        .record_as(services, db, piece, made, facts)
        .await
}
