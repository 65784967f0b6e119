//! Operations that can be called next with a part of an answer.

/// An operation that takes a part of another operation's answer.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// The name of the next operation.
    pub operation: &'static str,
    /// The input fields of the next operation, each with a JSON pointer to its value in the answer.
    pub inputs: &'static [(&'static str, &'static str)],
}
