use domain::{Capability, Level};
use serde::Deserialize;

/// The API access of the member: the rights that agents and tokens can have.
#[derive(Deserialize)]
pub(super) struct Access {
    pub member: AccessMember,
    pub capabilities: Vec<Capability>,
}

#[derive(Deserialize)]
pub(super) struct AccessMember {
    pub effective_api_access_level: Level,
}
