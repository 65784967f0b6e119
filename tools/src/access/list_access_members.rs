use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::member_access::MemberAccess;
use domain::{Capability, Cursor, Level, Limit, ListPage};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::members;

/// Lista os membros ativos com o nível de API, as permissões e os tokens de cada um.
///
/// Os segredos nunca aparecem. Para mudar um nível, use `updateMemberApiAccess`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListAccessMembers {
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Acesso por API da equipe.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccessMembers {
    /// Os níveis que existem, do menor ao maior.
    levels: &'static [Level],
    members: Vec<MemberAccess>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListAccessMembers {
    const SPEC: Spec = Spec::new(
        "list_access_members",
        "Listar acesso por API da equipe",
        Verb::Get,
        "/api/access/members",
    )
    .access(Access::Session(Capability::TeamAdmin));
    type Output = AccessMembers;

    async fn run(self, ctx: &Context<'_>) -> Result<AccessMembers> {
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows = members::list_active(&ctx.db(), after, self.limit.fetch_limit()).await?;
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |m| (m.name.clone(), m.id.clone()));
        Ok(AccessMembers {
            levels: Level::ALL,
            members: MemberAccess::load_all(ctx, page.rows).await?,
            next_cursor: page.next_cursor,
        })
    }
}
