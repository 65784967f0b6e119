//! Whose pieces a list of what waits has.

use domain::text_enum;

text_enum! {
    /// Whose pieces are listed.
    pub enum Awaiting {
        Me = "mim",
        Everyone = "todos",
    }
}
