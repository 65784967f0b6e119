//! The page that requests a video.

use domain::Aspect;
use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{area::page_spec, forms::operation_form, shell, view::View};

/// The page with the form of a video.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewVideo {
    /// A peça para a qual é feito.
    evento: Option<String>,
    /// A imagem com que começa.
    midia: Option<String>,
}

const ROUTE: Spec = page_spec("console_new_video", "Pedir um vídeo", "/novo-video").fails(&[403]);

pub(crate) const NEW_VIDEO: Entry =
    Entry::for_page::<NewVideo>(ROUTE, "O formulário que pede um vídeo.");

fn aspect_label(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Portrait => "Em pé (9:16)",
        Aspect::Landscape => "Deitado (16:9)",
        Aspect::Square => "Quadrado (1:1)",
    }
}

impl Page for NewVideo {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call("start_video_generation")?;
        let fields = html! {
            div class="stack narrow" {
                label class="field" {
                    span { "O que se vê" }
                    textarea name="prompt" rows="5" maxlength="4000" required dir="auto" {}
                }
                label class="field" {
                    span { "Proporção" }
                    select name="aspect" {
                        @for aspect in Aspect::ALL { option value=(aspect.as_str()) { (aspect_label(*aspect)) } }
                    }
                }
                label class="field" {
                    span { "Segundos" }
                    input type="number" name="duration_s" min="1" max="60" inputmode="numeric";
                    small { "Vazio, o usual do provedor." }
                }
                @if let Some(id) = self.midia.filter(|id| !id.is_empty()) {
                    input type="hidden" name="media_id" value=(id);
                    p class="notice" { "Começa com a imagem escolhida." }
                }
                @if let Some(id) = self.evento.filter(|id| !id.is_empty()) {
                    input type="hidden" name="event_id" value=(id);
                    p class="notice" { "O vídeo vai para a peça, que fica em produção até ele ficar pronto." }
                }
                button type="submit" { "Pedir o vídeo" }
            }
        };
        let body = html! {
            h1 { "Pedir um vídeo" }
            (operation_form(&view, "start_video_generation", "/videos#video-{/id}", &fields))
        };
        Ok(shell::reading_page(&view, "Pedir um vídeo", &body))
    }
}
