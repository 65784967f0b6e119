//! Access rules of operations.

use domain::Capability;

/// The credential of another service: a shared secret sent in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedSecret {
    /// The setting that contains the secret. While it is not set, no request matches.
    pub setting: &'static str,
    /// The name of the header, in lower case.
    pub header: &'static str,
    /// A member with this capability may call too.
    pub or: Option<Capability>,
}

/// Who may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone, without a credential.
    Public,
    /// Any active member, with a session or a token.
    AnyMember,
    /// A member with the capability, with a session or a token.
    Member(Capability),
    /// A member with any of the capabilities; the input decides which one is needed.
    MemberAny(&'static [Capability]),
    /// Any active member in an interactive session.
    AnySession,
    /// A member with the capability in an interactive session.
    Session(Capability),
    /// A member who is signed in in a browser: a page of the web console.
    Browser,
    /// A webhook: the operation itself checks the sender's signature. A member's credential is
    /// optional.
    Webhook,
    /// Another service, by a shared secret.
    SharedSecret(SharedSecret),
}

impl Access {
    /// The capabilities of which the caller needs one; empty if the rule asks for none.
    #[must_use]
    pub const fn capabilities(&self) -> &[Capability] {
        match self {
            Access::Member(capability) | Access::Session(capability) => {
                std::slice::from_ref(capability)
            }
            Access::MemberAny(capabilities) => capabilities,
            Access::Public
            | Access::AnyMember
            | Access::AnySession
            | Access::Browser
            | Access::Webhook
            | Access::SharedSecret(_) => &[],
        }
    }

    #[must_use]
    pub const fn session_only(self) -> bool {
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
