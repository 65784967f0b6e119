//! Instants and Brasilia dates.
//!
//! Instants are milliseconds since the Unix epoch; in the API they are RFC 3339 in UTC with exactly
//! three decimals. Editorial dates are civil dates in America/Sao_Paulo.

mod brasilia;
mod brasilia_time;
mod calendar_names;
mod date_fields;
mod local_day;
mod month;
mod pacific;
mod rfc_3339;
mod timestamp;
mod working_hours;

pub use brasilia::{
    BRASILIA, LocalDate, brasilia_day, end_of_day, hour_start, parse_day, parse_instant,
    start_of_day, weekday_and_hour,
};
pub use brasilia_time::BrasiliaTime;
pub use calendar_names::{WEEKDAYS, month_name, weekday_name};
pub use date_fields::{DateFields, HOUR_PATTERN};
pub use local_day::LocalDay;
pub use month::Month;
pub use pacific::pacific_day;
pub use timestamp::Timestamp;
pub use working_hours::add_working_hours;

/// An instant as milliseconds since the Unix epoch.
pub type Millis = i64;

pub const SECOND: Millis = 1_000;
pub const MINUTE: Millis = 60 * SECOND;
pub const HOUR: Millis = 60 * MINUTE;
pub const DAY: Millis = 24 * HOUR;
