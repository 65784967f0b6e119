//! Dispatches frequent requests without the protocol library's service.
//!
//! The library's task, channels and untagged parsing cost as much per request as the call itself.
//! So `tools/call` and `tools/list` are handled here, if they follow every rule of the transport
//! and of `_meta` and have no unusual field. All other requests go to the library, which therefore
//! generates every protocol error.

use axum::http::{HeaderMap, header, request::Parts, uri::Authority};
use gateway::Input;
use rmcp::model::{ProtocolVersion, RequestId, RequestMetaObject};
use serde::Deserialize;
use serde_json::Value;

use super::era::{VERSION, is_stateless};

const PROTOCOL: &str = "mcp-protocol-version";
const MODERN: ProtocolVersion = ProtocolVersion::V_2026_07_28;

/// A request that is handled without the protocol library.
pub(super) struct Direct {
    pub(super) id: RequestId,
    pub(super) asked: Asked,
    pub(super) meta: RequestMetaObject,
    pub(super) is_modern: bool,
}

pub(super) enum Asked {
    /// A call of the tool with this name.
    Call(String),
    /// A list of the tools.
    List,
}

impl Direct {
    /// Recognises the request in a message without its arguments; `None` if the library must handle
    /// it.
    pub(super) fn recognise(hosts: &Hosts, parts: &Parts, envelope: &Input) -> Option<Self> {
        let headers = &parts.headers;
        if !hosts.accepts_host(headers) || headers.contains_key(header::ORIGIN) {
            return None;
        }
        require_only_fields(envelope, &["jsonrpc", "id", "method", "params"])?;
        let id = RequestId::deserialize(envelope.get("id")?).ok()?;
        let method = envelope.get("method")?.as_str()?;
        let none = Input::new();
        let params = match envelope.get("params") {
            None => &none,
            Some(params) => params.as_object()?,
        };
        let asked = match method {
            "tools/call" => {
                require_only_fields(params, &["name", "arguments", "_meta"])?;
                match params.get("arguments") {
                    None | Some(Value::Null | Value::Object(_)) => {}
                    Some(_) => return None,
                }
                Asked::Call(params.get("name")?.as_str()?.to_owned())
            }
            "tools/list" => {
                require_only_fields(params, &["_meta"])?;
                Asked::List
            }
            _ => return None,
        };
        let meta = match params.get("_meta") {
            None => Input::new(),
            Some(meta) => meta.as_object()?.clone(),
        };
        let version = meta.get(VERSION).cloned();
        let meta = RequestMetaObject::from(meta);
        let is_modern = version.is_some();
        match version {
            None => require(is_legacy(headers))?,
            Some(version) => {
                require(
                    version == MODERN.as_str()
                        && single_header(headers, PROTOCOL) == version.as_str(),
                )?;
                require(meta.missing_required_keys(&MODERN).is_empty())?;
                require(single_header(headers, "mcp-method") == Some(method))?;
                if let Asked::Call(name) = &asked {
                    require(single_header(headers, "mcp-name") == Some(name))?;
                }
            }
        }
        Some(Self {
            id,
            asked,
            meta,
            is_modern,
        })
    }
}

fn require(holds: bool) -> Option<()> {
    holds.then_some(())
}

/// Returns `None` if the object has a field that is not in `fields`.
fn require_only_fields(object: &Input, fields: &[&str]) -> Option<()> {
    require(object.keys().all(|name| fields.contains(&name.as_str())))
}

/// Returns the value of a header; `None` unless the header occurs exactly once.
fn single_header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Whether a request without a version in `_meta` belongs to a protocol revision with `initialize`.
fn is_legacy(headers: &HeaderMap) -> bool {
    let known = |version: &str| {
        let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
        known.any(|v| v.as_str() == version) && !is_stateless(version)
    };
    !headers.contains_key(PROTOCOL) || single_header(headers, PROTOCOL).is_some_and(known)
}

/// The accepted hosts: a name, and a port if only that port is accepted.
pub(super) struct Hosts(Vec<(String, Option<u16>)>);

impl Hosts {
    /// Parses the same host list that the protocol library gets.
    pub(super) fn new(allowed: &[String]) -> Self {
        let known = allowed.iter().filter_map(|host| parse_authority(host));
        Self(known.collect())
    }

    fn accepts_host(&self, headers: &HeaderMap) -> bool {
        let host = single_header(headers, header::HOST.as_str()).and_then(parse_authority);
        host.is_some_and(|(name, port)| {
            let mut allowed = self.0.iter();
            allowed.any(|(host, only)| *host == name && (only.is_none() || *only == port))
        })
    }
}

fn parse_authority(text: &str) -> Option<(String, Option<u16>)> {
    let authority = Authority::try_from(text).ok()?;
    Some((authority.host().to_ascii_lowercase(), authority.port_u16()))
}
