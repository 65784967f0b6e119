//! Remarks on pieces, with which members and guests discuss a piece.
//!
//! Decided here:
//!
//! - Everybody who may see a piece sees its remarks. Members who write captions (`draft_save`) or decide
//!   (`approve`) may write remarks, so that a reviewer needs no right to edit.
//! - A list contains whole threads, the oldest first, because it is used as a list of open work: a
//!   thread never moves while an agent reads page after page. The limit of a page counts remarks, so
//!   that the size of a page is bounded.
//! - A remark on a passage is checked against the caption of the revision that its author read. The
//!   piece may have changed since; the list says where the passage is now.
//! - A remark on an e-mail draft belongs to a piece too, and is for the team only. Writing and reading
//!   it needs `email_drafts_view`. Lists leave the thread out for callers without this right, though
//!   counts include it. The draft has no history, so the passage is checked against the current draft,
//!   and each change of the draft searches the passages of open threads again. A resolved thread keeps
//!   the last known place of its passage.
//! - An edit has no expected revision, because only the author edits a remark. If two callers resolve a
//!   thread, the first resolution is kept.
//! - The limits of open threads apply to a reopened thread as to a new thread.
//! - Writers take locks in one order: the e-mail draft, the piece, and then the remarks by their ids. So
//!   a change of a draft, which locks no piece, and a change of a thread do not deadlock.
//! - A thread is for the team only, or also for guests (`publico`); an answer does not change this. A
//!   guest writes only in threads that are also for guests, about the current revision, and mentions
//!   nobody. A guest may edit and remove only remarks that were written through the same link.
//! - The members who work on a piece are notified of a remark of a guest. The other authors of a thread
//!   are notified of an answer. Mentioned members are notified of a remark of a member.
//! - Neither the response of a write nor the audit trail contains the text of a remark, so a removed
//!   text is not stored anywhere.

mod add_guest_remark;
mod add_remark;
mod anchor_input;
mod area;
mod draft_passage;
mod guest_remark;
mod guest_words;
mod hints;
mod list_remarks;
mod passage;
mod remark_view;
mod remove_guest_remark;
mod remove_remark;
mod update_guest_remark;
mod update_remark;

pub use add_guest_remark::AddGuestRemark;
pub use add_remark::AddRemark;
pub use area::AREA;
pub use guest_remark::{GuestRemark, GuestTalk};
pub(crate) use guest_words::reword_for_guest;
pub use list_remarks::ListRemarks;
pub use remove_guest_remark::RemoveGuestRemark;
pub use remove_remark::RemoveRemark;
pub use update_guest_remark::UpdateGuestRemark;
pub use update_remark::UpdateRemark;

use crate::{draft_remarks::sees_draft_threads, guest_scope, visibility};
use domain::{Capability, Error, EventId, Member, RemarkId, TemplateId};
use gateway::{Access, Code, Context, Resource, Result};
use store::{
    Conn, events,
    remarks::{self, Remark},
};

/// Maximum number of open threads of a piece.
const MOST_OPEN: i64 = 500;
/// Maximum number of open threads of a piece that guests have begun. The limit leaves room for threads
/// of the team.
const MOST_OPEN_OF_GUESTS: i64 = 100;

/// Maximum number of answers in a thread.
const MOST_ANSWERS: i64 = 500;

/// Maximum number of open threads about one e-mail draft. Each change of the draft searches the passages
/// of all these threads again.
const MOST_OF_DRAFT: i64 = 200;

/// The members who may write remarks: those who edit pieces, and those who decide about pieces.
const WRITERS: Access = Access::MemberAny(&[Capability::DraftSave, Capability::Approve]);

pub const TOO_MANY_REMARKS: Code = Code::new(
    "TOO_MANY_REMARKS",
    409,
    "A peça já tem 500 conversas abertas.",
)
.with_next_step("Responda numa das conversas, ou resolva as que já não valem.");

pub const NOT_YOUR_REMARK: Code = Code::new(
    "NOT_YOUR_REMARK",
    403,
    "Só quem escreveu o comentário o edita ou remove.",
)
.with_next_step("Responda na conversa, ou resolva-a.");

/// A remark. A member sees the remarks of each event that the member sees. Remarks on e-mail drafts also
/// need the right to see drafts.
pub const REMARK: Resource = Resource::new("remark")
    .with_visibility(|db, member, id| {
        Box::pin(async move {
            require_remark_in(&db, member, &RemarkId::from(id))
                .await
                .map(drop)
        })
    })
    .with_audience(|db, member, id| {
        Box::pin(async move {
            match remarks::find(&db, &RemarkId::from(id)).await? {
                Some(remark) if remark.template_id.is_some() && !member.sees_email_drafts() => {
                    Ok(false)
                }
                Some(remark) => visibility::is_notified(db, member, remark.event_id).await,
                None => Ok(false),
            }
        })
    });

