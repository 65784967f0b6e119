//! The day in Los Angeles, by which Google counts its quotas.

use std::sync::LazyLock;

use jiff::tz::TimeZone;

use super::{DAY, Millis, timestamp::to_timestamp};

static PACIFIC: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("America/Los_Angeles").expect("the bundled time zone database has this zone")
});

/// Returns the first instant of the day in Los Angeles, and the first instant of the next day.
#[must_use]
pub fn pacific_day(instant: Millis) -> (Millis, Millis) {
    let date = to_timestamp(instant).to_zoned(PACIFIC.clone()).date();
    let start = |date: jiff::civil::Date| {
        let start = date.to_zoned(PACIFIC.clone()).ok();
        start.map(|start| start.timestamp().as_millisecond())
    };
    let first = start(date).unwrap_or(instant);
    let next = date.tomorrow().ok().and_then(start);
    (first, next.unwrap_or(first + DAY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{HOUR, parse_instant};

    fn at(text: &str) -> Millis {
        parse_instant(text).expect("an instant")
    }

    #[test]
    fn a_day_begins_at_midnight_in_los_angeles() {
        for (instant, first, next) in [
            (
                "2026-11-29T07:59:59.999Z",
                "2026-11-28T08:00:00.000Z",
                "2026-11-29T08:00:00.000Z",
            ),
            (
                "2026-11-29T08:00:00.000Z",
                "2026-11-29T08:00:00.000Z",
                "2026-11-30T08:00:00.000Z",
            ),
            (
                "2026-07-01T06:00:00.000Z",
                "2026-06-30T07:00:00.000Z",
                "2026-07-01T07:00:00.000Z",
            ),
            (
                "2028-02-29T20:00:00.000Z",
                "2028-02-29T08:00:00.000Z",
                "2028-03-01T08:00:00.000Z",
            ),
        ] {
            assert_eq!(pacific_day(at(instant)), (at(first), at(next)), "{instant}");
        }
    }

    #[test]
    fn days_with_a_clock_change_are_shorter_or_longer() {
        let (first, next) = pacific_day(at("2026-03-08T20:00:00.000Z"));
        assert_eq!(next - first, 23 * HOUR);
        let (first, next) = pacific_day(at("2026-11-01T20:00:00.000Z"));
        assert_eq!(next - first, 25 * HOUR);
    }
}
