use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{daily_use::load_uses, token_view::TokenView};
use domain::{Cursor, Limit, ListPage};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::tokens;

/// Lista os tokens pessoais de quem chama, dos mais novos aos mais antigos, sem segredos.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListMyTokens {
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Tokens de quem chama.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MyTokens {
    tokens: Vec<TokenView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListMyTokens {
    const SPEC: Spec = Spec::new(
        "list_my_tokens",
        "Listar meus tokens pessoais",
        Verb::Get,
        "/api/access/tokens",
    )
    .access(Access::AnySession);
    type Output = MyTokens;

    async fn run(self, ctx: &Context<'_>) -> Result<MyTokens> {
        let member_id = &ctx.caller()?.member.id;
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows =
            tokens::list_for_member(&ctx.db(), member_id, after, self.limit.fetch_limit()).await?;
        let uses = load_uses(ctx, rows.iter().map(|token| token.id.as_str())).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |t| (t.created_at, t.id.clone()))
            .map(|token| TokenView::from_token(token, &uses, ctx.now));
        Ok(MyTokens {
            tokens: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
