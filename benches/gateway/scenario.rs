//! The scenarios, and the check that all servers return the same data.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::{
    data::Data,
    load::{self, Draft, Request},
    process::Server,
};

/// One row of the printed table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Scenario {
    Bare,
    HandRead,
    SqlxRead,
    RestRead,
    Mcp2025,
    Mcp2026,
    TypescriptRead,
    FastmcpRead,
    HandWrite,
    SqlxWrite,
    RestWrite,
    McpWrite,
    TypescriptWrite,
    FastmcpWrite,
    HandMixed,
    RestMixed,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServerKind {
    Bare,
    Hand,
    Sqlx,
    Pauta,
    Typescript,
    Fastmcp,
}

impl ServerKind {
    /// Returns true for peers: servers that are built on other libraries and installed separately.
    pub fn is_peer(self) -> bool {
        matches!(self, Self::Sqlx | Self::Typescript | Self::Fastmcp)
    }
}

/// The kind of requests that a scenario sends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Read,
    Write,
    /// Nine reads, then a write.
    Mixed,
}

impl Scenario {
    /// Returns the scenarios in `only`, or all if `only` is empty, in the order of the table. Scenarios
    /// of peers are included only if `peers` is true.
    pub fn select(only: &[Self], peers: bool) -> Vec<Self> {
        let all = Self::value_variants().iter().copied();
        all.filter(|s| only.is_empty() || only.contains(s))
            .filter(|s| peers || !s.server().is_peer())
            .collect()
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Bare => "bare axum, same bytes",
            Self::HandRead => "by hand, read",
            Self::SqlxRead => "by hand with sqlx, read",
            Self::RestRead => "pauta, REST read",
            Self::Mcp2025 => "pauta, MCP read 2025-11-25",
            Self::Mcp2026 => "pauta, MCP read 2026-07-28",
            Self::TypescriptRead => "TypeScript SDK, MCP read",
            Self::FastmcpRead => "FastMCP, MCP read",
            Self::HandWrite => "by hand, CAS write",
            Self::SqlxWrite => "by hand with sqlx, CAS write",
            Self::RestWrite => "pauta, REST CAS write",
            Self::McpWrite => "pauta, MCP CAS write",
            Self::TypescriptWrite => "TypeScript SDK, CAS write",
            Self::FastmcpWrite => "FastMCP, CAS write",
            Self::HandMixed => "by hand, 9 reads : 1 write",
            Self::RestMixed => "pauta, 9 reads : 1 write",
        }
    }

    pub fn server(self) -> ServerKind {
        match self {
            Self::Bare => ServerKind::Bare,
            Self::HandRead | Self::HandWrite | Self::HandMixed => ServerKind::Hand,
            Self::SqlxRead | Self::SqlxWrite => ServerKind::Sqlx,
            Self::TypescriptRead | Self::TypescriptWrite => ServerKind::Typescript,
            Self::FastmcpRead | Self::FastmcpWrite => ServerKind::Fastmcp,
            _ => ServerKind::Pauta,
        }
    }

    fn work(self) -> Work {
        match self {
            Self::HandWrite
            | Self::SqlxWrite
            | Self::RestWrite
            | Self::McpWrite
            | Self::TypescriptWrite
            | Self::FastmcpWrite => Work::Write,
            Self::HandMixed | Self::RestMixed => Work::Mixed,
            _ => Work::Read,
        }
    }

    /// Returns the number of the set of events that the scenario changes. The writing scenarios of one
    /// server change different sets.
    fn event_set(self) -> usize {
        match self {
            Self::McpWrite => 1,
            Self::HandMixed | Self::RestMixed => 2,
            _ => 0,
        }
    }

    fn is_over_mcp(self) -> bool {
        let mcp = [Self::Mcp2025, Self::Mcp2026, Self::McpWrite];
        let libraries = [ServerKind::Typescript, ServerKind::Fastmcp];
        mcp.contains(&self) || libraries.contains(&self.server())
    }

    /// Returns the scenario with the same work on the hand-written server; `None` for bare axum.
    pub fn handwritten_counterpart(self) -> Option<Self> {
        match self.work() {
            _ if self == Self::Bare => None,
            Work::Read => Some(Self::HandRead),
            Work::Write => Some(Self::HandWrite),
            Work::Mixed => Some(Self::HandMixed),
        }
    }

    /// Returns a baseline scenario, and the minimum ratio between the request rates of this scenario and
    /// of the baseline. Returns `None` if the scenario has no target.
    pub fn minimum_ratio_and_baseline(self) -> Option<(f64, Self)> {
        match self {
            Self::RestRead | Self::RestMixed => Some((0.9, self.handwritten_counterpart()?)),
            Self::Mcp2025 | Self::Mcp2026 => Some((0.85, Self::HandRead)),
            Self::RestWrite | Self::McpWrite => Some((1.0, Self::HandWrite)),
            _ => None,
        }
    }

    /// Builds the requests of each connection. Connections share the tokens and write to separate
    /// events.
    pub fn build_requests(self, data: &Data, connections: usize) -> Vec<Request> {
        (0..connections)
            .map(|n| self.build_request(data, n))
            .collect()
    }

    fn build_request(self, data: &Data, connection: usize) -> Request {
        let token = &data.tokens[connection % data.tokens.len()];
        let draft = Draft {
            token: token.clone(),
            event_id: data.drafts[self.event_set()][connection].clone(),
            revision: data.revision,
            over_mcp: self.is_over_mcp(),
        };
        let text = match self {
            Self::Mcp2025 | Self::TypescriptRead | Self::FastmcpRead => {
                mcp_request(token, "2025-11-25", "")
            }
            Self::Mcp2026 => mcp_request(
                token,
                "2026-07-28",
                "Mcp-Method: tools/call\r\nMcp-Name: list_pending_approvals\r\n",
            ),
            _ => format!(
                "GET /api/aprovacoes?limit=20 HTTP/1.1\r\nHost: 127.0.0.1\r\n\
                 Authorization: Bearer {token}\r\nAccept: application/json\r\n\r\n"
            ),
        };
        let read = text.as_bytes().into();
        match self.work() {
            Work::Read => Request::Same(read),
            Work::Write => Request::Draft(draft),
            Work::Mixed => Request::Mixed {
                read,
                draft,
                sent: connection,
            },
        }
    }
}

