//! Fields by either spelling: paths name theirs in one way (`eventId`), bodies in another
//! (`event_id`), and an agent need not know which is which.

use serde_json::{Map, Value};

/// Gives fields that are not of the tool the name of the one that they spell otherwise.
pub(super) fn correct(schema: &Map<String, Value>, arguments: &mut Map<String, Value>) {
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let strange = arguments.keys().filter(|name| !fields.contains_key(*name));
    let meant: Vec<(String, &String)> = strange
        .filter_map(|name| {
            let field = fields.keys().find(|field| plain(field) == plain(name))?;
            (!arguments.contains_key(field)).then(|| (name.clone(), field))
        })
        .collect();
    for (name, field) in meant {
        if !arguments.contains_key(field)
            && let Some(value) = arguments.remove(&name)
        {
            arguments.insert(field.clone(), value);
        }
    }
}

/// `eventId` as `event_id`.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            plain.push('_');
        }
        plain.push(c.to_ascii_lowercase());
    }
    plain
}
