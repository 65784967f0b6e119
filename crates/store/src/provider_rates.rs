//! Rate limits of providers, shared by all instances. The calls of an account are limited in a sliding
//! window of one minute, the calls of an application in a day.
//!
//! A pause that the provider has requested is stored here too.

use super::Conn;
use crate::Result;
use domain::time::{MINUTE, Millis};

/// Counts a call. If `most` calls were made within the last minute, or if [`block_until`] blocks calls,
/// does not count the call and returns the time at which the next call is allowed.
pub async fn count_call(
    db: &Conn<'_>,
    name: &str,
    most: usize,
    now: Millis,
) -> Result<Option<Millis>> {
    // The clock of another instance may be ahead, so calls up to one minute in the future also count.
    let (window, again) = ((now - MINUTE, now + MINUTE), |first: Millis| first + MINUTE);
    count_within(db, name, (most, window), again, now).await
}

/// Counts a call in a day that began at `first` and ends at `next`. If `most` calls were made in the
/// day, or if [`block_until`] blocks calls, does not count the call and returns the time at which the
/// next call is allowed.
pub async fn count_call_within_daily_limit(
    db: &Conn<'_>,
    name: &str,
    most: usize,
    (first, next): (Millis, Millis),
    now: Millis,
) -> Result<Option<Millis>> {
    count_within(db, name, (most, (first - 1, next)), |_| next, now).await
}

/// Counts a call, if fewer than `most` calls were made after `since` and before `until`. Otherwise
/// returns when the next call is allowed: `again` computes this time from the first of the counted
/// calls. Calls from `until` on stay stored, because an instance whose clock is ahead counts them in its
/// next window.
async fn count_within(
    db: &Conn<'_>,
    name: &str,
    (most, (since, until)): (usize, (Millis, Millis)),
    again: impl Fn(Millis) -> Millis,
    now: Millis,
) -> Result<Option<Millis>> {
    // This locks the row, so that callers wait for each other.
    let sql = "INSERT INTO provider_rates (name, calls, held_until) VALUES ($1, '[]', 0)
        ON CONFLICT (name) DO UPDATE SET held_until = provider_rates.held_until
        RETURNING calls, held_until";
    let Some(row) = db.fetch_one(sql, [name.into()]).await? else {
        return Ok(None);
    };
    let held_until: Millis = row.try_get("", "held_until")?;
    if held_until > now {
        return Ok(Some(held_until));
    }
    let calls: String = row.try_get("", "calls")?;
    let mut calls: Vec<Millis> = serde_json::from_str(&calls)?;
    calls.retain(|at| *at > since);
    let counted = calls.iter().filter(|at| **at < until);
    if counted.clone().count() >= most {
        return Ok(counted.min().map(|first| again(*first)));
    }
    calls.push(now);
    let sql = "UPDATE provider_rates SET calls = $2 WHERE name = $1";
    db.run(sql, [name.into(), serde_json::to_string(&calls)?.into()])
        .await?;
    Ok(None)
}

/// Removes the first call that was counted at or after an instant, because it did not reach the provider.
pub async fn remove_counted_call(db: &Conn<'_>, name: &str, counted_at: Millis) -> Result<()> {
    // This locks the row, as [`count_within`] does.
    let sql = "UPDATE provider_rates SET held_until = held_until WHERE name = $1 RETURNING calls";
    let Some(row) = db.fetch_one(sql, [name.into()]).await? else {
        return Ok(());
    };
    let calls: String = row.try_get("", "calls")?;
    let mut calls: Vec<Millis> = serde_json::from_str(&calls)?;
    let Some(place) = calls.iter().position(|at| *at >= counted_at) else {
        return Ok(());
    };
    calls.remove(place);
    let sql = "UPDATE provider_rates SET calls = $2 WHERE name = $1";
    db.run(sql, [name.into(), serde_json::to_string(&calls)?.into()])
        .await?;
    Ok(())
}

/// Blocks all calls until an instant, at the provider's request.
pub async fn block_until(db: &Conn<'_>, name: &str, until: Millis) -> Result<()> {
    let sql = "UPDATE provider_rates SET held_until = $2 WHERE name = $1 AND held_until < $2";
    db.run(sql, [name.into(), until.into()]).await?;
    Ok(())
}
