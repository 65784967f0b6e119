//! Links for guests: people outside the team who see pieces, remark on them or decide about them.
//!
//! Decided here:
//!
//! - Only members who may decide (`approve`) create links, and only in a session: an agent must not give
//!   access to strangers.
//! - A guest acts on behalf of the member who created the link, with the right that the link grants. If
//!   this member leaves or may no longer decide, the link ends. The audit trail records both the member
//!   and the link.
//! - A guest reaches only the operations for guests (`Access::Guest`), over REST and on the pages of
//!   the link; never over MCP.
//! - A link shows pieces that are in approval, approved or published, and refused pieces without their
//!   content. It shows neither briefing nor history, and only the threads that are also for guests.
//! - A guest decides about the revision that the guest saw, changes neither date nor caption, and gives
//!   the reasons of a refusal as remarks.
//! - Opening a page of a link only updates the time of the last opening, because a chat program may open
//!   the page for a preview of the link.

mod area;
mod create_guest_link;
mod enter_guest_code;
mod get_guest_media;
mod guest_link_view;
mod guest_post;
mod hints;
mod list_guest_links;
mod list_guest_pieces;
mod revoke_guest_link;

pub use area::AREA;
pub use create_guest_link::CreateGuestLink;
pub use enter_guest_code::EnterGuestCode;
pub use list_guest_links::ListGuestLinks;
pub use list_guest_pieces::ListGuestPieces;
pub use revoke_guest_link::RevokeGuestLink;

use gateway::{Code, Resource};

/// Maximum number of links in force.
const MOST_LINKS: i64 = 500;

pub const TOO_MANY_GUEST_LINKS: Code = Code::new(
    "TOO_MANY_GUEST_LINKS",
    409,
    "A equipe já tem 500 links de convidado em vigor.",
)
.with_next_step("Revogue os que não servem mais; veja `list_guest_links`.");

/// A link for a guest. Every member who may create links sees all links.
pub const GUEST_LINK: Resource = Resource::new("guest_link");
