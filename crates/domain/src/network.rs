//! Which network an address belongs to.

use std::net::{IpAddr, Ipv6Addr};

/// The site that one stranger has for itself: a whole IPv4 address, or the /48 of an IPv6 address, which is
/// what a provider assigns (RFC 6177).
#[must_use]
pub fn site(address: IpAddr) -> IpAddr {
    match network(address) {
        IpAddr::V6(network) => {
            let prefix = u128::from(network) & (u128::MAX << 80);
            Ipv6Addr::from(prefix).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// The network that one client has for itself: a whole IPv4 address, or the /64 of an IPv6 address.
/// An IPv4 address that is mapped into IPv6 counts as IPv4.
#[must_use]
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & (u128::MAX << 64);
            Ipv6Addr::from(prefix).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}
