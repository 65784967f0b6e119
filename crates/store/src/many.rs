//! SQL statements with many rows of parameters.

use std::fmt::Write;

use sea_orm::Value;

/// The number of rows per statement. All full statements have the same text, so the text is
/// prepared only once.
pub(crate) const ROWS: usize = 250;

/// Returns the placeholders of the rows, `($1, $2), ($3, $4), …`, and their values.
pub(crate) fn bind_rows<const N: usize>(
    rows: impl IntoIterator<Item = [Value; N]>,
) -> (String, Vec<Value>) {
    let (mut text, mut values) = (String::new(), vec![]);
    for row in rows {
        text.push_str(if values.is_empty() { "(" } else { ", (" });
        for (at, value) in row.into_iter().enumerate() {
            if at > 0 {
                text.push_str(", ");
            }
            values.push(value);
            // Writing to a `String` cannot fail.
            let _ = write!(text, "${}", values.len());
        }
        text.push(')');
    }
    (text, values)
}
