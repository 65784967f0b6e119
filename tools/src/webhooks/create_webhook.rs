use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MANAGES, MOST_WEBHOOKS, TOO_MANY_WEBHOOKS, WEBHOOK, hints,
    kinds::SentKind,
    secret::{self, new_secret},
    settings::Settings,
    webhook_view::WebhookView,
};
use domain::{ProjectId, Revision, VISIBLE, WebhookId, WebhookState};
use gateway::{Access, Code, Context, Error, Operation, Result, Spec, Verb};
use store::{
    members, outbox,
    webhooks::{self, SECRET, Webhook},
};

/// Cria um webhook: avisa um endereço do que acontece, com mensagens assinadas.
///
/// As mensagens seguem o Standard Webhooks e só têm identificadores. O segredo aparece só nesta
/// resposta. Quem cria é o responsável: o webhook avisa do que essa pessoa pode ver.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateWebhook {
    /// O endereço que recebe as mensagens (POST): https, na internet pública.
    #[schemars(length(min = 1, max = 2000), regex(pattern = *VISIBLE))]
    url: String,
    /// De que avisar.
    #[schemars(length(min = 1, max = 32), extend("uniqueItems" = true))]
    tipos: Vec<SentKind>,
    /// Para que serve.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    descricao: String,
    /// Só o que é de peças deste projeto.
    project_id: Option<ProjectId>,
    /// Só o que é de peças que vão a este canal.
    #[schemars(length(min = 1, max = 80), regex(pattern = *VISIBLE))]
    channel: Option<String>,
}

/// Webhook criado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookCreated {
    ok: bool,
    /// O segredo que assina as mensagens: guarde agora, não aparece de novo.
    segredo: String,
    webhook: WebhookView,
}

impl Operation for CreateWebhook {
    const SPEC: Spec = Spec::new(
        "create_webhook",
        "Criar webhook",
        Verb::Post,
        "/api/webhooks",
    )
    .access(Access::Session(MANAGES))
    .makes(WEBHOOK)
    .success(201)
    .fails(&[404, 409])
    .extension()
    .unkeyed()
    .hints(hints::SETTINGS);
    type Output = WebhookCreated;

    fn affected_ids(output: &WebhookCreated) -> Vec<&str> {
        vec![output.webhook.id()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<WebhookCreated> {
        let db = ctx.db();
        let settings = Settings::check(
            ctx,
            self.url,
            &self.tipos,
            &self.descricao,
            self.project_id,
            self.channel,
        );
        let settings = settings.await?;
        // The lock makes calls count the webhooks one after the other, and the member cannot leave
        // during the call.
        members::lock_team(&db).await?;
        let owner = members::require(&db, &ctx.caller()?.member.id).await?;
        if !owner.active || !owner.session_capabilities().contains(MANAGES) {
            return Err(Error::new(Code::NOT_A_MEMBER));
        }
        if webhooks::count(&db).await? >= MOST_WEBHOOKS {
            return Err(Error::new(TOO_MANY_WEBHOOKS));
        }
        let from_position = outbox::assign_all_positions(&db).await?;
        let webhook = Webhook {
            id: WebhookId::new(ctx.now),
            owner_id: owner.id,
            owner_name: owner.name,
            url: settings.url,
            description: settings.description,
            kinds: settings.kinds,
            project_id: settings.project_id,
            channel: settings.channel,
            state: WebhookState::Active,
            revision: Revision::FIRST,
            created_at: ctx.now,
            state_since: ctx.now,
            previous_until: None,
            not_before: 0,
            from_position,
        };
        let text = new_secret();
        webhooks::insert(&db, &webhook).await?;
        let keys = &ctx.services.keys;
        secret::save(&db, keys, SECRET, &webhook.id, text.as_bytes()).await?;
        Ok(WebhookCreated {
            ok: true,
            segredo: text,
            webhook: WebhookView::load(ctx, webhook).await?,
        })
    }
}
