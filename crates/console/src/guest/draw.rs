//! Draws the pieces that a guest's link shows.

use domain::{EventStatus, Format, GuestRight};
use maud::{Markup, html};

use super::{
    model::{Piece, Pieces},
    posts::list_posts,
    remarks::{draw_remark_form, draw_remarks, draw_second_form},
    sheet::{Sheet, piece_fields},
};
use crate::{
    channels::{channel_name, channel_with_preposition, format_name},
    piece::previews::{Extent, draw_posts},
    text,
};

pub(super) fn draw_pieces(sheet: &Sheet, pieces: &Pieces, notice: Option<&Markup>) -> Markup {
    let waiting = pieces.waiting().count();
    html! {
        div class="guest" {
            h1 { "Olá, " bdi { (pieces.nome) } }
            p class="soft" {
                bdi { (pieces.convidado_por) } " mostra a você "
                @match pieces.pecas.len() { 0 => "o que for enviado para aprovação.", 1 => "1 peça.", many => { (many) " peças." } }
                @match waiting { 0 => {}, 1 => " 1 espera a sua resposta.", many => { " " (many) " esperam a sua resposta." } }
            }
            @if let Some(notice) = notice { (notice) }
            @if pieces.pecas.is_empty() { p class="empty" { "Ainda não há nada para ver." } }
            @if pieces.direito >= GuestRight::Decide && waiting == 0 && !pieces.pecas.is_empty() {
                (draw_nothing_waits(pieces.count_waiting_for_team()))
            }
            @for piece in &pieces.pecas { (draw_piece(sheet, piece, pieces)) }
            @if pieces.ha_mais_pecas {
                p class="notice" { "Este link tem mais peças do que cabem aqui: estas são as " (pieces.pecas.len()) " primeiras em data. Peça outro link para ver as outras." }
            }
        }
    }
}

/// Draws the note that no piece waits for the guest. `with_team` is the number of pieces that wait for
/// the team.
fn draw_nothing_waits(with_team: usize) -> Markup {
    html! {
        @match with_team {
            0 => p class="notice good" { "Tudo respondido." },
            1 => p class="notice" { "Nada espera a sua resposta agora. 1 peça está com a equipe." },
            many => p class="notice" { "Nada espera a sua resposta agora. " (many) " peças estão com a equipe." },
        }
    }
}

fn draw_piece(sheet: &Sheet, piece: &Piece, pieces: &Pieces) -> Markup {
    let right = pieces.direito;
    html! {
        article class="card" id={ "peca-" (piece.id) } aria-labelledby={ "titulo-" (piece.id) } {
            div class="spread" {
                h2 id={ "titulo-" (piece.id) } dir="auto" { (piece.titulo) }
                (draw_state(piece))
            }
            p class="soft" {
                (channel_name(&piece.canal))
                @if let Some(due) = &piece.due_at { ", " (text::format_iso_moment(due)) }
            }
            @if piece.status == EventStatus::Refused {
                p { "A equipe prepara uma nova versão. Ela aparece aqui." }
            }
            (draw_content(sheet, piece, pieces))
            @if !piece.comentarios.is_empty() { (draw_remarks(sheet, piece, right)) }
            @if piece.pode_decidir { (draw_decision(sheet, piece)) }
            @if right >= GuestRight::Remark && piece.status != EventStatus::Refused {
                details {
                    summary { "Comentar" }
                    (draw_remark_form(sheet, piece, None))
                    @if piece.midias.iter().any(|medium| !medium.is_video()) {
                        p class="soft" { "Para falar de um ponto ou de uma área de uma imagem, use “Comentar nesta imagem”, debaixo dela." }
                    }
                }
            }
        }
    }
}

