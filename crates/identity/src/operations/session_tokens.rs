//! A session in the API: an access token and its refresh token.

use schemars::JsonSchema;
use serde::Serialize;

use crate::SessionKeys;
use crate::networks;
use domain::{
    Role, SessionId, UserId, random_text, sha256_hex,
    time::{DAY, Millis},
};
use gateway::{Context, Result};
use store::{Conn, accounts, members::Member};

pub const REFRESH_LIFETIME: Millis = 30 * DAY;

/// Sessão aberta.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionTokens {
    /// JWT para `Authorization: Bearer`.
    access_token: String,
    /// Sempre `bearer`.
    token_type: &'static str,
    /// Segundos até expirar.
    expires_in: i64,
    /// Instante em que expira, em segundos Unix.
    expires_at: i64,
    /// Renova a sessão uma vez; a renovação devolve outro.
    refresh_token: String,
    user: SessionUser,
}

/// Pessoa da sessão.
#[derive(Debug, Serialize, JsonSchema)]
struct SessionUser {
    /// Id da conta.
    id: UserId,
    email: String,
    name: String,
    /// Papel na equipe.
    role: Role,
}

impl SessionTokens {
    pub(crate) fn access_token(&self) -> &str {
        &self.access_token
    }

    /// Sets a password, ends all sessions of the member and begins a new one.
    pub(super) async fn open_with_password(
        ctx: &Context<'_>,
        db: &Conn<'_>,
        member: &Member,
        password_hash: &str,
    ) -> Result<Self> {
        accounts::set_password(db, &member.user_id, Some(password_hash), ctx.now).await?;
        accounts::end_sessions(db, &member.user_id, ctx.now).await?;
        Self::open_session(ctx, db, member).await
    }

    /// Begins a session with a new family, and stores the caller's network as one from which the member
    /// has signed in.
    pub(super) async fn open_session(
        ctx: &Context<'_>,
        db: &Conn<'_>,
        member: &Member,
    ) -> Result<Self> {
        let family = SessionId::new(ctx.now);
        accounts::open_family(db, &family, &member.user_id, ctx.now).await?;
        let refresh_token = random_text::<32>();
        Self::store_refresh(ctx, db, &refresh_token, &family).await?;
        networks::store_network(ctx, db, member).await?;
        Self::with_new_access_token(ctx, member, &family, refresh_token)
    }

    /// Stores the digest of a refresh token.
    pub(super) async fn store_refresh(
        ctx: &Context<'_>,
        db: &Conn<'_>,
        refresh_token: &str,
        family: &SessionId,
    ) -> Result<()> {
        let digest = sha256_hex(refresh_token.as_bytes());
        Ok(
            accounts::insert_refresh_token(
                db,
                &digest,
                family,
                ctx.now,
                ctx.now + REFRESH_LIFETIME,
            )
            .await?,
        )
    }

    /// Signs a new access token and returns it with the given refresh token.
    pub(super) fn with_new_access_token(
        ctx: &Context<'_>,
        member: &Member,
        family: &SessionId,
        refresh_token: String,
    ) -> Result<Self> {
        let sessions = ctx.services.parts.get::<SessionKeys>();
        let signed = sessions.issue_token(member, family, ctx.now)?;
        Ok(Self {
            access_token: signed.access_token,
            token_type: "bearer",
            expires_in: signed.expires_in,
            expires_at: signed.expires_at,
            refresh_token,
            user: SessionUser {
                id: member.user_id.clone(),
                email: member.email.clone(),
                name: member.name.clone(),
                role: member.role,
            },
        })
    }
}
