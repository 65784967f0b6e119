//! The claims of a session from a hosted issuer.

use domain::{Email, time::Millis};
use serde::Deserialize;
use serde_json::Value;

use crate::session::SKEW;

/// The audience and the role of signed-in persons in Supabase Auth.
pub(super) const AUTHENTICATED: &str = "authenticated";
/// The longest subject that OpenID Connect allows, in bytes.
const LONGEST_SUBJECT: usize = 255;

/// The claims of a session. Claims that only some issuers send may be of any JSON type.
#[derive(Deserialize)]
pub(crate) struct Claims {
    pub iss: String,
    pub sub: String,
    /// The issue time in seconds, possibly with a fraction (RFC 7519, section 2).
    iat: f64,
    nbf: Option<f64>,
    exp: f64,
    #[serde(default)]
    email: Value,
    #[serde(default)]
    email_verified: Value,
    #[serde(default)]
    role: Value,
    #[serde(default)]
    is_anonymous: Value,
    #[serde(default)]
    nonce: Value,
    #[serde(default)]
    azp: Value,
}

/// Converts seconds to milliseconds; the cast from `f64` saturates.
fn seconds_to_millis(seconds: f64) -> Millis {
    (seconds * 1000.0) as Millis
}

impl Claims {
    pub(super) fn has_valid_subject(&self) -> bool {
        (1..=LONGEST_SUBJECT).contains(&self.sub.len())
    }

    pub(super) fn is_expired(&self, now: Millis) -> bool {
        seconds_to_millis(self.exp).saturating_add(SKEW) <= now
    }

    pub(super) fn begins_after(&self, now: Millis) -> bool {
        let begins = self.nbf.unwrap_or(self.iat).max(self.iat);
        seconds_to_millis(begins) > now + SKEW
    }

    /// True if the session was, or may have been, issued before the instant. Most issuers give
    /// whole seconds, so a session from the same second counts as issued before.
    pub(super) fn may_be_issued_before(&self, instant: Millis) -> bool {
        seconds_to_millis(self.iat.floor()) <= instant
    }

    /// True if the session belongs to a signed-in person, and not to a service key or an anonymous
    /// user (rules of Supabase Auth).
    pub(super) fn belongs_to_signed_in_person(&self) -> bool {
        let anonymous = !(self.is_anonymous.is_null() || self.is_anonymous == false);
        self.role == AUTHENTICATED && !anonymous
    }

    /// True if this is the ID token for the sign-in with this nonce and for this client.
    pub(crate) fn is_for_sign_in(&self, nonce: &str, client_id: &str) -> bool {
        self.nonce == nonce && (self.azp.is_null() || self.azp == client_id)
    }

    /// Returns the e-mail if its format is valid for a member.
    pub(super) fn email(&self) -> Option<Email> {
        self.email.as_str()?.parse().ok()
    }

    /// True if the token itself states that the e-mail is verified. The claim in `user_metadata` of
    /// Supabase Auth is not used, because the person can change it.
    pub(super) fn has_verified_email(&self) -> bool {
        self.email_verified == true
    }
}
