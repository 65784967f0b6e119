use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{agent_view::AgentView, daily_use::load_uses};
use domain::{Cursor, Limit, ListPage};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::agents;

/// Lista os agentes que quem chama ligou por OAuth, dos mais novos aos mais antigos.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListMyAgents {
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Agentes de quem chama.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MyAgents {
    agents: Vec<AgentView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListMyAgents {
    const SPEC: Spec = Spec::new(
        "list_my_agents",
        "Listar meus agentes conectados",
        Verb::Get,
        "/api/access/agents",
    )
    .access(Access::AnySession)
    .extension();
    type Output = MyAgents;

    async fn run(self, ctx: &Context<'_>) -> Result<MyAgents> {
        let member_id = &ctx.caller()?.member.id;
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows =
            agents::list_for_member(&ctx.db(), member_id, after, self.limit.fetch_limit()).await?;
        let uses = load_uses(ctx, rows.iter().map(|agent| agent.id.as_str())).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |a| (a.created_at, a.id.clone()))
            .map(|agent| AgentView::from_agent(agent, &uses, ctx.now));
        Ok(MyAgents {
            agents: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
