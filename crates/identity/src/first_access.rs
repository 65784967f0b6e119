//! The first access: a person creates the first admin in a browser, with a code that the server
//! prints at its start.
//!
//! While the team is empty, `pauta serve` generates a code of 80 random bits, keeps its SHA-256 in
//! memory and prints the code. The page of the first access and `pauta admin create` both call
//! `create_admin`. The page passes `first`, so if two browsers submit it at once, the transaction
//! of the second one creates nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};

use subtle::ConstantTimeEq;

use crate::{
    Limiter,
    admins::{NewAdmin, create_admin, has_members},
    browser,
    operations::INVALID_CREDENTIALS,
};
use domain::{Email, sha256_hex};
use gateway::{Context, Error, Result, Services};

/// The account name under which attempts are counted. It is not an e-mail, so no real account has
/// it.
const ATTEMPTS: &str = "first access";
/// Letters and digits that are hard to confuse. The alphabet has 32 characters, so that the remainder of
/// a random byte selects each character with the same probability.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const GROUPS: usize = 4;
const GROUP: usize = 4;

/// The code of the first access, while there is no member. Only its SHA-256 is kept, in memory.
#[derive(Default)]
pub struct FirstAccess(Mutex<Option<String>>);

impl FirstAccess {
    /// Opens the first access and returns its code. It replaces an earlier code.
    pub fn open_with_new_code(&self) -> Result<String> {
        let code = new_code()?;
        *self.lock() = Some(hash_code(&code));
        Ok(code)
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_current_code(&self, code: &str) -> bool {
        let kept = self.lock();
        let kept = kept.as_deref().unwrap_or_default();
        !kept.is_empty() && bool::from(kept.as_bytes().ct_eq(hash_code(code).as_bytes()))
    }
}

/// True if the first admin can be created: there is a code and the team has no member.
pub async fn can_create_first_admin(services: &Services) -> Result<bool> {
    let access = services.parts.get::<FirstAccess>();
    if access.lock().is_none() {
        return Ok(false);
    }
    let done = has_members(&services.db.reader()).await?;
    if done {
        *access.lock() = None;
    }
    Ok(!done)
}

/// Creates the first admin and signs them in. Returns the cookie to set; `None` if the team already
/// has a member.
///
/// Fails with 401 if the code is wrong, with 400 if the name or e-mail is invalid or the password
/// is weak (the code stays valid), and with 429 after too many attempts.
pub async fn make_first_admin(
    ctx: &Context<'_>,
    code: &str,
    admin: NewAdmin,
) -> Result<Option<String>> {
    let services = ctx.services;
    let limiter = Limiter::from_context(ctx);
    let address = ctx.origin.address;
    const REFUSED: &str = "código do primeiro acesso recusado";
    // The network counts as one from which the account has signed in before, so that attempts from other
    // networks cannot lock the operator out.
    let admitted = limiter.admit_password_attempt(ATTEMPTS, address, async { Ok(true) });
    admitted
        .await
        .inspect_err(|error| ctx.note_refusal(REFUSED, error.code))?;
    let access = services.parts.get::<FirstAccess>();
    if !access.is_current_code(code) {
        ctx.note_refusal(REFUSED, INVALID_CREDENTIALS);
        let message = "O código não é o que o servidor mostrou ao iniciar.";
        return Err(Error::new(INVALID_CREDENTIALS).because(message));
    }
    limiter.forget_failures(ATTEMPTS, address).await?;
    let (email, password) = (admin.email.clone(), admin.password.clone());
    let created = create_admin(services, ctx.origin, admin, true).await?;
    *access.lock() = None;
    if created.is_none() {
        return Ok(None);
    }
    let email: Email = email
        .parse()
        .map_err(|()| Error::internal("the e-mail of the first admin was checked"))?;
    let cookie = browser::sign_in(ctx, &email, &password.unwrap_or_default()).await?;
    Ok(Some(cookie))
}

/// Generates a code such as `ABCD-EFGH-JKLM-NPQR`, with 80 random bits.
fn new_code() -> Result<String> {
    let mut random = [0u8; GROUPS * GROUP];
    getrandom::fill(&mut random).map_err(|e| Error::internal(e.to_string()))?;
    let letters = random.map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
    let groups: Vec<String> = letters
        .chunks(GROUP)
        .map(|group| group.iter().collect())
        .collect();
    Ok(groups.join("-"))
}

fn hash_code(code: &str) -> String {
    let plain: String = code
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(GROUPS * GROUP + 1)
        .collect();
    sha256_hex(plain.to_ascii_uppercase().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_current_code_matches_regardless_of_case_and_separators() {
        let access = FirstAccess::default();
        assert!(!access.is_current_code(""));
        let code = access.open_with_new_code().expect("a code");
        assert_eq!(code.len(), GROUPS * GROUP + GROUPS - 1);
        assert!(access.is_current_code(&code));
        assert!(access.is_current_code(&format!(" {} ", code.replace('-', " ").to_lowercase())));
        for other in ["", "----", &code[1..], &format!("{code}A")] {
            assert!(!access.is_current_code(other), "{other}");
        }
        let next = access.open_with_new_code().expect("a code");
        assert!(!access.is_current_code(&code) && access.is_current_code(&next));
    }
}
