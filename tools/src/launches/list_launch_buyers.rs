use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LAUNCH,
    scope::{require_launch_and_days, sales_selection},
};
use crate::figures::{self, Period, Span, ValueRange};
use domain::{
    BrasiliaTime, Capability, Cursor, Limit, ListPage, PersonId, ProjectId, VISIBLE, hex,
    text_enum,
    time::{Millis, Timestamp},
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{Bought, Chosen, Kind, list_buyers, list_purchases_of_buyers};

text_enum! {
    /// The states of a purchase that was paid.
    pub enum PaidStatus {
        Approved = "aprovada",
        PartlyRefunded = "parcial",
        Refunded = "reembolsada",
        Chargeback = "chargeback",
    }
}

/// Lista quem comprou em um lançamento, as compras novas antes, sem nome nem e-mail.
///
/// Os filtros escolhem compras, pelo valor menos o reembolso; cada linha só conta as escolhidas. O
/// `comprador` só vale neste lançamento. Sem período, o do lançamento.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListLaunchBuyers {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    #[serde(flatten)]
    period: Period,
    /// Só deste produto.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    produto_id: Option<String>,
    /// Só neste estado.
    status: Option<PaidStatus>,
    #[serde(flatten)]
    values: ValueRange,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Compradores.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchBuyers {
    #[serde(flatten)]
    span: Span,
    moeda: String,
    compradores: Vec<BuyerLine>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Alguém que comprou.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BuyerLine {
    comprador: String,
    /// Menos os reembolsos, na moeda do lançamento.
    valor_centavos: i64,
    produtos: Vec<BoughtLine>,
    primeiro_toque: Option<TouchView>,
    ultimo_toque: Option<TouchView>,
    ultima_compra_em: Timestamp,
    ultima_compra_em_brasilia: BrasiliaTime,
}

/// Uma compra.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoughtLine {
    produto_id: String,
    produto: String,
    /// `aprovada`, `parcial` (reembolsada em parte), `reembolsada` ou `chargeback`.
    status: String,
    /// Menos o reembolso.
    valor_centavos: i64,
    moeda: String,
    ocorreu_em: Timestamp,
    ocorreu_em_brasilia: BrasiliaTime,
}

/// De onde veio.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TouchView {
    canal: String,
    utm_source: Option<String>,
    utm_medium: Option<String>,
    utm_campaign: Option<String>,
    /// Nulo quando só a loja informou a origem.
    ocorreu_em: Option<Timestamp>,
    ocorreu_em_brasilia: Option<BrasiliaTime>,
}

/// The cursor holds no personal data: an instant and the number of buyers already shown for it.
type Position = (Millis, i64);
/// Maximum buyers of one instant that the cursor can skip.
const MOST_AT_ONCE: i64 = 1_000_000;
/// The purpose of the key from which the buyers' ids are derived.
const BUYERS: &str = "launch buyers";

