//! The page on which a member says what they want to be told.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{area::page_spec, bell::PATH, forms::operation_form, shell, view::View};

/// The page with the settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SettingsPage {}

const AT: &str = "/notificacoes/preferencias";
const ROUTE: Spec = page_spec(
    "console_notification_settings",
    "Preferências de notificação",
    AT,
)
.fails(&[403]);

pub(super) const SETTINGS: Entry =
    Entry::for_page::<SettingsPage>(ROUTE, "De que quem vê quer ser notificado.");

#[derive(Deserialize)]
struct Settings {
    revision: i64,
    ligados: Vec<String>,
    desligados: Vec<String>,
}

/// The kinds in the order of the page, in words.
const KINDS: [(&str, &str); 9] = [
    ("atribuicao", "Quando me atribuem uma peça"),
    ("mencao", "Quando me mencionam em um comentário"),
    ("decisao", "Quando uma peça espera minha decisão"),
    ("decidida", "Quando decidem sobre uma peça minha"),
    ("publicada", "Quando uma peça minha é publicada"),
    ("falha", "Quando uma publicação falha"),
    ("conexao", "Quando a conexão com uma rede vai terminar"),
    ("agente", "Quando um agente é conectado à minha conta"),
    ("webhook", "Quando um webhook meu deixa de enviar"),
];

impl Page for SettingsPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let settings: Settings = view.read("get_notification_settings", json!({})).await?;
        let is_on = |kind: &str| settings.ligados.iter().any(|one| one == kind);
        let is_known =
            |kind: &str| is_on(kind) || settings.desligados.iter().any(|one| one == kind);
        let kinds = KINDS.iter().filter(|(kind, _)| is_known(kind));
        let fields = html! {
            input type="hidden" name="expected_revision" value=(settings.revision);
            fieldset {
                legend { "Avisar" }
                @for (kind, words) in kinds {
                    label class="choice" {
                        input type="checkbox" name="ligados" value=(kind) checked[is_on(kind)];
                        " " (words)
                    }
                }
            }
            p { button type="submit" { "Salvar" } }
        };
        let body = html! {
            p { a href=(view.href_to(PATH)) { "Notificações" } }
            h1 { "Preferências de notificação" }
            p class="soft" { "O que já foi notificado continua na lista." }
            (operation_form(&view, "set_notification_settings", AT, &fields))
        };
        Ok(shell::reading_page(
            &view,
            "Preferências de notificação",
            &body,
        ))
    }
}
