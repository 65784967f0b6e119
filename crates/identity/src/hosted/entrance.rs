//! How a browser is signed in with a hosted issuer.

use gateway::{Context, Error, Outcome, Refused, Result, Services};
use store::members;

use super::{HostedSessions, claims::Claims, sign_in};
use crate::{
    browser, networks,
    operations::{INVALID_CREDENTIALS, note},
    returning,
};
use domain::Email;

/// Where people sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entrance {
    /// Nowhere: the issuer does not know this service as a client.
    Closed,
    /// With e-mail and password, which the issuer checks.
    Form,
    /// On a page of the issuer, which knows this service by this id.
    Page { client_id: String },
}

/// A link to the issuer's page, for a page of this service.
#[derive(Debug, serde::Serialize)]
pub struct AtIssuer {
    /// Where the link leads.
    pub address: String,
    /// The issuer's host, for people.
    pub host: String,
}

impl AtIssuer {
    /// The link, where people sign in on a page of the issuer; from there the person comes back to the
    /// path `back`. With `again` the issuer asks who it is, even if it knows.
    ///
    /// Refused (500) where nobody can sign in from a browser.
    pub fn of(ctx: &Context<'_>, back: &str, again: bool) -> Result<Option<Self>> {
        let Some(sessions) = ctx.services.parts.find::<HostedSessions>() else {
            return Ok(None);
        };
        match &sessions.entrance {
            Entrance::Form => Ok(None),
            Entrance::Closed => Err(closed()),
            Entrance::Page { .. } => {
                let mut address = returning::by_way_of(ctx, super::page::LEAVE, back);
                if again {
                    address.push_str("&outra=true");
                }
                let url = url::Url::parse(&sessions.issuer).ok();
                let host = url.and_then(|url| Some(url.host_str()?.to_owned()));
                let host = host.unwrap_or_default();
                Ok(Some(Self { address, host }))
            }
        }
    }
}

/// The refusal where nobody can sign in from a browser.
pub(super) fn closed() -> Error {
    Error::new(domain::Code::PROVIDER_NOT_CONFIGURED)
        .because(
            "Esta instalação não deixa entrar pelo navegador: falta PAUTA_IDENTITY_CLIENT_ID, o nome \
             deste serviço no provedor de identidade.",
        )
        .with(
            "next",
            "Peça a quem opera o serviço que o cadastre no provedor de identidade.".into(),
        )
}

/// Signs a person in with e-mail and password, which the issuer checks. Returns the cookie to set.
///
/// Refused (401) when they do not match; (403) when the person is no active member; (429) after too
/// many tries.
pub(crate) async fn with_password(
    ctx: &Context<'_>,
    sessions: &HostedSessions,
    email: &Email,
    password: &str,
) -> Result<String> {
    match sessions.entrance {
        Entrance::Form => {}
        Entrance::Closed | Entrance::Page { .. } => return Err(closed()),
    }
    networks::admit(ctx, email.as_str()).await?;
    let given = sessions.at_issuer.session(email.as_str(), password).await?;
    let Some(session) = given else {
        let tx = ctx.begin().await?;
        let member = members::find_by_email(&ctx.db(), email.as_str()).await?;
        let db = tx.conn();
        note(ctx, &db, "sign_in_failed", member.as_ref(), Outcome::Failed).await?;
        tx.commit().await?;
        return Err(Error::new(INVALID_CREDENTIALS));
    };
    networks::succeeded(ctx, email.as_str());
    let claims = sessions.check(&session, ctx.now).await?;
    open(ctx, sessions, &claims).await
}

/// Opens the session of the browser for the person whom the claims name. Returns the cookie to set.
pub(super) async fn open(
    ctx: &Context<'_>,
    sessions: &HostedSessions,
    claims: &Claims,
) -> Result<String> {
    let services: &Services = ctx.services;
    let found = sign_in::member(services, sessions, claims, ctx.now).await;
    let member = found.map_err(|refused: Refused| refused.error)?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    members::queue_for_member(&db, &member.id).await?;
    // Their sessions may have been ended since.
    let member = members::require(&db, &member.id).await?;
    if let Some(error) = sign_in::refusal(claims, &member, ctx.now) {
        return Err(error);
    }
    note(ctx, &db, "sign_in", Some(&member), Outcome::Succeeded).await?;
    tx.commit().await?;
    Ok(browser::open(services, member.user_id, None))
}