/// Finds a remark, removed or not, of an event that the caller may see. Refuses (404) a remark that does
/// not exist or is hidden from the caller.
async fn require_remark(ctx: &Context<'_>, id: &RemarkId) -> Result<Remark> {
    let caller = ctx.caller()?;
    let remark = require_remark_in(&ctx.db(), &caller.member, id).await?;
    match remark.template_id.is_none() || sees_draft_threads(caller) {
        true => Ok(remark),
        false => Err(not_found()),
    }
}

async fn require_remark_in(db: &Conn<'_>, member: &Member, id: &RemarkId) -> Result<Remark> {
    let remark = remarks::find(db, id).await?.ok_or_else(not_found)?;
    if remark.template_id.is_some() && !member.sees_email_drafts() {
        return Err(not_found());
    }
    let event = visibility::require_event_in(db, member, &remark.event_id).await;
    match event {
        Ok(_) => Ok(remark),
        // A hidden remark gets the same response as a remark that does not exist.
        Err(error) if error.code == Code::NOT_FOUND => Err(not_found()),
        Err(error) => Err(error),
    }
}

fn not_found() -> Error {
    Error::not_found_in("comentário", "list_remarks")
}

/// Refuses (403) a caller who did not write the remark, and (404) a remark that was removed.
fn require_own_remark(ctx: &Context<'_>, remark: &Remark) -> Result<()> {
    if remark.removed_at.is_some() {
        return Err(not_found());
    }
    match remark.author_id == ctx.caller()?.member.id && remark.guest_link_id.is_none() {
        true => Ok(()),
        false => Err(Error::new(NOT_YOUR_REMARK)),
    }
}

/// Finds a remark that the calling guest wrote, and locks its piece, so that the remark can be changed.
/// Refuses (404) a remark that does not exist, was removed, was written by somebody else or is on a
/// piece that the link does not show. The refusal is always the same, so that guests learn nothing about
/// the remarks of others.
async fn require_own_guest_remark(ctx: &Context<'_>, id: &RemarkId) -> Result<Remark> {
    let (db, guest) = (ctx.db(), ctx.caller()?.guest());
    let is_own = |remark: &Remark| {
        let link = guest.map(|guest| &guest.link_id);
        remark.guest_link_id.is_some()
            && remark.guest_link_id.as_ref() == link
            && remark.removed_at.is_none()
    };
    let seen = remarks::find(&db, id).await?.filter(is_own);
    let seen = seen.ok_or_else(guest_remark_not_found)?;
    match guest_scope::require_piece_to_change(ctx, &seen.event_id).await {
        Err(error) if error.code == Code::NOT_FOUND => return Err(guest_remark_not_found()),
        piece => piece?,
    };
    events::lock_event(&db, &seen.event_id).await?;
    // Another call may have removed the remark before the lock was taken.
    let remark = remarks::find(&db, id).await?.filter(is_own);
    remark.ok_or_else(guest_remark_not_found)
}

fn guest_remark_not_found() -> Error {
    Error::not_found("comentário")
}

/// Refuses (409) another open thread on a piece that already has too many open threads. If
/// `is_of_guest`, also refuses if guests have begun too many of them.
async fn require_room_on_piece(
    ctx: &Context<'_>,
    event_id: &EventId,
    is_of_guest: bool,
) -> Result<()> {
    let db = ctx.db();
    let counts = remarks::count_open(&db, true, [event_id]).await?;
    let open = counts.get(event_id).map_or(0, |counts| counts.open);
    let is_full = match is_of_guest {
        true => remarks::count_open_of_guests(&db, event_id).await? >= MOST_OPEN_OF_GUESTS,
        false => false,
    };
    match open < MOST_OPEN && !is_full {
        true => Ok(()),
        false => Err(Error::new(TOO_MANY_REMARKS)),
    }
}

/// Refuses (409) another answer in a thread that already has too many answers. The caller must have
/// locked the piece.
async fn require_room_in_thread(ctx: &Context<'_>, thread: &RemarkId) -> Result<()> {
    match remarks::count_thread_remarks(&ctx.db(), thread).await? <= MOST_ANSWERS {
        true => Ok(()),
        false => Err(Error::new(TOO_MANY_REMARKS)
            .because("A conversa já tem 500 respostas.")
            .with_detail("next", "Comece outra conversa.".into())),
    }
}

/// Refuses (409) another open thread about an e-mail draft that already has too many. The caller must
/// have locked the draft.
async fn require_room_on_draft(ctx: &Context<'_>, template_id: &TemplateId) -> Result<()> {
    match remarks::count_open_of_draft(&ctx.db(), template_id).await? < MOST_OF_DRAFT {
        true => Ok(()),
        false => Err(Error::new(TOO_MANY_REMARKS)
            .because("O rascunho de e-mail já tem o máximo de conversas abertas.")),
    }
}
