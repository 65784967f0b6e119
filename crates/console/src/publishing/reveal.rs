//! Shows the password of a platform for a short time.

use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::passwords::reveal_button;
use crate::{area::receiver_spec, forms::refuse_form, shell, text, view::View};

/// The form that asks for a password.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Reveal {
    plataforma: Option<String>,
}

const ROUTE: Spec = receiver_spec("console_reveal_password", "Mostrar uma senha", "/senhas")
    .takes(InputForm::UrlEncoded)
    .fails(&[400, 403, 404]);

pub(crate) const REVEAL: Entry = Entry::for_page::<Reveal>(
    ROUTE,
    "Mostra a senha de uma plataforma por 30 segundos; a leitura fica na auditoria.",
);

/// The time during which the password is visible, in seconds.
const SHOWN: u32 = 30;

#[derive(Deserialize)]
struct Found {
    platform_id: String,
    usuario: Option<String>,
    senha: String,
    updated_at: String,
    updated_by_name: String,
}

impl Page for Reveal {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let platform = self.plataforma.unwrap_or_default();
        let input = json!({ "platformId": platform });
        let answer = match view.read::<Found>("get_platform_password", input).await {
            Ok(answer) => answer,
            Err(error) => {
                let back = html! { p { a href=(view.href_to("/senhas")) { "Voltar às senhas" } } };
                return Ok(refuse_form(
                    &view,
                    "A senha não foi mostrada",
                    &error,
                    &back,
                ));
            }
        };
        let title = format!("Senha de {}", answer.platform_id);
        let body = html! {
            p class="crumbs" { a href=(view.href_to("/senhas")) { "Senhas" } }
            h1 { (title) }
            p class="soft" { "Guardada " (text::time_tag(&answer.updated_at)) ", por " (answer.updated_by_name) ". Esta leitura está na auditoria." }
            div data-hide-after=(SHOWN) {
                dl class="facts" {
                    @if let Some(user) = &answer.usuario { dt { "Usuário" } dd class="mono" dir="auto" { (user) } }
                    dt { "Senha" } dd class="mono secret" translate="no" { (answer.senha) }
                }
                p class="soft" { "Some desta página em " (SHOWN) " segundos." }
                noscript { p class="notice wait" { "Sem JavaScript ela não some sozinha: saia desta página depois de usar." } }
            }
            div data-hidden-instead hidden {
                p class="notice" role="status" { "A senha foi escondida." }
                (reveal_button(&view, &answer.platform_id, "Mostrar de novo"))
            }
        };
        Ok(shell::reading_page(&view, &title, &body).with_header("cache-control", "no-store"))
    }
}
