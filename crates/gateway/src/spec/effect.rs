//! The effect of a call: its method, its kind of effect, and how the gateway runs it.

use domain::text_enum;

text_enum! {
    /// An HTTP method.
    pub enum Verb {
        Get = "GET",
        Post = "POST",
        Put = "PUT",
        Patch = "PATCH",
        Delete = "DELETE",
    }
}

/// The kind of effect, published as the MCP hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Read,
    /// The operation only adds data.
    Write,
    /// The operation overwrites or removes data, or makes data public.
    Destroy,
}

/// The way in which the gateway runs the effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// Writes only our own database, in one transaction that the gateway owns.
    Local,
    /// Calls outside services or commits in steps. A leased reservation protects the idempotency
    /// key.
    Outside,
}
