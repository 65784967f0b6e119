//! Field names that different operations use for the same concept. If a caller uses the wrong one,
//! the error names the right one, or the gateway accepts it.

use serde_json::{Map, Value};

/// Groups of synonyms. Each synonym is a list of field names that belong together. A synonym
/// matches an operation only if the operation has all fields of the list. For example, `de` is the
/// first day of a period only together with `ate`; together with `tamanho`, `de` is a position in a
/// text.
const SYNONYMS: &[&[&[&str]]] = &[
    &[&["projectId"], &["projetoId"]],
    &[&["event_id"], &["evento_id"]],
    &[
        &["inicio", "fim"],
        &["de", "ate"],
        &["start", "end"],
        &["start_date", "end_date"],
        &["from", "to"],
        &["since", "until"],
    ],
    &[&["limit"], &["limite"], &["page_size"]],
    &[&["duration_s"], &["duracao_s"], &["duration"], &["seconds"]],
    &[
        &["q"],
        &["busca"],
        &["pergunta"],
        &["procurar"],
        &["query"],
        &["search"],
    ],
    &[&["format"], &["aspect"], &["aspect_ratio"], &["proporcao"]],
    &[&["name"], &["nome"], &["title"], &["titulo"]],
    &[
        &["assignee_id"],
        &["assignee_member_id"],
        &["responsavel_id"],
    ],
    &[&["assignee_ids"], &["assignee_member_ids"], &["assignees"]],
];

/// Aliases with one direction: the first name can mean the second, but the second never means the
/// first. For example, answers call the caption `description`, but in the input of a demand
/// `description` is the briefing.
const ALIASES: &[(&str, &str)] = &[
    ("description", "caption"),
    ("legenda", "caption"),
    ("briefing", "description"),
    ("editorial_tag", "tipo"),
    ("etiqueta", "tipo"),
    ("kind", "tipo"),
    ("type", "tipo"),
    ("api_revision", "expected_revision"),
    ("revision", "expected_revision"),
    ("version", "expected_version"),
    ("expected_revision", "expected_version"),
    ("updated_at", "expected_updated_at"),
    ("assignee_id", "assignee_ids"),
    ("assignee_id", "assignee_member_ids"),
    ("assignee_member_id", "assignee_member_ids"),
    ("assignee_member_id", "assignee_ids"),
];

/// Returns the field that an unknown name probably means: a different spelling (`eventId` for
/// `event_id`), a synonym or an alias. `None` if the schema has no such field.
#[must_use]
pub fn intended_field<'s>(schema: &'s Map<String, Value>, name: &str) -> Option<&'s str> {
    let fields = schema.get("properties")?.as_object()?;
    let find = |wanted: &str| {
        let wanted = to_snake_case(wanted);
        let mut names = fields.keys().map(String::as_str);
        names.find(|field| to_snake_case(field) == wanted)
    };
    let name = to_snake_case(name);
    let synonym = || {
        SYNONYMS.iter().find_map(|group| {
            let place = |set: &&[&str]| set.iter().position(|one| to_snake_case(one) == name);
            let at = group.iter().find_map(place)?;
            let has_all = |set: &&&[&str]| set.iter().all(|one| find(one).is_some());
            let set = group.iter().find(has_all)?;
            find(set.get(at)?)
        })
    };
    let alias = || {
        let mut meant = ALIASES.iter().filter(|(alias, _)| *alias == name);
        meant.find_map(|(_, field)| find(field))
    };
    find(&name).or_else(synonym).or_else(alias)
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
            (&["de", "ate"], "start_date", Some("de")),
            (&["eventId"], "evento_id", Some("eventId")),
            (&["pergunta"], "q", Some("pergunta")),
            (&["q"], "busca", Some("q")),
            (&["busca"], "procurar", Some("busca")),
            (&["aspect"], "format", Some("aspect")),
            (&["format"], "aspectRatio", Some("format")),
            (&["nome"], "title", Some("nome")),
            (&["assignee_ids"], "assignee_id", Some("assignee_ids")),
            (
                &["assignee_member_id"],
                "assignee_id",
                Some("assignee_member_id"),
            ),
            (&["caption"], "description", Some("caption")),
            // The alias has one direction: `caption` never means `description`, which is the
            // briefing.
            (&["description"], "caption", None),
            (&["description"], "briefing", Some("description")),
            (
                &["expected_revision"],
                "api_revision",
                Some("expected_revision"),
            ),
            (
                &["expected_revision"],
                "revision",
                Some("expected_revision"),
            ),
            (
                &["expected_version"],
                "expected_revision",
                Some("expected_version"),
            ),
            (
                &["expected_updated_at"],
                "updated_at",
                Some("expected_updated_at"),
            ),
            (&["tipo"], "editorial_tag", Some("tipo")),
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
    fn all_synonyms_of_a_group_have_the_same_number_of_fields() {
        for group in SYNONYMS {
            let sizes = group.iter().map(|set| set.len());
            assert!(
                sizes.clone().all(|size| size == group[0].len()),
                "{group:?}"
            );
        }
    }
}
