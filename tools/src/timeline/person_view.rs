//! The data about a person, as operations return them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use domain::{
    BrasiliaTime, PersonId,
    sales::{Purchase, PurchaseStatus},
    time::Timestamp,
    timeline::Channel,
};
use gateway::Result;
use store::{
    Conn, sales,
    timeline::{self, Order, Visit},
};

/// The maximum number of purchases in one answer.
const MOST_PURCHASES: i64 = 100;
/// The maximum number of pages in one answer.
const MOST_PAGES: usize = 5;
/// The maximum number of recent visits from which the visited pages are taken.
const MOST_VISITS: i64 = 50;

/// Uma compra.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct PurchaseView {
    loja: String,
    produto: String,
    valor_centavos: i64,
    moeda: String,
    status: PurchaseStatus,
    ocorreu_em: Timestamp,
    ocorreu_em_brasilia: BrasiliaTime,
}

impl From<Purchase> for PurchaseView {
    fn from(purchase: Purchase) -> Self {
        Self {
            loja: purchase.store,
            produto: purchase.product,
            valor_centavos: purchase.amount_cents,
            moeda: purchase.currency,
            status: purchase.status,
            ocorreu_em: Timestamp(purchase.occurred_at),
            ocorreu_em_brasilia: BrasiliaTime(purchase.occurred_at),
        }
    }
}

/// De onde uma visita veio.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Touch {
    canal: Channel,
    utm_source: Option<String>,
    utm_medium: Option<String>,
    utm_campaign: Option<String>,
    utm_content: Option<String>,
    utm_term: Option<String>,
    pagina: Option<String>,
    ocorreu_em: Timestamp,
    ocorreu_em_brasilia: BrasiliaTime,
}

impl From<Visit> for Touch {
    fn from(visit: Visit) -> Self {
        let detail = parse_visit_detail(&visit);
        let text = |key: &str| detail.get(key).and_then(Value::as_str).map(str::to_owned);
        Self {
            canal: visit.channel.unwrap_or(Channel::Direct),
            utm_source: text("utm_source"),
            utm_medium: text("utm_medium"),
            utm_campaign: text("utm_campaign"),
            utm_content: text("utm_content"),
            utm_term: text("utm_term"),
            pagina: text("pagina"),
            ocorreu_em: Timestamp(visit.occurred_at),
            ocorreu_em_brasilia: BrasiliaTime(visit.occurred_at),
        }
    }
}

/// Uma página visitada.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct PageVisited {
    pagina: String,
    ocorreu_em: Timestamp,
    ocorreu_em_brasilia: BrasiliaTime,
}

/// The data that both `get_lead_context` and `get_personal_profile` return.
pub(super) struct Known {
    pub compras: Vec<PurchaseView>,
    pub primeiro_toque: Option<Touch>,
    pub ultimo_toque: Option<Touch>,
    pub ultimas_paginas: Vec<PageVisited>,
}

impl Known {
    pub(super) async fn load_for_person(db: &Conn<'_>, person: &PersonId) -> Result<Self> {
        let purchases = sales::purchases_of(db, person, MOST_PURCHASES).await?;
        let visits = timeline::list_visits(db, person, MOST_VISITS).await?;
        let pages = visits.iter().filter_map(|visit| {
            let pagina = parse_visit_detail(visit)
                .get("pagina")?
                .as_str()?
                .to_owned();
            Some(PageVisited {
                pagina,
                ocorreu_em: Timestamp(visit.occurred_at),
                ocorreu_em_brasilia: BrasiliaTime(visit.occurred_at),
            })
        });
        Ok(Self {
            compras: purchases.into_iter().map(Into::into).collect(),
            primeiro_toque: load_touch(db, person, Order::First).await?,
            ultimo_toque: load_touch(db, person, Order::Last).await?,
            ultimas_paginas: pages.take(MOST_PAGES).collect(),
        })
    }
}

/// Loads the first or last event with a channel. If the person has no such event, loads the first or
/// last page visit, which counts as direct.
async fn load_touch(db: &Conn<'_>, person: &PersonId, order: Order) -> Result<Option<Touch>> {
    Ok(timeline::find_touch(db, person, order)
        .await?
        .map(Into::into))
}

pub(super) fn parse_visit_detail(visit: &Visit) -> Value {
    let text = visit.detail.as_deref().unwrap_or("{}");
    serde_json::from_str(text).unwrap_or_default()
}
