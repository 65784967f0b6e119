use domain::Revision;
use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    area::receiver_spec,
    forms::{keyed_input, redirect_with_warnings},
    piece::{
        details::put_date,
        model::piece_path,
        page::{Returned, refuse_on_page},
    },
    view::View,
};

/// The form of title, channel, date, assignees and tag.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Details {
    event_id: String,
    expected_revision: Revision,
    title: Option<String>,
    channel: Option<String>,
    /// Vazia, a peça fica sem data.
    data: Option<String>,
    /// A data que o formulário mostrava.
    #[serde(default)]
    data_antes: String,
    #[serde(default)]
    hora: String,
    /// Vazia, a peça fica sem etiqueta.
    tipo: Option<String>,
    #[serde(default)]
    assignee_ids: Vec<String>,
    pedido: Option<String>,
}

const ROUTE: Spec = receiver_spec(
    "console_details",
    "Mudar os dados de uma peça",
    "/eventos/{event_id}/dados",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const DETAILS: Entry = Entry::for_page::<Details>(
    ROUTE,
    "Muda título, canal, data, responsáveis e etiqueta de uma peça.",
);

impl Page for Details {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        match self.write_details(&view).await {
            Ok(answer) => {
                let path = piece_path(&self.event_id);
                redirect_with_warnings(&view, &path, "update_event", &answer)
            }
            Err(error) => refuse_on_page(&view, &self.event_id, &error, Returned::default()).await,
        }
    }
}

impl Details {
    async fn write_details(&self, view: &View<'_>) -> Result<Value> {
        let mut fields = json!({
            "eventId": self.event_id,
            "expected_revision": self.expected_revision,
            "title": self.title,
            "channel": self.channel,
            "tipo": self.tipo.as_deref().map(str::trim).filter(|tag| !tag.is_empty()),
            "sem_tipo": self.tipo.as_deref().is_some_and(|tag| tag.trim().is_empty()),
            "assignee_ids": self.assignee_ids,
        });
        match self.data.as_deref() {
            Some("") if !self.data_antes.is_empty() => fields["sem_data"] = true.into(),
            Some("") if !self.hora.is_empty() => {
                let message = "é obrigatório para marcar a hora";
                return Err(Error::invalid_field("day", "required", message));
            }
            data => put_date(&mut fields, data.unwrap_or_default(), &self.hora)?,
        }
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        view.call("update_event", input).await
    }
}
