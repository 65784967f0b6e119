//! A decision, bound to the revision that was seen.

use gateway::{Content, Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::inbox::{self, Kept};
use crate::{
    area::receiver,
    piece::{call, caption, details, given, is_stale, key_field, keyed, model::Event, typed},
    refused,
    view::View,
};

const OPERATION: &str = "decide_approval";

/// Reasons that come up often.
pub(crate) const REASONS: [&str; 5] = [
    "Erro de português na legenda.",
    "A informação precisa ser conferida.",
    "Fora do tom da marca.",
    "A imagem não está boa o bastante.",
    "Falta a chamada para a ação.",
];

/// A decision about a piece.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Decide {
    event_id: String,
    expected_revision: i64,
    /// `aprovar` ou `recusar`.
    action: String,
    /// Motivos escolhidos da lista.
    #[serde(default)]
    rapido: Vec<String>,
    #[serde(default)]
    motivo: String,
    /// A legenda final, onde quem aprova a ajusta.
    caption: Option<String>,
    #[serde(default)]
    data: String,
    #[serde(default)]
    hora: String,
    /// A peça que vem depois.
    #[serde(default)]
    proxima: String,
    chave: Option<String>,
}

const ROUTE: Spec = receiver("console_decision", "Decidir", "/aprovacoes/{event_id}")
    .takes(InputForm::UrlEncoded)
    .partial(&[303])
    .fails(&[400, 404, 409, 413]);

pub(crate) const DECIDE: Entry = Entry::page::<Decide>(
    ROUTE,
    "Aprova ou recusa uma peça; se ela mudou, mostra as duas versões.",
);

impl Page for Decide {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        match self.decide(&view).await {
            Ok(()) => Ok(self.next(&view)),
            Err(error) if is_stale(&error) => {
                let (id, seen) = (Some(self.event_id.as_str()), Some(self.expected_revision));
                let reply = inbox::show(&view, id, seen, Kept::default()).await?;
                Ok(reply.status(409).header("hx-push-url", "false"))
            }
            Err(error) if ctx.origin.asked.partial => Ok(refused::beside(&error)),
            Err(error) => {
                let kept = Kept {
                    reason: &self.motivo,
                    wrong: Some(refused::notice(&error)),
                };
                let reply = inbox::show(&view, Some(&self.event_id), None, kept).await?;
                Ok(reply.status(error.status()))
            }
        }
    }
}

impl Decide {
    async fn decide(&self, view: &View<'_>) -> Result<()> {
        let refuses = self.action == "recusar";
        let reason = self.reason();
        if refuses && reason.is_none() {
            return Err(Error::invalid(
                "motivo",
                "required",
                "diga o motivo, para quem vai refazer",
            ));
        }
        let mut fields = json!({
            "event_id": self.event_id,
            "expected_revision": self.expected_revision,
            "action": self.action,
            "motivo": reason.filter(|_| refuses),
            "caption": self.caption.as_deref().map(typed),
        });
        details::put_date(&mut fields, &self.data, &self.hora)?;
        let input = keyed(self.chave.as_deref(), fields);
        call(view, OPERATION, input).await.map(drop)
    }

    /// The chosen reasons, and what was written.
    fn reason(&self) -> Option<String> {
        let written = given(&self.motivo).map(|text| text.trim().to_owned());
        let chosen = self.rapido.iter().cloned();
        given(&chosen.chain(written).collect::<Vec<_>>().join("\n"))
    }

    fn next(&self, view: &View<'_>) -> Reply {
        let mut to = format!("/aprovacoes?feito={OPERATION}");
        if !self.proxima.is_empty() {
            to.push_str("&evento=");
            to.extend(utf8_percent_encode(&self.proxima, NON_ALPHANUMERIC));
        }
        Reply::new(Content::Redirect(view.at(&to)))
    }
}

/// The forms that decide about a piece.
pub(super) fn panel(view: &View<'_>, event: &Event, next: Option<&str>, reason: &str) -> Markup {
    let action = view.at(&format!("/aprovacoes/{}", event.id));
    let hidden = |decision: &str| {
        html! {
            (key_field())
            input type="hidden" name="expected_revision" value=(event.api_revision);
            input type="hidden" name="action" value=(decision);
            @if let Some(next) = next { input type="hidden" name="proxima" value=(next); }
        }
    };
    html! {
        section id={ "decisao-" (event.id) } class="card stack decision" aria-labelledby="decisao" {
            h2 id="decisao" { "Sua decisão" }
            form method="post" action=(action) class="form" data-hold="Aprovada" data-title=(event.title) {
                (hidden("aprovar"))
                button type="submit" data-key="a" { "Aprovar" kbd { "A" } }
                div class="outcome" role="alert" {}
            }
            details class="refuse" open[!reason.is_empty()] {
                summary class="button danger" data-key="r" { "Recusar" kbd { "R" } }
                form method="post" action=(action) class="form stack" data-hold="Recusada" data-title=(event.title) {
                    (hidden("recusar"))
                    fieldset {
                        legend { "Motivo" }
                        @for reason in REASONS {
                            label class="choice" {
                                input type="checkbox" name="rapido" value=(reason);
                                span { (reason) }
                            }
                        }
                    }
                    label class="field" {
                        span { "Com as suas palavras" }
                        textarea name="motivo" rows="4" maxlength="1800" dir="auto" { "\n" (reason) }
                    }
                    button type="submit" class="danger" { "Recusar com este motivo" }
                    div class="outcome" role="alert" {}
                }
            }
            details {
                summary { "Aprovar com ajustes" }
                form method="post" action=(action) class="form stack" data-hold="Aprovada" data-title=(event.title) {
                    (hidden("aprovar"))
                    (caption::written(event, event.description.as_deref().unwrap_or_default()))
                    (details::date_fields(event))
                    button type="submit" class="quiet" { "Aprovar assim" }
                    div class="outcome" role="alert" {}
                }
            }
            p class="soft" { "A decisão vale para a revisão " (event.api_revision) "." }
            p class="soft keys" {
                kbd { "J" } " próxima, " kbd { "K" } " anterior, " kbd { "A" } " aprova, " kbd { "R" } " recusa, "
                kbd { "U" } " desfaz em 5 segundos."
            }
        }
    }
}
