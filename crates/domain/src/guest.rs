//! Links for guests: people outside the team who see pieces, remark on them or decide about them.

use crate::{
    Event, EventStatus, GuestLinkId, random_text,
    secret::{is_base64url, sha256_hex},
    text_enum,
};

text_enum! {
    /// What a guest may do. Each right includes those before it.
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

/// The length of the secret in characters: 256 bits as base64url text.
const SECRET: usize = 43;

/// The secret of a link.
#[derive(Clone)]
pub struct GuestSecret(String);

impl GuestSecret {
    /// Generates a secret of 256 random bits.
    #[must_use]
    pub fn generate() -> Self {
        Self(random_text::<32>())
    }

    /// Parses the secret in a path, or behind [`GUEST_PREFIX`]; `None` if its format is wrong.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == SECRET && is_base64url(text)).then(|| Self(text.into()))
    }

    /// The SHA-256 of the secret, in lower-case hexadecimal. It is what the database stores.
    #[must_use]
    pub fn digest(&self) -> String {
        sha256_hex(self.0.as_bytes())
    }

    /// The secret, which is shown only once.
    #[must_use]
    pub fn reveal(self) -> String {
        self.0
    }
}

/// True if guests see pieces in this state: those that were submitted.
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

/// The caption of a piece that guests see, if they see one. The briefing in the place of a caption
/// that was not written is for the team.
#[must_use]
pub fn caption_shown_to_guests(piece: &Event) -> Option<&str> {
    let is_shown = is_content_shown_to_guests(piece.status) && !piece.has_unwritten_caption();
    piece.description.as_deref().filter(|_| is_shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_secret_can_be_parsed_and_other_texts_cannot() {
        let text = GuestSecret::generate().reveal();
        let secret = GuestSecret::parse(&text).expect("a well-formed secret");
        assert_eq!(secret.digest(), sha256_hex(text.as_bytes()));
        let wrong = [
            "",
            &text[1..],
            &format!("{text}a"),
            &text.replacen(&text[..1], ".", 1),
        ];
        for wrong in wrong {
            assert!(GuestSecret::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn drafts_are_not_shown_and_refused_pieces_without_their_content() {
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
