//! A code with which a browser signs in once without a password. The demo puts it into the address
//! that it prints.
//!
//! A form uses the code, and not the opening of the address, so that a browser that fetches
//! addresses ahead does not use it up.

use std::sync::{Mutex, MutexGuard, PoisonError};

use subtle::ConstantTimeEq;

use crate::browser;
use domain::{
    SessionId, UserId, random_text, sha256_hex,
    time::{MINUTE, Millis},
};
use gateway::{Code, Context, Error, Outcome, Result};
use store::{accounts, audit, members};

/// How long a code can be used.
const LIFETIME: Millis = 15 * MINUTE;

struct Kept {
    sha256: String,
    user_id: UserId,
    expires_at: Millis,
}

/// The code, stored only in memory.
#[derive(Default)]
pub struct EntryCode(Mutex<Option<Kept>>);

impl EntryCode {
    /// Creates a code for a member. It replaces an earlier code.
    pub fn issue(&self, user_id: &UserId, now: Millis) -> String {
        let code = random_text::<24>();
        *self.kept() = Some(Kept {
            sha256: sha256_hex(code.as_bytes()),
            user_id: user_id.clone(),
            expires_at: now + LIFETIME,
        });
        code
    }

    /// Consumes the code. `None` if the given code is wrong or has expired.
    fn take(&self, code: &str, now: Millis) -> Option<UserId> {
        let sha256 = sha256_hex(code.as_bytes());
        let is_it = |kept: &mut Kept| {
            now < kept.expires_at && bool::from(kept.sha256.as_bytes().ct_eq(sha256.as_bytes()))
        };
        self.kept().take_if(is_it).map(|kept| kept.user_id)
    }

    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Signs a member in with a code. Returns the cookie to set.
///
/// Refused (401) when the code is wrong, expired or already used.
pub async fn enter(ctx: &Context<'_>, code: &str) -> Result<String> {
    let services = ctx.services;
    let user_id = services.parts.get::<EntryCode>().take(code, ctx.now);
    let user_id = user_id.ok_or_else(|| {
        let error = refused();
        ctx.note_refusal("endereço de entrada recusado", error.code);
        error
    })?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let member = members::find_by_user(&db, &user_id).await?;
    let member = member.filter(|member| member.active).ok_or_else(refused)?;
    let family = SessionId::new(ctx.now);
    accounts::open_family(&db, &family, &user_id, ctx.now).await?;
    let mut row = gateway::actorless("sign_in", ctx.origin, ctx.now)
        .with_actor(&member)
        .with_outcome(Outcome::Succeeded, 200);
    row.auth_method = "session";
    audit::insert(&db, row).await?;
    tx.commit().await?;
    Ok(browser::open(services, user_id, family))
}

fn refused() -> Error {
    Error::new(Code::UNAUTHENTICATED)
        .because("Este endereço de entrada já foi usado, ou passou da hora.")
        .with("next", "Entre com o e-mail e a senha.".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_serves_once_and_for_a_while() {
        let codes = EntryCode::default();
        let code = codes.issue(&UserId::default(), 0);
        assert!(codes.take("another", 1).is_none());
        assert!(codes.take(&code, LIFETIME).is_none());
        assert!(codes.take(&code, LIFETIME - 1).is_some());
        assert!(codes.take(&code, 1).is_none());
    }
}
