//! Counts the calls that networks limit. The counters are in the database, shared by all instances and
//! by both ways of publishing (`shortvideo/` and `scheduled/`) on one account.

use domain::time::{Millis, pacific_day};
use gateway::{Result, Services};
use ports::publishing::{CallLimit, LimitPeriod};
use store::provider_rates;

/// Returns the name of a counter. `connection` is the name of the network in connections.
fn counter_name(connection: &str, limit: CallLimit, account_id: &str) -> String {
    match limit.per {
        LimitPeriod::AccountMinute => format!("{connection}:{}:{account_id}", limit.call),
        LimitPeriod::PacificDay => format!("{connection}:{}", limit.call),
    }
}

/// Counts a call before it is made. If the call is not allowed yet, returns the instant from which it
/// is allowed.
pub(super) async fn count_call(
    services: &Services,
    (connection, account_id): (&str, &str),
    limit: CallLimit,
) -> Result<Option<Millis>> {
    let now = services.clock.now();
    let name = counter_name(connection, limit, account_id);
    let tx = services.db.begin().await?;
    let db = tx.conn();
    let allowed = match limit.per {
        LimitPeriod::AccountMinute => {
            provider_rates::count_call(&db, &name, limit.most, now).await?
        }
        LimitPeriod::PacificDay => {
            let day = pacific_day(now);
            provider_rates::count_call_within_daily_limit(&db, &name, limit.most, day, now).await?
        }
    };
    tx.commit().await?;
    Ok(allowed)
}

/// Subtracts a call that was counted at or after an instant and did not reach the network.
pub(super) async fn remove_counted_call(
    services: &Services,
    (connection, account_id): (&str, &str),
    limit: CallLimit,
    counted_at: Millis,
) -> Result<()> {
    let name = counter_name(connection, limit, account_id);
    let tx = services.db.begin().await?;
    provider_rates::remove_counted_call(&tx.conn(), &name, counted_at).await?;
    Ok(tx.commit().await?)
}

/// Blocks all calls before an instant, because the network demanded a pause.
pub(super) async fn block_calls(
    services: &Services,
    (connection, account_id): (&str, &str),
    limit: CallLimit,
    until: Millis,
) -> Result<()> {
    let name = counter_name(connection, limit, account_id);
    let tx = services.db.begin().await?;
    provider_rates::block_until(&tx.conn(), &name, until).await?;
    Ok(tx.commit().await?)
}
