//! Signed links to which the file of an upload is sent. The links are for programs without the member's
//! credential, such as `curl` in an agent's sandbox, or a browser.
//!
//! A link acts for the member who requested it, with the rights of the credential that requested it.
//! Each use checks this credential again, so a revoked token or agent, an ended session and a lowered
//! level also apply to existing links.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use subtle::ConstantTimeEq;

use domain::{AgentId, Member, SessionId, TokenId, UploadId};
use gateway::{Code, Credential, Error, Keys, Principal, Refused, Result, Services};
use store::{
    accounts, agents, members, tokens,
    uploads::{self, Upload},
};

/// The purpose of the key that signs the links.
const PURPOSE: &str = "upload links";
/// The version of the signing key, so that the key can be replaced.
const KEY_ID: &str = "1.";
/// The next step for the caller when a link is refused.
const NEXT: &str = "Peça outro link com `create_upload`.";

const SESSION: &str = "session";
const TOKEN: &str = "token";
const AGENT: &str = "agent";
/// The reference kind of a guest. No upload accepts it, because guests cannot request links.
const GUEST: &str = "guest";

/// Returns the signed link to which the file of an upload is sent.
#[must_use]
pub fn upload_url(services: &Services, id: &UploadId) -> String {
    let signature = sign(&services.keys, id.as_str());
    format!(
        "{}/envios/{id}?sig={KEY_ID}{signature}",
        services.public_url
    )
}

fn is_signed(keys: &Keys, id: &str, signature: &str) -> bool {
    let signature = signature.strip_prefix(KEY_ID).unwrap_or_default();
    sign(keys, id).as_bytes().ct_eq(signature.as_bytes()).into()
}

fn sign(keys: &Keys, id: &str) -> String {
    URL_SAFE_NO_PAD.encode(keys.hmac(PURPOSE, id.as_bytes()))
}

/// Returns a reference to the caller's credential, without its secret, for the row of an upload.
#[must_use]
pub fn credential_reference(caller: &Principal) -> String {
    match &caller.credential {
        Credential::Session {
            family_id: Some(id),
        } => format!("{SESSION}:{id}"),
        Credential::Session { family_id: None } => SESSION.into(),
        Credential::Token { id, .. } => format!("{TOKEN}:{id}"),
        Credential::Agent { id, .. } => format!("{AGENT}:{id}"),
        Credential::Guest(guest) => format!("{GUEST}:{}", guest.link_id),
    }
}

/// Authenticates a request by the signed link of an upload.
///
/// Fails with 401 if the signature is wrong, the link has expired, or the credential that requested
/// it is no longer valid.
pub(crate) async fn authenticate(
    services: &Services,
    id: &str,
    signature: &str,
) -> Result<Principal, Refused> {
    let refused = || link_error(Code::UNAUTHENTICATED, "O link de envio não é válido.");
    if !is_signed(&services.keys, id, signature) {
        return Err(refused().into());
    }
    let id = UploadId::from_stored(id.to_owned()).ok_or_else(refused)?;
    let upload = uploads::find(&services.db.reader(), &id).await?;
    let upload = upload.ok_or_else(refused)?;
    if upload.expires_at <= services.clock.now() {
        return Err(link_error(Code::TOKEN_EXPIRED, "O link de envio venceu.").into());
    }
    let member = members::find(&services.db.reader(), &upload.member_id).await?;
    let member = member
        .filter(|member| member.active)
        .ok_or_else(revoked_access_error)?;
    let credential = find_credential(services, &upload, &member).await?;
    let credential = credential.ok_or_else(revoked_access_error)?;
    Ok(Principal::new(member, credential))
}

/// Finds the credential that requested an upload, if it is still valid.
async fn find_credential(
    services: &Services,
    upload: &Upload,
    member: &Member,
) -> Result<Option<Credential>> {
    let (db, now) = (services.db.reader(), services.clock.now());
    let (kind, id) = upload
        .credential
        .split_once(':')
        .unwrap_or((&upload.credential, ""));
    Ok(match kind {
        SESSION if id.is_empty() => (member.sessions_valid_after <= upload.created_at)
            .then_some(Credential::Session { family_id: None }),
        SESSION => {
            let Some(family) = SessionId::from_stored(id.to_owned()) else {
                return Ok(None);
            };
            let found = accounts::find_session(&db, &member.user_id, Some(&family)).await?;
            let found = found.and_then(|session| session.family);
            found
                .filter(|family| !family.revoked)
                .map(|_| Credential::Session {
                    family_id: Some(family),
                })
        }
        TOKEN => {
            let found = tokens::find_for_member(&db, &member.id, &TokenId::from(id)).await?;
            let found = found.filter(|token| token.revoked_at.is_none() && token.expires_at > now);
            found.map(|token| Credential::Token {
                id: token.id,
                scopes: token.scopes,
            })
        }
        AGENT => {
            let found = agents::find_for_member(&db, &member.id, &AgentId::from(id)).await?;
            let found = found.filter(|agent| agent.revoked_at.is_none() && agent.expires_at > now);
            found.map(|agent| Credential::Agent {
                id: TokenId::from(id),
                scopes: agent.scopes,
            })
        }
        _ => None,
    })
}

fn revoked_access_error() -> Error {
    link_error(
        Code::TOKEN_REVOKED,
        "O acesso de quem pediu este link foi encerrado.",
    )
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
    fn changing_any_bit_of_the_signature_invalidates_the_link() {
        let keys = Keys::derive(&[7; 32], &[]);
        let id = "0198c0de-0000-7000-8000-000000000001";
        let signature = format!("{KEY_ID}{}", sign(&keys, id));
        assert!(is_signed(&keys, id, &signature));
        assert!(!is_signed(
            &keys,
            "0198c0de-0000-7000-8000-000000000002",
            &signature
        ));
        for position in 0..signature.len() {
            for bit in 0..7 {
                let mut bytes = signature.clone().into_bytes();
                bytes[position] ^= 1 << bit;
                let tampered = String::from_utf8(bytes).expect("ASCII");
                assert!(!is_signed(&keys, id, &tampered), "{tampered}");
            }
        }
        assert!(!is_signed(&keys, id, ""));
        assert!(!is_signed(&Keys::derive(&[8; 32], &[]), id, &signature));
    }
}
