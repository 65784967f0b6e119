//! The page of agents: instructions for connecting an agent, the connected agents, and personal
//! tokens.

use domain::{Capability, Level};
use gateway::{Context, Entry, Page, Reply, Result, Spec};
use identity::authorization::PRIVACY_PATH;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{access::Access, clients, daily_use::DailyUse, tokens, words, words::last_use_text};
use crate::{
    agent_changes::Activity, area::page_spec, forms::operation_form, shell, text, view::View,
};

/// The page of agents and tokens.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AgentsPage {
    /// O cliente cujas instruções aparecem.
    cliente: Option<String>,
}

const ROUTE: Spec = page_spec("console_agents", "Agentes", "/agentes");
pub(super) const PAGE: Entry = Entry::for_page::<AgentsPage>(
    ROUTE,
    "Como ligar um agente, os agentes ligados e os tokens pessoais.",
);

#[derive(Deserialize)]
struct Agents {
    agents: Vec<Agent>,
}

#[derive(Deserialize)]
pub(super) struct Agent {
    pub id: String,
    pub client_name: String,
    pub redirect_host: String,
    pub scopes: Vec<Capability>,
    pub created_at: String,
    pub expires_at: String,
    pub last_used_at: Option<String>,
    pub status: String,
    pub uso_hoje: DailyUse,
}

impl Page for AgentsPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let access: Access = view.read("get_my_access", json!({})).await?;
        let agents = match view.may_call("list_my_agents") {
            true => {
                let listed: Agents = view.read("list_my_agents", json!({ "limit": 200 })).await?;
                listed.agents
            }
            false => vec![],
        };
        let tokens = tokens::read_tokens(&view).await?;
        let activity = Activity::load_today(&view, view.member().id.as_str()).await?;
        let chosen = self.cliente.as_deref().unwrap_or_default();
        let is_known = clients::CLIENTS.iter().any(|(name, _)| *name == chosen);
        let chosen = if is_known {
            chosen
        } else {
            clients::CLIENTS[0].0
        };
        let body = html! {
            h1 { "Agentes" }
            p { "Um agente trabalha na Pauta em seu nome, só no que você permitir. O que ele faz fica registrado como dele, por você." }
            @if access.member.effective_api_access_level == Level::Nenhum { (no_access_notice(&view)) }
            section id="ligar" {
                h2 { "Conectar um agente" }
                nav class="tabs" aria-label="Cliente" {
                    @for (name, title) in clients::CLIENTS {
                        a href={ (view.href_to("/agentes")) "?cliente=" (name) "#ligar" }
                            aria-current=[(name == chosen).then_some("true")] { (title) }
                    }
                }
                (clients::connection_steps(&view, chosen))
                p { a href=(view.href_to("/api/ai/mcp-setup.md")) hx-boost="false" { "Outros clientes, e o que fazer quando não funciona" } }
                p { a href=(view.href_to(PRIVACY_PATH)) { "O que esta Pauta guarda, e o que sai dela" } }
            }
            section id="ligados" {
                h2 { "Agentes conectados" }
                (agent_list(&view, &agents, &activity))
            }
            section id="tokens" {
                h2 { "Tokens pessoais" }
                p { "Para clientes que não abrem um navegador, e para chamar a API. Quem tem o token age como você: use um para cada lugar." }
                @if access.member.effective_api_access_level > Level::Nenhum {
                    details class="card" {
                        summary { "Criar token" }
                        (tokens::token_form(&view, &access))
                    }
                }
                (tokens::token_list(&view, &tokens, &activity))
            }
            @if view.may_call("list_webhooks") {
                section id="webhooks" {
                    h2 { "Outros sistemas" }
                    p { a href=(view.href_to("/webhooks")) { "Webhooks" } ": a Pauta avisa outro sistema do que acontece." }
                }
            }
        };
        Ok(shell::console_page(&view, "Agentes", &body))
    }
}

/// Draws the notice for an API level that allows nothing. A member who may change levels gets a form
/// that raises their own level. Other members get the advice to ask an admin.
fn no_access_notice(view: &View<'_>) -> Markup {
    let own = view.member().id.as_str();
    html! {
        div class="notice wait" {
            p { strong { "Seu acesso por API está desligado." } " Enquanto estiver, nenhum agente nem token seu funciona." }
            @if view.may_call("update_member_api_access") {
                (operation_form(view, "update_member_api_access", "/agentes", &html! {
                    input type="hidden" name="memberId" value=(own);
                    input type="hidden" name="api_access_level" value=(Level::Criador);
                    div class="row" {
                        button type="submit" { "Ligar: ler e criar" }
                        a href=(view.href_to(&format!("/equipe/{own}#nivel"))) { "Escolher outro nível" }
                    }
                }))
            } @else {
                p { "Peça a um admin da equipe um nível de API; ele o muda em “Equipe”." }
            }
        }
    }
}

fn agent_list(view: &View<'_>, agents: &[Agent], activity: &Activity) -> Markup {
    let (active, ended): (Vec<&Agent>, Vec<&Agent>) =
        agents.iter().partition(|agent| agent.status == "active");
    let revoke = |agent: &Agent| {
        html! {
            details {
                summary { "Encerrar" }
                (operation_form(view, "revoke_my_agent", "/agentes#ligados", &html! {
                    p { "O agente perde o acesso já. Para voltar, ele precisa ser ligado de novo." }
                    input type="hidden" name="agentId" value=(agent.id);
                    button type="submit" class="danger" { "Encerrar o acesso" }
                }))
            }
        }
    };
    html! {
        @if active.is_empty() { p class="empty" { "Nenhum agente ligado." } }
        div class="grid people" { @for agent in active { (agent_card(agent, &activity.draw_agent_changes(view, &agent.id), &revoke(agent))) } }
        @if !ended.is_empty() {
            details {
                summary { "Encerrados e vencidos (" (ended.len()) ")" }
                div class="grid people" { @for agent in ended { (agent_card(agent, &html! {}, &html! {})) } }
            }
        }
    }
}

/// Draws the card of an agent. `did` is the list of the agent's changes of today. `end` is the form that
/// revokes the agent's access.
pub(super) fn agent_card(agent: &Agent, did: &Markup, end: &Markup) -> Markup {
    html! {
        article class="card" {
            div class="spread" {
                h3 dir="auto" { (agent.client_name) }
                (words::draw_status(&agent.status))
            }
            dl class="facts" {
                dt { "Em" } dd { (agent.redirect_host) }
                dt { "Pode" } dd { (words::draw_scopes(&agent.scopes)) }
                dt { "Último uso" } dd { (last_use_text(agent.last_used_at.as_deref())) }
                (agent.uso_hoje.draw())
                dt { "Ligado em" } dd { (text::format_iso_day(&agent.created_at)) }
                dt { "Até" } dd { (text::format_iso_day(&agent.expires_at)) }
            }
            (did)
            (end)
        }
    }
}
