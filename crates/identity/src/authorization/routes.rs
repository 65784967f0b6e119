//! The routes of the area.

use gateway::Entry;

use super::{authorize, decide, metadata, register, revoke, sign_in, token};

/// Every route.
pub const PAGES: &[Entry] = &[
    metadata::GET_PROTECTED_RESOURCE,
    metadata::GET_PROTECTED_ALIAS,
    metadata::GET_AUTHORIZATION_SERVER,
    metadata::GET_APPS_CHALLENGE,
    register::REGISTER_CLIENT,
    authorize::AUTHORIZE,
    sign_in::SIGN_IN,
    decide::DECIDE,
    token::ISSUE_TOKEN,
    revoke::REVOKE_TOKEN,
];
