//! A webhook, as operations return it.

use schemars::JsonSchema;
use serde::Serialize;
use url::Url;

use super::kinds::SentKind;
use domain::{
    MemberId, ProjectId, Revision, WebhookId, WebhookState,
    time::{Millis, Timestamp},
};
use gateway::{Context, Principal, Result};
use store::webhooks::{self, Webhook};

/// Webhook, sem o segredo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WebhookView {
    id: WebhookId,
    /// A enviar em `expected_revision`.
    revision: Revision,
    /// Sem sessão, só até o host: o caminho pode ser um segredo.
    url: String,
    descricao: String,
    tipos: Vec<SentKind>,
    project_id: Option<ProjectId>,
    channel: Option<String>,
    /// Só um ativo envia. `pausado_por_falhas`: nada foi recebido por três dias.
    /// `pausado_sem_responsavel`: o responsável saiu ou já não administra webhooks. `encerrado`: o
    /// destino respondeu 410.
    estado: WebhookState,
    /// Desde quando.
    estado_desde: Timestamp,
    /// Com os direitos de quem ele avisa.
    responsavel: Owner,
    /// Mensagens que esperam.
    #[schemars(range(min = 0))]
    esperando: i64,
    /// Até quando o destino pediu para não receber nada (`Retry-After`); nulo se não pediu.
    adiado_ate: Option<Timestamp>,
    /// Até quando um segredo trocado também assina; nulo se nenhum assina mais.
    segredo_anterior_ate: Option<Timestamp>,
    criado_em: Timestamp,
}

/// O membro com cujos direitos o webhook avisa.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Owner {
    id: MemberId,
    nome: String,
}

impl WebhookView {
    pub(super) async fn load(ctx: &Context<'_>, webhook: Webhook) -> Result<Self> {
        let mut waiting = webhooks::count_waiting(&ctx.db()).await?;
        let waiting = waiting.remove(&webhook.id).unwrap_or_default();
        Ok(Self::from_webhook(webhook, waiting, ctx.now).shown_to(ctx.caller()?))
    }

    pub(super) async fn load_all(ctx: &Context<'_>, all: Vec<Webhook>) -> Result<Vec<Self>> {
        let mut waiting = webhooks::count_waiting(&ctx.db()).await?;
        let views = all.into_iter().map(|webhook| {
            let waiting = waiting.remove(&webhook.id).unwrap_or_default();
            Self::from_webhook(webhook, waiting, ctx.now)
        });
        let caller = ctx.caller()?;
        Ok(views.map(|view| view.shown_to(caller)).collect())
    }

    /// Removes the path of the URL for all callers. Used for answers that are stored and repeated to a
    /// later call, which may have another credential.
    pub(super) fn without_path(self) -> Self {
        Self {
            url: origin_of(&self.url),
            ..self
        }
    }

    fn shown_to(self, caller: &Principal) -> Self {
        Self {
            url: shown_url(&self.url, caller),
            ..self
        }
    }

    /// Builds the view of a webhook. `waiting` is the number of its waiting messages.
    pub(super) fn from_webhook(webhook: Webhook, waiting: i64, now: Millis) -> Self {
        let kinds = webhook.kinds.iter();
        Self {
            tipos: kinds.filter_map(|kind| SentKind::find(kind)).collect(),
            id: webhook.id,
            revision: webhook.revision,
            url: webhook.url,
            descricao: webhook.description,
            project_id: webhook.project_id,
            channel: webhook.channel,
            estado: webhook.state,
            estado_desde: Timestamp(webhook.state_since),
            responsavel: Owner {
                id: webhook.owner_id,
                nome: webhook.owner_name,
            },
            esperando: waiting,
            adiado_ate: (now < webhook.not_before).then_some(Timestamp(webhook.not_before)),
            segredo_anterior_ate: webhook
                .previous_until
                .filter(|until| now < *until)
                .map(Timestamp),
            criado_em: Timestamp(webhook.created_at),
        }
    }

    pub(super) fn id(&self) -> &str {
        self.id.as_str()
    }
}

/// Returns the part of a receiver's URL that this caller may see. The path may be a secret of the
/// receiver, so a token sees only scheme and host.
pub(super) fn shown_url(url: &str, caller: &Principal) -> String {
    if caller.is_session() {
        return url.to_owned();
    }
    origin_of(url)
}

fn origin_of(url: &str) -> String {
    let parsed = Url::parse(url);
    parsed.map_or_else(|_| String::new(), |url| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_has_neither_path_nor_query() {
        for url in [
            "https://exemplo.com/entrada/SEGREDO",
            "https://exemplo.com?chave=SEGREDO",
            "https://exemplo.com\\SEGREDO",
            "https:\\\\exemplo.com\\SEGREDO",
            "https:exemplo.com/SEGREDO",
        ] {
            assert_eq!(origin_of(url), "https://exemplo.com", "{url}");
        }
        assert_eq!(origin_of("SEGREDO"), "");
    }
}
