//! Renders the images of the demo in parallel with the rest of the seeding.

use std::sync::Arc;

use anyhow::{Context, Result};
use futures::{StreamExt, stream};
use gateway::Gateway;
use ports::{ArtRequest, CardRequest, ImageGenerator, Picture};
use tokio::sync::mpsc::{self, Receiver};

use super::agenda::{AGENDA, Piece};
use crate::reason::into_anyhow;

/// A small 4:5 card, which renders quickly.
const SIZE: (u32, u32) = (540, 675);
const AT_ONCE: usize = 2;

/// Receives the rendered pictures of all pieces, in the order of the agenda.
pub(super) struct Studio(Receiver<gateway::Result<Picture>>);

impl Studio {
    pub(super) fn start_rendering(gateway: &Arc<Gateway>) -> Self {
        let (sender, receiver) = mpsc::channel(AT_ONCE);
        let mut drawings = vec![];
        for piece in AGENDA {
            for number in 0..piece.art.len() {
                drawings.push(render_image(gateway.services.images.clone(), piece, number));
            }
        }
        tokio::spawn(async move {
            let mut drawn = stream::iter(drawings).buffered(AT_ONCE);
            while let Some(picture) = drawn.next().await {
                if sender.send(picture).await.is_err() {
                    return;
                }
            }
        });
        Self(receiver)
    }

    /// Returns the next picture.
    pub(super) async fn next_picture(&mut self) -> Result<Picture> {
        let picture = self.0.recv().await.context("não há mais imagens")?;
        picture.map_err(into_anyhow)
    }
}

async fn render_image(
    images: Arc<dyn ImageGenerator>,
    piece: &'static Piece,
    number: usize,
) -> gateway::Result<Picture> {
    if piece.art.len() > 1 {
        images.draw_card(card_request(piece, number)).await
    } else {
        images.draw_art(art_request(piece)).await
    }
}

fn art_request(piece: &Piece) -> ArtRequest {
    ArtRequest {
        prompt: piece.art[0].into(),
        style: piece.style(),
        width: SIZE.0,
        height: SIZE.1,
        quality: "medium",
        photo: None,
        look: None,
    }
}

fn card_request(piece: &Piece, number: usize) -> CardRequest {
    let page = |number| u32::try_from(number).unwrap_or(1);
    CardRequest {
        text: piece.art[number].into(),
        prompt: None,
        photo: None,
        style: piece.style(),
        width: SIZE.0,
        height: SIZE.1,
        page: (page(number + 1), page(piece.art.len())),
        look: None,
    }
}
