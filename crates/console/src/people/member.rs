//! The page of one member: role, API level, tokens, agents, calendars, devices, invitation and password.

use domain::{Level, Role};
use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    agents, invitations, reach, team,
    team::{AccessRow, MemberRow},
    tokens, words,
};
use crate::{
    agent_changes::Activity,
    area::{page_spec, receiver_spec},
    forms::{operation_form, refuse_form},
    shell, text,
    view::View,
};

/// The page of a member.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemberPage {
    membro: String,
    /// A página da lista em que o membro está.
    cursor: Option<String>,
}

/// The form that sets the password of a member.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SetPassword {
    membro: String,
    senha: Option<String>,
    manter_tokens: Option<String>,
}

const ROUTE: Spec = page_spec("console_member", "Membro", "/equipe/{membro}").fails(&[403, 404]);
const PASSWORD_ROUTE: Spec = receiver_spec(
    "console_set_member_password",
    "Definir a senha de um membro",
    "/equipe/{membro}/senha",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 403, 404, 409]);

pub(super) const PAGE: Entry = Entry::for_page::<MemberPage>(
    ROUTE,
    "Um membro: papel, nível de API, tokens, agentes, calendários, aparelhos, convite e senha.",
);
pub(super) const PASSWORD: Entry =
    Entry::for_page::<SetPassword>(PASSWORD_ROUTE, "Define a senha de um membro.");

impl Page for MemberPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        if !view.may_call("list_members") {
            return team::not_allowed_page(&view, "Membro").await;
        }
        let row = team::find_member(&view, &self.membro, self.cursor.clone()).await?;
        let (member, access) = row.ok_or_else(|| Error::not_found("membro ativo"))?;
        let mut back = format!("/equipe/{}", member.id);
        if let Some(cursor) = &self.cursor {
            back = format!("{back}?cursor={cursor}");
        }
        let activity = Activity::load_today(&view, &member.id).await?;
        let is_own = member.id == view.member().id.as_str();
        let has_password = view.ctx.services.identity.issuer().is_none();
        let body = html! {
            p class="crumbs" { a href=(view.href_to("/equipe")) { "Equipe" } }
            h1 dir="auto" { (member.name) }
            p class="soft" { (member.email) " · desde " (text::format_iso_day(&member.created_at)) }
            @if let Some(at) = &member.email_devolvido_em {
                div class="notice bad" {
                    p { strong { "O último e-mail voltou." } " Em " (text::format_iso_day(at)) ", o servidor respondeu que " (member.email) " não existe ou não recebe. Confira o endereço com a pessoa." }
                }
            }
            @if is_own {
                div class="notice" { p { "Esta é a sua conta: o que você tirar daqui, tira de si." } }
            }
            div class="grid wide" {
                section class="card" id="papel" { h2 { "Papel" } (role_form(&view, &member, &back)) }
                @if let Some(access) = &access {
                    section class="card" id="nivel" { h2 { "Nível de API" } (level_form(&view, &member, access, &back)) }
                }
                section class="card" id="convite" { h2 { "Convite" } (invitations::reissue_form(&view, &member.id, &member.name)) }
                @if has_password {
                    section class="card" id="senha" { h2 { "Senha" } (password_form(&view, &member.id)) }
                }
            }
            @if let Some(access) = &access {
                section id="agentes" { h2 { "Agentes conectados" } (draw_agents(&view, access, &activity, &back)) }
                section id="tokens" { h2 { "Tokens pessoais" } (draw_tokens(&view, access, &activity, &back)) }
                section id="calendarios" { h2 { "Calendários" } (reach::draw_calendars(&view, access, &back)) }
                section id="aparelhos" { h2 { "Aparelhos que recebem avisos" } (reach::draw_devices(&view, access, &back)) }
            }
            section id="desligar" {
                h2 { "Desligamento" }
                p { "Encerra sessões, tokens, agentes, calendários e aparelhos na hora, e tira a pessoa das tarefas em andamento." }
                p { a class="button danger" href=(view.href_to(&format!("/equipe/{}/desligar", member.id))) { "Desligar…" } }
            }
        };
        Ok(shell::console_page(&view, &member.name, &body))
    }
}

