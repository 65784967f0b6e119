use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{Capability, Lack, Level, MemberId, Role, TokenId, UserId, text_enum};
use gateway::{
    Access, Context, Credential, Error, GUEST_RIGHT_REQUIRED, Operation, Principal, Result, Spec,
    Verb,
};

/// Diz quem chama e o que esta credencial pode fazer agora: a primeira chamada.
///
/// Aja só dentro de `caps`; `missing` e `withheld` são o resto.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetMe {}

/// Identidade e permissões da credencial.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Me {
    member: MeMember,
    /// Permissões em vigor, na ordem do catálogo.
    caps: Vec<Capability>,
    /// Permissões que faltam à pessoa, cada uma com os papéis que a têm: a quem pedir. `financeiro` é a
    /// marca que um admin dá.
    missing: BTreeMap<&'static str, Vec<&'static str>>,
    /// Permissões que a pessoa tem e esta credencial não, pelo que as impede.
    withheld: Vec<Withheld>,
    auth: MeAuth,
}

/// Permissões que a pessoa tem e esta credencial não.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct Withheld {
    caps: Vec<Capability>,
    /// `token`: o token foi criado sem elas. `agent`: o agente não as recebeu. `api_level`: o nível de API
    /// da pessoa não as alcança.
    missing_from: Lack,
    /// O que fazer.
    next: &'static str,
}

impl Withheld {
    fn list_withheld(caller: &Principal) -> Vec<Self> {
        let lacks = [Lack::Token, Lack::Agent, Lack::ApiLevel];
        let withheld = lacks.map(|lack| Self {
            caps: missing_capabilities(caller, lack).collect(),
            missing_from: lack,
            next: lack.advice(),
        });
        let mut withheld = Vec::from(withheld);
        withheld.retain(|one| !one.caps.is_empty());
        withheld
    }
}

fn missing_capabilities(caller: &Principal, lack: Lack) -> impl Iterator<Item = Capability> {
    let all = Capability::ALL.iter().copied();
    all.filter(move |c| !caller.has_capability(*c) && caller.lack_reason(*c) == lack)
}

/// Membro que chama.
#[derive(Debug, Serialize, JsonSchema)]
struct MeMember {
    id: MemberId,
    /// Id da conta.
    user_id: UserId,
    name: String,
    email: String,
    /// Papel na equipe.
    access_level: Role,
    /// O mesmo que `access_level`.
    team_access_level: Role,
    /// Nível em vigor para esta credencial.
    effective_access_level: Level,
    /// Nível dos tokens pessoais.
    api_access_level: Level,
}

/// Credencial apresentada.
#[derive(Debug, Serialize, JsonSchema)]
struct MeAuth {
    kind: AuthKind,
    /// Token pessoal ou agente conectado; nulo em uma sessão.
    token_id: Option<TokenId>,
}

text_enum! {
    /// How a caller is authenticated.
    pub enum AuthKind {
        Session = "session",
        PersonalToken = "personal_token",
        ConnectedAgent = "connected_agent",
    }
}

impl Operation for GetMe {
    const SPEC: Spec = Spec::new("get_me", "Ver quem sou e o que posso", Verb::Get, "/api/me")
        .access(Access::AnyMember)
        .tool()
        .always_listed();
    type Output = Me;

    async fn run(self, ctx: &Context<'_>) -> Result<Me> {
        let caller = ctx.caller()?;
        let member = &caller.member;
        let kind = match caller.credential {
            Credential::Session { .. } => AuthKind::Session,
            Credential::Token { .. } => AuthKind::PersonalToken,
            Credential::Agent { .. } => AuthKind::ConnectedAgent,
            Credential::Guest(_) => return Err(Error::new(GUEST_RIGHT_REQUIRED)),
        };
        Ok(Me {
            member: MeMember {
                id: member.id.clone(),
                user_id: member.user_id.clone(),
                name: member.name.clone(),
                email: member.email.clone(),
                access_level: member.role,
                team_access_level: member.role,
                effective_access_level: caller.effective_level(),
                api_access_level: member.api_access_level,
            },
            caps: caller.capabilities.iter().collect(),
            missing: missing_capabilities(caller, Lack::Role)
                .map(|capability| (capability.as_str(), capability.granting_roles()))
                .collect(),
            withheld: Withheld::list_withheld(caller),
            auth: MeAuth {
                kind,
                token_id: caller.token_id().cloned(),
            },
        })
    }
}
