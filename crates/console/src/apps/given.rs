use domain::time::Millis;

/// The values that a fragment needs besides the answer.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The public address of the service. Links begin with it.
    pub base: &'a str,
    pub now: Millis,
}
