//! The filter of lists of waiting pieces.

use domain::text_enum;

text_enum! {
    /// The people for whom the listed pieces wait: the caller, or anybody.
    pub enum Awaiting {
        Me = "mim",
        Everyone = "todos",
    }
}
