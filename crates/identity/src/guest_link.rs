//! Links for guests: authentication, and the code that a link may ask for.
//!
//! A guest acts for the member who created the link. Each use checks the link and this member again, so
//! revoking the link, and offboarding the member or withdrawing the right to decide, take effect at
//! once.
//!
//! The code is stored as a keyed hash, so the database alone does not reveal it. For a correct code the
//! browser gets a proof, which it keeps in a cookie. Wrong codes are limited like wrong passwords, and a
//! link is revoked after too many wrong codes in total. A correct code removes the recent wrong codes
//! from the same network from this total, because these were typing errors of the guest. Wrong codes
//! from other networks are never removed, so a person with a forwarded link has at most 50 guesses,
//! however often the guest enters the code.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use subtle::ConstantTimeEq;

use crate::Limiter;
use domain::{Capability, GUEST_PREFIX, Guest, GuestLinkId, LinkSecret, time::Millis};
use gateway::{
    Code, Context, Credential, Door, Error, Keys, Known, Principal, Refused, Result, Services,
};
use store::guest_links::{self, GuestLink};

const CODE_PURPOSE: &str = "guest code";
const PROOF_PURPOSE: &str = "guest proof";
/// The cookie with the proof of a code.
pub const GUEST_COOKIE: &str = "pauta_convidado";
/// The digits of a code.
const DIGITS: usize = 6;

/// The next step for a guest whose link is refused.
const NEXT: &str = "Peça outro link a quem o mandou.";

/// Returns the path of the pages of a link.
#[must_use]
pub fn guest_path(secret: &str) -> String {
    format!("/convidado/{secret}")
}

/// Generates a code of six digits.
#[must_use]
pub fn generate_code() -> String {
    loop {
        let mut bytes = [0; 4];
        if getrandom::fill(&mut bytes).is_err() {
            continue;
        }
        // Numbers from the largest multiple of a million below 2³² on are rejected, so that every code
        // is equally likely.
        let number = u32::from_be_bytes(bytes);
        if number < 4_294_000_000 {
            return format!("{:0DIGITS$}", number % 1_000_000);
        }
    }
}

/// Returns the keyed hash of a code, as the database stores it.
#[must_use]
pub fn code_mac(keys: &Keys, link_id: &GuestLinkId, code: &str) -> String {
    let text = format!("{link_id}\n{code}");
    URL_SAFE_NO_PAD.encode(keys.hmac(CODE_PURPOSE, text.as_bytes()))
}

fn derive_proof(keys: &Keys, link_id: &GuestLinkId, code_mac: &str) -> String {
    let text = format!("{link_id}\n{code_mac}");
    URL_SAFE_NO_PAD.encode(keys.hmac(PROOF_PURPOSE, text.as_bytes()))
}

/// Checks the code of the caller's link. Returns the proof, for [`GUEST_COOKIE`]; `None` if the code
/// is wrong.
///
/// Fails with 400 if the link has no code. Fails with 429 and the seconds to wait after too many wrong
/// codes from this network, or from all networks for this link.
pub async fn check_code(ctx: &Context<'_>, code: &str) -> Result<Option<String>> {
    let guest = ctx.caller()?.guest();
    let guest = guest.ok_or_else(|| Error::internal("a member gave the code of a guest"))?;
    let link = guest_links::require(&ctx.db(), &guest.link_id).await?;
    let Some(stored) = link.code_mac else {
        return Err(Error::invalid_field(
            "codigo",
            "not",
            "não é preciso: este link não tem código",
        ));
    };
    let (limiter, address) = (Limiter::from_context(ctx), ctx.origin.address);
    let account = format!("guest link {}", link.id);
    let never = std::future::ready(Ok(false));
    limiter
        .admit_password_attempt(&account, address, never)
        .await?;
    let keys = &ctx.services.keys;
    let given = code_mac(keys, &link.id, code);
    if !bool::from(given.as_bytes().ct_eq(stored.as_bytes())) {
        ctx.note_refusal("código de convidado recusado", Code::INVALID_INPUT);
        return Ok(None);
    }
    let removed = limiter.forget_failures(&account, address).await?;
    // Without an IP address, it is unknown whether the guest or another person entered the wrong codes.
    if removed > 1 && address.is_some() {
        let tx = ctx.begin().await?;
        guest_links::forgive_wrong_codes(&tx.conn(), &link.id, removed - 1).await?;
        tx.commit().await?;
    }
    Ok(Some(derive_proof(keys, &link.id, &stored)))
}

