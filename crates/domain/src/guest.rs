//! Links for guests: people outside the team who see pieces, remark on them or decide about them.

use crate::{Event, EventStatus, GuestLinkId, text_enum};

text_enum! {
    /// The right of a guest. Each right includes all rights listed before it.
    pub enum GuestRight {
        See = "ver",
        Remark = "comentar",
        Decide = "decidir",
    }
}

/// The guest of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    pub link_id: GuestLinkId,
    pub name: String,
    pub right: GuestRight,
    /// True if the link has a code that the guest has not given yet.
    pub needs_code: bool,
}

/// The prefix of the secret of a link, where it is sent as a bearer token.
pub const GUEST_PREFIX: &str = "svc_guest_";

/// True if guests see pieces in this state, which are the submitted pieces.
#[must_use]
pub fn is_shown_to_guests(status: EventStatus) -> bool {
    matches!(
        status,
        EventStatus::InApproval
            | EventStatus::Approved
            | EventStatus::Published
            | EventStatus::Refused
    )
}

/// True if guests see the caption and the media of a piece in this state. The content of a refused
/// piece is work in progress.
#[must_use]
pub fn is_content_shown_to_guests(status: EventStatus) -> bool {
    is_shown_to_guests(status) && status != EventStatus::Refused
}

/// Returns the caption of a piece if guests may see it. Before the caption is written, the same
/// field contains the briefing, which is only for the team.
#[must_use]
pub fn caption_shown_to_guests(piece: &Event) -> Option<&str> {
    let is_shown = is_content_shown_to_guests(piece.status) && !piece.has_unwritten_caption();
    piece.description.as_deref().filter(|_| is_shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_are_hidden_and_refused_pieces_are_shown_without_content() {
        for status in EventStatus::ALL.iter().copied() {
            let shown = is_shown_to_guests(status);
            assert_eq!(
                shown && status != EventStatus::Refused,
                is_content_shown_to_guests(status)
            );
            let is_draft = status.is_open()
                && ![
                    EventStatus::InApproval,
                    EventStatus::Approved,
                    EventStatus::Refused,
                ]
                .contains(&status);
            assert!(!(shown && is_draft), "{status}");
        }
        assert!(!is_shown_to_guests(EventStatus::Archived));
    }
}
