//! Offboards a member: a confirmation, then the remaining steps.

use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::team;
use crate::{
    area::{page_spec, receiver_spec},
    forms::{key_field, keyed_input, refuse_form},
    shell,
    view::View,
};

/// The page that asks for confirmation, also for former members whose offboarding is incomplete.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Ask {
    membro: String,
    /// A página da lista em que o membro está.
    cursor: Option<String>,
}

/// The form that offboards the member.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Offboard {
    membro: String,
    nome: Option<String>,
    pedido: Option<String>,
}

const PATH: &str = "/equipe/{membro}/desligar";
const ASK_ROUTE: Spec =
    page_spec("console_ask_offboarding", "Desligar membro?", PATH).fails(&[403]);
const ROUTE: Spec = receiver_spec("console_offboard", "Desligar um membro", PATH)
    .takes(InputForm::UrlEncoded)
    .fails(&[403, 404, 409]);

pub(super) const ASK: Entry =
    Entry::for_page::<Ask>(ASK_ROUTE, "Pergunta se o membro deve ser desligado.");
pub(super) const OFFBOARD: Entry =
    Entry::for_page::<Offboard>(ROUTE, "Desliga um membro e diz o que ainda falta.");

#[derive(Deserialize)]
struct Offboarded {
    ok: bool,
    #[serde(default)]
    pendente: Vec<String>,
}

/// The steps after the access has ended: the name of the step in the answer, and its label.
const STEPS: [(&str, &str); 2] = [
    ("identidade", "Encerrar a conta no provedor de identidade"),
    (
        "atribuicoes",
        "Tirar a pessoa das tarefas e dos projetos em andamento",
    ),
];

impl Page for Ask {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        if !view.may_call("offboard_member") {
            return team::not_allowed_page(&view, "Desligar").await;
        }
        let row = team::find_member(&view, &self.membro, self.cursor.clone()).await?;
        let name = row.map(|(member, _)| member.name);
        let body = html! {
            h1 { "Desligar " @match &name { Some(name) => bdi { (name) }, None => "pessoa" } "?" }
            @if name.is_none() {
                div class="notice" { p { "Esta pessoa não é mais da equipe. Se a limpeza ficou pela metade, conclua-a aqui." } }
            }
            ul {
                li { "Sessões, tokens, agentes e calendários dela terminam na hora." }
                li { "Ela sai das tarefas e dos projetos em andamento." }
                li { "O que fez, escreveu e decidiu continua no histórico." }
                li { "Para voltar, basta um convite novo." }
            }
            (offboarding_form(&view, &self.membro, name.as_deref().unwrap_or_default(), "Desligar"))
            p { a href=(view.href_to("/equipe")) { "Não, voltar à equipe" } }
        };
        Ok(shell::console_page(&view, "Desligar", &body))
    }
}

impl Page for Offboard {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let name = self.nome.unwrap_or_default();
        let fields = json!({ "memberId": self.membro });
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        match view.call::<Offboarded>("offboard_member", input).await {
            Ok(done) => Ok(shell::console_page(
                &view,
                "Desligamento",
                &draw_outcome(&view, &self.membro, &name, &done),
            )),
            Err(error) => {
                let form = offboarding_form(&view, &self.membro, &name, "Tentar de novo");
                Ok(refuse_form(
                    &view,
                    "A pessoa não foi desligada",
                    &error,
                    &form,
                ))
            }
        }
    }
}

fn draw_outcome(view: &View<'_>, id: &str, name: &str, done: &Offboarded) -> Markup {
    let is_pending = |step: &str| done.pendente.iter().any(|pending| pending == step);
    let state = |pending: bool| {
        html! {
            @if pending { span class="badge wait" { "falta" } } @else { span class="badge good" { "feito" } }
        }
    };
    html! {
        h1 { @if name.is_empty() { "Pessoa" } @else { bdi { (name) } } " saiu da equipe" }
        @if !done.ok {
            div class="notice wait" {
                p { strong { "O acesso já terminou, mas falta um passo." } " Tente de novo daqui a pouco." }
            }
        }
        ul class="plain-list" {
            li { (state(false)) " Encerrar sessões, tokens, agentes e calendários" }
            @for (step, text) in STEPS { li { (state(is_pending(step))) " " (text) } }
        }
        @if !done.ok { (offboarding_form(view, id, name, "Concluir o que falta")) }
        p { a href=(view.href_to("/equipe")) { "Voltar à equipe" } }
    }
}

fn offboarding_form(view: &View<'_>, id: &str, name: &str, button: &str) -> Markup {
    html! {
        form method="post" action=(view.href_to(&format!("/equipe/{id}/desligar"))) class="form" {
            input type="hidden" name="nome" value=(name);
            (key_field())
            div class="outcome" role="alert" {}
            button type="submit" class="danger" { (button) }
        }
    }
}
