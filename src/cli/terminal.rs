//! Prints the output of commands. If the reader closes the pipe (as `head` does), the error is
//! ignored; `println!` would panic.

use std::{
    fmt::Arguments,
    io::{Write, stderr, stdout},
};

use domain::time::{LocalDate, Millis};

/// Prints a line to standard output.
macro_rules! out {
    ($($text:tt)*) => { $crate::cli::terminal::print(format_args!($($text)*)) };
}

/// Prints a line to standard error.
macro_rules! err {
    ($($text:tt)*) => { $crate::cli::terminal::print_error(format_args!($($text)*)) };
}

pub(super) use {err, out};

pub(super) fn print(line: Arguments<'_>) {
    let _ = writeln!(stdout().lock(), "{line}");
}

pub(super) fn print_error(line: Arguments<'_>) {
    let _ = writeln!(stderr().lock(), "{line}");
}

/// Formats an instant in Brasilia time.
pub(super) fn format_instant(instant: Millis) -> String {
    LocalDate::from_instant(instant).to_string()
}
