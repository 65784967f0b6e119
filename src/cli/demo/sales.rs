//! The launch of the demo: site visits, sales, e-mails and ads.
//!
//! The numbers are generated with a fixed seed, so every demo has the same ones. The last day is
//! today.

use domain::{
    CancellationId, Email, MemberId, PersonId, ProjectId, Revision,
    sales::{
        AdSpend, CrmStage, Dispatch, Purchase, PurchaseStatus, Subscription, SubscriptionStatus,
        Utm,
    },
    time::{DAY, HOUR, LocalDay, MINUTE, Millis, brasilia_day, month_name},
    timeline::{Channel, DeliveryKind, TimelineEventKind},
};
use gateway::{Gateway, Pepper, Result};
use serde_json::{Value, json};
use store::{
    Conn,
    launches::{self, Launch},
    sales::{self, Cancellation, Source},
    timeline::{self, Delivery, NewEvent},
};

const CODE: &str = "pao-em-casa";
const CURRENCY: &str = "BRL";
/// The age of the launch in days.
const BEGUN: i64 = 12;
const VISITORS: u32 = 420;

/// The id, name and price in cents of a product.
type Product = (&'static str, &'static str, i64);
const COURSE: Product = ("pao-em-casa", "Pão em Casa", 49_700);
const BOOK: Product = ("caderno", "Caderno de fermentação", 9_700);

/// The source, medium, campaign and content of each origin, and its share of the visitors in
/// percent.
const ORIGINS: [(&str, &str, &str, &str, u32); 6] = [
    ("meta", "cpc", "pao_frio", "video-casca", 26),
    ("meta", "cpc", "pao_quente", "depoimentos", 18),
    ("newsletter", "email", CODE, "disparo-abertura", 16),
    ("newsletter", "email", CODE, "disparo-ultimo-dia", 8),
    ("instagram", "bio", "perfil", "link", 20),
    ("whatsapp", "whatsapp", "grupo-ex-alunas", "convite", 6),
];
/// The id and name of each campaign, and its cost per day in cents.
const ADS: [(&str, &str, i64); 2] = [
    ("120210001", "pao_frio", 41_000),
    ("120210002", "pao_quente", 27_500),
];
/// The id, name and age in days of each dispatch.
const DISPATCHES: [(&str, &str, i64); 3] = [
    ("disparo-aquecimento", "Aquecimento: o erro da casca", 11),
    ("disparo-abertura", "Inscrições abertas", 8),
    ("disparo-ultimo-dia", "Último dia do lote", 2),
];
const CHOICES: [&str; 3] = ["Massa não cresce", "Casca mole", "Falta de tempo"];

/// A pseudorandom generator with a fixed seed (Knuth's MMIX constants).
struct Dice(u64);

impl Dice {
    fn random_below(&mut self, end: u32) -> u32 {
        let step = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = step.wrapping_add(1_442_695_040_888_963_407);
        let high = u32::try_from(self.0 >> 40).unwrap_or(0);
        high % end
    }

    fn random_chance(&mut self, chance: u32) -> bool {
        self.random_below(100) < chance
    }

    /// Returns a random duration below `length`.
    fn random_duration(&mut self, length: Millis) -> Millis {
        Millis::from(self.random_below(1_000_000)) * length / 1_000_000
    }
}

/// The generated events of the launch, before they are stored.
struct Story<'a> {
    pepper: &'a Pepper,
    dice: Dice,
    now: Millis,
    events: Vec<NewEvent<'static>>,
    purchases: Vec<Purchase>,
    stages: Vec<CrmStage>,
}

/// Generates and stores the data of a project's launch and computes its figures.
pub(super) async fn seed_launch(
    gateway: &Gateway,
    project_id: ProjectId,
    member_id: &MemberId,
    now: Millis,
) -> Result<()> {
    let services = &gateway.services;
    let mut story = Story {
        pepper: services.parts.get::<Pepper>(),
        dice: Dice(20_261_022),
        now,
        events: vec![],
        purchases: vec![],
        stages: vec![],
    };
    for visitor in 0..VISITORS {
        story.add_visit(visitor);
    }
    let tx = services.db.begin().await?;
    let db = tx.conn();
    launches::save(&db, &new_launch(project_id, member_id, now), None).await?;
    timeline::record_events(&db, &story.events, now).await?;
    let written = story.purchases.len();
    sales::save_purchases(&db, std::mem::take(&mut story.purchases), now).await?;
    sales::save_crm_stages(&db, std::mem::take(&mut story.stages), now).await?;
    story.insert_ad_spend(&db).await?;
    story.insert_dispatches(&db).await?;
    story.insert_subscriptions(&db, member_id).await?;
    let count = i64::try_from(written).unwrap_or(0);
    let source = Source {
        source: "importacao:purchases".into(),
        cursor: None,
        fresh_until: Some(now - HOUR),
        finished_at: Some(now - HOUR),
        rows_read: count,
        rows_written: count,
        error_code: None,
    };
    sales::save_source(&db, source).await?;
    tx.commit().await?;
    tools::figures::count_marked_rows(&services.db, now).await
}

