//! The instructions for connecting each kind of client.

use maud::{Markup, html};
use serde_json::json;

use crate::{
    area::Table,
    install_links::{cursor_link, vscode_link},
    view::View,
};

/// The clients, in the order of the tabs: the name in the address of the page, and the name on the tab.
pub(super) const CLIENTS: [(&str, &str); 5] = [
    ("claude", "claude.ai"),
    ("chatgpt", "ChatGPT"),
    ("claude-code", "Claude Code"),
    ("cursor", "Cursor"),
    ("vscode", "VS Code"),
];

/// Returns the URL of the MCP endpoint.
pub(super) fn mcp_url(view: &View<'_>) -> String {
    let services = view.ctx.services;
    let path = services.parts.get::<Table>().registry.mcp_path();
    format!("{}{path}", services.public_url)
}

/// Draws the instructions for a client. An unknown client gets the instructions for the first tab.
pub(super) fn connection_steps(view: &View<'_>, client: &str) -> Markup {
    let url = mcp_url(view);
    match client {
        "chatgpt" => chatgpt_steps(view, &url),
        "claude-code" => claude_code_steps(view, &url),
        "cursor" => cursor_steps(view, &url),
        "vscode" => vscode_steps(&url),
        _ => claude_steps(view, &url),
    }
}

fn claude_steps(view: &View<'_>, url: &str) -> Markup {
    html! {
        ol class="steps" {
            li { "Em claude.ai ou no Claude Desktop, abra Customize → Connectors → Add custom connector." }
            li { "Dê o nome Pauta e cole este endereço: " (paste_block("endereco", url)) }
            li { "Escolha Connect. Uma página da Pauta pergunta até onde o Claude pode ir, e por quanto tempo." }
        }
        (private_address_warning(view))
    }
}

fn chatgpt_steps(view: &View<'_>, url: &str) -> Markup {
    html! {
        ol class="steps" {
            li { "Em Settings → Apps & Connectors, ligue o modo de desenvolvedor e escolha Create." }
            li { "Cole este endereço, com autenticação OAuth: " (paste_block("endereco", url)) }
            li { "O ChatGPT leva à Pauta, que pergunta até onde ele pode ir, e por quanto tempo." }
        }
        (private_address_warning(view))
        p { a href=(view.href_to("/api/ai/chatgpt.md")) hx-boost="false" { "Outros caminhos no ChatGPT" } }
    }
}

fn claude_code_steps(view: &View<'_>, url: &str) -> Markup {
    let add = format!("claude mcp add --transport http pauta \"{url}\"");
    let with_token = format!("{add} --header 'Authorization: Bearer ${{PAUTA_TOKEN}}'");
    html! {
        ol class="steps" {
            li { "Em um terminal: " (paste_block("comando", &add)) }
            li { "Dentro do Claude Code, abra " code { "/mcp" } ", escolha pauta e Authenticate." }
        }
        p {
            "Ou instale o plugin, que traz também a skill: "
            a href=(view.href_to("/api/ai/claude.md")) hx-boost="false" { "como fazer" } "."
        }
        details {
            summary { "Sem navegador, com um token pessoal" }
            p { "Guarde um token desta página na variável " code { "PAUTA_TOKEN" } " e use:" }
            (paste_block("comando-token", &with_token))
        }
    }
}

fn cursor_steps(view: &View<'_>, url: &str) -> Markup {
    let plain = json!({ "mcpServers": { "pauta": { "url": url } } });
    let with_token = json!({ "mcpServers": { "pauta": {
        "url": url, "headers": { "Authorization": "Bearer ${env:PAUTA_TOKEN}" },
    } } });
    html! {
        ol class="steps" {
            li { a class="button" href=(cursor_link(url)) hx-boost="false" { "Adicionar ao Cursor" } " O Cursor abre e pergunta se deve instalar." }
            li { "Em Settings → MCP, escolha Connect ao lado de pauta." }
        }
        details {
            summary { "Pelo arquivo de configuração" }
            p {
                "Em " code { "~/.cursor/mcp.json" } " (todos os projetos) ou " code { ".cursor/mcp.json" } ": "
            }
            (paste_block("arquivo", &pretty_json(&plain)))
        }
        p { a href=(view.href_to("/api/ai/cursor.mdc")) hx-boost="false" { "A regra de projeto" } ", para " code { ".cursor/rules/pauta.mdc" } "." }
        details {
            summary { "Sem navegador, com um token pessoal" }
            p { "O Cursor precisa enxergar a variável " code { "PAUTA_TOKEN" } "." }
            (paste_block("arquivo-token", &pretty_json(&with_token)))
        }
    }
}

fn vscode_steps(url: &str) -> Markup {
    let plain = json!({ "servers": { "pauta": { "type": "http", "url": url } } });
    let with_token = json!({
        "inputs": [{
            "type": "promptString", "id": "pauta-token",
            "description": "Token pessoal da Pauta", "password": true,
        }],
        "servers": { "pauta": {
            "type": "http", "url": url,
            "headers": { "Authorization": "Bearer ${input:pauta-token}" },
        } },
    });
    html! {
        ol class="steps" {
            li { a class="button" href=(vscode_link(url)) hx-boost="false" { "Adicionar ao VS Code" } " O VS Code abre e pergunta se deve instalar." }
            li { "Ao iniciar o servidor, ele abre a Pauta, que pergunta até onde ele pode ir, e por quanto tempo." }
        }
        details {
            summary { "Pelo comando " em { "MCP: Add Server…" } }
            p { "Escolha HTTP e cole este endereço:" }
            (paste_block("endereco", url))
        }
        details {
            summary { "Como arquivo do projeto" }
            p { "Em " code { ".vscode/mcp.json" } ":" }
            (paste_block("arquivo", &pretty_json(&plain)))
        }
        details {
            summary { "Sem navegador, com um token pessoal" }
            p { "O VS Code pede o token uma vez e o guarda." }
            (paste_block("arquivo-token", &pretty_json(&with_token)))
        }
    }
}

/// Warns that clients in the cloud cannot reach a private address.
fn private_address_warning(view: &View<'_>) -> Markup {
    let is_public = view.ctx.services.public_url.starts_with("https://");
    html! {
        @if !is_public {
            div class="notice wait" {
                p {
                    "Este cliente roda na nuvem e só alcança um endereço público, com https. O desta Pauta é "
                    code { (view.ctx.services.public_url) } "."
                }
            }
        }
    }
}

/// Draws a text to paste into another program, with a copy button.
pub(super) fn paste_block(id: &str, text: &str) -> Markup {
    html! {
        div class="paste" {
            pre id=(id) tabindex="0" { (text) }
            button type="button" class="quiet" data-copy={ "#" (id) } { "Copiar" }
        }
    }
}

fn pretty_json(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