/// Returns a `tools/call` request that reads, as a client of this protocol version sends it.
fn mcp_request(token: &str, version: &str, headers: &str) -> String {
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

/// Sends each server a few requests and fails unless all return the same data. Returns the response
/// to a read.
pub async fn check_answers(
    chosen: &[Scenario],
    data: &Data,
    servers: &BTreeMap<ServerKind, Server>,
) -> Result<Vec<u8>> {
    let hand = &servers[&ServerKind::Hand];
    let read = request_sample(Scenario::HandRead, data, hand).await?;
    let written = request_sample(Scenario::HandWrite, data, hand).await?;
    let rows = parse(&read)?["pendentes"].as_array().map_or(0, Vec::len);
    ensure!(rows == 20, "the hand-written server returned {rows} events");
    for scenario in chosen {
        let by_hand = [ServerKind::Bare, ServerKind::Hand].contains(&scenario.server());
        if by_hand || scenario.work() == Work::Mixed {
            continue;
        }
        let server = &servers[&scenario.server()];
        let is_write = scenario.work() == Work::Write;
        let mut given = parse(&request_sample(*scenario, data, server).await?)?;
        let mut expected = parse(if is_write { &written } else { &read })?;
        if scenario.is_over_mcp() {
            given = given["result"]["structuredContent"].take();
            // The tool omits the briefing from its list.
            let events = expected.get_mut("pendentes").and_then(Value::as_array_mut);
            for event in events.into_iter().flatten() {
                event.as_object_mut().map(|event| event.remove("briefing"));
            }
        }
        if is_write && let Some(given) = given.as_object_mut() {
            // The service additionally returns the saved values.
            given.remove("description");
            given.remove("due_at");
        }
        strip_signatures(&mut given);
        strip_signatures(&mut expected);
        ensure!(
            given == expected,
            "{} differs from the hand-written server:\n{given:#}\n{expected:#}",
            scenario.title(),
        );
    }
    Ok(read)
}

/// Sends a few requests and returns the last response. The requests use an event that the load does
/// not use.
async fn request_sample(scenario: Scenario, data: &Data, server: &Server) -> Result<Vec<u8>> {
    let mut answer = vec![];
    for revision in data.revision..data.revision + 5 {
        let mut request = scenario.build_request(data, data.drafts[0].len() - 1);
        if let Request::Draft(draft) = &mut request {
            draft.revision = revision;
        }
        answer = load::send_once(server.address, request)
            .await
            .with_context(|| format!("{}: {}", scenario.title(), server.log_tail()))?;
    }
    Ok(answer)
}

/// Reduces each link to its path, because host and signature differ between servers.
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
