//! The routes of the area.

use gateway::Entry;

use super::{authorize, decide, metadata, password, register, revoke, sign_in, token};
use crate::hosted;

/// Every route.
pub const PAGES: &[Entry] = &[
    metadata::GET_PROTECTED_RESOURCE,
    metadata::GET_PROTECTED_ALIAS,
    metadata::GET_AUTHORIZATION_SERVER,
    metadata::GET_APPS_CHALLENGE,
    register::REGISTER_CLIENT,
    authorize::AUTHORIZE,
    sign_in::SIGN_IN,
    hosted::SIGN_IN_AT_ISSUER,
    hosted::RETURN_FROM_ISSUER,
    password::CHANGE_PAGE,
    password::CHANGE_PASSWORD,
    password::REDEEM_PAGE,
    password::REDEEM_PASTED,
    decide::DECIDE,
    token::ISSUE_TOKEN,
    revoke::REVOKE_TOKEN,
];
