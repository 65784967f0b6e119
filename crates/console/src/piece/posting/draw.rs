//! Draws the page on which a person posts a variant by hand.

use domain::{
    EventStatus, Format,
    time::{Millis, Timestamp},
};
use maud::{Markup, html};

use super::{
    files::{draw_files, variant_files},
    places::{find_posting_page, has_links},
    posting_path,
};
use crate::{
    piece::{
        act::action_form,
        model::Event,
        variant::{Variant, is_late},
        variant_post::package_path,
        words,
    },
    snooze::{SNOOZE, snooze_form},
    text,
    view::View,
};

/// Draws the content of the page.
pub(super) fn draw_posting(
    view: &View<'_>,
    event: &Event,
    variant: &Variant,
    back: &str,
) -> Markup {
    let link = variant.link_final.as_deref();
    let of_piece = event.description.as_deref().unwrap_or_default();
    let caption = variant.post_caption(event, of_piece);
    let comment = variant.post_comment();
    let files = variant_files(event, variant);
    let is_ready = event.status == EventStatus::Approved && variant.aprovada;
    html! {
        p class="crumbs" { a href=(view.href_to(back)) dir="auto" { (event.title) } }
        h1 { (words::channel_name(&variant.canal)) " · " (words::format_name(variant.formato)) }
        p class="row" {
            @match &variant.due_at {
                Some(due) => strong { (text::time_tag(due)) },
                None => span class="soft" { "sem hora marcada" },
            }
            @if variant.no_ar_desde.is_none() && is_ready && is_late(variant.due_at.as_deref(), view.ctx.now) {
                span class="badge wait" { "Atrasada" }
            }
        }
        (draw_state(event, variant))
        @if is_ready && variant.no_ar_desde.is_none() && is_due(variant, view.ctx.now) && view.may_call(SNOOZE) {
            @let back = posting_path(&event.id, &variant.canal, variant.formato.as_str());
            (snooze_form(view, (&event.id, &variant.canal, variant.formato.as_str()), &back))
        }
        div id="postar" class="publish posting stack" data-module="posting" {
            @if !files.is_empty() {
                section class="stack" aria-labelledby="arquivos" {
                    h2 id="arquivos" { "Arquivos" }
                    (draw_files(view, &files))
                    @if variant.formato == Format::Document {
                        p class="soft" { "O ZIP traz estas imagens como um PDF: anexe-o ao post como documento." }
                    }
                    p {
                        a class="button quiet" href=(view.href_to(&package_path(&event.id, variant))) download hx-boost="false" {
                            "Baixar tudo deste canal (ZIP)"
                        }
                    }
                }
            }
            section class="stack" aria-labelledby="textos" {
                h2 id="textos" { "Textos" }
                @if let Some(title) = &variant.titulo { (draw_text("titulo", "Título", title)) }
                @if caption.is_empty() {
                    p class="soft" { "Sem legenda." }
                } @else {
                    (draw_text("legenda", "Legenda", &caption))
                }
                @if let Some(comment) = &comment { (draw_text("comentario", "Primeiro comentário", comment)) }
                @if let Some(link) = link { @if !caption.contains(link) { (draw_text("link", "Link", link)) } }
                @if !variant.tags.is_empty() { (draw_text("tags", "Palavras-chave", &variant.tags.join(", "))) }
                (draw_options(variant))
            }
            (draw_network_link(&variant.canal, &caption))
            @if is_ready && variant.no_ar_desde.is_none() && view.may_call("record_post") {
                section class="stack" aria-labelledby="publiquei" {
                    h2 id="publiquei" { "Depois de postar" }
                    (draw_form(view, event, variant))
                }
            }
        }
    }
}

/// True if a person posts the variant and its hour has come.
fn is_due(variant: &Variant, now: Millis) -> bool {
    let due = variant.due_at.as_deref().and_then(|due| due.parse().ok());
    variant.is_posted_by_hand(now) && due.is_some_and(|Timestamp(due)| due <= now)
}

/// Draws the reason why a person need not or must not post the variant now.
fn draw_state(event: &Event, variant: &Variant) -> Markup {
    html! {
        @if let Some(since) = &variant.no_ar_desde {
            div class="notice good" role="status" {
                p {
                    strong { "No ar desde " (text::format_iso_moment(since)) "." }
                    @if let Some(link) = &variant.link_do_post {
                        " " a href=(link) rel="noreferrer noopener" target="_blank" hx-boost="false" { "Ver o post" }
                    }
                }
            }
        } @else if !matches!(event.status, EventStatus::Approved | EventStatus::Published) {
            div class="notice bad" role="status" { p { strong { "Não poste ainda." } " A peça não está aprovada." } }
        } @else if !variant.aprovada {
            div class="notice bad" role="status" { p { strong { "Não poste ainda." } " Este canal mudou e espera aprovação." } }
        } @else if let Some(notice) = &variant.aviso {
            div class="notice wait" role="status" { p { (notice) } }
        } @else if variant.publicacao == "automatica" {
            div class="notice" role="status" { p { "A Pauta publica este canal na hora. Publique à mão só se ela não conseguir." } }
        }
    }
}

fn draw_text(id: &str, name: &str, text: &str) -> Markup {
    html! {
        div class="stack" {
            label class="field" {
                span { (name) }
                textarea id=(id) rows="3" readonly dir="auto" { "\n" (text) }
            }
            button type="button" class="quiet" data-copy={ "#" (id) } { "Copiar " (name.to_lowercase()) }
        }
    }
}

/// Draws the options that the person sets on the network.
fn draw_options(variant: &Variant) -> Markup {
    let facts = variant.describe_options();
    html! {
        @if !facts.is_empty() {
            dl class="facts" { @for (name, value) in facts { dt { (name) } dd dir="auto" { (value) } } }
        }
    }
}

/// Draws the link to the network. The script adds the button that shares the files.
fn draw_network_link(channel: &str, caption: &str) -> Markup {
    let place = find_posting_page(channel, caption);
    let name = words::channel_name(channel);
    html! {
        p class="row" data-share {
            @if let Some(place) = place {
                a class="button" href=(place.link) rel="noreferrer noopener" target="_blank" hx-boost="false" {
                    "Abrir " (name) @if place.has_text { " com o texto" }
                }
            }
        }
    }
}

fn draw_form(view: &View<'_>, event: &Event, variant: &Variant) -> Markup {
    let needs_link = has_links(&variant.canal, variant.formato);
    let with_button = |fields: &Markup, button: &Markup| {
        html! {
            input type="hidden" name="variant_id" value=(variant.id);
            (fields)
            (button)
        }
    };
    let link = html! {
        label class="field" {
            span { "Link do post" @if !needs_link { " (se houver)" } }
            input type="url" name="post_url" required[needs_link] maxlength="2000" pattern="\\s*https://.*"
                inputmode="url" autocomplete="off" placeholder="https://" dir="ltr"
                title="O link deve começar com https://";
        }
    };
    let done = html! { button type="submit" { "Publiquei" } };
    let without = html! { button type="submit" class="quiet" { "Publiquei, sem o link" } };
    html! {
        (action_form(view, event, "record_post", &with_button(&link, &done)))
        @if needs_link {
            details {
                summary { "Não tenho o link" }
                (action_form(view, event, "record_post", &with_button(&html! {}, &without)))
            }
        }
    }
}
