use domain::Revision;
use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    area::receiver_spec,
    forms::{keyed_input, nonblank_text, redirect_after},
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
    #[serde(default)]
    title: String,
    #[serde(default)]
    channel: String,
    #[serde(default)]
    data: String,
    #[serde(default)]
    hora: String,
    #[serde(default)]
    tipo: String,
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
            Ok(()) => Ok(redirect_after(
                &view,
                &piece_path(&self.event_id),
                "update_event",
            )),
            Err(error) => refuse_on_page(&view, &self.event_id, &error, Returned::default()).await,
        }
    }
}

impl Details {
    async fn write_details(&self, view: &View<'_>) -> Result<()> {
        let mut fields = json!({
            "eventId": self.event_id,
            "expected_revision": self.expected_revision,
            "title": self.title,
            "channel": nonblank_text(&self.channel),
            "tipo": nonblank_text(&self.tipo),
            "assignee_ids": self.assignee_ids,
        });
        put_date(&mut fields, &self.data, &self.hora)?;
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        view.call("update_event", input).await.map(|_: Value| ())
    }
}
