//! The form that orders, describes and detaches the media of a piece.

use maud::{Markup, html};

use super::model::{Event, Medium, piece_path};
use crate::{
    forms::key_field,
    picture::{image_at_width, image_srcset},
    view::View,
};

pub(super) fn arrange_form(view: &View<'_>, event: &Event) -> Option<Markup> {
    if event.media.is_empty() || !view.may_call("update_event_media") {
        return None;
    }
    let action = format!("{}/midias", piece_path(&event.id));
    Some(html! {
        details {
            summary { "Ordem e textos alternativos" }
            form method="post" action=(view.href_to(&action)) class="form stack" {
                (key_field())
                input type="hidden" name="expected_revision" value=(event.api_revision);
                ol class="arrange" {
                    @for (number, medium) in (1..).zip(&event.media) { li { (medium_row(number, medium)) } }
                }
                button type="submit" { "Salvar mídias" }
                div class="outcome" role="alert" {}
            }
        }
    })
}

fn medium_row(number: usize, medium: &Medium) -> Markup {
    html! {
        input type="hidden" name="media" value=(medium.id);
        @if medium.is_video() {
            video src=(medium.file_address()) preload="metadata" muted aria-hidden="true" {}
        } @else {
            @let src = medium.file_address();
            img src=(image_at_width(&src, 160)) srcset=(image_srcset(&src)) sizes="6rem" width="96" height="120" alt=""
                loading="lazy" decoding="async";
        }
        div {
            label class="field" {
                span { "Posição da mídia " (number) }
                input type="number" name="posicao" min="1" max="200" step="0.5" value=(number);
            }
            label class="field" {
                span { "Texto alternativo da mídia " (number) }
                textarea name="alt" rows="2" maxlength="1000" dir="auto" { "\n" (medium.alt_text()) }
            }
            label class="choice" {
                input type="checkbox" name="tirar" value=(medium.id);
                span { "Tirar a mídia " (number) " da peça" }
            }
        }
    }
}
