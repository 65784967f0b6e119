//! Builds the posts of a piece that a guest sees, for the previews.

use super::{
    model::{ChosenMedium, Medium, Piece, Variant},
    sheet::Sheet,
};
use crate::piece::{previews::Post, stage::Slide};

/// Returns the posts of a piece: one for each variant that guests see or, without variants, one for the
/// piece itself.
pub(super) fn list_posts(sheet: &Sheet, piece: &Piece, signer: &str) -> Vec<Post> {
    if !piece.has_variants() {
        return vec![build_piece_post(sheet, piece, signer)];
    }
    let variants = piece.variantes.iter().enumerate();
    variants
        .map(|(number, variant)| build_variant_post(sheet, piece, (number, variant), signer))
        .collect()
}

fn build_piece_post(sheet: &Sheet, piece: &Piece, signer: &str) -> Post {
    Post {
        name: piece.id.clone(),
        channel: piece.canal.clone(),
        format: None,
        signer: signer.to_owned(),
        title: piece.titulo.clone(),
        caption: piece.legenda.clone().unwrap_or_default(),
        follows_typing: false,
        slides: piece
            .midias
            .iter()
            .map(|medium| build_slide(sheet, medium))
            .collect(),
        first_comment: None,
        link: None,
        due_at: piece.due_at.clone(),
        options: vec![],
    }
}

fn build_variant_post(
    sheet: &Sheet,
    piece: &Piece,
    (number, variant): (usize, &Variant),
    signer: &str,
) -> Post {
    let slide = |chosen: &ChosenMedium| {
        let mut media = piece.midias.iter();
        let medium = media.find(|medium| medium.id == chosen.id)?;
        let crop = chosen.recorte.as_ref().filter(|_| !medium.is_video());
        let whole = build_slide(sheet, medium);
        Some(Slide {
            alt: chosen.alt.clone(),
            address: match crop {
                Some(_) => sheet.cropped_path(&medium.id, piece, variant),
                None => whole.address.clone(),
            },
            crop: crop.map(|crop| crop.proporcao.clone()),
            is_cropped: crop.is_some(),
            ..whole
        })
    };
    Post {
        name: format!("{}-{number}", piece.id),
        channel: variant.canal.clone(),
        format: Some(variant.formato),
        title: variant
            .titulo
            .clone()
            .unwrap_or_else(|| piece.titulo.clone()),
        caption: variant.legenda.clone(),
        slides: variant.midias.iter().filter_map(slide).collect(),
        first_comment: variant.primeiro_comentario.clone(),
        link: variant.link.clone(),
        due_at: variant.due_at.clone(),
        ..build_piece_post(sheet, piece, signer)
    }
}

/// Builds the slide of a medium, with the address at which the guest's link serves the medium. The slide
/// has no smaller widths.
fn build_slide(sheet: &Sheet, medium: &Medium) -> Slide {
    Slide {
        address: sheet.medium_path(&medium.id),
        has_widths: false,
        is_video: medium.is_video(),
        is_animation: medium.media_type == "image/gif",
        alt: medium.alt.clone(),
        crop: None,
        is_cropped: false,
        cover: None,
    }
}
