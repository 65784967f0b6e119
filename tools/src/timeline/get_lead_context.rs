use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LEAD_SECRET, Pace,
    person_view::{Known, PageVisited, PurchaseView, Touch},
};
use domain::Email;
use gateway::{
    Access, Code, Context, Operation, Outcome, Pepper, Result, Spec, Verb, actorless_row,
};
use store::people;

/// The maximum number of requests per minute, over all holders of the secret.
const PER_MINUTE: u32 = 600;

/// Resume um lead para um CRM externo, pelo e-mail: compras de todas as lojas, primeiro e último
/// toque e as últimas cinco páginas. O e-mail não fica guardado. Visitas anônimas só aparecem depois
/// que a pessoa se identifica na mesma sessão.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLeadContext {
    /// O e-mail da pessoa.
    email: Email,
}

/// O que se sabe do lead.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LeadContext {
    /// Falso quando nada se sabe deste e-mail.
    encontrado: bool,
    /// As 100 mais novas.
    compras: Vec<PurchaseView>,
    primeiro_toque: Option<Touch>,
    ultimo_toque: Option<Touch>,
    /// Da mais nova à mais antiga.
    ultimas_paginas: Vec<PageVisited>,
}

impl Operation for GetLeadContext {
    const SPEC: Spec = Spec::new(
        "get_lead_context",
        "Ler o contexto de um lead",
        Verb::Post,
        "/api/jornada/lead",
    )
    .access(Access::SharedSecret(LEAD_SECRET))
    .reads()
    .needs_provider(Code::UNAUTHENTICATED);
    type Output = LeadContext;

    async fn run(self, ctx: &Context<'_>) -> Result<LeadContext> {
        let parts = &ctx.services.parts;
        let pace = ctx.services.parts.get::<Pace>();
        pace.count_request("lead".into(), PER_MINUTE, ctx.now)?;
        let person = parts.get::<Pepper>().person_id(&self.email)?;
        let known = Known::load_for_person(&ctx.db(), &person).await?;
        let encontrado = people::has_data(&ctx.db(), &person).await?;
        // The caller is not a member, so the gateway writes no audit row.
        let mut row =
            actorless_row(ctx.spec.name, ctx.origin, ctx.now).with_outcome(Outcome::Allowed, 200);
        row.auth_method = "shared_secret";
        row.resource_type = Some("person");
        row.metadata.insert("found".into(), encontrado.into());
        let tx = ctx.begin().await?;
        store::audit::insert(&tx.conn(), row).await?;
        tx.commit().await?;
        Ok(LeadContext {
            encontrado,
            compras: known.compras,
            primeiro_toque: known.primeiro_toque,
            ultimo_toque: known.ultimo_toque,
            ultimas_paginas: known.ultimas_paginas,
        })
    }
}
