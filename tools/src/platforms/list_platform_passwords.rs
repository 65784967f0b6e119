use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{Capability, Cursor, Limit, ListPage, MemberId, PlatformId, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::platform_passwords;

/// Lista as plataformas que têm senha, pelo nome, sem as senhas.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListPlatformPasswords {
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Plataformas com senha.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlatformPasswords {
    plataformas: Vec<PlatformPassword>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Uma plataforma com senha.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlatformPassword {
    platform_id: PlatformId,
    updated_at: Timestamp,
    updated_by: MemberId,
    updated_by_name: String,
}

impl Operation for ListPlatformPasswords {
    const SPEC: Spec = Spec::new(
        "list_platform_passwords",
        "Listar plataformas com senha",
        Verb::Get,
        "/api/plataformas",
    )
    .access(Access::Session(Capability::TeamAdmin))
    .extension();
    type Output = PlatformPasswords;

    async fn run(self, ctx: &Context<'_>) -> Result<PlatformPasswords> {
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position::<PlatformId>)
            .transpose()?;
        let rows = platform_passwords::list(&ctx.db(), after, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |row| row.platform_id.clone())
            .map(|row| PlatformPassword {
                platform_id: row.platform_id,
                updated_at: Timestamp(row.updated_at),
                updated_by: row.updated_by,
                updated_by_name: row.updated_by_name,
            });
        Ok(PlatformPasswords {
            plataformas: page.rows,
            next_cursor: page.next_cursor,
        })
    }
}
