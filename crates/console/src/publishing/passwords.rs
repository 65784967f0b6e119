//! The page of platform passwords, with its forms. It shows no password.

use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{
    area::{page_spec, receiver_spec},
    forms::{operation_form, redirect_after, refuse_form},
    shell, text,
    view::{View, input_without_nulls},
};

/// The page with the list of platforms.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Passwords {
    /// De onde a lista continua.
    cursor: Option<String>,
}

/// The form of a password.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct SetPassword {
    plataforma: Option<String>,
    usuario: Option<String>,
    senha: Option<String>,
}

const PATH: &str = "/senhas";
const ROUTE: Spec = page_spec("console_passwords", "Senhas", PATH).fails(&[403]);
const SET: Spec = receiver_spec(
    "console_set_password",
    "Guardar uma senha",
    "/senhas/definir",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 403]);

pub(crate) const PASSWORDS: Entry =
    Entry::for_page::<Passwords>(ROUTE, "As plataformas com senha, sem as senhas.");
pub(crate) const SET_PASSWORD: Entry =
    Entry::for_page::<SetPassword>(SET, "Guarda a senha de uma plataforma.");

#[derive(Deserialize)]
struct Found {
    plataformas: Vec<Platform>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Platform {
    platform_id: String,
    updated_at: String,
    updated_by_name: String,
}

impl Page for Passwords {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = json!({ "cursor": self.cursor });
        let answer: Found = view.read("list_platform_passwords", input).await?;
        let body = html! {
            h1 { "Senhas" }
            p class="soft" { "As senhas das plataformas da equipe. Cada uma aparece só quando pedida, e cada leitura fica na auditoria com o seu nome." }
            @if answer.plataformas.is_empty() { p class="empty" { "Nenhuma senha guardada ainda." } }
            ul class="plain-list" data-list {
                @for platform in &answer.plataformas { (platform_card(&view, platform)) }
            }
            (shell::next_page_link(&view, "/senhas?", answer.next_cursor.as_deref()))
            h2 { "Guardar ou trocar uma senha" }
            (password_form(&view, "", ""))
        };
        Ok(shell::reading_page(&view, "Senhas", &body))
    }
}

fn platform_card(view: &View<'_>, platform: &Platform) -> Markup {
    let id = &platform.platform_id;
    html! {
        li class="card" {
            div class="spread" {
                h2 { (id) }
                (reveal_button(view, id, "Mostrar por 30 segundos"))
            }
            p class="soft" { "Guardada " (text::time_tag(&platform.updated_at)) ", por " (platform.updated_by_name) }
            details {
                summary { "Apagar" }
                p { "A senha e o usuário deixam de existir aqui. Não há como desfazer." }
                (operation_form(view, "put_platform_password", PATH, &html! {
                    input type="hidden" name="platformId" value=(id);
                    input type="hidden" name="senha:json" value="null";
                    button type="submit" class="danger" { "Apagar a senha de " (id) }
                }))
            }
        }
    }
}

/// Draws the button that shows a password. The button loads a full page, so neither the script nor the
/// browser keeps a copy.
pub(super) fn reveal_button(view: &View<'_>, platform: &str, label: &str) -> Markup {
    html! {
        form method="post" action=(view.href_to("/senhas")) hx-boost="false" {
            input type="hidden" name="plataforma" value=(platform);
            button type="submit" class="quiet" { (label) span class="sr" { ": " (platform) } }
        }
    }
}

fn password_form(view: &View<'_>, platform: &str, user: &str) -> Markup {
    html! {
        form method="post" action=(view.href_to("/senhas/definir")) class="form stack narrow" autocomplete="off" {
            label class="field" {
                span { "Plataforma" }
                input name="plataforma" value=(platform) required maxlength="64" pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*";
                small { "Letras, números, ponto, hífen e sublinhado." }
            }
            label class="field" {
                span { "Usuário (se houver)" }
                input name="usuario" value=(user) maxlength="320" autocomplete="off";
            }
            label class="field" {
                span { "Senha" }
                input type="password" name="senha" required maxlength="4096" autocomplete="new-password";
            }
            button type="submit" { "Guardar" }
            div class="outcome" role="alert" {}
        }
    }
}

impl Page for SetPassword {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let platform = self.plataforma.unwrap_or_default();
        let user = self.usuario.filter(|user| !user.is_empty());
        let password = self.senha.unwrap_or_default();
        let outcome = if password.is_empty() {
            Err(Error::invalid_field(
                "senha",
                "minLength",
                "não pode ficar vazia",
            ))
        } else {
            let input = json!({ "platformId": platform, "usuario": user, "senha": password });
            ctx.call("put_platform_password", input_without_nulls(input))
                .await
        };
        match outcome {
            Ok(_) => Ok(redirect_after(&view, PATH, "put_platform_password")),
            Err(error) => {
                // The form comes back without the password.
                let editor = password_form(&view, &platform, user.as_deref().unwrap_or_default());
                Ok(refuse_form(
                    &view,
                    "A senha não foi guardada",
                    &error,
                    &editor,
                ))
            }
        }
    }
}
