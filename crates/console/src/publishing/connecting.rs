//! Connects and disconnects accounts of social networks.

use gateway::{Context, Entry, Input, InputForm, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::networks::network_title;
use crate::{
    area::receiver_spec,
    forms::{keyed_input, refuse_form},
    shell,
    view::View,
};

/// The form that starts a connection.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Connect {
    rede: String,
}

/// The form that disconnects an account.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Disconnect {
    rede: String,
    /// A chave de idempotência deste envio.
    pedido: Option<String>,
}

const CONNECT_ROUTE: Spec = receiver_spec(
    "console_connect",
    "Conectar uma rede",
    "/conexoes/{rede}/conectar",
)
.takes(InputForm::UrlEncoded)
.fails(&[403, 404]);
const DISCONNECT_ROUTE: Spec = receiver_spec(
    "console_disconnect",
    "Desconectar uma rede",
    "/conexoes/{rede}/desconectar",
)
.takes(InputForm::UrlEncoded)
.fails(&[403, 404, 409]);

pub(crate) const CONNECT: Entry = Entry::for_page::<Connect>(
    CONNECT_ROUTE,
    "Começa a conexão e leva à página da rede em que a pessoa autoriza.",
);
pub(crate) const DISCONNECT: Entry = Entry::for_page::<Disconnect>(
    DISCONNECT_ROUTE,
    "Desconecta a conta e diz o que falta fazer na própria rede.",
);

#[derive(Deserialize)]
struct Started {
    url: String,
}

#[derive(Deserialize)]
struct Disconnected {
    #[serde(default)]
    avisos: Vec<String>,
}

impl Page for Connect {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = Input::from_iter([("provider".to_owned(), Value::from(self.rede.as_str()))]);
        let answer = match ctx.call("start_o_auth_connection", input).await {
            Ok(answer) => answer,
            Err(error) => {
                return Ok(refuse_form(
                    &view,
                    "Não foi possível iniciar a conexão",
                    &error,
                    &html! {},
                ));
            }
        };
        let headers = answer.headers;
        let started: Started = serde_json::from_str(&answer.body.into_json_text()?)?;
        let network = network_title(&self.rede);
        let heading = format!("Conectar {network}");
        // The content security policy lets forms lead to this service only, so the page has a link
        // to the network instead of a form.
        let body = html! {
            h1 { (heading) }
            p { "Autorize a Pauta na página do " (network) ", em até 10 minutos e neste navegador. Entre lá com a conta da equipe, e não com a sua." }
            p class="row" {
                a class="button" href=(started.url) target="_blank" rel="noreferrer" hx-boost="false" { "Continuar no " (network) }
                a href=(view.href_to("/conexoes")) { "Já autorizei: ver a conexão" }
            }
            p class="soft" { "A página abre em outra aba. Feche-a quando ela disser que a conta está conectada." }
        };
        let reply = shell::reading_page(&view, &heading, &body)
            .with_header("hx-push-url", view.href_to("/conexoes"));
        Ok(headers
            .into_iter()
            .fold(reply, |reply, (name, value)| reply.with_header(name, value)))
    }
}

impl Page for Disconnect {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let fields = json!({ "provider": self.rede });
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        let ended: Disconnected = match view.call("disconnect_o_auth_account", input).await {
            Ok(ended) => ended,
            Err(error) => {
                return Ok(refuse_form(
                    &view,
                    "Não foi desconectada",
                    &error,
                    &html! {},
                ));
            }
        };
        let heading = format!("{} desconectado", network_title(&self.rede));
        let body = html! {
            h1 { (heading) }
            @if ended.avisos.is_empty() {
                p class="notice good" { "A credencial foi apagada daqui e revogada na rede." }
            }
            @for aviso in &ended.avisos { p class="notice wait" { (aviso) } }
            p { a href=(view.href_to("/conexoes")) { "Voltar às conexões" } }
        };
        Ok(shell::reading_page(&view, &heading, &body)
            .with_header("hx-push-url", view.href_to("/conexoes")))
    }
}
