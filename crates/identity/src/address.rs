//! Which network an address belongs to.

use std::net::{IpAddr, Ipv6Addr};

/// What of an address counts: all of IPv4, and the /64 of IPv6, which one customer holds whole.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & (u128::MAX << 64);
            Ipv6Addr::from(prefix).into()
        }
        IpAddr::V4(address) => address.into(),
    }
}
