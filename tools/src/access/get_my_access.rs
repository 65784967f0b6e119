use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{Capability, Level, MemberId, Role};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::tokens;

/// Mostra a quem chama o próprio acesso por API: nível, permissões e quantos tokens estão ativos.
///
/// `capabilities` são as dos tokens pessoais agora; as da sessão estão em `GET /api/me`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetMyAccess {}

/// Acesso por API de quem chama.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MyAccess {
    member: MyMember,
    /// O que os tokens pessoais podem usar agora, na ordem do catálogo.
    capabilities: Vec<Capability>,
    /// Tokens ativos, no máximo 10.
    token_count: i64,
}

/// Membro que chama.
#[derive(Debug, Serialize, JsonSchema)]
struct MyMember {
    id: MemberId,
    name: String,
    email: Option<String>,
    /// Papel: governa a sessão e é o teto dos tokens.
    access_level: Role,
    /// Se a pessoa vê os painéis de vendas.
    financeiro: bool,
    /// Nível dos tokens pessoais.
    api_access_level: Level,
    /// Nível depois do teto do papel.
    effective_api_access_level: Level,
}

impl Operation for GetMyAccess {
    const SPEC: Spec = Spec::new(
        "get_my_access",
        "Ver meu acesso por API",
        Verb::Get,
        "/api/access/me",
    )
    .access(Access::AnySession);
    type Output = MyAccess;

    async fn run(self, ctx: &Context<'_>) -> Result<MyAccess> {
        let member = &ctx.caller()?.member;
        Ok(MyAccess {
            member: MyMember {
                id: member.id.clone(),
                name: member.name.clone(),
                email: Some(member.email.clone()),
                access_level: member.role,
                financeiro: member.financeiro,
                api_access_level: member.api_access_level,
                effective_api_access_level: member.effective_api_level(),
            },
            capabilities: member.token_capabilities().iter().collect(),
            token_count: tokens::count_active(&ctx.db(), &member.id, ctx.now).await?,
        })
    }
}
