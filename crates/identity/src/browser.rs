//! Browser sessions: a signed cookie, for the web console and for the pages on which a member
//! authorizes an agent.
//!
//! The cookie names the member and the session family. Every request checks both in the database,
//! so signing out everywhere, a new password and offboarding end the session too. The cookie is
//! renewed while it is used.
//!
//! The cookie (`HttpOnly`, `SameSite=Lax`) is signed with an HMAC. A session ends after 12 hours
//! without a request, and after 7 days in any case. A sign-in at a hosted issuer also creates a
//! session family. The API accepts no cookie, and the console accepts no bearer token.
//!
//! A form is accepted only if the browser states that it comes from this service (`Sec-Fetch-Site`,
//! otherwise `Origin`), so pages contain no CSRF token that compression could reveal. A matching
//! `Host` alone proves nothing, because anybody can point a domain name at the service: besides the
//! public URL, only `localhost` and IP addresses are accepted.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use url::{Host, Url};

use crate::{
    HostedSessions, SessionKeys,
    authenticate::session_ended_error,
    entrance,
    operations::{AREA, SignOut, password_grant},
};
use domain::{
    Email, SessionId, UserId,
    time::{DAY, HOUR, MINUTE, Millis, SECOND},
};
use gateway::{
    Code, Context, Credential, Error, Known, Operation, Outcome, Principal, Refused, RequestHead,
    Result, Services, audit_row,
};
use store::{Conn, accounts, audit};

const COOKIE: &str = "pauta_sessao";
const PURPOSE: &str = "browser session";
/// The time after which a browser without requests is signed out.
pub const LIFETIME: Millis = 12 * HOUR;
/// The maximum time that a browser stays signed in.
pub const LONGEST: Millis = 7 * DAY;
/// The age of the cookie at which it is renewed.
const RENEWED: Millis = 15 * MINUTE;

/// The content of the cookie.
#[derive(Serialize, Deserialize)]
struct Ticket {
    user_id: UserId,
    family_id: SessionId,
    opened_at: Millis,
    issued_at: Millis,
}

/// A browser in which a member is signed in.
pub struct SignedInBrowser {
    pub caller: Principal,
    /// The renewed cookie to set, if the old one is due for renewal.
    pub renewed: Option<String>,
}

/// Authenticates the session in the cookies of a request.
///
/// Fails with 401 without a valid session, and with 403 if its person is no longer an active
/// member.
pub async fn authenticate(
    services: &Services,
    cookies: Option<&str>,
) -> Result<SignedInBrowser, Refused> {
    let now = services.clock.now();
    let unknown = || Error::new(Code::UNAUTHENTICATED);
    let given =
        find_cookie(services, cookies, COOKIE, "/").ok_or_else(Refused::missing_credential)?;
    let ticket = verify_cookie(services, given).ok_or_else(unknown)?;
    if ticket.issued_at + LIFETIME <= now || ticket.opened_at + LONGEST <= now {
        return Err(Error::new(Code::TOKEN_EXPIRED).into());
    }
    let caller =
        authenticate_family(&services.db.reader(), &ticket.user_id, &ticket.family_id).await?;
    let renewed = (ticket.issued_at + RENEWED <= now).then(|| {
        let issued_at = now;
        signed_cookie(
            services,
            &Ticket {
                issued_at,
                ..ticket
            },
        )
    });
    Ok(SignedInBrowser { caller, renewed })
}

/// Authenticates the session again for work that outlives a request. Returns the caller with
/// current rights.
///
/// Fails like [`authenticate`].
pub async fn reauthenticate(db: &Conn<'_>, caller: &Principal) -> Result<Principal, Refused> {
    let Credential::Session {
        family_id: Some(family),
    } = &caller.credential
    else {
        return Err(Error::new(Code::UNAUTHENTICATED).into());
    };
    authenticate_family(db, &caller.member.user_id, family).await
}

