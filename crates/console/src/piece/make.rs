//! The forms that generate images and carousels. Each text has a preview of its image.

use domain::Style;
use maud::{Markup, html};

use super::{
    model::{Event, Medium, piece_path},
    stage,
};
use crate::{
    forms::{Field, field_value, returned_key_field},
    view::View,
};

/// The image sizes, with the names of their formats.
const SIZES: [(&str, &str); 5] = [
    ("1080x1350", "Retrato, 1080 × 1350"),
    ("1080x1080", "Quadrado, 1080 × 1080"),
    ("1080x1920", "Stories e Reels, 1080 × 1920"),
    ("1200x628", "Link, 1200 × 628"),
    ("1280x720", "YouTube, 1280 × 720"),
];

/// The field that contains the number of the image that the form generates again.
pub(super) const CORRECTED: &str = "corrige";

/// The number of cards in the form, and the number of cards that are visible at first.
const CARDS: usize = 10;
const OPEN: usize = 4;

/// The fields of a form that was sent, and their previews.
#[derive(Clone, Copy, Default)]
pub(super) struct SentForm<'a> {
    pub fields: &'a [Field],
    /// The previews of the texts, in the order of the form.
    pub previews: &'a [Option<Preview>],
    /// The notice that says why the form is shown again.
    pub notice: Option<&'a Markup>,
}

/// A preview for a browser without scripts.
pub(super) enum Preview {
    Drawn { address: String, notes: Vec<String> },
    Refused(String),
}

impl<'a> SentForm<'a> {
    /// Returns the texts of the cards.
    pub fn card_texts(self) -> Vec<&'a str> {
        let cards = self.fields.iter().filter(|field| field.name == "card");
        cards.map(|field| field.value.as_str()).collect()
    }

    fn form_value(self, name: &str) -> &'a str {
        field_value(self.fields, name)
    }

    fn preview_at(self, number: usize) -> Option<&'a Preview> {
        self.previews.get(number)?.as_ref()
    }
}

pub(super) const fn style_name(style: Style) -> &'static str {
    match style {
        Style::Epico => "Épico",
        Style::Minimalista => "Minimalista",
        Style::Editorial => "Editorial",
        Style::Vibrante => "Vibrante",
    }
}

fn style_choices(sent: SentForm<'_>) -> Markup {
    let chosen = sent.form_value("style");
    html! {
        label class="field" {
            span { "Estilo" }
            select name="style" data-look="style" {
                @for style in Style::ALL {
                    option value=(style.as_str()) selected[style.as_str() == chosen] { (style_name(*style)) }
                }
            }
        }
    }
}

/// Draws the choice of a background among the images of the piece.
fn background_choices(event: &Event, sent: SentForm<'_>) -> Markup {
    let images = || {
        (1..)
            .zip(&event.media)
            .filter(|(_, medium)| !medium.is_video())
    };
    let chosen = sent.form_value("media_id");
    html! {
        @if images().next().is_some() || !chosen.is_empty() {
            label class="field" {
                span { "Fundo" }
                select name="media_id" data-look="media_id" {
                    option value="" { "O do estilo" }
                    @if !chosen.is_empty() && images().all(|(_, medium)| medium.id != chosen) {
                        option value=(chosen) selected { "O de agora" }
                    }
                    @for (number, medium) in images() {
                        option value=(medium.id) selected[medium.id == chosen] { "A mídia " (number) }
                    }
                }
            }
        }
    }
}

/// Draws the preview of a text. A script redraws the preview while the person types.
fn preview_figure(preview: Option<&Preview>) -> Markup {
    preview_over_stored_image(preview, None)
}

/// Draws the preview of a text in the place of a stored image. The stored image is shown until a preview
/// has been drawn.
pub(super) fn preview_over_stored_image(
    preview: Option<&Preview>,
    stored: Option<&Medium>,
) -> Markup {
    let (address, notes, refused) = match preview {
        None => (None, None, None),
        Some(Preview::Drawn { address, notes }) => (Some(address), Some(notes.join(" ")), None),
        Some(Preview::Refused(text)) => (None, None, Some(text)),
    };
    html! {
        figure class="face" data-face hidden[preview.is_none() && stored.is_none()] {
            @if let Some(medium) = stored { (stage::draw_small_medium(medium, "")) }
            img data-drawn src=[address] alt="Prévia da imagem" width="432" height="540" hidden[address.is_none()];
            figcaption {
                span class="soft" data-note { @if let Some(notes) = notes { (notes) } }
                strong class="over" data-refused role="status" { @if let Some(refused) = refused { (refused) } }
            }
        }
    }
}

/// Draws the button that draws the previews in a browser without scripts.
fn preview_button(view: &View<'_>, event: &Event, place: &str) -> Markup {
    let to = format!("{}/previa#{place}", piece_path(&event.id));
    html! {
        button type="submit" class="quiet unscripted" formaction=(view.href_to(&to)) { "Pré-visualizar" }
        p class="sr" role="status" data-told {}
    }
}

