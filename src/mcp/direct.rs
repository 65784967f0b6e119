//! Requests that are dispatched without the protocol library's service.
//!
//! The library's task, channels and untagged parsing for each request cost as much as a call
//! itself. So the two requests that agents repeat, `tools/call` and `tools/list`, are recognised
//! here if they follow every rule of the transport and the metadata and contain nothing unusual.
//! All other requests go to the library, which therefore makes every protocol refusal.

use axum::http::{HeaderMap, header, request::Parts, uri::Authority};
use gateway::Input;
use rmcp::model::{ProtocolVersion, RequestId, RequestMetaObject};
use serde::Deserialize;
use serde_json::Value;

use super::era::{VERSION, is_stateless};

const PROTOCOL: &str = "mcp-protocol-version";
const MODERN: ProtocolVersion = ProtocolVersion::V_2026_07_28;

/// A recognised request.
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
    /// The request in this envelope, without its arguments; `None` if the library must handle it.
    pub(super) fn of(hosts: &Hosts, parts: &Parts, envelope: &Input) -> Option<Self> {
        let headers = &parts.headers;
        if !hosts.allow(headers) || headers.contains_key(header::ORIGIN) {
            return None;
        }
        only(envelope, &["jsonrpc", "id", "method", "params"])?;
        let id = RequestId::deserialize(envelope.get("id")?).ok()?;
        let method = envelope.get("method")?.as_str()?;
        let none = Input::new();
        let params = match envelope.get("params") {
            None => &none,
            Some(params) => params.as_object()?,
        };
        let asked = match method {
            "tools/call" => {
                only(params, &["name", "arguments", "_meta"])?;
                match params.get("arguments") {
                    None | Some(Value::Null | Value::Object(_)) => {}
                    Some(_) => return None,
                }
                Asked::Call(params.get("name")?.as_str()?.to_owned())
            }
            "tools/list" => {
                only(params, &["_meta"])?;
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
                require(version == MODERN.as_str() && sole(headers, PROTOCOL) == version.as_str())?;
                require(meta.missing_required_keys(&MODERN).is_empty())?;
                require(sole(headers, "mcp-method") == Some(method))?;
                if let Asked::Call(name) = &asked {
                    require(sole(headers, "mcp-name") == Some(name))?;
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

/// `None` if the object has any field besides these.
fn only(object: &Input, fields: &[&str]) -> Option<()> {
    require(object.keys().all(|name| fields.contains(&name.as_str())))
}

/// The value of a header that occurs exactly once.
fn sole<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Whether a request without a version in its metadata belongs to a revision with `initialize`.
fn is_legacy(headers: &HeaderMap) -> bool {
    let known = |version: &str| {
        let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
        known.any(|v| v.as_str() == version) && !is_stateless(version)
    };
    !headers.contains_key(PROTOCOL) || sole(headers, PROTOCOL).is_some_and(known)
}

/// The accepted hosts: a name, and a port if only that port is accepted.
pub(super) struct Hosts(Vec<(String, Option<u16>)>);

impl Hosts {
    /// The same hosts that the library is configured with.
    pub(super) fn new(allowed: &[String]) -> Self {
        let known = allowed.iter().filter_map(|host| authority(host));
        Self(known.collect())
    }

    fn allow(&self, headers: &HeaderMap) -> bool {
        let host = sole(headers, header::HOST.as_str()).and_then(authority);
        host.is_some_and(|(name, port)| {
            let mut allowed = self.0.iter();
            allowed.any(|(host, only)| *host == name && (only.is_none() || *only == port))
        })
    }
}

fn authority(text: &str) -> Option<(String, Option<u16>)> {
    let authority = Authority::try_from(text).ok()?;
    Some((authority.host().to_ascii_lowercase(), authority.port_u16()))
}
