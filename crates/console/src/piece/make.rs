//! Art and carousels: their texts, each shown on a card while it is typed.

use domain::Style;
use maud::{Markup, html};

use super::{key_field, model::Event, path};
use crate::{form, view::View};

/// Sizes, as the channels use them.
const SIZES: [(&str, &str); 5] = [
    ("1080x1350", "Retrato, 1080 × 1350"),
    ("1080x1080", "Quadrado, 1080 × 1080"),
    ("1080x1920", "Stories e Reels, 1080 × 1920"),
    ("1200x628", "Link, 1200 × 628"),
    ("1280x720", "YouTube, 1280 × 720"),
];

/// Cards that a carousel may have, and those that are open at first.
const CARDS: usize = 10;
const OPEN: usize = 4;

const fn style_name(style: Style) -> &'static str {
    match style {
        Style::Epico => "Épico",
        Style::Minimalista => "Minimalista",
        Style::Editorial => "Editorial",
        Style::Vibrante => "Vibrante",
    }
}

fn styles() -> Markup {
    html! {
        label class="field" {
            span { "Estilo" }
            select name="style" data-style {
                @for style in Style::ALL { option value=(style.as_str()) { (style_name(*style)) } }
            }
        }
    }
}

/// A card that a script fills with what is typed.
fn card(page: Option<usize>) -> Markup {
    html! {
        div class="face" data-face hidden aria-hidden="true" {
            p class="face-title" dir="auto" {}
            p class="face-text" dir="auto" {}
            @if let Some(page) = page { span class="place" { (page) } }
        }
    }
}

/// The form that generates one image for a piece.
pub(super) fn art(view: &View<'_>, event: &Event) -> Option<Markup> {
    view.may_call("generate_art").then(|| {
        let last = event.media.iter().filter_map(|medium| medium.slide_index).max();
        let end = last.map_or(0, |last| last + 1);
        let fields = html! {
            input type="hidden" name="event_id" value=(event.id);
            div class="making" data-making {
                label class="field" {
                    span { "Texto ou descrição da imagem" }
                    textarea name="prompt" rows="5" required maxlength="4000" dir="auto" data-text
                        aria-describedby="sobre-arte" {}
                }
                (card(None))
            }
            p id="sobre-arte" class="soft" {
                "A primeira linha curta é título; # marca um título, - uma lista e ** o negrito. O cartão mostra \
                 o texto enquanto você digita; a imagem sai ao gerar."
            }
            div class="row" {
                (styles())
                label class="field" {
                    span { "Tamanho" }
                    select name="size" {
                        @for (size, name) in SIZES { option value=(size) { (name) } }
                    }
                }
                label class="field" {
                    span { "Lugar" }
                    select name="slide_index" {
                        option value=(end) selected { "No fim" }
                        @for (number, medium) in (1..).zip(&event.media) {
                            @if let Some(index) = medium.slide_index {
                                option value=(index) { "Em vez da mídia " (number) }
                            }
                        }
                    }
                }
            }
            button type="submit" { "Gerar imagem" }
        };
        let back = format!("{}#midias", path(&event.id));
        html! {
            details { summary { "Gerar imagem" } (form::form(view, "generate_art", &back, &fields)) }
        }
    })
}

/// The form that generates a carousel for a piece.
pub(super) fn carousel(view: &View<'_>, event: &Event, kept: &[String]) -> Option<Markup> {
    if !view.may_call("generate_carousel") {
        return None;
    }
    let action = format!("{}/carrossel", path(&event.id));
    let text = |number: usize| kept.get(number).map_or("", String::as_str);
    let field = |number: usize| {
        html! {
            div class="making" data-making {
                label class="field" {
                    span { "Card " (number + 1) }
                    textarea name="card" rows="4" maxlength="2000" dir="auto" data-text { "\n" (text(number)) }
                }
                (card(Some(number + 1)))
            }
        }
    };
    Some(html! {
        details open[!kept.is_empty()] {
            summary { "Gerar carrossel" }
            form method="post" action=(view.at(&action)) class="form stack" {
                (key_field())
                p class="soft" {
                    "Um texto por card, na ordem; cards em branco ficam de fora. Os cards tomam o lugar das mídias \
                     nas mesmas posições."
                }
                (styles())
                @for number in 0..OPEN { (field(number)) }
                details open[kept.len() > OPEN] {
                    summary { "Mais cards" }
                    @for number in OPEN..CARDS { (field(number)) }
                }
                button type="submit" { "Gerar carrossel" }
                div class="outcome" role="alert" {}
            }
        }
    })
}
