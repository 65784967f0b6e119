//! Generated sales and visits. There are few people, products and instants, so that many events
//! coincide.

use domain::{
    sales::{AdSpend, Purchase, PurchaseStatus, Utm},
    time::{DAY, HOUR, LocalDay, MINUTE},
    timeline::{Channel, TimelineEventKind},
};
use serde_json::json;
use store::timeline::NewEvent;

use super::{approved_purchase, derive_person_id, instant_millis};
use crate::support::TestApp;

/// A repeatable sequence of random numbers (Knuth, MMIX).
pub struct Dice(pub u64);

impl Dice {
    pub fn random_below(&mut self, end: u64) -> u64 {
        let step = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = step.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        let at = self.random_below(of.len() as u64);
        of[usize::try_from(at).expect("small")]
    }

    /// Returns an instant within 40 days; in one of four cases close to a midnight of Brasilia.
    fn random_instant(&mut self) -> i64 {
        let midnight = instant_millis("2026-07-20T03:00:00Z");
        let day = i64::try_from(self.random_below(40)).expect("small") * DAY;
        let within = match self.random_below(8) {
            0 => 0,
            1 => -1,
            _ => i64::try_from(self.random_below(24 * 4)).expect("small") * 15 * MINUTE,
        };
        midnight + day + within
    }

    pub fn shuffle<T>(&mut self, of: &mut [T]) {
        for last in (1..of.len()).rev() {
            let other = usize::try_from(self.random_below(last as u64 + 1)).expect("small");
            of.swap(last, other);
        }
    }
}

const PEOPLE: u64 = 40;

/// Reports of purchases; about one in three is corrected by a later one.
pub fn random_purchases(app: &TestApp, dice: &mut Dice, count: usize) -> Vec<Purchase> {
    use PurchaseStatus::{Approved, Canceled, Chargeback, PartlyRefunded, Pending, Refunded};
    let mut reports = vec![];
    for number in 0..count {
        let product = dice.pick(&["p1", "p2", "p3"]);
        let buyer = dice.random_below(PEOPLE + 8);
        let status = dice.pick(&[Pending, Canceled, Approved, Approved, Approved, Approved]);
        let cents = i64::try_from(dice.random_below(90_000)).expect("small");
        let first = Purchase {
            store: dice.pick(&["hotmart", "guru"]).into(),
            occurred_at: dice.random_instant(),
            status,
            person: (buyer < PEOPLE).then(|| derive_person_id(app, &format!("pessoa{buyer}"))),
            product_id: product.into(),
            product: product.to_uppercase(),
            currency: dice.pick(&["BRL", "BRL", "BRL", "USD"]).into(),
            seller: dice
                .pick(&[None, Some("Otávio"), Some("Bruna")])
                .map(Into::into),
            launch: dice.pick(&[None, Some("L"), Some("M")]).map(Into::into),
            utm: Utm {
                medium: dice.pick(&[None, Some("cpc")]).map(Into::into),
                ..Utm::default()
            },
            ..approved_purchase(&format!("T{number}"), "2026-08-01T00:00:00Z", cents)
        };
        if dice.random_below(3) == 0 {
            let status = dice.pick(&[Approved, PartlyRefunded, Refunded, Chargeback]);
            let corrected = dice.pick(&["p1", "p2"]);
            let refunded = i64::try_from(dice.random_below(90_000))
                .expect("small")
                .min(cents);
            reports.push(Purchase {
                status,
                refunded_cents: if status == Approved { 0 } else { refunded },
                person: Some(derive_person_id(
                    app,
                    &format!("pessoa{}", dice.random_below(PEOPLE)),
                )),
                product_id: corrected.into(),
                product: corrected.to_uppercase(),
                occurred_at: first.occurred_at
                    - i64::try_from(dice.random_below(30)).expect("small") * HOUR,
                ..first.clone()
            });
        }
        reports.push(first);
    }
    dice.shuffle(&mut reports);
    reports
}

/// Events of sessions. Most sessions are identified at some time, and some by two people.
pub fn random_events(app: &TestApp, dice: &mut Dice, count: usize) -> Vec<NewEvent<'static>> {
    use TimelineEventKind::{CheckoutStep, Identified, OpenedCheckout, VisitedPage};
    let mut events = vec![];
    for number in 0..count {
        let session = dice.random_below(count as u64 / 5 + 1);
        let kind = dice.pick(&[
            VisitedPage,
            VisitedPage,
            OpenedCheckout,
            CheckoutStep,
            Identified,
        ]);
        let campaign = dice.pick(&["a", "b", "c"]);
        let detail = match dice.random_below(3) {
            0 => json!({ "utm_medium": dice.pick(&["cpc", "email"]), "utm_campaign": campaign }),
            _ => json!({ "pagina": "/" }),
        };
        let who = (session + dice.random_below(12) / 11) % PEOPLE;
        events.push(NewEvent {
            session: format!("s{session}").into(),
            id: number.to_string().into(),
            kind,
            occurred_at: dice.random_instant(),
            person: (kind == Identified).then(|| derive_person_id(app, &format!("pessoa{who}"))),
            product: dice.pick(&[None, Some("p1")]).map(Into::into),
            launch: dice
                .pick(&[None, Some("L"), Some("L"), Some("M")])
                .map(Into::into),
            channel: Channel::from_detail(|key| detail[key].as_str()),
            detail: Some(detail.to_string()),
        });
    }
    events
}

/// Reports of paid media over 40 days. About one in three is corrected by a later one, and
/// campaigns change their names and currencies.
pub fn random_ad_spend(dice: &mut Dice, count: usize) -> Vec<AdSpend> {
    let amount = |dice: &mut Dice| i64::try_from(dice.random_below(10_000)).expect("small");
    let reports = (0..count).map(|_| AdSpend {
        platform: dice.pick(&["meta", "google"]).into(),
        campaign_id: dice.pick(&["1", "2", "3", "4"]).into(),
        day: LocalDay::from_instant(dice.random_instant()).0,
        campaign: dice.pick(&["pao", "pao_2", "bolo"]).into(),
        spend_cents: amount(dice),
        impressions: amount(dice),
        clicks: amount(dice),
        currency: dice.pick(&["BRL", "BRL", "BRL", "USD"]).into(),
    });
    reports.collect()
}
