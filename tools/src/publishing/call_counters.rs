//! The calls of accounts that networks limit, counted in the database for all instances together, and for
//! both ways of publishing on one account.

use domain::time::{Millis, pacific_day};
use gateway::{Result, Services};
use ports::publishing::{CallLimit, LimitPeriod};
use store::provider_rates;

/// The name of a counter. `connection` is the name of the network in connections.
fn counter(connection: &str, limit: CallLimit, account_id: &str) -> String {
    match limit.per {
        LimitPeriod::AccountMinute => format!("{connection}:{}:{account_id}", limit.call),
        LimitPeriod::PacificDay => format!("{connection}:{}", limit.call),
    }
}

/// Counts a call before it is made. Returns `Some` if the call is not allowed before this instant.
pub(super) async fn count_call(
    services: &Services,
    (connection, account_id): (&str, &str),
    limit: CallLimit,
) -> Result<Option<Millis>> {
    let now = services.clock.now();
    let name = counter(connection, limit, account_id);
    let tx = services.db.begin().await?;
    let db = tx.conn();
    let allowed = match limit.per {
        LimitPeriod::AccountMinute => {
            provider_rates::count_call(&db, &name, limit.most, now).await?
        }
        LimitPeriod::PacificDay => {
            let day = pacific_day(now);
            provider_rates::count_call_of_day(&db, &name, limit.most, day, now).await?
        }
    };
    tx.commit().await?;
    Ok(allowed)
}

/// Allows no call before an instant, because the network said so.
pub(super) async fn block_calls(
    services: &Services,
    (connection, account_id): (&str, &str),
    limit: CallLimit,
    until: Millis,
) -> Result<()> {
    let name = counter(connection, limit, account_id);
    let tx = services.db.begin().await?;
    provider_rates::block_until(&tx.conn(), &name, until).await?;
    Ok(tx.commit().await?)
}
