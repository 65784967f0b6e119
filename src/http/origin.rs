//! Reads the origin of a call from the HTTP request.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::{
    extract::{ConnectInfo, Request},
    http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts},
};
use gateway::{Door, Origin, Progress, RequestHead, TraceParent};
use ipnet::IpNet;

/// A request id: the client's if it is plain text, otherwise a new one.
#[derive(Clone)]
pub struct RequestId(pub Arc<str>);

impl RequestId {
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        let plain = |text: &&str| {
            (1..=64).contains(&text.len())
                && text
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        };
        let given = headers
            .get("x-request-id")
            .and_then(|v| v.to_str().ok())
            .filter(plain);
        Self(given.map_or_else(|| domain::random_text::<12>().into(), Into::into))
    }
}

/// Returns the token of `Authorization: Bearer`. Cookies and other schemes are ignored.
pub fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let (scheme, credential) = value.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| credential.trim())
}

/// Returns the value of a secret header; `None` unless the header occurs exactly once.
pub(super) fn single_header(headers: &HeaderMap, name: &str) -> Option<String> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    Some(value.to_str().ok()?.to_owned())
}

/// Returns the interface, request id, client and IP address of a request.
pub fn call_origin(parts: &Parts, door: Door) -> Origin {
    let request_id = parts
        .extensions
        .get::<RequestId>()
        .map(|id| id.0.to_string());
    let agent = parts
        .headers
        .get(header::USER_AGENT)
        .and_then(|v| v.to_str().ok());
    Origin {
        door,
        request_id: request_id.unwrap_or_default(),
        trace: trace_parent(&parts.headers),
        client: agent.map(|text| text.chars().take(120).collect()),
        address: parts
            .extensions
            .get::<ClientAddress>()
            .map(|address| address.0),
        secret: None,
        head: RequestHead::default(),
        progress: Progress::default(),
    }
}

/// Returns the trace of the header `traceparent`.
pub(super) fn trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
    let value = headers.get("traceparent")?.to_str().ok()?;
    TraceParent::parse(value)
}

/// Returns the headers that only pages use.
pub(super) fn request_head(parts: &Parts) -> RequestHead {
    let headers = &parts.headers;
    let text = |name| {
        let value = headers
            .get(name)
            .and_then(|v: &HeaderValue| v.to_str().ok());
        value.map(str::to_owned)
    };
    RequestHead {
        if_none_match: text(header::IF_NONE_MATCH),
        if_range: text(header::IF_RANGE),
        range: text(header::RANGE),
        accept_encoding: text(header::ACCEPT_ENCODING),
        cookie: text(header::COOKIE),
        origin: text(header::ORIGIN),
        fetch_site: text(HeaderName::from_static("sec-fetch-site")),
        host: text(header::HOST),
        partial: headers.contains_key("hx-request"),
        address: parts
            .uri
            .path_and_query()
            .map_or_else(|| "/".into(), ToString::to_string),
        basic: basic_credentials(headers),
    }
}

/// Returns the encoded credentials of `Authorization: Basic`.
fn basic_credentials(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, credential) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("basic")
        .then(|| credential.trim().to_owned())
}

/// The client's IP address: the peer or, behind trusted proxies, the last forwarded address that is
/// not a proxy.
#[derive(Clone, Copy)]
pub(super) struct ClientAddress(pub IpAddr);

/// Determines the client's IP address. Addresses before an unreadable one may be forged and are
/// ignored.
pub(super) fn client_address(request: &Request, proxies: &[IpNet]) -> Option<ClientAddress> {
    let ConnectInfo(peer) = request.extensions().get::<ConnectInfo<SocketAddr>>()?;
    let peer = peer.ip().to_canonical();
    let trusted = |ip: &IpAddr| proxies.iter().any(|network| network.contains(ip));
    if !trusted(&peer) {
        return Some(ClientAddress(peer));
    }
    let forwarded = request.headers().get_all("x-forwarded-for").iter();
    let hops: Vec<Option<IpAddr>> = forwarded
        .flat_map(|value| value.to_str().unwrap_or_default().split(','))
        .map(parse_hop)
        .collect();
    let mut hops = hops.into_iter().rev().map_while(|hop| hop);
    let client = hops.find(|hop| !trusted(hop)).unwrap_or(peer);
    Some(ClientAddress(client))
}

/// Parses an address of `X-Forwarded-For`, with or without a port.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let with_port = || text.parse().ok().map(|hop: SocketAddr| hop.ip());
    let address: Option<IpAddr> = text.parse().ok().or_else(with_port);
    address.map(|address| address.to_canonical())
}
