use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{API_TOKEN_LIMIT, hints, scopes, token_view::TokenView};
use domain::{Capability, Level, TokenId, TokenSecret, VISIBLE, time::DAY};
use gateway::{Access, Code, Context, Error, Operation, Result, Spec, Verb};
use identity::TOKEN;
use identity::signed_in_at;
use store::{
    members,
    tokens::{self, Token},
};

/// Maximum active tokens of a member.
const MOST_ACTIVE: i64 = 10;

/// Cria um token pessoal para quem chama; o segredo aparece só nesta resposta.
///
/// Os escopos só podem ser permissões que os tokens do membro podem usar agora (veja
/// `GET /api/access/me`). No máximo 10 tokens ativos por pessoa.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateMyToken {
    /// Nome para reconhecer o token.
    #[schemars(length(min = 1, max = 80), regex(pattern = *VISIBLE))]
    label: String,
    /// Permissões do token; ausente, todas as que os tokens do membro podem usar agora.
    #[schemars(
        length(min = 1, max = 64),
        extend("uniqueItems" = true)
    )]
    scopes: Option<Vec<Capability>>,
    /// Validade em dias; ausente, 30.
    #[serde(rename = "expiresInDays")]
    #[schemars(range(min = 1, max = 90))]
    expires_in_days: Option<u8>,
    /// Nome antigo de `expiresInDays`.
    #[serde(rename = "expires_in_days")]
    #[schemars(range(min = 1, max = 90), extend("deprecated" = true))]
    expires_in_days_alias: Option<u8>,
}

/// Token criado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MyTokenCreated {
    /// O token inteiro: guarde agora, não aparece de novo.
    token: String,
    metadata: TokenView,
}

impl Operation for CreateMyToken {
    const SPEC: Spec = Spec::new(
        "create_my_token",
        "Criar token pessoal",
        Verb::Post,
        "/api/access/tokens",
    )
    .access(Access::AnySession)
    .makes(TOKEN)
    .success(201)
    .fails(&[429])
    .unkeyed()
    .hints(hints::TOKEN);
    type Output = MyTokenCreated;

    fn affected_ids(output: &MyTokenCreated) -> Vec<&str> {
        vec![output.metadata.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<MyTokenCreated> {
        let days = self.validity_days()?;
        let asked = self.scopes.map(|scopes| scopes.into_iter().collect());
        let db = ctx.db();
        // Serializes concurrent creations, so that each sees the current count and level.
        let caller = ctx.caller()?;
        let member_id = &caller.member.id;
        members::lock_member(&db, member_id).await?;
        // A new password may have ended the session and all tokens after the credential was
        // checked.
        signed_in_at(&db, caller).await?;
        let member = members::require(&db, member_id).await?;
        if !member.active {
            return Err(Error::new(Code::NOT_A_MEMBER));
        }
        if member.api_access_level == Level::Nenhum {
            return Err(Error::new(Code::API_ACCESS_DISABLED));
        }
        let scopes = scopes::require_grantable_scopes(asked, member.token_capabilities())?;
        if tokens::count_active(&db, member_id, ctx.now).await? >= MOST_ACTIVE {
            return Err(Error::new(API_TOKEN_LIMIT));
        }
        let secret = TokenSecret::generate();
        let token = Token {
            id: TokenId::new(ctx.now),
            member_id: member.id,
            label: self.label,
            prefix: secret.prefix().into(),
            secret_sha256: secret.digest(),
            scopes,
            created_at: ctx.now,
            expires_at: ctx.now + i64::from(days) * DAY,
            last_used_at: None,
            revoked_at: None,
        };
        tokens::insert(&db, &token).await?;
        Ok(MyTokenCreated {
            token: secret.reveal(),
            metadata: TokenView::from_token(token, &HashMap::new(), ctx.now),
        })
    }
}

impl CreateMyToken {
    fn validity_days(&self) -> Result<u8> {
        match (self.expires_in_days, self.expires_in_days_alias) {
            (Some(days), Some(alias)) if days != alias => Err(Error::invalid_field(
                "expires_in_days",
                "const",
                "difere de `expiresInDays`; informe só `expiresInDays`",
            )),
            (days, alias) => Ok(days.or(alias).unwrap_or(30)),
        }
    }
}
