//! Operations that can be called next with a part of an answer.

/// An operation that takes a part of another operation's answer.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// The name of the next operation.
    pub operation: &'static str,
    /// Its input fields, each with a JSON pointer into the answer.
    pub inputs: &'static [(&'static str, &'static str)],
}
