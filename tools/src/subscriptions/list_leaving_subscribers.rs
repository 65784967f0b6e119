use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record_cancellation_reason::Reason;
use crate::figures::{self, Period, Span, ValueRange};
use domain::{BrasiliaTime, Capability, Cursor, Limit, ListPage, VISIBLE, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{Kind, LeavingSubscription, Left, list_ended_subscriptions};

/// Lista as assinaturas canceladas, da última à primeira, com plano, valor por mês e motivo.
///
/// Números: `get_subscription_summary`. Anotar um motivo: `record_cancellation_reason`. Sem
/// período, os últimos 30 dias.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListLeavingSubscribers {
    #[serde(flatten)]
    period: Period,
    /// Só as deste plano.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    plano: Option<String>,
    /// Só com este último motivo.
    motivo: Option<Reason>,
    /// Só sem motivo.
    #[serde(default)]
    sem_motivo: bool,
    #[serde(flatten)]
    values: ValueRange,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Saídas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LeavingSubscribers {
    #[serde(flatten)]
    span: Span,
    saidas: Vec<LeavingLine>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Uma assinatura que terminou.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LeavingLine {
    assinatura_id: String,
    loja: String,
    plano: String,
    inicio: Timestamp,
    inicio_em_brasilia: BrasiliaTime,
    saida: Timestamp,
    saida_em_brasilia: BrasiliaTime,
    /// O último registrado em `record_cancellation_reason`; nulo se não houve.
    motivo: Option<String>,
    /// Por mês.
    valor_centavos: i64,
    moeda: String,
}

impl Operation for ListLeavingSubscribers {
    const SPEC: Spec = Spec::new(
        "list_leaving_subscribers",
        "Listar saídas de assinantes",
        Verb::Get,
        "/api/subs/saidas",
    )
    .access(Access::Member(Capability::Vendas))
    .tool()
    .quotes();
    type Output = LeavingSubscribers;

    async fn run(self, ctx: &Context<'_>) -> Result<LeavingSubscribers> {
        let span = self.period.span_or_last_30_days(ctx.now)?;
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let (least_cents, most_cents) = self.values.bounds()?;
        let which = Left {
            least_cents,
            most_cents,
            plan: self.plano.as_deref(),
            reason: self.motivo.map(Reason::as_str),
            without_reason: self.sem_motivo,
        };
        let (db, probe) = (ctx.db(), self.limit.fetch_limit());
        let rows =
            list_ended_subscriptions(&db, span.start_and_end(), which, before, probe).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |row| {
            (row.left_at, row.store.clone(), row.subscription_id.clone())
        });
        let page = page.map(LeavingLine::from);
        Ok(LeavingSubscribers {
            span,
            saidas: page.rows,
            next_cursor: page.next_cursor,
            atualizado_em: figures::updated_at(ctx, &[Kind::Subscriptions]).await?,
        })
    }
}

impl From<LeavingSubscription> for LeavingLine {
    fn from(row: LeavingSubscription) -> Self {
        Self {
            assinatura_id: row.subscription_id,
            loja: row.store,
            plano: row.plan,
            inicio: Timestamp(row.started_at),
            inicio_em_brasilia: BrasiliaTime(row.started_at),
            saida: Timestamp(row.left_at),
            saida_em_brasilia: BrasiliaTime(row.left_at),
            motivo: row.reason,
            valor_centavos: row.amount_cents,
            moeda: row.currency,
        }
    }
}
