//! Draws the previews of a piece.

use domain::channels::{Channel, Unit};
use maud::{Markup, html};

use super::{
    super::{
        model::Event,
        stage::{IN_POST, draw_carousel, split_at_fold},
        words,
    },
    forms::{Form, Kind, channel_forms},
    signer::Signer,
};

/// The number of characters of a subject, and of a preheader, that mail clients show.
const SUBJECT: usize = 60;
const PREHEADER: usize = 90;

/// How much of the caption the previews show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Extent {
    /// As the network shows it: without the part behind "mais".
    Folded,
    /// All of it, with a mark at the fold, so that somebody who decides reads every word.
    Whole,
}

/// The section with the previews.
pub(crate) fn previews_section(
    event: &Event,
    caption: &str,
    signer: &Signer,
    extent: Extent,
) -> Markup {
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
                div class="form-preview" data-form=(form.key) data-name=(form.name) data-first[number == 0] {
                    (draw_preview(event, caption, signer, form, extent))
                }
            }
        }
    }
}

fn draw_preview(
    event: &Event,
    caption: &str,
    signer: &Signer,
    form: &Form,
    extent: Extent,
) -> Markup {
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
                    (draw_caption(caption, fold, extent))
                }
                Kind::Video { fold } => {
                    (draw_media(event, form))
                    p class="post-title" dir="auto" { (draw_title(event)) }
                    (draw_head(signer, network))
                    (draw_caption(caption, fold, extent))
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
        @if matches!(form.kind, Kind::Short | Kind::Video { .. }) { (title_length_warning(event)) }
        @if extent == Extent::Whole && hides_caption(form.kind, caption) {
            div class="card whole" {
                h3 { "Legenda inteira" }
                p class="written" dir="auto" { (caption) }
            }
        }
    }
}

/// Whether a form shows less than the whole caption, even when it marks the fold. A story is
/// published without a caption.
fn hides_caption(kind: Kind, caption: &str) -> bool {
    match kind {
        Kind::Post { .. } | Kind::Video { .. } | Kind::Text { .. } | Kind::Story => false,
        Kind::Vertical { fold } => !split_at_fold(caption, Some(fold)).1.is_empty(),
        Kind::Short | Kind::Mail => !caption.is_empty(),
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

fn draw_caption(caption: &str, fold: Option<usize>, extent: Extent) -> Markup {
    match extent {
        Extent::Folded => draw_folded_caption(caption, fold),
        Extent::Whole => draw_whole_caption(caption, fold),
    }
}

/// A caption with a mark where the network folds it.
fn draw_whole_caption(caption: &str, fold: Option<usize>) -> Markup {
    let (start, rest) = split_at_fold(caption, fold);
    html! {
        figcaption dir="auto" {
            @if caption.is_empty() { span class="soft" { "Sem legenda." } }
            (start)
            @if !rest.is_empty() {
                span class="fold" { "… mais" span class="sr" { " (o resto só aparece a quem abre a legenda)" } }
                (rest)
            }
        }
    }
}

/// A caption without the part behind "mais". The script that previews the typed text uses the same
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
    let unit = Unit::Weighted;
    let count = unit.count(caption);
    let fits = unit.longest_beginning(caption, limit);
    let rest = &caption[fits.len()..];
    html! {
        figcaption dir="auto" {
            (fits)
            @if !rest.is_empty() { mark { (rest) } }
            p class={ "count" @if !rest.is_empty() { " over" } } {
                (words::format_number(count)) " de " (limit) " caracteres"
                @if !rest.is_empty() { strong { ": longo demais para o X" } }
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
    let (start, rest) = split_at_fold(&event.title, find_title_limit(&event.channel));
    html! {
        (start) @if !rest.is_empty() { "…" }
    }
}

/// The maximum length of a title on a channel, in characters; `None` if it has none.
fn find_title_limit(channel: &str) -> Option<usize> {
    let rules = Channel::find(channel)?.usual_format()?;
    rules.title.map(|title| title.most)
}

fn title_length_warning(event: &Event) -> Markup {
    let length = event.title.chars().count();
    let most = find_title_limit(&event.channel).filter(|most| length > *most);
    let network = words::channel_name(&event.channel);
    html! {
        @if let Some(most) = most {
            p class="over" { "O título tem " (length) " caracteres: o " (network) " aceita até " (most) "." }
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
