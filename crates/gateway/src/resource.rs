//! Kinds of resources.

use std::fmt;

use futures::future::BoxFuture;

use domain::{Member, Result};
use store::Conn;

/// Refuses (404) a resource that the member may not see.
type Seen = for<'a> fn(Conn<'a>, &'a Member, &'a str) -> BoxFuture<'a, Result<()>>;

/// A kind of resource.
#[derive(Clone, Copy)]
pub struct Resource {
    /// The name in the audit trail.
    pub kind: &'static str,
    seen: Option<Seen>,
}

impl Resource {
    /// A kind that every caller with the capability may see.
    #[must_use]
    pub const fn new(kind: &'static str) -> Self {
        Self { kind, seen: None }
    }

    /// A kind of which each member may see only some.
    #[must_use]
    pub const fn seen_by(self, seen: Seen) -> Self {
        Self {
            seen: Some(seen),
            ..self
        }
    }

    /// Refuses (404) when the member may not see the resource with this id.
    pub(super) async fn require_seen(&self, db: Conn<'_>, member: &Member, id: &str) -> Result<()> {
        match self.seen {
            Some(seen) => seen(db, member, id).await,
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)
    }
}
