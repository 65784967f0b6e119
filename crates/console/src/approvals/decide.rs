//! Receives a decision, which is bound to the revision that the viewer saw.
//!
//! The browser holds a decision back for five seconds, in which it can be undone.

use domain::Revision;
use gateway::{Content, Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::inbox::{self, Returned};
use crate::{
    area::receiver,
    forms::{add_error, beside_form, is_stale, keyed_input, nonblank, notice, unix_lines},
    links::encoded,
    piece::details,
    view::View,
};

const OPERATION: &str = "decide_approval";

/// The form of a decision.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Decide {
    event_id: String,
    expected_revision: Revision,
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
    pedido: Option<String>,
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
        let view = View::of(ctx).await?;
        match self.decide(&view).await {
            Ok(()) => Ok(self.next(&view)),
            Err(error) if is_stale(&error) => {
                let (id, seen) = (Some(self.event_id.as_str()), Some(self.expected_revision));
                let reply = inbox::show(&view, id, seen, Returned::default()).await?;
                Ok(reply.status(409).header("hx-push-url", "false"))
            }
            Err(error) if ctx.origin.head.partial => Ok(beside_form(&error)),
            Err(error) => {
                let returned = Returned {
                    reason: &self.motivo,
                    wrong: Some(notice(&error)),
                };
                let reply = inbox::show(&view, Some(&self.event_id), None, returned).await?;
                Ok(add_error(reply, &error))
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
                "é obrigatório: diga o que precisa mudar",
            ));
        }
        let mut fields = json!({
            "event_id": self.event_id,
            "expected_revision": self.expected_revision,
            "action": self.action,
            "motivo": reason.filter(|_| refuses),
            "caption": self.caption.as_deref().map(unix_lines),
        });
        details::put_date(&mut fields, &self.data, &self.hora)?;
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        view.call(OPERATION, input).await.map(|_: Value| ())
    }

    /// The selected reasons and the typed one, one per line.
    fn reason(&self) -> Option<String> {
        let typed = nonblank(&self.motivo).map(|text| text.trim().to_owned());
        let chosen = self.rapido.iter().cloned();
        nonblank(&chosen.chain(typed).collect::<Vec<_>>().join("\n"))
    }

    fn next(&self, view: &View<'_>) -> Reply {
        let mut to = format!("/aprovacoes?feito={OPERATION}");
        if !self.proxima.is_empty() {
            to.push_str("&evento=");
            to.push_str(&encoded(&self.proxima));
        }
        Reply::new(Content::Redirect(view.at(&to)))
    }
}
