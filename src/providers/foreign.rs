//! HTTP clients for URLs that come from a response or from a client. These URLs are not trusted.
//!
//! Such a URL is fetched only if it is https and its host resolves to public IP addresses. The
//! connection uses the addresses that were checked.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use reqwest::{
    Client, ClientBuilder, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect,
};

/// The connect timeout.
const CONNECT: Duration = Duration::from_secs(10);

/// Returns the builder of every client for a provider. Redirects are not followed, because their
/// targets are not checked.
pub(super) fn client_builder() -> ClientBuilder {
    Client::builder()
        .connect_timeout(CONNECT)
        .redirect(redirect::Policy::none())
}

/// Returns a client for an https URL on the public internet; `None` for any other URL.
pub(super) async fn public_client(url: &Url) -> Option<Client> {
    require_public_client(url).await.ok()
}

/// Returns a client for an https URL on the public internet; otherwise the reason why it is refused.
///
/// The client connects to the IP addresses that were checked. It does not resolve the name again,
/// because the second result could differ.
pub(super) async fn require_public_client(url: &Url) -> Result<Client, String> {
    let host = url.host_str().filter(|_| url.scheme() == "https");
    let host = host.ok_or("the address is not https")?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let port = url.port_or_known_default().unwrap_or(443);
    let found = tokio::net::lookup_host((bare, port)).await;
    let addresses: Vec<SocketAddr> = found
        .map_err(|error| format!("its name was not resolved: {error}"))?
        .collect();
    if addresses.is_empty() || !addresses.iter().all(|address| is_public(address.ip())) {
        return Err("the address is not public".into());
    }
    let client = client_builder()
        .no_proxy()
        .resolve_to_addrs(host, &addresses);
    client.build().map_err(|error| error.to_string())
}

/// Returns the builder of a client for many hosts of the public internet. A name that resolves to a
/// private address is refused when the connection is made. Callers themselves must refuse a URL whose
/// host is a private IP address ([`has_private_ip_host`]).
pub(super) fn public_client_builder() -> ClientBuilder {
    client_builder()
        .no_proxy()
        .https_only(true)
        .dns_resolver(Arc::new(PublicNames))
}

/// Resolves names to public IP addresses only.
struct PublicNames;

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await;
            let addresses: Vec<SocketAddr> = found.map_err(|_| NotPublic)?.collect();
            match !addresses.is_empty() && addresses.iter().all(|one| is_public(one.ip())) {
                true => Ok(Box::new(addresses.into_iter()) as Addrs),
                false => Err(NotPublic.into()),
            }
        })
    }
}

/// A name does not exist, or resolves to an address that is not public.
#[derive(Debug)]
struct NotPublic;

impl std::fmt::Display for NotPublic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the name is not on the public internet")
    }
}

impl std::error::Error for NotPublic {}

/// True if a request failed because its host is not on the public internet.
pub(super) fn is_not_public(error: &reqwest::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if cause.is::<NotPublic>() {
            return true;
        }
        source = cause.source();
    }
    false
}

/// True if the host of the URL is an IP address that is not public.
pub(super) fn has_private_ip_host(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse().is_ok_and(|ip| !is_public(ip))
}

/// Whether the IP address is public, according to IANA's special-purpose registries.
fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            let [a, b, ..] = ip.octets();
            let shared = a == 100 && (64..128).contains(&b);
            let reserved = a == 0
                || a >= 240
                || (a == 192 && b == 0)
                || (a == 198 && b / 2 == 9)
                // The prefix of 6to4 relay anycast.
                || ip.octets()[..3] == [192, 88, 99];
            !(ip.is_private()
                || ip.is_loopback()
                || ip.is_link_local()
                || ip.is_multicast()
                || ip.is_documentation()
                || shared
                || reserved)
        }
        IpAddr::V6(ip) => {
            let [a, b, ..] = ip.segments();
            // Excludes addresses that embed an IPv4 address (Teredo, 6to4), and those reserved for
            // protocols and documentation.
            let special = (a == 0x2001 && (b < 0x200 || b == 0xdb8))
                || a == 0x2002
                || (a == 0x3fff && b < 0x1000);
            a & 0xe000 == 0x2000 && !special
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_private_networks_are_not_public() {
        for closed in [
            "0.0.0.0",
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fd00::1",
            "fe80::1",
            "ff02::1",
            "2001:db8::1",
            "::ffff:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "2002:a00:1::1",
            "2001::1",
            "3fff::1",
            "192.88.99.1",
        ] {
            assert!(!is_public(closed.parse().expect("an address")), "{closed}");
        }
        for open in ["93.184.216.34", "2606:4700::1111"] {
            assert!(is_public(open.parse().expect("an address")), "{open}");
        }
    }

    #[tokio::test]
    async fn only_https_urls_with_public_addresses_get_a_client() {
        crate::providers::install_tls_provider();
        for (url, there_is) in [
            ("https://93.184.216.34/a.png", true),
            ("https://[2606:4700::1111]/a.png", true),
            ("http://93.184.216.34/a.png", false),
            ("https://[::1]/a.png", false),
            ("https://localhost/a.png", false),
            ("data:image/png;base64,AAAA", false),
        ] {
            let url = Url::parse(url).expect("a URL");
            assert_eq!(public_client(&url).await.is_some(), there_is, "{url}");
        }
    }
}
