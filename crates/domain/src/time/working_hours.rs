//! Working hours: Monday to Friday, 9:00 to 18:00 in Brasilia.

use jiff::civil::{Date, Weekday};

use super::{
    HOUR, Millis,
    brasilia::{BRASILIA, brasilia_day},
};

const OPENS: i8 = 9;
const CLOSES: i8 = 18;

/// Adds working hours to an instant. An instant outside the working hours counts as the next
/// opening. Returns `Millis::MAX` beyond the range of the calendar.
#[must_use]
pub fn add_working_hours(from: Millis, hours: u32) -> Millis {
    let mut left = Millis::from(hours) * HOUR;
    let mut day = brasilia_day(from);
    let mut at = from;
    loop {
        if !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            let (opens, closes) = (instant_at(day, OPENS), instant_at(day, CLOSES));
            at = at.max(opens);
            // The working time of a day ends at its last instant, not at the next opening.
            if at < closes && left <= closes - at {
                return at + left;
            }
            left -= (closes - at).max(0);
        }
        let Ok(next) = day.tomorrow() else {
            return Millis::MAX;
        };
        day = next;
    }
}

fn instant_at(day: Date, hour: i8) -> Millis {
    let at = day.at(hour, 0, 0, 0).to_zoned(BRASILIA.clone());
    at.map_or(Millis::MAX, |at| at.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{MINUTE, parse_instant, weekday_and_hour};

    fn at(text: &str) -> Millis {
        parse_instant(text).expect("an instant")
    }

    #[test]
    fn hours_outside_the_working_time_do_not_count() {
        for (from, hours, due) in [
            // 23 November 2026 is a Monday.
            ("23/11/2026 10:00", 2, "23/11/2026 12:00"),
            ("23/11/2026 09:00", 9, "23/11/2026 18:00"),
            ("23/11/2026 09:00", 10, "24/11/2026 10:00"),
            ("23/11/2026 17:30", 1, "24/11/2026 09:30"),
            ("23/11/2026 18:00", 1, "24/11/2026 10:00"),
            ("23/11/2026 03:00", 1, "23/11/2026 10:00"),
            ("23/11/2026 22:00", 1, "24/11/2026 10:00"),
            ("27/11/2026 17:00", 2, "30/11/2026 10:00"),
            ("28/11/2026 12:00", 1, "30/11/2026 10:00"),
            ("29/11/2026 23:59", 9, "30/11/2026 18:00"),
            ("23/11/2026 09:00", 45, "27/11/2026 18:00"),
            ("23/11/2026 09:00", 46, "30/11/2026 10:00"),
            ("28/11/2026 12:00", 0, "30/11/2026 09:00"),
            // One night of this weekend was an hour shorter, because daylight-saving time began.
            ("02/11/2018 17:00", 2, "05/11/2018 10:00"),
        ] {
            assert_eq!(
                add_working_hours(at(from), hours),
                at(due),
                "{from} + {hours}"
            );
        }
    }

    /// Adds working hours by counting minute by minute.
    fn count_minutes(from: Millis, hours: u32) -> Millis {
        let (mut at, mut left) = (from, hours * 60);
        while left > 0 {
            let (weekday, hour) = weekday_and_hour(at);
            let works = (1..=5).contains(&weekday) && (OPENS..CLOSES).contains(&hour);
            left -= u32::from(works);
            at += MINUTE;
        }
        at
    }

    #[test]
    fn the_sum_equals_a_count_of_minutes() {
        let from = at("23/11/2026 00:00");
        for step in 0..400 {
            let from = from + step * 37 * MINUTE;
            for hours in [1, 2, 8, 9, 10, 17, 40] {
                assert_eq!(add_working_hours(from, hours), count_minutes(from, hours));
            }
        }
    }
}
