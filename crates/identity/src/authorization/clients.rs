//! Finds OAuth clients by id and authenticates them at the token endpoint.
//!
//! A client is identified either by the URL of its metadata document, which is fetched through
//! `ports::ClientDocuments` (the adapter validates and pins the host's IP address), or by its
//! dynamic registration.

use base64::{Engine, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;
use subtle::ConstantTimeEq;
use url::Url;

use super::{
    AUTHORIZATION_REFUSED, INVALID_CLIENT, document, fetching::Failure, pinned,
    server::AuthorizationServer,
};
use domain::{
    ClientId, Error, Result, sha256_hex,
    time::{DAY, MINUTE, Millis},
};
use gateway::Context;
use store::agents::clients::{self, Client};

/// The time for which a stored copy is used while the document cannot be fetched.
const STALE: Millis = 7 * DAY;
/// The minimum interval between a failed attempt to fetch the document and the next attempt.
const RETRY_INTERVAL: Millis = MINUTE;

/// Finds the client with this id for the authorization page. Fetches its metadata document if no
/// copy is fresh.
///
/// An anonymous caller stores no row: fetched documents stay in memory until a member authorizes
/// the client.
pub(super) async fn resolve_client(ctx: &Context<'_>, id: &ClientId) -> Result<Client> {
    let stored = clients::find(&ctx.services.db.reader(), id).await?;
    if !id.as_str().contains("://") {
        return stored
            .ok_or_else(|| authorization_refused_error("O aplicativo não está registrado aqui."));
    }
    let url = document::parse_url(id.as_str()).ok_or_else(|| {
        authorization_refused_error("O endereço com que o aplicativo se identifica não é aceito.")
    })?;
    let server = AuthorizationServer::from_context(ctx);
    if !server.trusts(url.host_str().unwrap_or_default()) {
        return Err(authorization_refused_error(
            "Esta instalação não aceita aplicativos que se identificam por este endereço.",
        ));
    }
    let used_at = stored.as_ref().and_then(|client| client.used_at);
    let stored_at = stored.as_ref().and_then(|client| client.fetched_at);
    let used = |client: Client| Client { used_at, ..client };
    let copies: Vec<Client> = [server.find_copy(id), stored]
        .into_iter()
        .flatten()
        .collect();
    let newest = |copies: &[Client], usable: &dyn Fn(&Client) -> bool| {
        let usable = copies.iter().filter(|copy| usable(copy));
        usable.max_by_key(|copy| copy.fetched_at).cloned()
    };
    if let Some(fresh) = newest(&copies, &|copy| copy.is_fresh(ctx.now)) {
        return Ok(used(fresh));
    }
    let error = match server.fetch_client(&url, ctx).await {
        Ok(Ok(client)) => {
            if used_at.is_some()
                && stored_at < client.fetched_at
                && let Err(error) = update_stored_copy(ctx, &client).await
            {
                // If the copy cannot be stored, the copy in memory is used.
                tracing::warn!(
                    error = error.text_with_causes(),
                    "a cópia do documento de um cliente OAuth não foi gravada"
                );
            }
            return Ok(used(client));
        }
        // The document was fetched but is not acceptable, so older copies are not used either.
        Ok(Err(failure @ Failure::NotAccepted)) => return Err(document_error(&url, failure)),
        Ok(Err(failure)) => document_error(&url, failure),
        Err(error) if error.status() == 429 => error,
        Err(error) => return Err(error),
    };
    let until = |copy: &Client| copy.fetched_at.unwrap_or_default() + STALE;
    let lasting = newest(&copies, &|copy| until(copy) > ctx.now).map(|copy| {
        let until = until(&copy).min(ctx.now + RETRY_INTERVAL);
        (copy, until)
    });
    let known =
        lasting.or_else(|| Some((pinned::find_client(id.as_str())?, ctx.now + RETRY_INTERVAL)));
    let (copy, until) = known.ok_or(error)?;
    let copy = Client {
        fresh_until: Some(until),
        ..copy
    };
    server.store_copy(copy.clone());
    Ok(used(copy))
}

async fn update_stored_copy(ctx: &Context<'_>, client: &Client) -> Result<()> {
    let tx = ctx.begin().await?;
    clients::update_document(&tx.conn(), client).await?;
    Ok(tx.commit().await?)
}

/// Returns the error for a document that is not usable, with a text for the error page.
fn document_error(url: &Url, failure: Failure) -> Error {
    let host = url.host_str().unwrap_or_default();
    let why = match failure {
        Failure::Away => format!(
            "O documento com que o aplicativo se identifica, em {host}, não pôde ser lido. Tente de novo \
             em um minuto; se continuar assim, peça a quem administra esta Pauta que veja o registro \
             (log) dela."
        ),
        Failure::NotAccepted => format!(
            "O documento com que o aplicativo se identifica, em {host}, não é aceito. Quem faz o \
             aplicativo pode corrigi-lo; quem administra esta Pauta vê o motivo no registro (log) dela."
        ),
    };
    Error::new(AUTHORIZATION_REFUSED).because(why)
}

fn authorization_refused_error(why: &'static str) -> Error {
    Error::new(AUTHORIZATION_REFUSED).because(why)
}

/// Authenticates the client of a request to the token endpoint by its id and, if the client has
/// one, its secret.
///
/// Fails with 401 if the client is unknown or its secret does not match.
pub(super) async fn authenticate_client(
    ctx: &Context<'_>,
    id: Option<&str>,
    secret: Option<&str>,
) -> Result<Client> {
    let refused = || Error::new(INVALID_CLIENT);
    let basic = match &ctx.origin.head.basic {
        Some(credential) => Some(decode_basic(credential).ok_or_else(refused)?),
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

/// Decodes the id and the secret of HTTP Basic, each of them form-encoded (RFC 6749, section
/// 2.3.1).
fn decode_basic(credential: &str) -> Option<(String, String)> {
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
