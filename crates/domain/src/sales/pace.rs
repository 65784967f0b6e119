//! The progress of a launch, and its forecast at the present pace.

use crate::time::LocalDay;

/// The revenue of a launch until today, its goal, and its first and last day. Amounts are cents of
/// the launch's currency.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// The revenue goal; 0 if the launch has none.
    pub goal_cents: i64,
    pub done_cents: i64,
    pub starts_on: LocalDay,
    pub ends_on: LocalDay,
    pub today: LocalDay,
}

/// The position of today relative to the first and last day of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Future,
    Running,
    Over,
}

impl Stage {
    #[must_use]
    pub fn from_days(starts_on: LocalDay, ends_on: LocalDay, today: LocalDay) -> Self {
        if today < starts_on {
            Self::Future
        } else if today > ends_on {
            Self::Over
        } else {
            Self::Running
        }
    }
}

impl Pace {
    /// A forecast below this share of the goal is critical.
    pub const CRITICAL_PERCENT: i64 = 80;

    #[must_use]
    pub fn stage(&self) -> Stage {
        Stage::from_days(self.starts_on, self.ends_on, self.today)
    }

    #[must_use]
    pub fn total_days(&self) -> i64 {
        self.starts_on.days_through(self.ends_on)
    }

    /// Returns the number of days until today, including today; after the end, the number of all days.
    #[must_use]
    pub fn elapsed_days(&self) -> i64 {
        self.starts_on.days_through(self.today.min(self.ends_on))
    }

    /// Returns the number of remaining days, without today.
    #[must_use]
    pub fn days_left(&self) -> i64 {
        self.total_days() - self.elapsed_days()
    }

    /// Returns the average revenue per day until today; `None` before the first day.
    #[must_use]
    pub fn revenue_per_day(&self) -> Option<i64> {
        divide_rounded(self.done_cents, self.elapsed_days())
    }

    /// Returns the expected revenue at the end of the launch at this pace; after the end, the
    /// actual revenue. `None` before the first day.
    ///
    /// The forecast is computed from the total revenue, because multiplying the revenue per day
    /// would also multiply the rounding error.
    #[must_use]
    pub fn expected_revenue(&self) -> Option<i64> {
        divide_rounded(
            self.done_cents.saturating_mul(self.total_days()),
            self.elapsed_days(),
        )
    }

    /// Returns the revenue that each remaining day needs to reach the goal; `None` if no day remains.
    #[must_use]
    pub fn needed_revenue_per_day(&self) -> Option<i64> {
        let (missing, left) = ((self.goal_cents - self.done_cents).max(0), self.days_left());
        (left > 0).then(|| (missing + left - 1) / left)
    }

    /// True if the forecast is below [`Self::CRITICAL_PERCENT`] of the goal.
    #[must_use]
    pub fn is_critical(&self) -> bool {
        let percent = |cents: i64, percent: i64| i128::from(cents) * i128::from(percent);
        let least = percent(self.goal_cents, Self::CRITICAL_PERCENT);
        self.expected_revenue()
            .is_some_and(|forecast| percent(forecast, 100) < least)
    }
}

/// Divides and rounds half away from zero; `None` if the divisor is not positive.
#[must_use]
pub fn divide_rounded(amount: i64, by: i64) -> Option<i64> {
    let half = by / 2;
    let up = if amount < 0 { -half } else { half };
    (by > 0).then(|| amount.saturating_add(up) / by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::parse_day;

    fn pace(today: &str, done_cents: i64) -> Pace {
        let day = |text| LocalDay(parse_day(text).expect("a day"));
        Pace {
            goal_cents: 100_000,
            done_cents,
            starts_on: day("2026-11-01"),
            ends_on: day("2026-11-10"),
            today: day(today),
        }
    }

    #[test]
    fn a_launch_has_a_forecast_only_after_it_has_begun() {
        let before = pace("2026-10-31", 0);
        assert_eq!(before.stage(), Stage::Future);
        assert_eq!(
            (before.revenue_per_day(), before.expected_revenue()),
            (None, None)
        );
        assert_eq!(before.needed_revenue_per_day(), Some(10_000));
        let third = pace("2026-11-03", 100);
        assert_eq!(third.stage(), Stage::Running);
        // The revenue is 33.33 cents per day. The forecast is not ten times the rounded 33.
        assert_eq!(
            (third.revenue_per_day(), third.expected_revenue()),
            (Some(33), Some(333))
        );
        assert_eq!((third.elapsed_days(), third.days_left()), (3, 7));
        assert_eq!(third.needed_revenue_per_day(), Some(14_272));
        let over = pace("2026-11-11", 70_000);
        assert_eq!(over.stage(), Stage::Over);
        assert_eq!(
            (over.expected_revenue(), over.needed_revenue_per_day()),
            (Some(70_000), None)
        );
    }

    #[test]
    fn a_forecast_below_four_fifths_of_the_goal_is_critical() {
        for (done, is_critical) in [(39_999, true), (40_000, false), (60_000, false)] {
            assert_eq!(
                pace("2026-11-05", done).is_critical(),
                is_critical,
                "{done}"
            );
        }
        assert!(!pace("2026-10-31", 0).is_critical());
        let without_goal = Pace {
            goal_cents: 0,
            ..pace("2026-11-05", 0)
        };
        assert!(!without_goal.is_critical());
    }

    #[test]
    fn quotients_are_rounded() {
        assert_eq!(divide_rounded(100, 3), Some(33));
        assert_eq!(divide_rounded(5, 2), Some(3));
        assert_eq!(divide_rounded(-5, 2), Some(-3));
        assert_eq!(divide_rounded(1, 0), None);
    }
}
