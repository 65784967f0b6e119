//! Clients: found by their id, and authenticated at the token endpoint.

use base64::{Engine, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;
use subtle::ConstantTimeEq;
use url::Url;

use super::{AUTHORIZATION_REFUSED, INVALID_CLIENT, document, server::AuthorizationServer};
use domain::{
    ClientId, Error, Result, sha256_hex,
    time::{DAY, HOUR, MINUTE, Millis},
};
use gateway::Context;
use store::agents::clients::{self, Client};

/// The bounds of how long a copy of a document is used, and how long without a word of the publisher.
const SHORTEST: Millis = 5 * MINUTE;
const LONGEST: Millis = 24 * HOUR;
const USUAL: Millis = HOUR;
/// How long a copy is used while the document cannot be fetched.
const STALE: Millis = 7 * DAY;

/// The client with this id, for the authorization page. A document that is not fresh is fetched.
pub(super) async fn resolve(ctx: &Context<'_>, id: &ClientId) -> Result<Client> {
    let known = clients::find(&ctx.services.db.reader(), id).await?;
    if !id.as_str().contains("://") {
        return known.ok_or_else(|| refused("O aplicativo não está registrado aqui."));
    }
    let url = document::address(id.as_str())
        .ok_or_else(|| refused("O endereço com que o aplicativo se identifica não é aceito."))?;
    if !AuthorizationServer::of(ctx).trusts(url.host_str().unwrap_or_default()) {
        return Err(refused(
            "Esta instalação não aceita aplicativos que se identificam por este endereço.",
        ));
    }
    let until = known.as_ref().and_then(|client| client.fresh_until);
    if let (Some(client), true) = (&known, until.is_some_and(|until| until > ctx.now)) {
        return Ok(client.clone());
    }
    match fetch(ctx, &url).await {
        Ok(client) => Ok(client),
        Err(error) => {
            if let Some(source) = std::error::Error::source(&error) {
                tracing::info!(host = url.host_str(), %source, "a client's document was not fetched");
            }
            let fetched_at = |client: &Client| client.fetched_at.unwrap_or_default();
            let usable = known.filter(|client| fetched_at(client) + STALE > ctx.now);
            usable.ok_or(error)
        }
    }
}

async fn fetch(ctx: &Context<'_>, url: &Url) -> Result<Client> {
    let fetched = AuthorizationServer::of(ctx).fetch(url, ctx).await;
    let fetched = fetched.map_err(|error| {
        let told = refused("O documento com que o aplicativo se identifica não pôde ser lido.");
        told.caused_by(error)
    })?;
    let age = fetched.max_age.map_or(USUAL, |age| {
        Millis::try_from(age.as_millis()).unwrap_or(LONGEST)
    });
    let fresh_until = ctx.now + age.clamp(SHORTEST, LONGEST);
    let client = document::read(url.as_str(), &fetched.body, ctx.now, fresh_until);
    let client = client
        .ok_or_else(|| refused("O documento com que o aplicativo se identifica não é aceito."))?;
    let tx = ctx.begin().await?;
    clients::save(&tx.conn(), &client).await?;
    tx.commit().await?;
    Ok(client)
}

fn refused(why: &'static str) -> Error {
    Error::new(AUTHORIZATION_REFUSED).because(why)
}

/// The client of a request to the token endpoint, by its id and, where it has one, its secret.
///
/// Refused (401) when it is unknown or its secret does not match.
pub(super) async fn authenticate(
    ctx: &Context<'_>,
    id: Option<&str>,
    secret: Option<&str>,
) -> Result<Client> {
    let refused = || Error::new(INVALID_CLIENT);
    let basic = match &ctx.origin.head.basic {
        Some(credential) => Some(basic(credential).ok_or_else(refused)?),
        None => None,
    };
    let (id, secret) = match &basic {
        Some((named, _)) if id.is_some_and(|id| id != named) => return Err(refused()),
        Some((named, secret)) => (named.as_str(), Some(secret.as_str())),
        None => (id.ok_or_else(refused)?, secret),
    };
    let client = clients::find(&ctx.services.db.reader(), &id.into()).await?;
    let client = client.ok_or_else(refused)?;
    if let Some(stored) = &client.secret_sha256 {
        let given = sha256_hex(secret.unwrap_or_default().as_bytes());
        if !bool::from(given.as_bytes().ct_eq(stored.as_bytes())) {
            return Err(refused());
        }
    }
    Ok(client)
}

/// Id and secret of HTTP Basic, each form-encoded (RFC 6749, section 2.3.1).
fn basic(credential: &str) -> Option<(String, String)> {
    let bytes = STANDARD.decode(credential).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (id, secret) = text.split_once(':')?;
    let decoded = |part: &str| {
        let spaced = part.replace('+', " ");
        let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
        Some(decoded.into_owned())
    };
    Some((decoded(id)?, decoded(secret)?))
}