/// Loads the member of a session with one indexed query and checks that the session is valid.
async fn authenticate_family(
    db: &Conn<'_>,
    user_id: &UserId,
    family_id: &SessionId,
) -> Result<Principal, Refused> {
    let unknown = || Error::new(Code::UNAUTHENTICATED);
    let found = accounts::find_session(db, user_id, Some(family_id)).await?;
    let session = found.ok_or_else(unknown)?;
    let family = session.family.ok_or_else(unknown)?;
    let is_over = family.revoked || family.opened_at < session.member.sessions_valid_after;
    let error = if !session.member.active {
        Error::new(Code::NOT_A_MEMBER)
    } else if is_over {
        session_ended_error()
    } else {
        let family_id = Some(family_id.clone());
        let credential = Credential::Session { family_id };
        return Ok(Principal::new(session.member, credential));
    };
    Err(Refused::with_owner(
        error,
        Known::by_session(session.member),
    ))
}

/// True if the cookie of a request proves that a member signed in in this browser. The session may
/// have ended.
#[must_use]
pub fn was_signed_in(services: &Services, cookies: Option<&str>) -> bool {
    let value = find_cookie(services, cookies, COOKIE, "/");
    value.is_some_and(|value| verify_cookie(services, value).is_some())
}

/// Signs a member in with e-mail and password. If there is a hosted issuer, the issuer verifies
/// them. Returns the cookie to set.
///
/// Fails with the same 401 for a wrong password and an unknown e-mail, with 403 if the issuer's
/// account does not belong to an active member, and with 429 after too many attempts.
pub async fn sign_in(ctx: &Context<'_>, email: &Email, password: &str) -> Result<String> {
    if let Some(sessions) = ctx.services.parts.find::<HostedSessions>() {
        let entered = entrance::sign_in_with_password(ctx, sessions, email, password).await?;
        return Ok(cookie_for_new_session(
            ctx.services,
            entered.user_id,
            entered.family_id,
        ));
    }
    let opened = password_grant::run(ctx, email, password).await?;
    cookie_for_session_token(ctx.services, opened.access_token())
}

/// Creates the cookie for a session of the embedded identity provider that has just begun.
pub fn cookie_for_session_token(services: &Services, access_token: &str) -> Result<String> {
    let keys = services.parts.get::<SessionKeys>();
    let claims = keys.verify_session(access_token, services.clock.now())?;
    let family = claims.session_id;
    let family = family.ok_or_else(|| Error::new(Code::UNAUTHENTICATED))?;
    Ok(cookie_for_new_session(services, claims.sub, family))
}

/// Creates the cookie for a session that begins now.
#[must_use]
pub fn cookie_for_new_session(
    services: &Services,
    user_id: UserId,
    family_id: SessionId,
) -> String {
    let now = services.clock.now();
    let ticket = Ticket {
        user_id,
        family_id,
        opened_at: now,
        issued_at: now,
    };
    signed_cookie(services, &ticket)
}

/// Ends the session of the caller, so that copies of the cookie become useless. Returns the header
/// that deletes the cookie.
pub async fn sign_out(ctx: &Context<'_>) -> Result<String> {
    let caller = ctx.caller()?;
    if let Credential::Session {
        family_id: Some(family),
    } = &caller.credential
    {
        let tx = ctx.begin().await?;
        let db = tx.conn();
        accounts::revoke_family(&db, family, ctx.now).await?;
        let mut row = audit_row(ctx.spec, caller, ctx.origin, ctx.now);
        row.action = SignOut::SPEC.name;
        audit::insert(&db, row.with_outcome(Outcome::Succeeded, 200)).await?;
        tx.commit().await?;
        // Open pages of this session reload and then find that it has ended.
        ctx.services.changes.mark_area(AREA.name);
    }
    Ok(set_cookie_header(ctx.services, COOKIE, "", "/", 0))
}

