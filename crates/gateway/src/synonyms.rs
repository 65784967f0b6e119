//! Field names that different operations use for the same concept. If a caller uses the wrong one,
//! the error names the right one, or the gateway accepts it.

use serde_json::{Map, Value};

/// Groups of synonyms. Each synonym is a list of field names that belong together. It matches an
/// operation only if the operation has all of them, because `de` alone is a position in a text.
const SYNONYMS: &[&[&[&str]]] = &[
    &[&["projectId"], &["projetoId"]],
    &[&["inicio", "fim"], &["de", "ate"]],
    &[&["limit"], &["limite"]],
    &[&["duration_s"], &["duracao_s"]],
];

/// The field that an unknown name probably means: a different spelling (`eventId` for `event_id`)
/// or a synonym. `None` if the schema has no such field.
#[must_use]
pub fn intended_field<'s>(schema: &'s Map<String, Value>, name: &str) -> Option<&'s str> {
    let fields = schema.get("properties")?.as_object()?;
    let find = |wanted: &str| {
        let wanted = to_snake_case(wanted);
        let mut names = fields.keys().map(String::as_str);
        names.find(|field| to_snake_case(field) == wanted)
    };
    find(name).or_else(|| {
        let name = to_snake_case(name);
        SYNONYMS.iter().find_map(|group| {
            let place = |set: &&[&str]| set.iter().position(|one| to_snake_case(one) == name);
            let at = group.iter().find_map(place)?;
            let has_all = |set: &&&[&str]| set.iter().all(|one| fields.contains_key(*one));
            let set = group.iter().find(has_all)?;
            find(set.get(at)?)
        })
    })
}

/// Converts `eventId` to `event_id`.
fn to_snake_case(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            plain.push('_');
        }
        plain.push(c.to_ascii_lowercase());
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn intended_field_among(fields: &[&str], name: &str) -> Option<String> {
        let properties: Map<String, Value> = fields
            .iter()
            .map(|field| ((*field).to_owned(), json!({})))
            .collect();
        let schema = Map::from_iter([("properties".to_owned(), properties.into())]);
        intended_field(&schema, name).map(str::to_owned)
    }

    #[test]
    fn an_unknown_name_is_mapped_to_the_field_of_the_same_concept() {
        for (fields, name, field) in [
            (&["event_id"][..], "eventId", Some("event_id")),
            (&["eventId"], "event_id", Some("eventId")),
            (&["projetoId"], "projectId", Some("projetoId")),
            (&["projetoId"], "project_id", Some("projetoId")),
            (&["projectId"], "projeto_id", Some("projectId")),
            (&["inicio", "fim"], "de", Some("inicio")),
            (&["inicio", "fim"], "ate", Some("fim")),
            (&["de", "ate"], "inicio", Some("de")),
            (&["de", "ate"], "fim", Some("ate")),
            (&["limite"], "limit", Some("limite")),
            (&["limit"], "limite", Some("limit")),
            (&["duracao_s"], "durationS", Some("duracao_s")),
            // `de` with `tamanho` is a position in a text, not a first day.
            (&["de", "tamanho"], "inicio", None),
            (&["inicio"], "de", None),
            (&["event_id"], "id", None),
            (&[], "limit", None),
        ] {
            assert_eq!(
                intended_field_among(fields, name).as_deref(),
                field,
                "{name} in {fields:?}"
            );
        }
    }

    #[test]
    fn synonyms_of_a_group_have_equally_many_fields() {
        for group in SYNONYMS {
            let sizes = group.iter().map(|set| set.len());
            assert!(
                sizes.clone().all(|size| size == group[0].len()),
                "{group:?}"
            );
        }
    }
}
