//! The addresses of the pages of a link.

use gateway::Services;
use identity::guest_link::guest_path;

use super::model::{Medium, Piece};
use crate::links::href_to;

/// The addresses of a link's pages.
pub(super) struct Sheet {
    /// The page of the link, with the base path of the public address.
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

    pub fn spot_path(&self, piece: &Piece, medium: &Medium) -> String {
        format!("{}/lugar?peca={}&midia={}", self.path, piece.id, medium.id)
    }
}
