//! Receives a decision, which is bound to the revision that the viewer saw.
//!
//! The browser sends a decision after five seconds. Until then, the person can undo it.

use domain::Revision;
use gateway::{Content, Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::inbox::{self, Returned};
use crate::{
    area::receiver_spec,
    forms::{
        error_notice, is_stale, keyed_input, nonblank_text, notice_reply, redirect_with_warnings,
        unix_lines, warnings_in_words, with_error_status,
    },
    links::percent_encode,
    piece::details,
    view::View,
};

const OPERATION: &str = "decide_approval";

/// The form of a decision.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Decide {
    event_id: String,
    expected_revision: Revision,
    /// `aprovar`, `recusar` ou `pedir_ajustes`.
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
    /// Presente, um script a envia depois do prazo para desfazer, e recebe só os avisos.
    adiada: Option<String>,
    pedido: Option<String>,
}

const ROUTE: Spec = receiver_spec("console_decision", "Decidir", "/aprovacoes/{event_id}")
    .takes(InputForm::UrlEncoded)
    .partial(&[303])
    .fails(&[400, 404, 409, 413]);

pub(crate) const DECIDE: Entry = Entry::for_page::<Decide>(
    ROUTE,
    "Aprova ou recusa uma peça, ou pede ajustes; se ela mudou, mostra as duas versões.",
);

impl Page for Decide {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        match self.send_decision(&view).await {
            Ok(answer) if self.adiada.is_some() => {
                // The script shows the warnings, because it has already gone to the next piece.
                let warnings = warnings_in_words(&view, &answer).join(" ");
                Ok(Reply::new(Content::Text(warnings.into())))
            }
            Ok(answer) => self.redirect_to_next(&view, &answer),
            Err(error) if is_stale(&error) => {
                let (id, seen) = (Some(self.event_id.as_str()), Some(self.expected_revision));
                let reply = inbox::show_inbox(&view, id, seen, Returned::default()).await?;
                Ok(reply.with_status(409).with_header("hx-push-url", "false"))
            }
            Err(error) if ctx.origin.head.partial => Ok(notice_reply(&error)),
            Err(error) => {
                let returned = Returned {
                    reason: &self.motivo,
                    wrong: Some(error_notice(&error)),
                };
                let reply = inbox::show_inbox(&view, Some(&self.event_id), None, returned).await?;
                Ok(with_error_status(reply, &error))
            }
        }
    }
}

impl Decide {
    async fn send_decision(&self, view: &View<'_>) -> Result<Value> {
        let refuses = self.action == "recusar";
        let reason = self.joined_reasons();
        if refuses && reason.is_none() {
            return Err(Error::invalid_field(
                "motivo",
                "required",
                "é obrigatório: diga o que precisa mudar",
            ));
        }
        let mut fields = json!({
            "event_id": self.event_id,
            "expected_revision": self.expected_revision,
            "action": self.action,
            "motivo": reason.filter(|_| self.action != "aprovar"),
            "caption": self.caption.as_deref().map(unix_lines),
        });
        details::put_date(&mut fields, &self.data, &self.hora)?;
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        view.call(OPERATION, input).await
    }

    /// Returns the selected reasons and the typed reason, each on its own line.
    fn joined_reasons(&self) -> Option<String> {
        let typed = nonblank_text(&self.motivo).map(|text| text.trim().to_owned());
        let chosen = self.rapido.iter().cloned();
        nonblank_text(&chosen.chain(typed).collect::<Vec<_>>().join("\n"))
    }

    fn redirect_to_next(&self, view: &View<'_>, answer: &Value) -> Result<Reply> {
        let mut to = "/aprovacoes".to_owned();
        if !self.proxima.is_empty() {
            to.push_str("?evento=");
            to.push_str(&percent_encode(&self.proxima));
        }
        redirect_with_warnings(view, &to, OPERATION, answer)
    }
}
