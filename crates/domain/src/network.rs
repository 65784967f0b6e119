//! Address ranges for rate limits.

use std::net::{IpAddr, Ipv6Addr};

/// Returns the range that counts as one unauthenticated sender: an IPv4 address, or the /48 of an IPv6
/// address. Providers assign a /48 to one site (RFC 6177).
#[must_use]
pub fn site_prefix(address: IpAddr) -> IpAddr {
    match network_prefix(address) {
        IpAddr::V6(network) => {
            let prefix = u128::from(network) & (u128::MAX << 80);
            Ipv6Addr::from(prefix).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// Returns the range that counts as one client: an IPv4 address, or the /64 of an IPv6 address. An
/// IPv4-mapped IPv6 address counts as IPv4.
#[must_use]
pub fn network_prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & (u128::MAX << 64);
            Ipv6Addr::from(prefix).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}
