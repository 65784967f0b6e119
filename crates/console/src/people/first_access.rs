//! The first access. While the team is empty, this page creates the first admin with the code that
//! the server printed at its startup.

use gateway::{Content, Context, Entry, Error, InputForm, Page, Reply, Result, Spec, Verb};
use identity::{NewAdmin, first_access};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    area::public_spec,
    forms::{error_notice, with_error_status},
    links, shell,
};

/// The page of the first access.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FirstAccessPage {}

/// The form that creates the first admin.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Make {
    #[schemars(length(max = 64))]
    codigo: Option<String>,
    #[schemars(length(max = 400))]
    nome: Option<String>,
    #[schemars(length(max = 400))]
    email: Option<String>,
    #[schemars(length(max = 256))]
    senha: Option<String>,
    #[schemars(length(max = 10))]
    financeiro: Option<String>,
}

const PATH: &str = "/primeiro-acesso";
const PAGE_ROUTE: Spec = public_spec(
    "console_first_access_page",
    "Primeiro acesso",
    Verb::Get,
    PATH,
)
.partial(&[303]);
const ROUTE: Spec = public_spec(
    "console_first_access",
    "Criar o primeiro admin",
    Verb::Post,
    PATH,
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 401, 409, 429]);

pub(super) const PAGE: Entry = Entry::for_page::<FirstAccessPage>(
    PAGE_ROUTE,
    "Onde o primeiro admin é criado, enquanto a equipe está vazia.",
);
pub(super) const MAKE: Entry = Entry::for_page::<Make>(
    ROUTE,
    "Cria o primeiro admin, com o código que o servidor mostrou.",
);

impl Page for FirstAccessPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        if !first_access::can_create_first_admin(ctx.services).await? {
            return Ok(redirect_to_sign_in(ctx));
        }
        Ok(first_access_form(ctx, &Make::default(), None))
    }
}

impl Page for Make {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        if !first_access::can_create_first_admin(ctx.services).await? {
            return Ok(redirect_to_sign_in(ctx));
        }
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let admin = NewAdmin {
            name: text(&self.nome),
            email: text(&self.email),
            financeiro: self.financeiro.is_some(),
            password: Some(text(&self.senha)),
        };
        let made = first_access::make_first_admin(ctx, &text(&self.codigo), admin).await;
        match made {
            Ok(Some(cookie)) => {
                let to = links::href_to(ctx.services, "/");
                Ok(Reply::new(Content::Redirect(to)).with_header("set-cookie", cookie))
            }
            Ok(None) => Ok(redirect_to_sign_in(ctx)),
            Err(error) if matches!(error.status(), 400 | 401 | 409 | 429) => {
                Ok(first_access_form(ctx, &self, Some(&error)))
            }
            Err(error) => Err(error),
        }
    }
}

/// Redirects to the sign-in page, because the team has an admin.
fn redirect_to_sign_in(ctx: &Context<'_>) -> Reply {
    Reply::new(Content::Redirect(links::href_to(ctx.services, "/entrar")))
}

fn first_access_form(ctx: &Context<'_>, sent: &Make, wrong: Option<&Error>) -> Reply {
    let was = |text: &Option<String>| text.clone().unwrap_or_default();
    let body = html! {
        h1 { "Primeiro acesso" }
        p { "Esta Pauta ainda não tem ninguém. Crie o primeiro admin; depois ele convida a equipe." }
        @if let Some(error) = wrong { (error_notice(error)) }
        form method="post" action=(links::href_to(ctx.services, PATH)) class="stack" {
            label class="field" {
                span { "Código" }
                input name="codigo" value=(was(&sent.codigo)) required maxlength="40" autocomplete="off"
                    autocapitalize="characters" spellcheck="false" class="mono" placeholder="ABCD-EFGH-JKLM-NPQR" autofocus;
                small { "O servidor o mostra ao iniciar. Sem ele à mão, reinicie o servidor: ele mostra outro." }
            }
            label class="field" {
                span { "Nome" }
                input name="nome" value=(was(&sent.nome)) required maxlength="120" autocomplete="name";
            }
            label class="field" {
                span { "E-mail" }
                input type="email" name="email" value=(was(&sent.email)) required maxlength="254" autocomplete="username";
            }
            label class="field" {
                span { "Senha" }
                input type="password" name="senha" required minlength="12" maxlength="256" autocomplete="new-password";
                small { "Ao menos 12 caracteres; três ou quatro palavras sem relação servem bem." }
            }
            label class="choice" {
                input type="checkbox" name="financeiro" checked[sent.financeiro.is_some()];
                span { "Ver também os números de vendas" }
            }
            button type="submit" { "Criar admin e entrar" }
        }
    };
    let reply = shell::bare_page(ctx.services, "Primeiro acesso", &body);
    match wrong {
        Some(error) => with_error_status(reply, error),
        None => reply,
    }
}
