//! The limit of open files. Each connection and each spooled upload uses one file descriptor.

/// File descriptors reserved for the database, the storage and outgoing requests.
const OTHERS: u64 = 256;

/// Raises the process's soft limit of open files to what `connections` need, as far as the hard
/// limit allows. Returns how many connections fit.
#[must_use]
pub fn allow_open_files(connections: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let wanted = connections as u64 * 2 + OTHERS;
        let mut limit = getrlimit(Resource::Nofile);
        if limit.current.is_some_and(|current| current < wanted) {
            limit.current = Some(limit.maximum.map_or(wanted, |most| most.min(wanted)));
            let _ = setrlimit(Resource::Nofile, limit);
        }
        let Some(current) = getrlimit(Resource::Nofile).current else {
            return connections;
        };
        let borne = current.saturating_sub(OTHERS) / 2;
        connections.min(usize::try_from(borne.max(16)).unwrap_or(usize::MAX))
    }
    #[cfg(not(unix))]
    connections
}
