use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{Capability, Cursor, Limit, ListPage, MemberId, Role};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::members;

/// Lista as pessoas ativas da equipe, por nome, com o `id` que `assignee_id` e `assignee_ids`
/// pedem.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListTeam {
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Pessoas da equipe.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Team {
    equipe: Vec<Person>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Uma pessoa da equipe.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Person {
    id: MemberId,
    name: String,
    /// O papel na equipe.
    access_level: Role,
    /// Verdadeiro se pode aprovar; onde há etapas, elas dizem quem decide cada uma.
    pode_aprovar: bool,
}

impl Operation for ListTeam {
    const SPEC: Spec = Spec::new("list_team", "Listar equipe", Verb::Get, "/api/equipe")
        .access(Access::MemberAny(&[
            Capability::TasksView,
            Capability::TasksAssign,
        ]))
        .extension()
        .tool();
    type Output = Team;

    async fn run(self, ctx: &Context<'_>) -> Result<Team> {
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows = members::list_active(&ctx.db(), after, self.limit.fetch_limit()).await?;
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |m| (m.name.clone(), m.id.clone()));
        let page = page.map(|member| Person {
            pode_aprovar: member.session_capabilities().contains(Capability::Approve),
            id: member.id,
            name: member.name,
            access_level: member.role,
        });
        Ok(Team {
            equipe: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
