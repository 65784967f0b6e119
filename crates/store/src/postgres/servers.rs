//! The servers of an address, and which of them a session may use.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    Tcp(String),
    /// The folder of the socket.
    Socket(PathBuf),
}

impl Host {
    pub fn parse(text: &str) -> Self {
        if text.starts_with('/') {
            Self::Socket(text.into())
        } else {
            // An IPv6 address is in brackets in a URL, but not in the address to connect to.
            Self::Tcp(text.trim_matches(['[', ']']).to_owned())
        }
    }
}

/// One server of the address.
#[derive(Clone)]
pub(super) struct Server {
    pub host: Host,
    pub port: u16,
    /// The password from the URL, the environment, or the line of the password file for this server.
    pub password: Option<String>,
}

impl Server {
    /// Returns the path of the socket file in this folder.
    pub fn socket_file(&self, folder: &Path) -> PathBuf {
        folder.join(format!(".s.PGSQL.{}", self.port))
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Socket(folder) => folder.display().fmt(f),
            Host::Tcp(host) => write!(f, "{host}:{}", self.port),
        }
    }
}

/// The state in which a server is usable (`target_session_attrs` of libpq). Values that require a
/// standby are not supported, because the service writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Any,
    /// Not a standby.
    Primary,
    /// A server whose transactions may write.
    ReadWrite,
}

impl Target {
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "any" => Self::Any,
            "primary" => Self::Primary,
            "read-write" => Self::ReadWrite,
            _ => return None,
        })
    }

    pub fn accepts(self, state: ServerState) -> bool {
        match self {
            Self::Any => true,
            Self::Primary => !state.is_standby,
            Self::ReadWrite => !state.is_standby && !state.is_read_only,
        }
    }
}

/// The state that a server reports when a session begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerState {
    pub is_standby: bool,
    /// Whether transactions are read-only by default.
    pub is_read_only: bool,
}

/// Splits the hosts of a URL with several hosts from the rest of the URL. Returns the URL with only its
/// first host, which a URL parser accepts, and the text of all hosts.
pub(super) fn split_hosts(url: &str) -> Option<(String, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let hosts = authority
        .rsplit_once('@')
        .map_or(authority, |(_, hosts)| hosts);
    let (first, _) = hosts.split_once(',')?;
    let user = &authority[..authority.len() - hosts.len()];
    Some((format!("{scheme}://{user}{first}{tail}"), hosts))
}

/// Splits `host:port`; the port is optional. Returns `None` if the port is not a number.
pub(super) fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    // The colons of an IPv6 address are inside its brackets.
    let end = text.rfind(']').unwrap_or_default();
    match text[end..].rfind(':') {
        Some(colon) => {
            let (host, port) = text.split_at(end + colon);
            Some((host, Some(port[1..].parse().ok()?)))
        }
        None => Some((text, None)),
    }
}
