//! Resource kinds.
//!
//! Each kind is a value of its area and defines who may see its resources, so that no operation can
//! forget the check.

use std::fmt;

use futures::future::BoxFuture;

use domain::{Code, Member, Result};
use store::Conn;

/// Fails with 404 if the member may not see the resource.
type Seen = for<'a> fn(Conn<'a>, &'a Member, &'a str) -> BoxFuture<'a, Result<()>>;

/// Returns true if the member is notified of changes of this resource.
type Audience = for<'a> fn(Conn<'a>, &'a Member, &'a str) -> BoxFuture<'a, Result<bool>>;

/// A resource kind.
///
/// ```
/// use gateway::{Access, Error, Resource, Spec, Verb};
///
/// /// Notes. A member sees only the notes whose id starts with the member's id.
/// const NOTE: Resource = Resource::new("note").with_visibility(|_db, member, id| {
///     Box::pin(async move {
///         match id.starts_with(member.id.as_str()) {
///             true => Ok(()),
///             false => Err(Error::not_found("nota")),
///         }
///     })
/// });
///
/// const SPEC: Spec = Spec::new("delete_note", "Apagar nota", Verb::Delete, "/api/notas/{id}")
///     .access(Access::AnyMember)
///     .about(NOTE, "id");
/// assert_eq!(SPEC.resource.map(|(resource, field)| (resource.kind, field)), Some(("note", Some("id"))));
/// ```
#[derive(Clone, Copy)]
pub struct Resource {
    /// The name of the kind in the audit trail.
    pub kind: &'static str,
    seen: Option<Seen>,
    audience: Option<Audience>,
}

impl Resource {
    /// Creates a kind whose resources every caller with the capability may see.
    #[must_use]
    pub const fn new(kind: &'static str) -> Self {
        Self {
            kind,
            seen: None,
            audience: None,
        }
    }

    /// Sets per-member visibility: each member may see only some of the resources.
    #[must_use]
    pub const fn with_visibility(self, seen: Seen) -> Self {
        Self {
            seen: Some(seen),
            ..self
        }
    }

    /// Sets the audience: changes are sent only to these members. Without an audience, all members
    /// who can read the area are notified.
    #[must_use]
    pub const fn with_audience(self, audience: Audience) -> Self {
        Self {
            audience: Some(audience),
            ..self
        }
    }

    /// True if the member may see the resource with this id. This is for code that searches on
    /// behalf of a member; the gateway itself checks the resource of a call.
    pub async fn is_visible_to(&self, db: Conn<'_>, member: &Member, id: &str) -> Result<bool> {
        match self.require_visible(db, member, id).await {
            Ok(()) => Ok(true),
            Err(error) if error.code == Code::NOT_FOUND => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) fn has_audience(&self) -> bool {
        self.audience.is_some()
    }

    /// True if the member is notified of changes of the resource with this id.
    pub(super) async fn notifies_member(
        &self,
        db: Conn<'_>,
        member: &Member,
        id: &str,
    ) -> Result<bool> {
        match self.audience {
            Some(audience) => audience(db, member, id).await,
            None => Ok(true),
        }
    }

    /// Fails with 404 if the member may not see the resource with this id.
    pub(super) async fn require_visible(
        &self,
        db: Conn<'_>,
        member: &Member,
        id: &str,
    ) -> Result<()> {
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
