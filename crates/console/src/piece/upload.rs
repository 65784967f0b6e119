//! The form that sends a file for a piece.

use maud::{Markup, html};

use super::model::Event;
use crate::{forms::key_field, view::View};

/// The operation that stores the file.
pub(super) const OPERATION: &str = "upload_media";
pub(super) const PATH: &str = "/envio-de-arquivo";

/// Draws the form that sends a file.
pub(super) fn upload_form(view: &View<'_>, event: &Event) -> Option<Markup> {
    view.may_call(OPERATION).then(|| {
        html! {
            details open[event.media.is_empty()] {
                summary { "Enviar arquivo" }
                form method="post" action=(view.href_to(PATH)) enctype="multipart/form-data" class="form stack"
                    hx-boost="false" data-upload {
                    (key_field())
                    input type="hidden" name="event_id" value=(event.id);
                    label class="field" {
                        span { "Imagem ou vídeo" }
                        input type="file" name="file" required accept="image/png,image/jpeg,image/webp,image/gif,video/mp4,video/quicktime";
                        small class="soft" {
                            "PNG, JPEG, WebP ou GIF; MP4 ou QuickTime."
                            span data-several hidden { " Você pode enviar vários de uma vez: escolha, arraste para cá ou cole." }
                        }
                    }
                    ul id={ "envios-" (event.id) } class="files" data-files hx-preserve aria-label="Arquivos escolhidos" {}
                    label class="field" data-single {
                        span { "Texto alternativo" }
                        input name="alt" maxlength="1000" dir="auto";
                    }
                    button type="submit" { "Enviar arquivo" }
                    div class="outcome" role="alert" {}
                }
            }
        }
    })
}
