//! The area of the authorization server: its name, error codes and routes.

use gateway::{Area, Part};

use super::{
    AuthorizationServer, CODES, at_issuer, authorize, decide, metadata, password, register, revoke,
    sign_in, token,
};

/// The area of the authorization server.
pub static AREA: Area = Area::new(
    "oauth",
    "Servidor de autorização OAuth 2.1 dos agentes: metadados, clientes, consentimento e tokens.",
)
.codes(CODES)
.required_parts(&[Part::of_type::<AuthorizationServer>("AuthorizationServer")])
.announces_nothing()
.pages(&[
    metadata::GET_PROTECTED_RESOURCE,
    metadata::GET_PROTECTED_ALIAS,
    metadata::GET_AUTHORIZATION_SERVER,
    metadata::GET_APPS_CHALLENGE,
    register::REGISTER_CLIENT,
    authorize::AUTHORIZE,
    sign_in::SIGN_IN,
    at_issuer::SIGN_IN_AT_ISSUER,
    at_issuer::RETURN_FROM_ISSUER,
    password::CHANGE_PAGE,
    password::CHANGE_PASSWORD,
    password::REDEEM_PAGE,
    password::REDEEM_PASTED,
    decide::DECIDE,
    token::ISSUE_TOKEN,
    revoke::REVOKE_TOKEN,
]);
