//! The page with the connections to social networks.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    networks::{NETWORKS, NetworkWords},
    permissions,
};
use crate::{area::page_spec, forms::page_form, shell, text, view::View};

/// The page with the connections.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Connections {}

const ROUTE: Spec = page_spec("console_connections", "Conexões", "/conexoes").fails(&[403]);

pub(crate) const CONNECTIONS: Entry =
    Entry::for_page::<Connections>(ROUTE, "As redes sociais e as contas conectadas.");

#[derive(Deserialize)]
struct Accounts {
    providers: Vec<String>,
    accounts: Vec<Account>,
}

#[derive(Deserialize)]
struct Account {
    provider: String,
    account_id: String,
    display_name: String,
    scopes: Vec<String>,
    connected_by_name: String,
    connected_at: String,
    expires_at: String,
    status: String,
    last_error: Option<String>,
}

impl Page for Connections {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let answer: Accounts = view.read("list_connected_accounts", json!({})).await?;
        let registered =
            |network: &NetworkWords| answer.providers.iter().any(|p| p == network.name);
        let account =
            |network: &NetworkWords| answer.accounts.iter().find(|a| a.provider == network.name);
        let may_connect = view.may_call("start_o_auth_connection");
        let body = html! {
            h1 { "Conexões" }
            p class="soft" { "As contas da equipe nas redes sociais. A Pauta renova cada credencial sozinha." }
            @if !may_connect {
                p class="notice" { "Só um admin da equipe conecta e desconecta contas. Veja quem são os admins em “Equipe”." }
            }
            div class="grid" {
                @for network in &NETWORKS {
                    section class="card" aria-labelledby=(format!("rede-{}", network.name)) {
                        div class="spread" {
                            h2 id=(format!("rede-{}", network.name)) { (network.title) }
                            (draw_state(registered(network), account(network)))
                        }
                        @match account(network) {
                            Some(account) => (draw_facts(account)),
                            None if registered(network) => p { "Nenhuma conta conectada." },
                            None => {}
                        }
                        @if registered(network) {
                            @if may_connect {
                                (permissions::draw_requested_permissions(network.name))
                                (draw_actions(&view, network, account(network)))
                            }
                        } @else {
                            p { "Para usar o " (network.title) ", quem opera o serviço define:" }
                            ul { @for name in network.settings { li { code { (name) } } } }
                            p class="soft" { "Depois de reiniciar, a conexão aparece aqui." }
                        }
                    }
                }
            }
        };
        Ok(shell::reading_page(&view, "Conexões", &body))
    }
}

fn draw_state(is_registered: bool, account: Option<&Account>) -> Markup {
    let (class, word) = match account.map(|account| account.status.as_str()) {
        _ if !is_registered => ("badge", "Não configurada"),
        Some("active") => ("badge good", "Conectada"),
        Some("expired") => ("badge bad", "Expirou"),
        Some(_) => ("badge", "Desconectada"),
        None => ("badge", "Não conectada"),
    };
    html! { span class=(class) { (word) } }
}

fn draw_facts(account: &Account) -> Markup {
    let is_active = account.status == "active";
    html! {
        @if account.status == "expired" {
            p class="notice bad" { "A rede não aceita mais esta conexão. Um admin precisa conectar de novo." }
        }
        @if let Some(error) = account.last_error.as_deref().filter(|_| is_active) {
            p class="notice wait" {
                "A última renovação falhou (" code { (error) } "). A Pauta tenta de novo sozinha."
            }
        }
        dl class="facts" {
            dt { "Conta" } dd dir="auto" { (account.display_name) }
            dt { "Na rede" } dd class="mono" { (account.account_id) }
            dt { "Conectada" } dd { (text::time_tag(&account.connected_at)) ", por " (account.connected_by_name) }
            @if is_active { dt { "Vale até" } dd { (text::time_tag(&account.expires_at)) } }
        }
        @if !account.scopes.is_empty() {
            details {
                summary { "Permissões" }
                ul {
                    @for scope in &account.scopes {
                        li { code { (scope) } @if let Some(purpose) = permissions::permission_purpose(&account.provider, scope) { ": " (purpose) } }
                    }
                }
            }
            @if is_active { (permissions::draw_missing_permission_notice(&account.provider, &account.scopes)) }
        }
    }
}

fn draw_actions(view: &View<'_>, network: &NetworkWords, account: Option<&Account>) -> Markup {
    let status = account.map(|account| account.status.as_str());
    let path = |verb: &str| format!("/conexoes/{}/{verb}", network.name);
    let label = match status {
        Some("active") => "Conectar outra conta",
        Some(_) => "Conectar de novo",
        None => "Conectar",
    };
    html! {
        (page_form(view, &path("conectar"), &html! {
            button type="submit" class=[(status == Some("active")).then_some("quiet")] { (label) " " span class="sr" { "do " (network.title) } }
        }))
        @if status == Some("active") || status == Some("expired") {
            details {
                summary { "Desconectar" }
                p { "A Pauta apaga a credencial e pede à rede que a revogue. Nada mais é publicado por esta conta." }
                (page_form(view, &path("desconectar"), &html! {
                    button type="submit" class="danger" { "Desconectar " (network.title) }
                }))
            }
        }
    }
}
