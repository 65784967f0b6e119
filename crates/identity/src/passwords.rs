//! Password hashing with Argon2id (RFC 9106), on separate threads, a few at a time.
//!
//! A hash needs 19 MiB of memory and two passes, and is never computed inside a transaction.

use std::sync::{Arc, LazyLock};

use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version};
use tokio::sync::Semaphore;

use gateway::{Code, Context, Error, Result};
use store::members::Member;

pub const WEAK_PASSWORD: Code = Code::new("WEAK_PASSWORD", 400, "A senha é fraca.")
    .with_next_step("Use ao menos 12 caracteres, sem senhas comuns nem o próprio nome ou e-mail.");

/// The memory of one hash: 19 MiB, with two passes and one lane, as OWASP recommends.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
/// Maximum number of hashes computed at the same time.
const AT_ONCE: usize = 4;

/// Minimum length of a password, in characters.
pub(crate) const SHORTEST: usize = 12;

/// Hashes and verifies passwords outside the async runtime.
#[derive(Clone)]
pub struct Passwords {
    turns: Arc<Semaphore>,
}

impl Default for Passwords {
    fn default() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }
}

impl Passwords {
    /// Returns the value that the service shares.
    pub(crate) fn from_context<'a>(ctx: &Context<'a>) -> &'a Self {
        ctx.services.parts.get()
    }

    /// Hashes a password. Returns the PHC string to store.
    pub async fn hash(&self, password: &str) -> Result<String> {
        let password = password.to_owned();
        self.run(move || hash(&password)).await?
    }

    /// True if the password matches the stored hash. Without a stored hash the result is false and
    /// takes the same time, so that it does not reveal whether the account exists.
    pub async fn matches(&self, password: &str, stored: Option<String>) -> Result<bool> {
        static NOBODY: LazyLock<String> = LazyLock::new(|| {
            hash("nobody has this password").expect("the parameters are within Argon2's bounds")
        });
        let password = password.to_owned();
        self.run(move || {
            let known = stored.is_some();
            let stored = stored.unwrap_or_else(|| NOBODY.clone());
            let parsed = PasswordHash::new(&stored).map_err(|e| Error::internal(e.to_string()))?;
            Ok(argon2()
                .verify_password(password.as_bytes(), &parsed)
                .is_ok()
                && known)
        })
        .await?
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let turn = self
            .turns
            .clone()
            .acquire_owned()
            .await
            .map_err(Error::internal)?;
        let ran = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        ran.await.map_err(Error::internal)
    }
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).expect("within Argon2's bounds");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

fn hash(password: &str) -> Result<String> {
    let mut salt = [0u8; 16];
    getrandom::fill(&mut salt).map_err(|e| Error::internal(e.to_string()))?;
    let hashed = argon2().hash_password_with_salt(password.as_bytes(), &salt);
    Ok(hashed
        .map_err(|e| Error::internal(e.to_string()))?
        .to_string())
}

/// Fails with 400 if the password is short, common, or made of the member's own name or e-mail.
pub fn require_strong(password: &str, member: &Member) -> Result<()> {
    let own: Vec<&str> = member
        .email
        .split(['@', '.'])
        .chain(member.name.split(' '))
        .chain(["pauta"])
        .collect();
    let strong = password.chars().count() >= SHORTEST
        && zxcvbn::zxcvbn(password, &own).score() >= zxcvbn::Score::Three;
    if strong {
        Ok(())
    } else {
        Err(Error::new(WEAK_PASSWORD))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Level, MemberId, Role, UserId};

    fn member() -> Member {
        Member {
            id: MemberId::default(),
            user_id: UserId::default(),
            name: "Joana Figueiredo".into(),
            email: "joana.figueiredo@exemplo.com.br".into(),
            role: Role::Criador,
            api_access_level: Level::Nenhum,
            financeiro: false,
            active: true,
            cleanup_pending: false,
            sessions_valid_after: 0,
            created_at: 0,
        }
    }

    #[test]
    fn weak_passwords_are_refused() {
        for weak in [
            "curta-2026x",
            "aaaaaaaaaaaaaaaa",
            "password1234",
            "joanafigueiredo",
            "123456789012",
        ] {
            assert!(require_strong(weak, &member()).is_err(), "{weak}");
        }
        assert!(require_strong("lagoa-trem-girafa-vinil", &member()).is_ok());
    }

    #[tokio::test]
    async fn only_the_right_password_matches() {
        let passwords = Passwords::default();
        let stored = passwords
            .hash("çafé com pão de queijo")
            .await
            .expect("hashes");
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        let matches = |p: &'static str, s: Option<String>| {
            let passwords = passwords.clone();
            async move { passwords.matches(p, s).await.expect("checks") }
        };
        assert!(matches("çafé com pão de queijo", Some(stored.clone())).await);
        assert!(!matches("cafe com pao de queijo", Some(stored)).await);
        assert!(!matches("nobody has this password", None).await);
    }
}
