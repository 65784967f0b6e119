//! A code with which a browser signs in once without a password. The demo includes it in the URL
//! that it prints.
//!
//! Only submitting the form uses up the code. Opening the URL does not, because browsers may
//! prefetch URLs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use subtle::ConstantTimeEq;

use crate::browser;
use domain::{
    SessionId, UserId, random_text, sha256_hex,
    time::{MINUTE, Millis},
};
use gateway::{Code, Context, Error, Outcome, Result};
use store::{accounts, audit, members};

/// The time for which a code is valid.
const LIFETIME: Millis = 15 * MINUTE;

struct Kept {
    sha256: String,
    user_id: UserId,
    expires_at: Millis,
}

/// The current code, stored only in memory.
#[derive(Default)]
pub struct EntryCode(Mutex<Option<Kept>>);

impl EntryCode {
    /// Generates a code for a member. It replaces an earlier code.
    pub fn issue_code(&self, user_id: &UserId, now: Millis) -> String {
        let code = random_text::<24>();
        *self.lock() = Some(Kept {
            sha256: sha256_hex(code.as_bytes()),
            user_id: user_id.clone(),
            expires_at: now + LIFETIME,
        });
        code
    }

    /// Uses up the code. Returns `None` if the given code is wrong or has expired.
    fn use_up_code(&self, code: &str, now: Millis) -> Option<UserId> {
        let sha256 = sha256_hex(code.as_bytes());
        let is_valid_code = |kept: &mut Kept| {
            now < kept.expires_at && bool::from(kept.sha256.as_bytes().ct_eq(sha256.as_bytes()))
        };
        self.lock().take_if(is_valid_code).map(|kept| kept.user_id)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Signs a member in with a code. Returns the cookie to set.
///
/// Fails with 401 if the code is wrong, expired or already used.
pub async fn sign_in_with_code(ctx: &Context<'_>, code: &str) -> Result<String> {
    let services = ctx.services;
    let user_id = services.parts.get::<EntryCode>().use_up_code(code, ctx.now);
    let user_id = user_id.ok_or_else(|| {
        let error = invalid_code_error();
        ctx.note_refusal("endereço de entrada recusado", error.code);
        error
    })?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let member = members::find_by_user(&db, &user_id).await?;
    let member = member
        .filter(|member| member.active)
        .ok_or_else(invalid_code_error)?;
    let family = SessionId::new(ctx.now);
    accounts::open_family(&db, &family, &user_id, ctx.now).await?;
    let mut row = gateway::actorless_row("sign_in", ctx.origin, ctx.now)
        .with_actor(&member)
        .with_outcome(Outcome::Succeeded, 200);
    row.auth_method = "session";
    audit::insert(&db, row).await?;
    tx.commit().await?;
    Ok(browser::cookie_for_new_session(services, user_id, family))
}

fn invalid_code_error() -> Error {
    Error::new(Code::UNAUTHENTICATED)
        .because("Este endereço de entrada já foi usado, ou passou da hora.")
        .with_detail("next", "Entre com o e-mail e a senha.".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_can_be_used_once_and_expires() {
        let codes = EntryCode::default();
        let code = codes.issue_code(&UserId::default(), 0);
        assert!(codes.use_up_code("another", 1).is_none());
        assert!(codes.use_up_code(&code, LIFETIME).is_none());
        assert!(codes.use_up_code(&code, LIFETIME - 1).is_some());
        assert!(codes.use_up_code(&code, 1).is_none());
    }
}
