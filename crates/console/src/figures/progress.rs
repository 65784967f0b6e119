//! The progress of a launch until today: its pace, its sales, and whether any sales data exist.

use domain::sales::Pace;

/// The progress of a launch in one currency.
pub(super) struct Progress<'a> {
    pub currency: &'a str,
    pub pace: Pace,
    pub sales: i64,
    /// True if sales have been imported at any time.
    pub has_data: bool,
}

impl Progress<'_> {
    pub fn is_without_sales(&self) -> bool {
        self.sales == 0 && self.pace.done_cents <= 0
    }
}
