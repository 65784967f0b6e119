//! The `state` of an OAuth authorization (RFC 6749, §10.12; RFC 9700, §4.7).
//!
//! A state is a random text with an HMAC over this text, the network, the member, the account, the
//! browser's cookie and the expiry. The database stores the hash of the state.
//!
//! One `DELETE` consumes a state, so it can be used only once. This happens before the code is
//! exchanged, and every response after that deletes the cookie. The member is checked again before
//! the exchange, and locked when the connection is stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use subtle::ConstantTimeEq;

use domain::{
    Error, Member, random_text, sha256_hex,
    time::{MINUTE, Millis},
};
use gateway::{Context, Keys, Result};
use store::{
    members,
    oauth_states::{self, Begun},
};

use super::OAUTH_STATE_INVALID;

/// The time in which a user must authorize the connection.
pub(super) const LIFETIME: Millis = 10 * MINUTE;
/// The length of a state in characters: 16 random bytes, a dot, and the HMAC.
const LENGTH: usize = 22 + 1 + 43;

/// The state and the cookie of an OAuth flow that has just started.
pub(super) struct Started {
    pub state: String,
    pub cookie: String,
}

/// Starts an OAuth flow of the member.
pub(super) async fn begin_oauth_flow(
    ctx: &Context<'_>,
    provider: &str,
    member: &Member,
) -> Result<Started> {
    let cookie = random_text::<32>();
    let random = random_text::<16>();
    let begun = Begun {
        state_sha256: String::new(),
        provider: provider.to_owned(),
        member_id: member.id.clone(),
        cookie_sha256: sha256_hex(cookie.as_bytes()),
        expires_at: ctx.now + LIFETIME,
    };
    let mac = compute_mac(&ctx.services.keys, &random, &begun, member);
    let state = format!("{random}.{mac}");
    let begun = Begun {
        state_sha256: sha256_hex(state.as_bytes()),
        ..begun
    };
    oauth_states::save_flow(&ctx.db(), &begun).await?;
    Ok(Started { state, cookie })
}

/// Consumes the state. Returns the member who started this OAuth flow in this browser.
///
/// Refuses (400) a state that is forged, used or expired, that was issued for another network or
/// browser, or whose member is unknown.
pub(super) async fn consume_state(
    ctx: &Context<'_>,
    provider: &str,
    state: &str,
    cookie: Option<&str>,
) -> Result<Member> {
    let refused = || Error::new(OAUTH_STATE_INVALID);
    // The state is looked up on a read connection first, so that invalid requests do not occupy the
    // write connection.
    if state.len() != LENGTH {
        return Err(refused());
    }
    let state_sha256 = sha256_hex(state.as_bytes());
    let begun = oauth_states::find(&ctx.db(), &state_sha256).await?;
    let begun = begun.ok_or_else(refused)?;
    let member = members::find(&ctx.db(), &begun.member_id).await?;
    let member = member.ok_or_else(refused)?;
    let (random, given) = state.split_once('.').ok_or_else(refused)?;
    let expected = compute_mac(&ctx.services.keys, random, &begun, &member);
    let cookie = sha256_hex(cookie.unwrap_or_default().as_bytes());
    let genuine = expected.as_bytes().ct_eq(given.as_bytes())
        & cookie.as_bytes().ct_eq(begun.cookie_sha256.as_bytes());
    if !bool::from(genuine) || begun.provider != provider || ctx.now > begun.expires_at {
        return Err(refused());
    }
    let tx = ctx.begin().await?;
    let taken = oauth_states::consume_flow(&tx.conn(), &state_sha256).await?;
    tx.commit().await?;
    if taken { Ok(member) } else { Err(refused()) }
}

/// Derives the PKCE verifier (RFC 7636) from the state. The verifier is sent only when the code is
/// exchanged.
pub(super) fn pkce_verifier(keys: &Keys, state: &str) -> String {
    URL_SAFE_NO_PAD.encode(keys.hmac("oauth pkce", state.as_bytes()))
}

fn compute_mac(keys: &Keys, random: &str, begun: &Begun, member: &Member) -> String {
    let Begun {
        provider,
        cookie_sha256,
        expires_at,
        ..
    } = begun;
    let (member_id, user_id) = (member.id.as_str(), member.user_id.as_str());
    let text =
        format!("{random}\n{provider}\n{member_id}\n{user_id}\n{cookie_sha256}\n{expires_at}");
    URL_SAFE_NO_PAD.encode(keys.hmac("oauth state", text.as_bytes()))
}