fn role_form(view: &View<'_>, member: &MemberRow, back: &str) -> Markup {
    operation_form(
        view,
        "update_member",
        &format!("{back}#papel"),
        &html! {
            input type="hidden" name="member_id" value=(member.id);
            fieldset {
                legend class="sr" { "Papel" }
                @for role in Role::ALL {
                    label class="choice" {
                        input type="radio" name="access_level" value=(role) checked[*role == member.access_level];
                        span { strong { (words::role_name(*role)) } ": " (words::role_text(*role)) }
                    }
                }
            }
            label class="field" {
                span { "Números de vendas" }
                select name="financeiro" {
                    option value="false" selected[!member.financeiro] { "Não vê" }
                    option value="true" selected[member.financeiro] { "Vê" }
                }
            }
            button type="submit" { "Salvar papel" }
        },
    )
}

fn level_form(view: &View<'_>, member: &MemberRow, access: &AccessRow, back: &str) -> Markup {
    let most = member.access_level.level();
    let offered = |level: &&Level| **level <= most || **level == access.api_access_level;
    operation_form(
        view,
        "update_member_api_access",
        &format!("{back}#nivel"),
        &html! {
            input type="hidden" name="memberId" value=(member.id);
            fieldset {
                legend class="soft" { "O mais que tokens e agentes desta pessoa podem" }
                @for level in Level::ALL.iter().filter(offered) {
                    label class="choice" {
                        input type="radio" name="api_access_level" value=(level) checked[*level == access.api_access_level];
                        span { (words::level_name(*level)) }
                    }
                }
            }
            p class="soft" { "“Nenhum” revoga os tokens e encerra os agentes." }
            button type="submit" { "Salvar nível" }
        },
    )
}

fn password_form(view: &View<'_>, id: &str) -> Markup {
    html! {
        form method="post" action=(view.href_to(&format!("/equipe/{id}/senha"))) class="form stack" {
            p { "Para quem esqueceu a senha. As sessões da pessoa terminam." }
            label class="field" {
                span { "Senha nova" }
                input type="password" name="senha" required minlength="12" maxlength="256" autocomplete="new-password";
                small { "Ao menos 12 caracteres." }
            }
            label class="choice" {
                input type="checkbox" name="manter_tokens";
                span { "Manter os tokens, agentes e calendários dela" }
            }
            div class="outcome" role="alert" {}
            button type="submit" class="quiet" { "Definir senha" }
        }
    }
}

fn draw_agents(view: &View<'_>, access: &AccessRow, activity: &Activity, back: &str) -> Markup {
    let back = format!("{back}#agentes");
    let end = |agent: &agents::Agent| {
        let named = [("memberId", &*access.id), ("agentId", &*agent.id)];
        html! {
            @if agent.status == "active" {
                (agent.uso_hoje.draw_form(view, "set_agent_limits", &back, &named))
                (operation_form(view, "revoke_member_agent", &back, &html! {
                    input type="hidden" name="memberId" value=(access.id);
                    input type="hidden" name="agentId" value=(agent.id);
                    button type="submit" class="danger" { "Encerrar o acesso" }
                }))
            }
        }
    };
    html! {
        @if access.agents.is_empty() { p class="soft" { "Nenhum." } }
        div class="grid people" { @for agent in &access.agents { (agents::agent_card(agent, &activity.draw_agent_changes(view, &agent.id), &end(agent))) } }
    }
}

fn draw_tokens(view: &View<'_>, access: &AccessRow, activity: &Activity, back: &str) -> Markup {
    let back = format!("{back}#tokens");
    let end = |token: &tokens::Token| {
        let named = [("memberId", &*access.id), ("tokenId", &*token.id)];
        html! {
            @if token.status == "active" {
                (token.uso_hoje.draw_form(view, "set_token_limits", &back, &named))
                (operation_form(view, "revoke_member_token", &back, &html! {
                    input type="hidden" name="memberId" value=(access.id);
                    input type="hidden" name="tokenId" value=(token.id);
                    button type="submit" class="danger" { "Revogar o token" }
                }))
            }
        }
    };
    html! {
        @if access.tokens.is_empty() { p class="soft" { "Nenhum." } }
        div class="grid people" { @for token in &access.tokens { (tokens::token_card(token, &activity.draw_agent_changes(view, &token.id), &end(token))) } }
    }
}

impl Page for SetPassword {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = json!({
            "memberId": self.membro,
            "senha": self.senha.unwrap_or_default(),
            "revoke_tokens": self.manter_tokens.is_none(),
        });
        match ctx.read("set_member_password", input).await {
            Ok(_) => {
                let done = format!("/equipe/{}?feito=set_member_password", self.membro);
                Ok(Reply::new(gateway::Content::Redirect(view.href_to(&done))))
            }
            Err(error) => {
                let form = password_form(&view, &self.membro);
                Ok(refuse_form(
                    &view,
                    "A senha não foi definida",
                    &error,
                    &form,
                ))
            }
        }
    }
}
