//! Limits the number of requests about people per caller.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use domain::time::{MINUTE, Millis, SECOND};
use gateway::{Code, Error, Result};

/// The maximum number of callers in memory. Beyond it, callers whose window has ended are removed; if
/// too many callers remain, all are removed.
const MOST_CALLERS: usize = 10_000;

/// Counts the requests of each caller in windows of a minute, in this instance.
#[derive(Default)]
pub struct Pace(Mutex<HashMap<String, Count>>);

struct Count {
    since: Millis,
    asked: u32,
}

impl Pace {
    /// Counts a request. Refuses (429, with the seconds to wait) more than `most` requests within a
    /// minute.
    pub(crate) fn count_request(&self, caller: String, most: u32, now: Millis) -> Result<()> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MOST_CALLERS {
            counts.retain(|_, count| count.since + MINUTE > now);
            if counts.len() >= MOST_CALLERS {
                counts.clear();
            }
        }
        let count = counts.entry(caller).or_insert(Count {
            since: now,
            asked: 0,
        });
        if count.since + MINUTE <= now {
            *count = Count {
                since: now,
                asked: 0,
            };
        }
        if count.asked >= most {
            let left = count.since + MINUTE - now;
            let seconds = (left + SECOND - 1) / SECOND;
            return Err(Error::new(Code::RATE_LIMITED).with_retry_after(seconds.unsigned_abs()));
        }
        count.asked += 1;
        Ok(())
    }
}
