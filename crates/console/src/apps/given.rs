use domain::time::Millis;

/// What a fragment is drawn with, besides the answer.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The public address of the service, which links begin with.
    pub base: &'a str,
    pub now: Millis,
}
