//! Draws the previews of a piece.

use maud::{Markup, html};

use super::{
    super::{
        model::Event,
        stage::{IN_POST, draw_carousel, split_at_fold},
        words,
    },
    forms::{Form, Kind, channel_forms, x_character_count},
    signer::Signer,
};

/// The maximum length of a title on YouTube, in characters.
const TITLE: usize = 100;
/// The number of characters of a subject, and of a preheader, that mail clients show.
const SUBJECT: usize = 60;
const PREHEADER: usize = 90;

/// The section with the previews.
pub(in crate::piece) fn previews_section(event: &Event, caption: &str, signer: &Signer) -> Markup {
    let has_video = matches!(event.media.as_slice(), [medium] if medium.is_video());
    let forms = channel_forms(&event.channel, has_video);
    html! {
        section class="previews" aria-labelledby="previa" {
            h2 id="previa" { "Como vai aparecer" }
            @if forms.len() > 1 {
                div class="forms" role="radiogroup" aria-labelledby="previa" {
                    @for (number, form) in forms.iter().enumerate() {
                        label {
                            input type="radio" name="forma" value=(form.key) checked[number == 0] autocomplete="off";
                            span { (form.name) }
                        }
                    }
                }
            }
            @for (number, form) in forms.iter().enumerate() {
                div class="form-preview" data-form=(form.key) data-first[number == 0] { (draw_preview(event, caption, signer, form)) }
            }
        }
    }
}

fn draw_preview(event: &Event, caption: &str, signer: &Signer, form: &Form) -> Markup {
    let network = words::channel_name(&event.channel);
    let label = format!(
        "{} {}",
        form.name,
        words::channel_with_preposition(&event.channel)
    );
    html! {
        figure class="post" data-channel=(event.channel) data-form=(form.key) aria-label=(label) {
            @match form.kind {
                Kind::Post { fold } => {
                    (draw_head(signer, network))
                    (draw_media(event, form))
                    (draw_folded_caption(caption, fold))
                }
                Kind::Video { fold } => {
                    (draw_media(event, form))
                    p class="post-title" dir="auto" { (draw_title(event)) }
                    (draw_head(signer, network))
                    (draw_folded_caption(caption, fold))
                }
                Kind::Text { limit } => {
                    (draw_head(signer, network))
                    (draw_counted_caption(caption, limit))
                    (draw_media(event, form))
                }
                Kind::Story => (draw_screen(event, form, &draw_overlay(signer, &html! {}))),
                Kind::Vertical { fold } => (draw_screen(event, form, &draw_overlay(signer, &draw_folded_caption(caption, Some(fold))))),
                Kind::Short => (draw_screen(event, form, &draw_overlay(signer, &html! { figcaption dir="auto" { (draw_title(event)) } }))),
                Kind::Mail => (draw_inbox_line(event, caption, signer)),
            }
        }
        @if !form.note.is_empty() { p class="soft note" { (form.note) } }
        @if matches!(form.kind, Kind::Short | Kind::Video { .. }) { (title_length_warning(&event.title)) }
    }
}

fn draw_head(signer: &Signer, network: &str) -> Markup {
    html! {
        div class="post-head" {
            span class="post-face" aria-hidden="true" {}
            span {
                strong dir="auto" { (signer.name()) }
                small { (network) }
            }
        }
    }
}

fn draw_media(event: &Event, form: &Form) -> Markup {
    let name = format!("previa-{}", form.key);
    html! {
        @if !event.media.is_empty() { (draw_carousel(event, &name, "Mídias do post", IN_POST)) }
    }
}

/// A caption without the part after "mais". The script that previews the typed text uses the same
/// elements.
fn draw_folded_caption(caption: &str, fold: Option<usize>) -> Markup {
    let (start, rest) = split_at_fold(caption, fold);
    html! {
        figcaption data-post data-fold=[fold] dir="auto" {
            span class="post-text" { (start) }
            span class="more" hidden[rest.is_empty()] { "… mais" }
        }
    }
}

/// A caption for X, with its count. The part over the limit is marked.
fn draw_counted_caption(caption: &str, limit: usize) -> Markup {
    let (count, over) = x_character_count(caption, limit);
    let (fits, rest) = caption.split_at(over.unwrap_or(caption.len()));
    html! {
        figcaption dir="auto" {
            (fits)
            @if !rest.is_empty() { mark { (rest) } }
            p class={ "count" @if over.is_some() { " over" } } {
                (words::format_number(count)) " de " (limit) " caracteres"
                @if over.is_some() { strong { ": longo demais para o X" } }
            }
        }
    }
}

/// Draws media over the whole screen, the areas that the network covers, and the texts that it
/// shows over the media.
fn draw_screen(event: &Event, form: &Form, over: &Markup) -> Markup {
    html! {
        div class="screen" {
            @if event.media.is_empty() {
                div class="stage none" { p { "Ainda não há imagem nem vídeo." } }
            } @else {
                (draw_media(event, form))
            }
            i class="covered above" aria-hidden="true" {}
            i class="covered below" aria-hidden="true" {}
            i class="covered beside" aria-hidden="true" {}
            (over)
        }
    }
}

fn draw_overlay(signer: &Signer, below: &Markup) -> Markup {
    html! {
        div class="over" {
            strong dir="auto" { (signer.name()) }
            (below)
        }
    }
}

fn draw_title(event: &Event) -> Markup {
    let (start, rest) = split_at_fold(&event.title, Some(TITLE));
    html! {
        (start) @if !rest.is_empty() { "…" }
    }
}

fn title_length_warning(title: &str) -> Markup {
    let length = title.chars().count();
    html! {
        @if length > TITLE {
            p class="over" { "O título tem " (length) " caracteres: o YouTube aceita até " (TITLE) "." }
        }
    }
}

/// Draws a line of an inbox: sender, subject, preheader.
fn draw_inbox_line(event: &Event, caption: &str, signer: &Signer) -> Markup {
    let (subject, cut) = split_at_fold(&event.title, Some(SUBJECT));
    let text = caption.split_whitespace().collect::<Vec<_>>().join(" ");
    let (preheader, more) = split_at_fold(&text, Some(PREHEADER));
    html! {
        div class="mail" {
            strong dir="auto" { (signer.name()) }
            p class="subject" dir="auto" { (subject) @if !cut.is_empty() { "…" } }
            p class="soft" dir="auto" {
                @if preheader.is_empty() { "Sem texto: aqui vai aparecer o começo do próprio e-mail." }
                @else { (preheader) @if !more.is_empty() { "…" } }
            }
        }
    }
}