/// Draws the form that generates one image for a piece.
pub(super) fn image_form(view: &View<'_>, event: &Event, sent: SentForm<'_>) -> Option<Markup> {
    view.may_call("generate_art").then(|| {
        let sent = if sent.card_texts().is_empty() { sent } else { SentForm::default() };
        let last = event.media.iter().filter_map(|medium| medium.slide_index).max();
        let end = last.map_or(0, |last| last + 1);
        let (size, place) = (sent.form_value("size"), sent.form_value("slide_index"));
        let corrected = sent.form_value(CORRECTED);
        let revision = match sent.form_value("expected_revision") {
            "" => event.api_revision.to_string(),
            seen => seen.to_owned(),
        };
        let is_other_size = !size.is_empty() && SIZES.iter().all(|(pixels, _)| *pixels != size);
        let fields = html! {
            (returned_key_field(sent.form_value("pedido")))
            input type="hidden" name="expected_revision" value=(revision);
            @if let Some(notice) = sent.notice { (notice) }
            @for name in [CORRECTED, "quality", "kind"] {
                @if !sent.form_value(name).is_empty() { input type="hidden" name=(name) value=(sent.form_value(name)); }
            }
            div class="making" data-making data-preview=(view.href_to("/previa")) {
                label class="field" {
                    span { "Texto ou descrição da imagem" }
                    textarea name="prompt" rows="5" required maxlength="4000" dir="auto" data-text
                        aria-describedby="sobre-arte" { "\n" (sent.form_value("prompt")) }
                }
                (preview_figure(sent.preview_at(0)))
            }
            p id="sobre-arte" class="soft" {
                "A primeira linha curta é título; # marca um título, - uma lista e ** o negrito. A prévia é \
                 composta como a imagem que sai ao gerar."
            }
            div class="row" {
                (style_choices(sent))
                label class="field" {
                    span { "Tamanho" }
                    select name="size" data-look="size" {
                        @if is_other_size { option value=(size) selected { (size.replace('x', " × ")) } }
                        @for (pixels, name) in SIZES {
                            option value=(pixels) selected[pixels == size] { (name) }
                        }
                    }
                }
                (background_choices(event, sent))
                label class="field" {
                    span { "Lugar" }
                    select name="slide_index" {
                        option value=(end) selected { "No fim" }
                        @for (number, medium) in (1..).zip(&event.media) {
                            @if let Some(index) = medium.slide_index {
                                option value=(index) selected[index.to_string() == place] { "Em vez da mídia " (number) }
                            }
                        }
                    }
                }
            }
            div class="row" {
                button type="submit" { @if corrected.is_empty() { "Gerar imagem" } @else { "Gerar de novo" } }
                (preview_button(view, event, "gerar-imagem"))
            }
        };
        let action = format!("{}/imagem", piece_path(&event.id));
        html! {
            details id="gerar-imagem" open[!sent.fields.is_empty()] {
                summary { @if corrected.is_empty() { "Gerar imagem" } @else { "Corrigir a imagem " (corrected) } }
                form id="imagem" method="post" action=(view.href_to(&action)) class="form" {
                    (fields)
                    div class="outcome" role="alert" {}
                }
            }
        }
    })
}

/// Draws the form that generates a carousel for a piece.
pub(super) fn carousel_form(view: &View<'_>, event: &Event, sent: SentForm<'_>) -> Option<Markup> {
    if !view.may_call("generate_carousel") {
        return None;
    }
    let action = format!("{}/carrossel", piece_path(&event.id));
    let cards = sent.card_texts();
    let sent = if cards.is_empty() {
        SentForm::default()
    } else {
        sent
    };
    let field = |number: usize| {
        html! {
            div class="making" data-making data-preview=(view.href_to("/previa")) {
                label class="field" {
                    span { "Card " (number + 1) }
                    textarea name="card" rows="4" maxlength="2000" dir="auto" data-text {
                        "\n" (cards.get(number).copied().unwrap_or_default())
                    }
                }
                (preview_figure(sent.preview_at(number)))
            }
        }
    };
    let more_used = cards.iter().skip(OPEN).any(|text| !text.trim().is_empty());
    Some(html! {
        details id="gerar-carrossel" open[!cards.is_empty()] {
            summary { "Gerar carrossel" }
            form method="post" action=(view.href_to(&action)) class="form stack" {
                (returned_key_field(sent.form_value("pedido")))
                p class="soft" {
                    "Um texto por card, na ordem; cards em branco ficam de fora. Os cards tomam o lugar das mídias \
                     nas mesmas posições."
                }
                div class="row" { (style_choices(sent)) (background_choices(event, sent)) }
                label class="field" {
                    span { "O que um provedor desenha no fundo (opcional)" }
                    textarea name="fundo" rows="2" maxlength="4000" dir="auto" data-look="background" { "\n" (sent.form_value("fundo")) }
                }
                @for number in 0..OPEN { (field(number)) }
                details open[more_used] {
                    summary { "Mais cards" }
                    @for number in OPEN..CARDS { (field(number)) }
                }
                div class="row" {
                    button type="submit" { "Gerar carrossel" }
                    (preview_button(view, event, "gerar-carrossel"))
                }
                div class="outcome" role="alert" {}
            }
        }
    })
}