impl Operation for ListLaunchBuyers {
    const SPEC: Spec = Spec::new(
        "list_launch_buyers",
        "Listar compradores",
        Verb::Get,
        "/api/lancamentos/{projetoId}/compradores",
    )
    .access(Access::Member(Capability::Vendas))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .tool();
    type Output = LaunchBuyers;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchBuyers> {
        let (least_cents, most_cents) = self.values.bounds()?;
        let (launch, span) = require_launch_and_days(ctx, &self.project_id, &self.period).await?;
        let keys = &ctx.services.keys;
        let (db, selection) = (ctx.db(), sales_selection(&launch));
        let chosen = Chosen {
            product: self.produto_id.as_deref(),
            status: self.status.map(PaidStatus::as_str),
            least_cents,
            most_cents,
        };
        let before: Option<Position> = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let (latest, shown) = before.unwrap_or((Millis::MAX, 0));
        if !(0..=MOST_AT_ONCE).contains(&shown) {
            return Err(Cursor::invalid_cursor());
        }
        let probe = self.limit.fetch_limit() + shown;
        let rows = list_buyers(
            &db,
            &selection,
            chosen,
            span.start_and_end(),
            Some(latest),
            probe,
        );
        let mut rows = rows.await?;
        let mut again = shown;
        rows.retain(|row| {
            let is_shown = row.occurred_at == latest && again > 0;
            again -= i64::from(is_shown);
            !is_shown
        });
        let mut page = ListPage::from_fetched_rows(rows, self.limit, |_| ());
        if let Some(last) = page.rows.last().filter(|_| page.next_cursor.is_some()) {
            let at = last.occurred_at;
            let here = page.rows.iter().filter(|row| row.occurred_at == at).count();
            let before = if at == latest { shown } else { 0 };
            let here = before + i64::try_from(here).unwrap_or(0);
            page.next_cursor = Some(domain::encode_position(&(at, here)));
        }
        let people: Vec<&PersonId> = page.rows.iter().map(|row| &row.person).collect();
        let mut purchases: BTreeMap<PersonId, Vec<Bought>> = BTreeMap::new();
        for one in
            list_purchases_of_buyers(&db, &selection, chosen, span.start_and_end(), &people).await?
        {
            purchases.entry(one.person.clone()).or_default().push(one);
        }
        let lines = page.rows.iter().filter_map(|row| {
            let opaque = format!("{}\n{}", launch.project_id, row.person.as_str());
            let opaque = hex(&keys.hmac(BUYERS, opaque.as_bytes())[..12]);
            BuyerLine::from_purchases(opaque, purchases.remove(&row.person)?, &launch.currency)
        });
        let compradores = lines.collect();
        Ok(LaunchBuyers {
            span,
            moeda: launch.currency,
            compradores,
            next_cursor: page.next_cursor,
            atualizado_em: figures::updated_at(ctx, &[Kind::Sales]).await?,
        })
    }
}

impl BuyerLine {
    /// Builds a buyer from their purchases. The first touch comes from the first purchase, the last
    /// touch from the last purchase.
    fn from_purchases(comprador: String, purchases: Vec<Bought>, currency: &str) -> Option<Self> {
        let (first, last) = (purchases.first()?, purchases.last()?);
        let first_utm = [
            &first.first_source,
            &first.first_medium,
            &first.first_campaign,
        ];
        let last_utm = [&last.last_source, &last.last_medium, &last.last_campaign];
        let net = |one: &Bought| one.amount_cents - one.refunded_cents;
        let own = purchases.iter().filter(|one| one.currency == currency);
        Some(Self {
            comprador,
            valor_centavos: own.map(net).sum(),
            primeiro_toque: touch_view(&first.first_channel, first_utm, first.first_touch_at),
            ultimo_toque: touch_view(&last.last_channel, last_utm, last.last_touch_at),
            ultima_compra_em: Timestamp(last.occurred_at),
            ultima_compra_em_brasilia: BrasiliaTime(last.occurred_at),
            produtos: purchases
                .into_iter()
                .map(|one| BoughtLine {
                    valor_centavos: net(&one),
                    produto_id: one.product_id,
                    produto: one.product,
                    status: one.status,
                    moeda: one.currency,
                    ocorreu_em: Timestamp(one.occurred_at),
                    ocorreu_em_brasilia: BrasiliaTime(one.occurred_at),
                })
                .collect(),
        })
    }
}

fn touch_view(
    channel: &Option<String>,
    [source, medium, campaign]: [&Option<String>; 3],
    at: Option<i64>,
) -> Option<TouchView> {
    Some(TouchView {
        canal: channel.clone()?,
        utm_source: source.clone(),
        utm_medium: medium.clone(),
        utm_campaign: campaign.clone(),
        ocorreu_em: at.map(Timestamp),
        ocorreu_em_brasilia: at.map(BrasiliaTime),
    })
}