/// True if a form was sent from a page of this service (`Sec-Fetch-Site`, otherwise `Origin`).
#[must_use]
pub fn is_same_origin(services: &Services, head: &RequestHead) -> bool {
    if let Some(site) = head.fetch_site.as_deref() {
        return site == "same-origin";
    }
    let Some(origin) = head
        .origin
        .as_deref()
        .and_then(|origin| Url::parse(origin).ok())
    else {
        return false;
    };
    let public = Url::parse(&services.public_url).ok();
    // Anybody can point their domain name at this service, so a matching `Host` counts only if it is an
    // IP address or `localhost`.
    let here = head.host.as_deref().is_some_and(|host| {
        Url::parse(&format!("{}://{host}", origin.scheme()))
            .is_ok_and(|host| is_unspoofable_host(&host) && host.origin() == origin.origin())
    });
    here || public.is_some_and(|public| public.origin() == origin.origin())
}

/// True if no DNS entry can point the host elsewhere: it is an IP address or `localhost`.
fn is_unspoofable_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => false,
    }
}

/// Finds the value of a cookie that [`set_cookie_header`] set for `path`. `None` if the cookie is absent
/// or occurs twice.
#[must_use]
pub fn find_cookie<'a>(
    services: &Services,
    cookies: Option<&'a str>,
    name: &str,
    path: &str,
) -> Option<&'a str> {
    let name = &Scope::for_path(services, path).prefixed_name(name);
    let pairs = cookies?
        .split(';')
        .filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(given, _)| given == name);
    match (values.next(), values.next()) {
        (Some((_, value)), None) if !value.is_empty() => Some(value),
        _ => None,
    }
}

/// Returns the `Set-Cookie` header for the paths below `path`, valid for a number of seconds.
#[must_use]
pub fn set_cookie_header(
    services: &Services,
    name: &str,
    value: &str,
    path: &str,
    seconds: i64,
) -> String {
    let scope = Scope::for_path(services, path);
    let (name, path) = (scope.prefixed_name(name), &scope.path);
    let secure = if scope.secure { "; Secure" } else { "" };
    format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

/// The path and the scheme of the requests to which a browser adds a cookie.
struct Scope {
    path: String,
    /// True if the cookie is sent over https only.
    secure: bool,
}

impl Scope {
    fn for_path(services: &Services, path: &str) -> Self {
        let url = Url::parse(&services.public_url).ok();
        let base = url
            .as_ref()
            .map_or("", |url| url.path().trim_end_matches('/'));
        Self {
            path: format!("{base}{path}"),
            secure: url.as_ref().is_some_and(|url| url.scheme() == "https"),
        }
    }

    /// Returns the cookie name with its prefix. With `__Host-`, browsers accept the cookie from this
    /// host alone, but only for the path `/`; for other paths, `__Secure-` prevents the cookie from
    /// being set without https.
    fn prefixed_name(&self, name: &str) -> String {
        match (self.secure, &*self.path) {
            (true, "/") => format!("__Host-{name}"),
            (true, _) => format!("__Secure-{name}"),
            (false, _) => name.to_owned(),
        }
    }
}

fn signed_cookie(services: &Services, ticket: &Ticket) -> String {
    let payload = serde_json::to_vec(ticket).unwrap_or_default();
    let mac = services.keys.hmac(PURPOSE, &payload);
    let value = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(&payload),
        URL_SAFE_NO_PAD.encode(mac)
    );
    set_cookie_header(services, COOKIE, &value, "/", LIFETIME / SECOND)
}

fn verify_cookie(services: &Services, value: &str) -> Option<Ticket> {
    let (payload, mac) = value.split_once('.')?;
    let payload = URL_SAFE_NO_PAD.decode(payload).ok()?;
    let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
    let ours = services.keys.hmac(PURPOSE, &payload);
    bool::from(ours.ct_eq(mac.as_slice()))
        .then(|| serde_json::from_slice(&payload).ok())
        .flatten()
}
