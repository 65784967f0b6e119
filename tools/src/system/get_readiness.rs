use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;

use super::{draining::Draining, test_write::TestWrite};
use gateway::{
    Access, Content, Context, Entry, Error, OutputForm, Page, Reply, Result, Services, Spec, Verb,
};
use store::media;

/// Reports whether the database accepts writes and the storage answers.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetReadiness {}

/// The entry of the readiness page in the table of areas.
pub const GET_READINESS: Entry = Entry::for_page::<GetReadiness>(
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

/// The timeout of the checks of the database and the storage.
const TIMEOUT: Duration = Duration::from_millis(1_500);

impl Page for GetReadiness {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let services = ctx.services;
        if services.parts.get::<Draining>().has_begun() {
            return Ok(not_ready_reply("o serviço está parando\n"));
        }
        let tested = timeout(TIMEOUT, async {
            if !services
                .parts
                .get::<TestWrite>()
                .accepts_writes(&services.db)
                .await
            {
                return not_ready_reply("o banco de dados não responde ou não aceita escritas\n");
            }
            if let Some(fault) = storage_fault(services).await {
                return not_ready_reply(fault);
            }
            Reply::new(Content::Text("pronto\n".into()))
        });
        let late =
            |_| not_ready_reply("o banco de dados ou a guarda de mídias demora a responder\n");
        Ok(tested.await.unwrap_or_else(late))
    }
}

/// Returns the reason why media cannot be read from the storage, in one line; `None` if they can be read.
pub async fn storage_fault(services: &Services) -> Option<&'static str> {
    let checked = async {
        services.blobs.check_available().await?;
        // If the database lists media but the storage is empty, the folder of the storage is the wrong
        // one, for example because its disk is not mounted.
        Ok::<_, Error>(
            services.blobs.is_empty().await?
                && media::any_media_exist(&services.db.reader()).await?,
        )
    };
    match checked.await {
        Ok(false) => None,
        Ok(true) => Some("a pasta das mídias está vazia, e o banco de dados nomeia mídias\n"),
        Err(error) => {
            let cause = std::error::Error::source(&error).map(tracing::field::display);
            tracing::error!(cause, %error, "a guarda de mídias não responde");
            Some("a guarda de mídias não responde ou não existe\n")
        }
    }
}

fn not_ready_reply(reason: &'static str) -> Reply {
    Reply::new(Content::Text(reason.into())).with_status(503)
}
