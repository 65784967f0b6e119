use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;

use super::{draining::Draining, test_write::TestWrite};
use gateway::{Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};

/// Whether the database accepts writes and the storage answers.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetReadiness {}

/// The row of the page.
pub const GET_READINESS: Entry = Entry::page::<GetReadiness>(
    Spec::new(
        "get_readiness",
        "Verificar se o serviço pode atender",
        Verb::Get,
        "/readyz",
    )
    .access(Access::Public)
    .serves(OutputForm::Text)
    .fails(&[503])
    .extension(),
    "200 quando o banco de dados aceita escritas e o armazenamento de mídias responde; senão 503, \
     com o motivo em uma linha.",
);

/// How long the database and the storage may take to answer.
const TIMEOUT: Duration = Duration::from_millis(1_500);

impl Page for GetReadiness {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let services = ctx.services;
        if services.parts.get::<Draining>().has_begun() {
            return Ok(unready("o serviço está parando\n"));
        }
        let tested = timeout(TIMEOUT, async {
            if !services
                .parts
                .get::<TestWrite>()
                .succeeds(&services.db)
                .await
            {
                return unready("o banco de dados não responde ou não aceita escritas\n");
            }
            if let Err(error) = services.blobs.check().await {
                tracing::error!(%error, "the storage does not answer");
                return unready("a guarda de mídias não responde\n");
            }
            Reply::new(Content::Text("pronto\n".into()))
        });
        let late = |_| unready("o banco de dados ou a guarda de mídias demora a responder\n");
        Ok(tested.await.unwrap_or_else(late))
    }
}

fn unready(reason: &'static str) -> Reply {
    Reply::new(Content::Text(reason.into())).status(503)
}
