//! Counts marked rows in steps.
//!
//! Imports and synchronisations run a pass themselves; after events and deliveries a job runs one.
//! Each stage runs at most 64 full steps, so that a continuous stream of events neither prolongs
//! the pass forever nor delays the other stages.
//!
//! On PostgreSQL a pass and the writers of sales exclude each other, and a pass skips sessions that
//! another transaction is writing. It locks session rows before it reads their events, so that an event
//! that arrives during the count marks its session again. Where hundreds of keys are looked up,
//! `take_turn` restricts the planner to indexes and nested loops: with statistics from before an import
//! the planner would read whole tables.

use domain::time::Millis;

use super::{
    crm, days, deliveries, journey, kind::Kind, purchases, record_update, subscriptions,
    touches::MonthChanges,
};
use crate::{
    Conn, Result,
    many::ROWS,
    turns::{Turn, take_turn},
};

/// The order matters: counting sessions marks purchases, and counting purchases marks days.
const STAGES: [Stage; 6] = [
    Stage::Journey,
    Stage::Deliveries,
    Stage::Purchases,
    Stage::Subscriptions,
    Stage::Crm,
    Stage::Days,
];

/// The maximum number of full steps of one stage in a pass. After these steps the next stage runs, even
/// if marked rows remain.
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

/// A pass over the marked rows, in steps of limited size. The number of steps is limited too, so a pass
/// always ends. A later pass counts the rows that remain marked.
#[derive(Debug, Default)]
pub struct Pass {
    stage: usize,
    /// The number of steps taken in this stage.
    steps: usize,
    /// True if a stage ended after [`STEPS`] full steps, so that marked rows of this stage may remain.
    is_partial: bool,
}

impl Pass {
    /// Runs at least one step, and further steps while marked rows remain and `goes_on` returns true.
    /// Returns true if marked rows may remain; the caller then commits and calls this function again.
    ///
    /// Yields to the runtime between steps. A statement on SQLite runs on the thread that polls it;
    /// without the yield, other tasks of that thread could not even start to wait for the writer.
    pub async fn run(
        &mut self,
        db: &Conn<'_>,
        now: Millis,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<bool> {
        take_turn(db, Turn::Sales).await?;
        let mut months = MonthChanges::default();
        let more = loop {
            let more = self.run_step(db, now, &mut months).await?;
            if !more {
                break false;
            }
            tokio::task::yield_now().await;
            if !goes_on() {
                break true;
            }
        };
        months.write(db).await?;
        Ok(more)
    }

    async fn run_step(
        &mut self,
        db: &Conn<'_>,
        now: Millis,
        months: &mut MonthChanges,
    ) -> Result<bool> {
        while let Some(stage) = STAGES.get(self.stage) {
            let settled = stage.settle_batch(db, months).await?;
            if let Some(kind) = settled.kind {
                record_update(db, kind, now).await?;
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

/// The result of a step.
struct Settled {
    /// The kind of figures that the step counted; `None` if it counted nothing.
    kind: Option<Kind>,
    /// True if the step took a full batch, so that more marked rows may remain.
    is_full: bool,
}

impl Stage {
    async fn settle_batch(self, db: &Conn<'_>, months: &mut MonthChanges) -> Result<Settled> {
        let (taken, kind) = match self {
            Self::Journey => (journey::settle_batch(db).await?, Kind::Journey),
            Self::Deliveries => (deliveries::settle_batch(db).await?, Kind::Deliveries),
            Self::Purchases => (purchases::settle_batch(db).await?, Kind::Sales),
            Self::Subscriptions => (subscriptions::settle_batch(db).await?, Kind::Subscriptions),
            Self::Crm => (crm::settle_batch(db).await?, Kind::Crm),
            Self::Days => {
                let kind = days::recount_next_day(db, months).await?;
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
