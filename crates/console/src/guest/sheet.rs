//! The addresses of the pages of a link, and the fields of their forms.

use gateway::Services;
use identity::guest_link::guest_path;
use maud::{Markup, html};

use super::model::{Medium, Piece, Variant};
use crate::{
    forms::key_field,
    links::{href_to, percent_encode},
};

/// The addresses of a link's pages.
pub(super) struct Sheet {
    /// The path of the link's page, including the base path of the public address.
    pub path: String,
}

impl Sheet {
    pub fn new(services: &Services, link: &str) -> Self {
        Self {
            path: href_to(services, &guest_path(link)),
        }
    }

    pub fn medium_path(&self, id: &str) -> String {
        format!("{}/midia/{id}", self.path)
    }

    /// Returns the path of a medium, cropped as the variant of the piece requires.
    pub fn cropped_path(&self, id: &str, piece: &Piece, variant: &Variant) -> String {
        format!(
            "{}?peca={}&canal={}&formato={}",
            self.medium_path(id),
            piece.id,
            percent_encode(&variant.canal),
            variant.formato
        )
    }

    pub fn spot_path(&self, piece: &Piece, medium: &Medium) -> String {
        format!("{}/lugar?peca={}&midia={}", self.path, piece.id, medium.id)
    }
}

/// Draws the hidden fields of every form about a piece.
pub(super) fn piece_fields(piece: &Piece) -> Markup {
    html! {
        (key_field())
        input type="hidden" name="event_id" value=(piece.id);
        input type="hidden" name="api_revision" value=(piece.api_revision);
    }
}
