//! Access rules of operations.

use domain::{Capability, GuestRight};

/// A shared secret that authenticates another service. It is sent in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedSecret {
    /// The setting that contains the secret. If it is not set, no request is accepted.
    pub setting: &'static str,
    /// The header that carries the secret, in lower case.
    pub header: &'static str,
    /// A member with this capability may call the operation too.
    pub or: Option<Capability>,
}

/// The access rule of an operation: the callers that it accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone, without a credential.
    Public,
    /// Any active member, with a session or a token.
    AnyMember,
    /// A member with the capability, with a session or a token.
    Member(Capability),
    /// A member with any of these capabilities; the input determines which one is required.
    MemberAny(&'static [Capability]),
    /// Any active member in an interactive session.
    AnySession,
    /// A member with the capability in an interactive session.
    Session(Capability),
    /// A member signed in in a browser. The operation is a page of the web console.
    Browser,
    /// A webhook. The operation itself verifies the sender's signature; a member's credential is
    /// optional.
    Webhook,
    /// Another service, authenticated by a shared secret.
    SharedSecret(SharedSecret),
    /// A caller with the signed link of an upload. The call has the rights of the credential that
    /// requested the link, and these rights must include the capability.
    UploadLink(Capability),
    /// The guest of a link with at least this right, who has entered the code of the link if it has
    /// one. `None` accepts every guest; it is for the page on which guests enter the code.
    Guest(Option<GuestRight>),
}

impl Access {
    /// Returns the capabilities of which the caller needs at least one; empty if no capability is
    /// required.
    #[must_use]
    pub const fn capabilities(&self) -> &[Capability] {
        match self {
            Access::Member(capability)
            | Access::Session(capability)
            | Access::UploadLink(capability) => std::slice::from_ref(capability),
            Access::MemberAny(capabilities) => capabilities,
            Access::Public
            | Access::AnyMember
            | Access::AnySession
            | Access::Browser
            | Access::Webhook
            | Access::SharedSecret(_)
            | Access::Guest(_) => &[],
        }
    }

    #[must_use]
    pub const fn requires_session(self) -> bool {
        matches!(
            self,
            Access::AnySession | Access::Session(_) | Access::Browser
        )
    }

    #[must_use]
    pub const fn is_public(self) -> bool {
        matches!(self, Access::Public | Access::Webhook)
    }
}
