use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Pace,
    person_view::{Known, PageVisited, PurchaseView, Touch, parse_visit_detail},
};
use domain::{
    BrasiliaTime, Capability, Email,
    sales::{Subscription, SubscriptionStatus},
    time::Timestamp,
    timeline::DeliveryKind,
};
use gateway::{Access, Context, Operation, Pepper, Result, Spec, Verb};
use store::{
    people, sales,
    timeline::{self, Visit},
};

/// The maximum number of requests of one member per minute.
const PER_MINUTE: u32 = 60;
/// The maximum number of polls, and of subscriptions, in one answer.
const MOST: i64 = 50;

/// Perfil de uma pessoa pelo e-mail: compras, toques, páginas, enquetes, assinaturas e e-mails.
/// Cada consulta fica na auditoria.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetPersonalProfile {
    /// O e-mail da pessoa.
    email: Email,
}

/// O que se sabe da pessoa.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PersonalProfile {
    /// Falso quando nada se sabe deste e-mail.
    encontrado: bool,
    /// As 100 mais novas.
    compras: Vec<PurchaseView>,
    primeiro_toque: Option<Touch>,
    ultimo_toque: Option<Touch>,
    /// Da mais nova à mais antiga.
    ultimas_paginas: Vec<PageVisited>,
    enquetes: Vec<PollAnswered>,
    assinaturas: Vec<SubscriptionView>,
    emails: Engagement,
}

/// Uma enquete respondida.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct PollAnswered {
    votacao: Option<String>,
    titulo: Option<String>,
    opcao: Option<String>,
    peso: Option<String>,
    ocorreu_em: Timestamp,
    ocorreu_em_brasilia: BrasiliaTime,
}

impl From<Visit> for PollAnswered {
    fn from(visit: Visit) -> Self {
        let detail = parse_visit_detail(&visit);
        let text = |key: &str| detail.get(key).and_then(Value::as_str).map(str::to_owned);
        Self {
            votacao: text("votacao"),
            titulo: text("titulo"),
            opcao: text("opcao"),
            peso: text("peso"),
            ocorreu_em: Timestamp(visit.occurred_at),
            ocorreu_em_brasilia: BrasiliaTime(visit.occurred_at),
        }
    }
}

/// Uma assinatura.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct SubscriptionView {
    loja: String,
    assinatura_id: String,
    plano: String,
    status: SubscriptionStatus,
    inicio: Timestamp,
    inicio_em_brasilia: BrasiliaTime,
    fim: Option<Timestamp>,
    fim_em_brasilia: Option<BrasiliaTime>,
    valor_centavos: i64,
    moeda: String,
}

impl From<Subscription> for SubscriptionView {
    fn from(subscription: Subscription) -> Self {
        Self {
            loja: subscription.store,
            assinatura_id: subscription.subscription_id,
            plano: subscription.plan,
            status: subscription.status,
            inicio: Timestamp(subscription.started_at),
            inicio_em_brasilia: BrasiliaTime(subscription.started_at),
            fim: subscription.ended_at.map(Timestamp),
            fim_em_brasilia: subscription.ended_at.map(BrasiliaTime),
            valor_centavos: subscription.amount_cents,
            moeda: subscription.currency,
        }
    }
}

/// Os e-mails enviados à pessoa.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Engagement {
    enviados: i64,
    entregues: i64,
    abertos: i64,
    clicados: i64,
    devolvidos: i64,
    reclamacoes: i64,
    descadastros: i64,
    /// Do acontecimento mais novo.
    ultimo_em: Option<Timestamp>,
    ultimo_em_brasilia: Option<BrasiliaTime>,
}

impl Operation for GetPersonalProfile {
    const SPEC: Spec = Spec::new(
        "get_personal_profile",
        "Ler o perfil de uma pessoa",
        Verb::Post,
        "/api/jornada/perfil",
    )
    .access(Access::Member(Capability::Vendas))
    .reads()
    .audited()
    .tool()
    .quotes();
    type Output = PersonalProfile;

    async fn run(self, ctx: &Context<'_>) -> Result<PersonalProfile> {
        let parts = &ctx.services.parts;
        let member = ctx.caller()?.member.id.to_string();
        parts
            .get::<Pace>()
            .count_request(member, PER_MINUTE, ctx.now)?;
        let person = parts.get::<Pepper>().person_id(&self.email)?;
        let db = ctx.db();
        let known = Known::load_for_person(&db, &person).await?;
        let polls = timeline::list_poll_answers(&db, &person, MOST).await?;
        let subscriptions = sales::subscriptions_of(&db, &person, MOST).await?;
        let mut emails = Engagement::default();
        let deliveries = timeline::load_delivery_counts(&db, &person).await?;
        for count in &deliveries {
            let place = match count.kind {
                DeliveryKind::Sent => &mut emails.enviados,
                DeliveryKind::Delivered => &mut emails.entregues,
                DeliveryKind::Opened => &mut emails.abertos,
                DeliveryKind::Clicked => &mut emails.clicados,
                DeliveryKind::Bounced => &mut emails.devolvidos,
                DeliveryKind::Complained => &mut emails.reclamacoes,
                DeliveryKind::Unsubscribed => &mut emails.descadastros,
                DeliveryKind::Rejected | DeliveryKind::RenderingFailed | DeliveryKind::Delayed => {
                    continue;
                }
            };
            *place = count.deliveries;
        }
        let last_at = deliveries.iter().map(|c| c.last_at).max();
        emails.ultimo_em = last_at.map(Timestamp);
        emails.ultimo_em_brasilia = last_at.map(BrasiliaTime);
        let encontrado = people::has_data(&db, &person).await?;
        Ok(PersonalProfile {
            encontrado,
            compras: known.compras,
            primeiro_toque: known.primeiro_toque,
            ultimo_toque: known.ultimo_toque,
            ultimas_paginas: known.ultimas_paginas,
            enquetes: polls.into_iter().map(Into::into).collect(),
            assinaturas: subscriptions.into_iter().map(Into::into).collect(),
            emails,
        })
    }
}