/// Authenticates a guest by a bearer token: [`GUEST_PREFIX`], the secret and, after a point, the
/// proof.
///
/// Fails like [`authenticate`], and with 401 outside the REST interface, because a guest has no tools.
pub(crate) async fn authenticate_bearer(
    services: &Services,
    bearer: &str,
    door: Door,
) -> Result<Principal, Refused> {
    let text = bearer.strip_prefix(GUEST_PREFIX).unwrap_or_default();
    if door != Door::Rest {
        return Err(Error::new(Code::UNAUTHENTICATED).into());
    }
    match text.split_once('.') {
        Some((secret, proof)) => authenticate(services, secret, Some(proof)).await,
        None => authenticate(services, text, None).await,
    }
}

/// Authenticates a guest by the secret of a link and, if it has a code, by the proof of the code.
///
/// Fails with 401 if the link is unknown, has ended, or its member may no longer decide.
pub(crate) async fn authenticate(
    services: &Services,
    secret: &str,
    given: Option<&str>,
) -> Result<Principal, Refused> {
    let unknown = || link_error(Code::UNAUTHENTICATED, "O link não é válido.");
    let secret = LinkSecret::parse(secret).ok_or_else(unknown)?;
    let found = guest_links::find_by_secret(&services.db.reader(), &secret.digest()).await?;
    let (link, member) = found.ok_or_else(unknown)?;
    let now = services.clock.now();
    let may_decide = member.session_capabilities().contains(Capability::Approve);
    let refusal = match member.active && may_decide {
        true => refusal_of_link(&link, now),
        false => Some(ended_error()),
    };
    if let Some(error) = refusal {
        let known = Known::by_guest(member, &link.id);
        return Err(Refused::with_owner(error, known));
    }
    services.reads.record_guest_visit(&link.id, now);
    let guest = Guest {
        needs_code: needs_code(&services.keys, &link, given),
        link_id: link.id,
        name: link.guest_name,
        right: link.right,
    };
    Ok(Principal::new(member, Credential::Guest(guest)))
}

fn needs_code(keys: &Keys, link: &GuestLink, given: Option<&str>) -> bool {
    link.code_mac.as_ref().is_some_and(|stored| {
        let expected = derive_proof(keys, &link.id, stored);
        let given = given.unwrap_or_default();
        !bool::from(expected.as_bytes().ct_eq(given.as_bytes()))
    })
}

/// Returns the error (401) of a link that was revoked or has expired.
#[must_use]
pub fn refusal_of_link(link: &GuestLink, now: Millis) -> Option<Error> {
    if link.revoked_at.is_some() {
        return Some(ended_error());
    }
    (link.expires_at <= now).then(|| link_error(Code::TOKEN_EXPIRED, "Este link venceu."))
}

/// Returns the error of a link that was revoked.
#[must_use]
pub fn ended_error() -> Error {
    link_error(Code::TOKEN_REVOKED, "Este link foi encerrado.")
}

fn link_error(code: Code, because: &'static str) -> Error {
    Error::new(code)
        .because(because)
        .with_detail("next", NEXT.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_six_digits() {
        for _ in 0..1_000 {
            let code = generate_code();
            assert!(
                code.len() == 6 && code.bytes().all(|b| b.is_ascii_digit()),
                "{code}"
            );
        }
    }

    #[test]
    fn the_hash_of_a_code_depends_on_its_link_and_on_the_key() {
        let (keys, others) = (Keys::derive(&[7; 32], &[]), Keys::derive(&[8; 32], &[]));
        let (one, other) = (GuestLinkId::new(1), GuestLinkId::new(2));
        let mac = code_mac(&keys, &one, "123456");
        assert_eq!(mac, code_mac(&keys, &one, "123456"));
        assert_ne!(mac, code_mac(&keys, &one, "123457"));
        assert_ne!(mac, code_mac(&keys, &other, "123456"));
        assert_ne!(mac, code_mac(&others, &one, "123456"));
        assert_ne!(mac, derive_proof(&keys, &one, &mac));
    }
}
