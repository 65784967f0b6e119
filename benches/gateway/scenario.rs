//! The scenarios, and the check that all servers do the same.

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::{
    data::Data,
    load::{self, Draft, Request},
    process::Server,
};

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Scenario {
    Bare,
    HandRead,
    RestRead,
    Mcp2025,
    Mcp2026,
    HandWrite,
    RestWrite,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    Bare,
    Hand,
    Pauta,
}

impl Scenario {
    /// The named scenarios, or all, in the order of the table.
    pub fn chosen(only: &[Self]) -> Vec<Self> {
        let all = Self::value_variants().iter().copied();
        all.filter(|s| only.is_empty() || only.contains(s))
            .collect()
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Bare => "bare axum, same bytes",
            Self::HandRead => "by hand, read",
            Self::RestRead => "pauta, REST read",
            Self::Mcp2025 => "pauta, MCP read 2025-11-25",
            Self::Mcp2026 => "pauta, MCP read 2026-07-28",
            Self::HandWrite => "by hand, CAS write",
            Self::RestWrite => "pauta, REST CAS write",
        }
    }

    pub fn server(self) -> ServerKind {
        match self {
            Self::Bare => ServerKind::Bare,
            Self::HandRead | Self::HandWrite => ServerKind::Hand,
            _ => ServerKind::Pauta,
        }
    }

    pub fn is_write(self) -> bool {
        matches!(self, Self::HandWrite | Self::RestWrite)
    }

    /// The least ratio, and the scenario that it compares with.
    pub fn target(self) -> Option<(f64, Self)> {
        match self {
            Self::RestRead => Some((0.8, Self::HandRead)),
            Self::Mcp2025 | Self::Mcp2026 => Some((0.7, Self::RestRead)),
            Self::RestWrite => Some((0.7, Self::HandWrite)),
            Self::Bare | Self::HandRead | Self::HandWrite => None,
        }
    }

    /// What each connection sends: the tokens in turn, and drafts of its own event.
    pub fn requests(self, data: &Data, connections: usize) -> Vec<Request> {
        (0..connections).map(|n| self.request(data, n)).collect()
    }

    fn request(self, data: &Data, connection: usize) -> Request {
        let token = &data.tokens[connection % data.tokens.len()];
        if self.is_write() {
            return Request::Draft(Draft {
                token: token.clone(),
                event_id: data.drafts[connection].clone(),
                revision: 1,
            });
        }
        let text = match self {
            Self::Mcp2025 => mcp(token, "2025-11-25", ""),
            Self::Mcp2026 => mcp(
                token,
                "2026-07-28",
                "Mcp-Method: tools/call\r\nMcp-Name: list_pending_approvals\r\n",
            ),
            _ => format!(
                "GET /api/aprovacoes?limit=20 HTTP/1.1\r\nHost: 127.0.0.1\r\n\
                 Authorization: Bearer {token}\r\nAccept: application/json\r\n\r\n"
            ),
        };
        Request::Same(text.as_bytes().into())
    }
}

/// A call of the read as a client of this protocol revision makes it.
fn mcp(token: &str, version: &str, headers: &str) -> String {
    let mut params = json!({ "name": "list_pending_approvals", "arguments": { "limit": 20 } });
    if !headers.is_empty() {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let body = body.to_string();
    format!(
        "POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: {version}\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Sends each server a few requests and fails unless all answers are equal; returns the answer of a read.
pub async fn check(
    chosen: &[Scenario],
    data: &Data,
    hand: &Server,
    pauta: Option<&Server>,
) -> Result<Vec<u8>> {
    let read = ask(Scenario::HandRead, data, hand).await?;
    let written = ask(Scenario::HandWrite, data, hand).await?;
    let rows = parse(&read)?["pendentes"].as_array().map_or(0, Vec::len);
    ensure!(rows == 20, "the read by hand gave {rows} events");
    for scenario in chosen.iter().filter(|s| s.server() == ServerKind::Pauta) {
        let server = pauta.context("it was started")?;
        let mut given = parse(&ask(*scenario, data, server).await?)?;
        let mut expected = parse(if scenario.is_write() { &written } else { &read })?;
        if matches!(scenario, Scenario::Mcp2025 | Scenario::Mcp2026) {
            given = given["result"]["structuredContent"].take();
            // A list in a tool leaves the briefing to `get_event`.
            for event in expected["pendentes"].as_array_mut().into_iter().flatten() {
                event.as_object_mut().map(|event| event.remove("briefing"));
            }
        }
        strip_signatures(&mut given);
        strip_signatures(&mut expected);
        ensure!(
            given == expected,
            "{} answers otherwise than by hand:\n{given:#}\n{expected:#}",
            scenario.title(),
        );
    }
    Ok(read)
}

/// The last answer to a few requests that the load does not send.
async fn ask(scenario: Scenario, data: &Data, server: &Server) -> Result<Vec<u8>> {
    let mut answer = vec![];
    for revision in 1..=5 {
        let mut request = scenario.request(data, data.drafts.len() - 1);
        if let Request::Draft(draft) = &mut request {
            draft.revision = revision;
        }
        answer = load::once(server.address, request)
            .await
            .with_context(|| format!("{}: {}", scenario.title(), server.last_words()))?;
    }
    Ok(answer)
}

/// Reduces each link to its path, which does not depend on the server.
fn strip_signatures(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(url)) = map.get_mut("url")
                && let Some((start, _)) = url.split_once('?')
                && let Some((_, path)) = start.split_once("/media/")
            {
                *url = path.to_owned();
            }
            map.values_mut().for_each(strip_signatures);
        }
        Value::Array(values) => values.iter_mut().for_each(strip_signatures),
        _ => {}
    }
}

fn parse(answer: &[u8]) -> Result<Value> {
    Ok(serde_json::from_slice(answer)?)
}
