//! The use of personal tokens and agents on the current day, and their daily budgets.

use std::collections::HashMap;

use domain::{
    Code, Error, Result, TokenId,
    time::{Millis, SECOND, brasilia_day, end_of_day},
};
use store::{
    Db,
    budgets::{self, BudgetState},
};

use crate::Principal;

/// The use of a credential today.
#[derive(Debug, Clone, Copy, Default)]
struct TokenUse {
    /// The budget and the use as last read from the database.
    state: BudgetState,
    /// Calls that are not yet in the database.
    unstored: i64,
}

/// The calls of a day that are not yet in the database.
pub(super) struct Unstored {
    day: String,
    calls: Vec<(TokenId, i64)>,
}

/// The use of the credentials that were used since the last `share`.
#[derive(Default)]
pub(super) struct Day {
    day: String,
    ends: Millis,
    tokens: HashMap<TokenId, TokenUse>,
    /// The calls of earlier days that are not yet in the database.
    ended: Vec<Unstored>,
}

/// Reads the budget and the use of a credential.
pub(super) async fn load_state(db: &Db, id: &TokenId, now: Millis) -> Result<BudgetState> {
    let mut states = budgets::load(&db.reader(), [id.as_str()], &day_text(now)).await?;
    Ok(states.remove(id).unwrap_or_default())
}

/// Returns the day in Brasília as text, in the format that the stored budgets use.
fn day_text(now: Millis) -> String {
    brasilia_day(now).to_string()
}

impl Day {
    pub(super) fn reset_if_over(&mut self, now: Millis) {
        if now < self.ends {
            return;
        }
        let calls = self.tokens.drain().map(|(id, used)| (id, used.unstored));
        let calls: Vec<_> = calls.filter(|(_, calls)| *calls > 0).collect();
        let day = std::mem::replace(&mut self.day, day_text(now));
        if !calls.is_empty() {
            self.ended.push(Unstored { day, calls });
        }
        self.ends = end_of_day(brasilia_day(now));
    }

    pub(super) fn has_token(&self, id: &TokenId) -> bool {
        self.tokens.contains_key(id)
    }

    pub(super) fn add_token(&mut self, id: &TokenId, state: BudgetState) {
        self.tokens.entry(id.clone()).or_default().state = state;
    }

    /// Fails if the credential has used up the calls of its daily budget.
    pub(super) fn require_remaining_calls(&self, id: &TokenId, now: Millis) -> Result<()> {
        let Some(used) = self.tokens.get(id) else {
            return Ok(());
        };
        match used.state.budget.daily_calls {
            Some(most) if used.state.used.calls + used.unstored >= most => {
                Err(budget_error(&format!("{most} chamadas"), most, now))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn count_call(&mut self, id: &TokenId) {
        self.tokens.entry(id.clone()).or_default().unstored += 1;
    }

    /// Takes the calls that are not yet in the database. Removes the credentials without such calls
    /// from memory.
    pub(super) fn take_unstored(&mut self) -> Vec<Unstored> {
        self.tokens.retain(|_, used| used.unstored > 0);
        let calls = self.tokens.iter_mut().map(|(id, used)| {
            let calls = std::mem::take(&mut used.unstored);
            used.state.used.calls += calls;
            (id.clone(), calls)
        });
        let today = Unstored {
            day: self.day.clone(),
            calls: calls.collect(),
        };
        let mut days = std::mem::take(&mut self.ended);
        days.push(today);
        days.retain(|day| !day.calls.is_empty());
        days
    }

    /// Keeps calls that could not be stored, so that the next `share` stores them.
    pub(super) fn keep_unstored(&mut self, days: Vec<Unstored>) {
        self.ended.extend(days);
    }

    /// Sets the budgets and the use that were read from the database at `read_at`. Does nothing if
    /// the day has changed since then.
    pub(super) fn set_states(&mut self, states: HashMap<TokenId, BudgetState>, read_at: Millis) {
        if self.day != day_text(read_at) {
            return;
        }
        for (id, state) in states {
            if let Some(used) = self.tokens.get_mut(&id) {
                used.state = state;
            }
        }
    }
}

impl Unstored {
    /// Adds the calls of each day to the use of their credentials.
    pub(super) async fn store(days: &[Self], db: &Db) -> Result<()> {
        let tx = db.begin().await?;
        for day in days {
            budgets::add_calls(&tx.conn(), &day.calls, &day.day).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Reads the budgets and today's use of the credentials that made these calls.
    pub(super) async fn load_states(
        days: &[Self],
        db: &Db,
        now: Millis,
    ) -> Result<HashMap<TokenId, BudgetState>> {
        let ids = days.iter().flat_map(|day| &day.calls);
        let ids = ids.map(|(id, _)| id.as_str());
        Ok(budgets::load(&db.reader(), ids, &day_text(now)).await?)
    }
}

/// Reserves images or videos to generate from the daily budget of the caller's token or agent.
/// Sessions have no budget.
///
/// Fails with 429 and the seconds until midnight if the budget does not allow as many.
pub(crate) async fn reserve_pictures(
    db: &store::Conn<'_>,
    caller: &Principal,
    count: i64,
    now: Millis,
) -> Result<()> {
    let Some(id) = caller.token_id() else {
        return Ok(());
    };
    match budgets::reserve_pictures(db, id, &day_text(now), count).await? {
        Ok(()) => Ok(()),
        Err(most) => Err(budget_error(&format!("{most} imagens e vídeos"), most, now)),
    }
}

/// Gives reserved images or videos that were not generated back to the budget.
pub(crate) async fn return_pictures(
    db: &store::Conn<'_>,
    caller: &Principal,
    count: i64,
    now: Millis,
) -> Result<()> {
    match caller.token_id() {
        Some(id) => Ok(budgets::return_pictures(db, id, &day_text(now), count).await?),
        None => Ok(()),
    }
}

fn budget_error(what: &str, most: i64, now: Millis) -> Error {
    let left = end_of_day(brasilia_day(now)) - now;
    let message =
        format!("O limite deste acesso é de {what} por dia, e não resta o bastante hoje.");
    let next = "Espere até a meia-noite de Brasília, ou peça a um admin um limite maior.";
    Error::new(Code::RATE_LIMITED)
        .because(message)
        .with_detail("limit", most.into())
        .with_detail("next", next.into())
        .with_retry_after(((left + SECOND - 1) / SECOND).unsigned_abs())
}
