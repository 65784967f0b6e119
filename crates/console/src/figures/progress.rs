//! Where a launch stands on a day: its revenue, its goal and its days.

use domain::time::LocalDay;

/// The revenue of a launch until today, and its goal, in cents of one currency.
pub(super) struct Progress<'a> {
    pub currency: &'a str,
    /// 0 without a goal.
    pub goal: i64,
    pub done: i64,
    pub sales: i64,
    pub starts_on: LocalDay,
    pub ends_on: LocalDay,
    pub today: LocalDay,
    /// Sales have ever been imported.
    pub has_data: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Future,
    Running,
    Over,
}

impl Progress<'_> {
    pub fn stage(&self) -> Stage {
        if self.today < self.starts_on {
            Stage::Future
        } else if self.today > self.ends_on {
            Stage::Over
        } else {
            Stage::Running
        }
    }

    pub fn days(&self) -> i64 {
        self.starts_on.through(self.ends_on)
    }

    /// The days that have passed, with today.
    pub fn elapsed(&self) -> i64 {
        self.starts_on.through(self.today.min(self.ends_on))
    }

    /// The days after today.
    pub fn left(&self) -> i64 {
        self.days() - self.elapsed()
    }

    /// The revenue at the end if it goes on at the same pace. `None` before the first day.
    pub fn forecast(&self) -> Option<i64> {
        let elapsed = i128::from(self.elapsed());
        if elapsed == 0 {
            return None;
        }
        let forecast = i128::from(self.done) * i128::from(self.days()) / elapsed;
        i64::try_from(forecast).ok()
    }

    pub fn is_without_sales(&self) -> bool {
        self.sales == 0 && self.done <= 0
    }
}
