use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::member_view::MemberView;
use domain::{Capability, Cursor, Limit, ListPage, MemberId};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{mails, members};

/// Lista os membros ativos da equipe, por nome.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListMembers {
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Membros ativos.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Members {
    membros: Vec<MemberView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListMembers {
    const SPEC: Spec = Spec::new("list_members", "Listar membros", Verb::Get, "/api/membros")
        .access(Access::Session(Capability::Members));
    type Output = Members;

    async fn run(self, ctx: &Context<'_>) -> Result<Members> {
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows = members::list_active(&ctx.db(), after, self.limit.fetch_limit()).await?;
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |m| (m.name.clone(), m.id.clone()));
        let ids: Vec<&MemberId> = page.rows.iter().map(|member| &member.id).collect();
        let bounces = mails::find_bounces(&ctx.db(), &ids).await?;
        let page = page.map(|member| {
            let at = bounces.get(&member.id).copied();
            MemberView::with_bounce(member, at)
        });
        Ok(Members {
            membros: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
