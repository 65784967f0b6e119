//! The steps in which marked rows are counted.
//!
//! Imports and synchronisations make a pass, and a job does after events and deliveries. Each stage
//! has at most 64 full steps, so that a stream of events keeps neither the pass from its end nor
//! the other stages from their turn.
//!
//! On PostgreSQL settling takes turns with the writers of sales, and takes only sessions that
//! nobody is writing. Session rows are claimed before their events are read, so that an event that
//! arrives during the count marks its session again. Where hundreds of keys are looked up, the
//! planner may use indexes and nested loops only (`take_turn`): by statistics from before an import
//! it would read whole tables.

use domain::time::Millis;

use super::{
    crm, days, deliveries, journey, kind::Kind, purchases, subscriptions, took_in,
    touches::MonthChanges,
};
use crate::{
    Conn, Result,
    many::ROWS,
    turns::{Turn, take_turn},
};

/// In this order, because counting sessions marks purchases, and counting those marks days.
const STAGES: [Stage; 6] = [
    Stage::Journey,
    Stage::Deliveries,
    Stage::Purchases,
    Stage::Subscriptions,
    Stage::Crm,
    Stage::Days,
];

/// Steps of one stage before the next one has its turn, however much is marked.
const STEPS: usize = 64;

#[derive(Debug, Clone, Copy)]
enum Stage {
    Journey,
    Deliveries,
    Purchases,
    Subscriptions,
    Crm,
    Days,
}

/// A count of all that is marked when it begins, in bounded steps. It ends however much is marked
/// meanwhile: writers have that counted by a later one.
#[derive(Debug, Default)]
pub struct Pass {
    stage: usize,
    /// Steps of this stage.
    steps: usize,
    /// Whether a stage had more than it could take.
    is_partial: bool,
}

impl Pass {
    /// Takes steps while there are any and `goes_on`, at least one. Returns whether there is more; the
    /// caller commits, and calls again.
    pub async fn run(
        &mut self,
        db: &Conn<'_>,
        now: Millis,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<bool> {
        take_turn(db, Turn::Sales).await?;
        let mut months = MonthChanges::default();
        let more = loop {
            let more = self.step(db, now, &mut months).await?;
            if !more || !goes_on() {
                break more;
            }
        };
        months.write(db).await?;
        Ok(more)
    }

    async fn step(
        &mut self,
        db: &Conn<'_>,
        now: Millis,
        months: &mut MonthChanges,
    ) -> Result<bool> {
        while let Some(stage) = STAGES.get(self.stage) {
            let settled = stage.settle(db, months).await?;
            if let Some(kind) = settled.kind {
                took_in(db, kind, now).await?;
            }
            self.steps += 1;
            if !settled.is_full || self.steps == STEPS {
                self.is_partial |= settled.is_full;
                self.stage += 1;
                self.steps = 0;
            }
            if settled.kind.is_some() {
                break;
            }
        }
        if self.stage < STAGES.len() {
            return Ok(true);
        }
        Ok(std::mem::take(self).is_partial)
    }
}

/// What a step did.
struct Settled {
    /// Of what it counted something.
    kind: Option<Kind>,
    /// Whether it took as much as a step takes.
    is_full: bool,
}

impl Stage {
    async fn settle(self, db: &Conn<'_>, months: &mut MonthChanges) -> Result<Settled> {
        let (taken, kind) = match self {
            Self::Journey => (journey::settle(db).await?, Kind::Journey),
            Self::Deliveries => (deliveries::settle(db).await?, Kind::Deliveries),
            Self::Purchases => (purchases::settle(db).await?, Kind::Sales),
            Self::Subscriptions => (subscriptions::settle(db).await?, Kind::Subscriptions),
            Self::Crm => (crm::settle(db).await?, Kind::Crm),
            Self::Days => {
                let kind = days::settle(db, months).await?;
                let is_full = kind.is_some();
                return Ok(Settled { kind, is_full });
            }
        };
        Ok(Settled {
            kind: (taken > 0).then_some(kind),
            is_full: taken == ROWS,
        })
    }
}
