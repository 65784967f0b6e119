//! Remarks on pieces: the piece is the place where it is discussed.
//!
//! Decided here:
//!
//! - Who may see a piece sees its remarks. Those who write captions (`draft_save`) or decide
//!   (`approve`) may write remarks, so that no reviewer needs the right to edit.
//! - A list has whole threads, the oldest first, because it is a list of what to do: a thread never
//!   changes its place while an agent works through the pages. A page counts remarks, so that its
//!   size has a limit.
//! - A remark on a passage is checked against the caption of the revision that its author read. The
//!   piece may have changed since; the list says where the passage is now.
//! - A remark on an e-mail draft belongs to a piece too, and is for the team only. Writing and reading
//!   it needs `email_drafts_view`; the lists of callers without this right leave the thread out,
//!   though counts include it. The draft has no history, so the passage is checked against the
//!   current one, and each change of the draft finds the passages of open threads again. A resolved
//!   thread keeps its last state.
//! - An edit has no expected revision, because only the author edits a remark. Of two callers who
//!   resolve a thread, the first counts.
//! - A thread that is reopened counts like a new one, so the limits of open threads hold for both.
//! - Writers lock in one order: the e-mail draft, the piece, and then the remarks by their ids. So a
//!   change of a draft, which locks no piece, and a change of a thread do not deadlock.
//! - A thread is for the team or for guests too (`publico`). An answer never changes that. A guest
//!   writes for guests only, about the current revision, and mentions nobody. A guest edits and removes
//!   what was written through the same link.
//! - A remark of a guest is announced to those who work on the piece, and an answer to the other authors
//!   of its thread. A new thread of a member is announced to those whom it mentions.
//! - No answer of a write and no audit row contains the text, so a removed text is stored nowhere.

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
/// Maximum number of open threads of a piece that guests have begun, so that they leave room for the
/// team.
const MOST_OPEN_OF_GUESTS: i64 = 100;

/// Maximum number of answers in a thread.
const MOST_ANSWERS: i64 = 500;

/// Maximum number of open threads about one e-mail draft, because each change of it finds their
/// passages again.
const MOST_OF_DRAFT: i64 = 200;

/// Who may write remarks: those who edit pieces, and those who decide about them.
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

/// A remark. A member sees the remarks of the events that they see, except those on e-mail drafts if
/// they may not see drafts.
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

/// Finds a remark, removed or not, of an event that the caller may see. Refused (404) when it does
/// not exist or is hidden.
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
        // A hidden remark gets the response of one that does not exist.
        Err(error) if error.code == Code::NOT_FOUND => Err(not_found()),
        Err(error) => Err(error),
    }
}

fn not_found() -> Error {
    Error::not_found_in("comentário", "list_remarks")
}

/// Refuses (403) a caller who did not write the remark, and (404) a remark that was removed.
fn require_own(ctx: &Context<'_>, remark: &Remark) -> Result<()> {
    if remark.removed_at.is_some() {
        return Err(not_found());
    }
    match remark.author_id == ctx.caller()?.member.id && remark.guest_link_id.is_none() {
        true => Ok(()),
        false => Err(Error::new(NOT_YOUR_REMARK)),
    }
}

/// Finds a remark that the calling guest wrote, on a piece that the link shows, for a change of it; the
/// piece stays locked. Refused (404) when it does not exist, was removed, is of somebody else or is not
/// shown, so that guests learn nothing of the remarks of others.
async fn require_own_of_guest(ctx: &Context<'_>, id: &RemarkId) -> Result<Remark> {
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

/// Refuses (409) another open thread on a piece that has too many of them, or too many that guests have
/// begun.
async fn require_room(ctx: &Context<'_>, event_id: &EventId, is_of_guest: bool) -> Result<()> {
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

/// Refuses (409) another answer in a thread that has too many. The piece is locked.
async fn require_room_in_thread(ctx: &Context<'_>, thread: &RemarkId) -> Result<()> {
    match remarks::count_thread_remarks(&ctx.db(), thread).await? <= MOST_ANSWERS {
        true => Ok(()),
        false => Err(Error::new(TOO_MANY_REMARKS)
            .because("A conversa já tem 500 respostas.")
            .with_detail("next", "Comece outra conversa.".into())),
    }
}

/// Refuses (409) another open thread about an e-mail draft that has too many of them. The draft is locked.
async fn require_room_on_draft(ctx: &Context<'_>, template_id: &TemplateId) -> Result<()> {
    match remarks::count_open_of_draft(&ctx.db(), template_id).await? < MOST_OF_DRAFT {
        true => Ok(()),
        false => Err(Error::new(TOO_MANY_REMARKS)
            .because("O rascunho de e-mail já tem o máximo de conversas abertas.")),
    }
}
