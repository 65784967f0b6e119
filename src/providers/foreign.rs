//! Clients for addresses in a provider's answer, which are never trusted.
//!
//! An address that a provider returns is followed only to the origin of the provider or to public
//! addresses over https, and the connection uses the addresses that were checked.

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use reqwest::{Client, ClientBuilder, Url, redirect};

/// The timeout of connecting.
const CONNECT: Duration = Duration::from_secs(10);

/// The base of every client for a provider. Redirects are not followed, because their target is not
/// checked.
pub(super) fn client() -> ClientBuilder {
    Client::builder()
        .connect_timeout(CONNECT)
        .redirect(redirect::Policy::none())
}

/// A client for an https address on the public internet; `None` for any other.
pub(super) async fn client_for(url: &Url) -> Option<Client> {
    reach(url).await.ok()
}

/// A client for an https address on the public internet; otherwise the reason why there is none.
///
/// It connects to the addresses that were checked. The name is not resolved again, because it could
/// then resolve to other addresses.
pub(super) async fn reach(url: &Url) -> Result<Client, String> {
    let host = url.host_str().filter(|_| url.scheme() == "https");
    let host = host.ok_or("the address is not https")?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let port = url.port_or_known_default().unwrap_or(443);
    let found = tokio::net::lookup_host((bare, port)).await;
    let addresses: Vec<SocketAddr> = found
        .map_err(|error| format!("its name was not resolved: {error}"))?
        .collect();
    if addresses.is_empty() || !addresses.iter().all(|address| is_open(address.ip())) {
        return Err("the address is not public".into());
    }
    let client = client().no_proxy().resolve_to_addrs(host, &addresses);
    client.build().map_err(|error| error.to_string())
}

/// Whether the address belongs to the public internet (IANA's special-purpose registries).
fn is_open(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            let [a, b, ..] = ip.octets();
            let shared = a == 100 && (64..128).contains(&b);
            let reserved = a == 0
                || a >= 240
                || (a == 192 && b == 0)
                || (a == 198 && b / 2 == 9)
                // The relays of 6to4.
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
            // Excludes global addresses that embed an IPv4 address (Teredo, 6to4), and those for
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
    fn addresses_of_closed_networks_are_not_open() {
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
            assert!(!is_open(closed.parse().expect("an address")), "{closed}");
        }
        for open in ["93.184.216.34", "2606:4700::1111"] {
            assert!(is_open(open.parse().expect("an address")), "{open}");
        }
    }

    #[tokio::test]
    async fn only_https_to_open_addresses_has_a_client() {
        crate::providers::choose_tls();
        for (url, there_is) in [
            ("https://93.184.216.34/a.png", true),
            ("https://[2606:4700::1111]/a.png", true),
            ("http://93.184.216.34/a.png", false),
            ("https://[::1]/a.png", false),
            ("https://localhost/a.png", false),
            ("data:image/png;base64,AAAA", false),
        ] {
            let url = Url::parse(url).expect("a URL");
            assert_eq!(client_for(&url).await.is_some(), there_is, "{url}");
        }
    }
}
