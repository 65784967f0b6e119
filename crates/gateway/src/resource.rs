//! Kinds of resources.
//!
//! A kind is a value of its area, and decides who may see a resource of this kind. So no operation
//! can forget the check.

use std::fmt;

use futures::future::BoxFuture;

use domain::{Member, Result};
use store::Conn;

/// Refuses (404) a resource that the member may not see.
type Seen = for<'a> fn(Conn<'a>, &'a Member, &'a str) -> BoxFuture<'a, Result<()>>;

/// Returns true if the member is notified of a change of this resource.
type Told = for<'a> fn(Conn<'a>, &'a Member, &'a str) -> BoxFuture<'a, Result<bool>>;

/// A kind of resource.
#[derive(Clone, Copy)]
pub struct Resource {
    /// The name in the audit trail.
    pub kind: &'static str,
    seen: Option<Seen>,
    told: Option<Told>,
}

impl Resource {
    /// A kind that every caller with the capability may see.
    #[must_use]
    pub const fn new(kind: &'static str) -> Self {
        Self {
            kind,
            seen: None,
            told: None,
        }
    }

    /// Gives the kind per-member visibility: each member may see only some of its resources.
    #[must_use]
    pub const fn seen_by(self, seen: Seen) -> Self {
        Self {
            seen: Some(seen),
            ..self
        }
    }

    /// Sends each change only to a chosen audience. Without this, all members who can read the area
    /// are notified.
    #[must_use]
    pub const fn told_to(self, told: Told) -> Self {
        Self {
            told: Some(told),
            ..self
        }
    }

    pub(super) fn has_own_watchers(&self) -> bool {
        self.told.is_some()
    }

    /// True if the member is notified of a change of the resource with this id.
    pub(super) async fn is_told(&self, db: Conn<'_>, member: &Member, id: &str) -> Result<bool> {
        match self.told {
            Some(told) => told(db, member, id).await,
            None => Ok(true),
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