/// Returns the name of the course that the launch sells; it contains the month of this instant.
pub(super) fn course_name(at: Millis) -> String {
    let month = month_name(brasilia_day(at).month());
    format!("Pão em Casa, turma de {month}")
}

fn new_launch(project_id: ProjectId, member_id: &MemberId, now: Millis) -> Launch {
    let today = LocalDay::from_instant(now);
    Launch {
        project_id,
        revision: Revision::FIRST,
        name: course_name(now),
        starts_on: today.plus_days(-12),
        ends_on: today.plus_days(8),
        goal_cents: 6_000_000,
        currency: CURRENCY.into(),
        products: vec![COURSE.0.into(), BOOK.0.into()],
        campaigns: vec!["pao_*".into(), "perfil".into()],
        code: Some(CODE.into()),
        updated_at: now - BEGUN * DAY,
        updated_by: member_id.clone(),
    }
}

impl Story<'_> {
    fn person_id(&self, number: u32) -> PersonId {
        let email: Email = format!("leitora{number}@exemplo.pauta.test")
            .parse()
            .expect("an e-mail address");
        let person = self.pepper.person_id(&email);
        person.expect("the database of a demo is migrated")
    }

    /// Generates one visitor: the page views, and the steps towards a purchase.
    fn add_visit(&mut self, visitor: u32) {
        let mut at = self.now - BEGUN * DAY + self.dice.random_duration(BEGUN * DAY - 2 * HOUR);
        let mut roll = self.dice.random_below(100);
        let origin = ORIGINS.iter().find(|(.., share)| {
            let is = roll < *share;
            roll = roll.saturating_sub(*share);
            is
        });
        let mut detail = json!({ "pagina": "/pao-em-casa" });
        if let Some((source, medium, campaign, content, _)) = origin {
            detail["utm_source"] = (*source).into();
            detail["utm_medium"] = (*medium).into();
            detail["utm_campaign"] = (*campaign).into();
            detail["utm_content"] = (*content).into();
        }
        self.add_event(visitor, TimelineEventKind::VisitedPage, at, None, detail);
        if !self.dice.random_chance(58) {
            return;
        }
        let person = self.person_id(visitor);
        at += self.dice.random_duration(5 * MINUTE) + MINUTE;
        let nothing = || json!({});
        let named = Some(person.clone());
        self.add_event(
            visitor,
            TimelineEventKind::Identified,
            at,
            named.clone(),
            nothing(),
        );
        self.add_crm_stage("lead", &person, at);
        if self.dice.random_chance(40) {
            let choice = CHOICES[self.dice.random_below(3) as usize];
            let answer = json!({ "votacao": "maior-dificuldade", "opcao": choice });
            self.add_event(
                visitor,
                TimelineEventKind::AnsweredPoll,
                at + MINUTE,
                named,
                answer,
            );
        }
        if !self.dice.random_chance(55) {
            return;
        }
        at += self.dice.random_duration(20 * MINUTE) + MINUTE;
        self.add_event(
            visitor,
            TimelineEventKind::OpenedCheckout,
            at,
            None,
            nothing(),
        );
        self.add_crm_stage("checkout", &person, at);
        if !self.dice.random_chance(78) {
            return;
        }
        at += self.dice.random_duration(4 * MINUTE) + MINUTE;
        let step = json!({ "etapa": "pagamento" });
        self.add_event(visitor, TimelineEventKind::CheckoutStep, at, None, step);
        if !self.dice.random_chance(72) {
            return;
        }
        at += self.dice.random_duration(4 * MINUTE) + MINUTE;
        self.add_crm_stage("cliente", &person, at);
        self.add_purchase(visitor, &person, COURSE, at);
        if self.dice.random_chance(24) {
            self.add_purchase(visitor, &person, BOOK, at + MINUTE);
        }
    }

    fn add_event(
        &mut self,
        visitor: u32,
        kind: TimelineEventKind,
        occurred_at: Millis,
        person: Option<PersonId>,
        detail: Value,
    ) {
        let channel = Channel::from_detail(|key| detail[key].as_str());
        self.events.push(NewEvent {
            session: format!("demo-{visitor}").into(),
            id: self.events.len().to_string().into(),
            kind,
            occurred_at,
            person,
            product: None,
            launch: Some(CODE.into()),
            channel,
            detail: Some(detail.to_string()),
        });
    }

    fn add_crm_stage(&mut self, stage: &str, person: &PersonId, occurred_at: Millis) {
        self.stages.push(CrmStage {
            person: person.clone(),
            stage: stage.into(),
            occurred_at,
            launch: Some(CODE.into()),
        });
    }

    fn add_purchase(
        &mut self,
        visitor: u32,
        person: &PersonId,
        product: Product,
        occurred_at: Millis,
    ) {
        let (product_id, product, cents) = product;
        let status = match self.dice.random_below(100) {
            0..4 => PurchaseStatus::Refunded,
            4 => PurchaseStatus::Chargeback,
            5..8 => PurchaseStatus::PartlyRefunded,
            _ => PurchaseStatus::Approved,
        };
        let seller = match self.dice.random_below(10) {
            0..2 => Some("Otávio"),
            2 => Some("Bruna"),
            _ => None,
        };
        self.purchases.push(Purchase {
            store: if self.dice.random_chance(80) {
                "hotmart"
            } else {
                "guru"
            }
            .into(),
            transaction_id: format!("HP{visitor:06}-{product_id}"),
            occurred_at,
            status,
            person: Some(person.clone()),
            severed: false,
            product_id: product_id.into(),
            product: product.into(),
            amount_cents: cents,
            refunded_cents: match status {
                PurchaseStatus::PartlyRefunded => cents / 2,
                PurchaseStatus::Refunded | PurchaseStatus::Chargeback => cents,
                _ => 0,
            },
            currency: CURRENCY.into(),
            seller: seller.map(Into::into),
            launch: Some(CODE.into()),
            utm: Utm::default(),
        });
    }

    async fn insert_ad_spend(&mut self, db: &Conn<'_>) -> Result<()> {
        let mut spend = vec![];
        for back in 0..=BEGUN {
            for (campaign_id, campaign, daily) in ADS {
                let impressions = 14_000 + i64::from(self.dice.random_below(6_000));
                spend.push(AdSpend {
                    platform: "meta".into(),
                    campaign_id: campaign_id.into(),
                    day: LocalDay::from_instant(self.now - back * DAY).0,
                    campaign: campaign.into(),
                    spend_cents: daily + i64::from(self.dice.random_below(6_000)),
                    impressions,
                    clicks: impressions / 100 + i64::from(self.dice.random_below(90)),
                    currency: CURRENCY.into(),
                });
            }
        }
        sales::save_ad_spend(db, spend, self.now).await?;
        Ok(())
    }

    async fn insert_dispatches(&mut self, db: &Conn<'_>) -> Result<()> {
        let (mut dispatches, mut deliveries) = (vec![], vec![]);
        for (id, name, ago) in DISPATCHES {
            let sent_at = self.now - ago * DAY - 2 * HOUR;
            let sent = 110 + i64::from(self.dice.random_below(30));
            dispatches.push(Dispatch {
                id: id.into(),
                name: name.into(),
                channel: "email".into(),
                sent_at,
                sent,
                launch: Some(CODE.into()),
            });
            for mail in 0..sent {
                let mut kinds = vec![(DeliveryKind::Sent, 0)];
                if self.dice.random_chance(3) {
                    kinds.push((DeliveryKind::Bounced, 1));
                } else {
                    kinds.push((DeliveryKind::Delivered, 1));
                    if self.dice.random_chance(46) {
                        kinds.push((DeliveryKind::Opened, 90));
                        kinds.extend(
                            self.dice
                                .random_chance(30)
                                .then_some((DeliveryKind::Clicked, 95)),
                        );
                    }
                }
                for (kind, minutes) in kinds {
                    deliveries.push(Delivery {
                        message_id: format!("{id}-{mail}-{kind}"),
                        position: 0,
                        person: None,
                        kind,
                        occurred_at: sent_at + minutes * MINUTE,
                        mail_id: format!("{id}-{mail}"),
                        dispatch_id: Some(id.into()),
                        launch: Some(CODE.into()),
                        bounce_type: None,
                        link: None,
                    });
                }
            }
        }
        sales::save_dispatches(db, dispatches, self.now).await?;
        timeline::save_deliveries(db, &deliveries, self.now).await?;
        Ok(())
    }

    async fn insert_subscriptions(&mut self, db: &Conn<'_>, member_id: &MemberId) -> Result<()> {
        let mut subscriptions = vec![];
        for number in 1..=64 {
            let started_at = self.now - 20 * DAY - self.dice.random_duration(300 * DAY);
            let status = match number % 11 {
                1 => SubscriptionStatus::Canceled,
                5 if number % 2 == 0 => SubscriptionStatus::Overdue,
                _ => SubscriptionStatus::Active,
            };
            let ended_at = self.now - self.dice.random_duration(18 * DAY) - DAY;
            let (plan, amount_cents) = match number % 4 {
                0 => ("Clube anual", 3_325),
                _ => ("Clube mensal", 3_990),
            };
            subscriptions.push(Subscription {
                store: "hotmart".into(),
                subscription_id: format!("CLUBE-{number:04}"),
                plan: plan.into(),
                status,
                started_at,
                ended_at: (status == SubscriptionStatus::Canceled).then_some(ended_at),
                amount_cents,
                currency: CURRENCY.into(),
                person: Some(self.person_id(10_000 + number)),
                severed: false,
            });
        }
        sales::save_subscriptions(db, subscriptions, self.now).await?;
        for (subscription_id, reason) in [("CLUBE-0012", "tempo"), ("CLUBE-0023", "preco")] {
            let cancellation = Cancellation {
                id: CancellationId::new(self.now - HOUR),
                subscription_id: subscription_id.into(),
                reason: reason.into(),
                note: None,
                recorded_by: member_id.clone(),
                recorded_at: self.now - HOUR,
            };
            sales::save_cancellation(db, cancellation).await?;
        }
        Ok(())
    }
}