/// Draws the media, the caption and a preview of the post. For a piece with variants, draws a preview of
/// each post.
fn draw_content(sheet: &Sheet, piece: &Piece, pieces: &Pieces) -> Markup {
    let has_content = !piece.midias.is_empty() || piece.legenda.is_some();
    let posts = list_posts(sheet, piece, pieces.signer());
    let previews = draw_posts(&posts, Extent::Whole);
    html! {
        @if piece.has_variants() {
            h3 { "Como vai aparecer" }
            @if !posts.is_empty() { (previews) }
            (draw_hidden_posts_notice(piece))
            @if !piece.midias.is_empty() {
                details { summary { "Mídias inteiras" } (draw_media(sheet, piece, pieces.direito)) }
            }
        } @else {
            @if !piece.midias.is_empty() { (draw_media(sheet, piece, pieces.direito)) }
            @if let Some(caption) = &piece.legenda { p class="written" dir="auto" { (caption) } }
            @if has_content { details { summary { "Como vai aparecer" } (previews) } }
        }
    }
}

/// Draws the note that names the posts that are not shown because the team is changing them.
fn draw_hidden_posts_notice(piece: &Piece) -> Markup {
    let posts = piece.canais_em_ajuste.iter().map(|one| {
        let place = channel_with_preposition(&one.canal);
        match one.formato {
            Format::Post => place,
            format => format!("{place} ({})", format_name(format)),
        }
    });
    let posts: Vec<String> = posts.collect();
    html! {
        @if !posts.is_empty() {
            p class="notice" data-changing {
                @if posts.len() == 1 { "A equipe está alterando o post " (posts[0]) ". Ele aparece aqui quando for aprovado de novo." }
                @else { "A equipe está alterando os posts " (posts.join(", ")) ". Eles aparecem aqui quando forem aprovados de novo." }
            }
        }
    }
}

fn draw_state(piece: &Piece) -> Markup {
    let (kind, name) = match piece.status {
        EventStatus::InApproval if piece.pode_decidir => ("wait", "Espera resposta"),
        EventStatus::InApproval => ("info", "Com a equipe"),
        EventStatus::Approved => ("good", "Aprovada"),
        EventStatus::Published => ("good", "Publicada"),
        _ => ("info", "Em ajuste"),
    };
    html! { span class={ "badge " (kind) } { (name) } }
}

/// Draws the media side by side. The guest swipes through them.
fn draw_media(sheet: &Sheet, piece: &Piece, right: GuestRight) -> Markup {
    let count = piece.midias.len();
    html! {
        div class="swipe" tabindex="0" role="group" aria-label={ "Mídias de " (piece.titulo) } {
            @for (index, medium) in piece.midias.iter().enumerate() {
                figure {
                    @if medium.is_video() {
                        video src=(sheet.medium_path(&medium.id)) controls preload="metadata" aria-label=[medium.alt.as_deref()] {}
                    } @else {
                        img src=(sheet.medium_path(&medium.id)) alt=(medium.alt.as_deref().unwrap_or_default())
                            loading=(if index == 0 { "eager" } else { "lazy" }) width=[medium.largura] height=[medium.altura];
                    }
                    figcaption class="spread" {
                        @if count > 1 { span class="soft" { (index + 1) " de " (count) } } @else { span {} }
                        @if right >= GuestRight::Remark && !medium.is_video() {
                            a href=(sheet.spot_path(piece, medium)) { "Comentar nesta imagem" }
                        }
                    }
                    @if right >= GuestRight::Remark && medium.is_video() {
                        details { summary { "Comentar num segundo deste vídeo" } (draw_second_form(sheet, piece, medium)) }
                    }
                }
            }
        }
        @if count > 1 { p class="soft" { "Deslize para ver as " (count) "." } }
    }
}

fn draw_decision(sheet: &Sheet, piece: &Piece) -> Markup {
    html! {
        form method="post" action=(sheet.path) class="decide" {
            (piece_fields(piece))
            button type="submit" name="acao" value="aprovar" { "Aprovar" }
        }
        details {
            summary { "Pedir ajustes" }
            form method="post" action=(sheet.path) class="form stack" {
                (piece_fields(piece))
                label class="field" {
                    span { "O que mudar" }
                    textarea name="texto" rows="4" maxlength="4000" dir="auto" {}
                }
                p class="soft" { "Pode ficar vazio se você já comentou." }
                button type="submit" class="quiet" name="acao" value="pedir_ajustes" { "Enviar pedido de ajustes" }
            }
        }
    }
}
