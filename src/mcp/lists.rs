//! Determines how many rows of a list fit into a tool result.

use gateway::Registered;
use serde_json::{Map, Value};

/// Bytes reserved for the other fields of the output, such as the cursor.
const BESIDE: usize = 4_000;

/// Returns the output field with the rows: the only list or the only map. `None` if the operation has
/// no pages.
pub(super) fn rows_field(operation: &Registered) -> Option<String> {
    schema_property(operation.input_schema(), "limit")?;
    let output = operation.output_schema();
    schema_property(&output, "next_cursor")?;
    let is_list = |field: &Value| field["type"] == "array";
    let is_map = |field: &Value| field["type"] == "object" && field.get("properties").is_none();
    let fields = output.get("properties")?.as_object()?;
    let named = |is: &dyn Fn(&Value) -> bool| {
        let mut found = fields.iter().filter(|(_, field)| is(field));
        found.next().map(|(name, _)| name.clone())
    };
    named(&is_list).or_else(|| named(&is_map))
}

/// Returns the number of rows that fit into `longest` bytes; `None` if all rows fit. The minimum is
/// one, because a single row that is too long is shortened later.
pub(super) fn count_fitting_rows(rows: &str, body: &str, longest: usize) -> Option<usize> {
    let answer: Map<String, Value> = serde_json::from_str(body).ok()?;
    let sizes: Vec<usize> = match answer.get(rows)? {
        Value::Array(rows) => rows.iter().map(|row| row.to_string().len() + 1).collect(),
        Value::Object(rows) => {
            let size = |(name, row): (&String, &Value)| name.len() + row.to_string().len() + 4;
            rows.iter().map(size).collect()
        }
        _ => return None,
    };
    let beside = body.len().saturating_sub(sizes.iter().sum()) + BESIDE;
    let mut left = longest.saturating_sub(beside);
    let fits = sizes.iter().take_while(|size| {
        let rest = left.checked_sub(**size);
        left = rest.unwrap_or(0);
        rest.is_some()
    });
    let count = fits.count().max(1);
    (count < sizes.len()).then_some(count)
}

fn schema_property<'s>(schema: &'s Map<String, Value>, name: &str) -> Option<&'s Value> {
    schema.get("properties")?.get(name)
}
