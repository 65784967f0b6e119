//! Converts validation errors of an input to field errors. Their messages describe the rule and
//! never contain the value.

use std::collections::HashSet;

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::Value;

use domain::{Fault, MOST_FAULTS, VISIBLE_ANYWHERE, time::HOUR_PATTERN};

const EMPTY: &str = "não pode ser vazio";

/// Returns the field errors of an input, in the order of the schema. It returns at most
/// `MOST_FAULTS` + 1 errors; the additional one shows that the list is incomplete.
pub(super) fn field_errors(validator: &Validator, input: &Value) -> Vec<Fault> {
    if validator.is_valid(input) {
        return vec![];
    }
    let errors: Vec<_> = validator.iter_errors(input).collect();
    let faults = collect_unique_faults(errors.iter().flat_map(faults_of_variant));
    if faults.is_empty() {
        // A `oneOf` without exactly one matching constant gives no faults above. Its own error is
        // reported only if there is no other field error.
        return collect_unique_faults(errors.iter().flat_map(faults_of_error));
    }
    faults
}

/// Returns the field error if the text in `field` exceeds its `maxLength`.
pub(super) fn length_error(validator: &Validator, input: &Value, field: &str) -> Option<Fault> {
    let errors = validator.iter_errors(input);
    let mut faults = errors
        .filter(|error| matches!(error.kind(), ValidationErrorKind::MaxLength { .. }))
        .flat_map(|error| faults_of_error(&error));
    faults.find(|fault| fault.field == field)
}

fn collect_unique_faults(faults: impl Iterator<Item = Fault>) -> Vec<Fault> {
    let mut seen = HashSet::new();
    let mut faults: Vec<Fault> = faults
        .filter(|fault| seen.insert(fault.clone()))
        .take(MOST_FAULTS + 1)
        .collect();
    // For an empty text, only the error about emptiness is reported.
    let empty = faults.iter().filter(|fault| fault.message == EMPTY);
    let empty: HashSet<String> = empty.map(|fault| fault.field.clone()).collect();
    faults.retain(|fault| fault.rule != "pattern" || !empty.contains(&fault.field));
    faults
}

/// Returns the field errors of a validation error. For a `oneOf`, these are the errors of the
/// variant whose constant matches.
fn faults_of_variant(error: &ValidationError<'_>) -> Vec<Fault> {
    let ValidationErrorKind::OneOfNotValid { context } = error.kind() else {
        return faults_of_error(error);
    };
    let meant = |form: &&Vec<ValidationError<'static>>| {
        let other =
            |e: &ValidationError<'_>| matches!(e.kind(), ValidationErrorKind::Constant { .. });
        !form.iter().any(other)
    };
    let mut forms = context.iter().filter(meant);
    match (forms.next(), forms.next()) {
        (Some(form), None) => form.iter().flat_map(faults_of_variant).collect(),
        _ => vec![],
    }
}

fn faults_of_error(error: &ValidationError<'_>) -> Vec<Fault> {
    let path = dotted_path(error.instance_path().as_str());
    let rule = error.kind().keyword();
    let fault = |field: String, message: String| Fault {
        field,
        rule: rule.into(),
        message,
    };
    let at = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![fault(at(name), "é obrigatório".into())]
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => unexpected
            .iter()
            .take(MOST_FAULTS + 1)
            .map(|name| {
                fault(
                    at(&to_printable(name)),
                    "não é um campo desta operação".into(),
                )
            })
            .collect(),
        kind => vec![fault(
            if path.is_empty() {
                "entrada".into()
            } else {
                path
            },
            rule_message(kind),
        )],
    }
}

fn rule_message(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as K;
    match kind {
        K::Type { kind } => format!("deve ser {}", type_name(kind)),
        K::Enum { options } => format!("deve ser um de: {}", list_options(options)),
        K::Constant { expected_value } => format!("deve ser {expected_value}"),
        K::Minimum { limit } => format!("deve ser no mínimo {limit}"),
        K::Maximum { limit } => format!("deve ser no máximo {limit}"),
        K::ExclusiveMinimum { limit } => format!("deve ser maior que {limit}"),
        K::ExclusiveMaximum { limit } => format!("deve ser menor que {limit}"),
        K::MinLength { limit: 1 } => EMPTY.into(),
        K::MinLength { limit } => format!("deve ter ao menos {limit} caracteres"),
        K::MaxLength { limit } => format!("deve ter no máximo {limit} caracteres"),
        K::MinItems { limit } => format!("deve ter ao menos {limit} itens"),
        K::MaxItems { limit } => format!("deve ter no máximo {limit} itens"),
        K::MinProperties { limit } => format!("deve ter ao menos {limit} campos"),
        K::MaxProperties { limit } => format!("deve ter no máximo {limit} campos"),
        K::UniqueItems => "não pode repetir itens".into(),
        K::Pattern { pattern } if *pattern == *VISIBLE_ANYWHERE => {
            "não pode ficar em branco, só com espaços ou caracteres invisíveis, nem conter o \
             caractere NUL"
                .into()
        }
        K::Pattern { pattern } if pattern.contains("u0000") => {
            "não pode conter o caractere NUL".into()
        }
        K::Pattern { pattern } if pattern == HOUR_PATTERN => {
            "deve ser uma hora HH:mm, de 00:00 a 23:59".into()
        }
        K::Pattern { pattern } => format!("deve seguir o padrão {pattern}"),
        K::Format { format } if format == "date" => "deve ser um dia AAAA-MM-DD".into(),
        K::Format { format } if format == "date-time" => {
            "deve ser um instante AAAA-MM-DDTHH:mm:ss.sssZ".into()
        }
        K::Format { format } => format!("deve ter o formato {format}"),
        K::MultipleOf { multiple_of } => format!("deve ser múltiplo de {multiple_of}"),
        K::AnyOf { .. } | K::OneOfNotValid { .. } | K::OneOfMultipleValid { .. } => {
            "não corresponde a nenhuma das formas aceitas".into()
        }
        _ => "não segue o esquema publicado".into(),
    }
}

fn type_name(kind: &TypeKind) -> String {
    let name = |t: &jsonschema::JsonType| match t {
        jsonschema::JsonType::Array => "lista",
        jsonschema::JsonType::Boolean => "verdadeiro ou falso",
        jsonschema::JsonType::Integer => "número inteiro",
        jsonschema::JsonType::Null => "nulo",
        jsonschema::JsonType::Number => "número",
        jsonschema::JsonType::Object => "objeto",
        jsonschema::JsonType::String => "texto",
    };
    match kind {
        TypeKind::Single(one) => name(one).into(),
        TypeKind::Multiple(several) => several
            .iter()
            .map(|t| name(&t))
            .collect::<Vec<_>>()
            .join(" ou "),
    }
}

fn list_options(options: &Value) -> String {
    let items = options.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .map(|o| {
            o.as_str()
                .map_or_else(|| o.to_string(), |text| format!("`{text}`"))
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// Converts `/cards/0/text` to `cards.0.text`.
fn dotted_path(pointer: &str) -> String {
    let parts = pointer.split('/').skip(1);
    let plain = |part: &str| to_printable(&part.replace("~1", "/").replace("~0", "~"));
    parts.map(plain).collect::<Vec<_>>().join(".")
}

/// Sanitises a field name from the caller for output and truncates it to 80 characters.
#[must_use]
pub fn to_printable(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(80).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Error;

    fn fields_and_rules(schema: &Value, input: &Value) -> Vec<(String, String)> {
        let validator = jsonschema::draft202012::new(schema).expect("a valid schema");
        let faults = super::field_errors(&validator, input);
        faults.into_iter().map(|f| (f.field, f.rule)).collect()
    }

    #[test]
    fn several_field_errors_are_reported_at_once_and_no_value_is_echoed() {
        let schema = json!({
            "type": "object",
            "properties": { "senha": { "type": "string", "minLength": 12 }, "n": { "type": "integer" } },
            "required": ["nome"],
            "additionalProperties": false,
        });
        let input = json!({ "senha": "segredo", "n": "x", "estranho": 1 });
        let mut found = fields_and_rules(&schema, &input);
        found.sort();
        let expected = [
            ("estranho", "additionalProperties"),
            ("n", "type"),
            ("nome", "required"),
            ("senha", "minLength"),
        ];
        assert_eq!(found, expected.map(|(f, r)| (f.to_owned(), r.to_owned())));
        let validator = jsonschema::draft202012::new(&schema).expect("a valid schema");
        let error = Error::from_faults(super::field_errors(&validator, &input));
        assert!(
            !serde_json::to_string(&error.body())
                .expect("json")
                .contains("segredo")
        );
    }

    #[test]
    fn field_errors_of_a_one_of_come_from_the_variant_that_its_constant_selects() {
        let form = |name: &str, field: &str| {
            json!({
                "properties": {
                    "type": { "const": name },
                    "payload": {
                        "properties": { field: { "type": "integer" } },
                        "required": [field],
                        "additionalProperties": false,
                    },
                },
                "required": ["type", "payload"],
            })
        };
        let forms = json!({ "oneOf": [form("a", "x"), form("b", "y")] });
        let found = |input: Value| fields_and_rules(&forms, &input);
        let fault = |field: &str, rule: &str| (field.to_owned(), rule.to_owned());
        assert_eq!(found(json!({ "type": "a", "payload": { "x": 1 } })), []);
        assert_eq!(
            found(json!({ "type": "a", "payload": { "y": 1 } })),
            [
                fault("payload.y", "additionalProperties"),
                fault("payload.x", "required")
            ]
        );
        assert_eq!(
            found(json!({ "type": "b", "payload": { "y": "1" } })),
            [fault("payload.y", "type")]
        );
        for input in [json!({ "type": "c", "payload": {} }), json!({})] {
            assert_eq!(found(input), [fault("entrada", "oneOf")]);
        }
    }

    #[test]
    fn field_errors_are_reported_up_to_a_limit_and_more_are_announced() {
        let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        let validator = jsonschema::draft202012::new(&schema).expect("a valid schema");
        for (strange, faults_of_variant) in
            [(1, 1), (MOST_FAULTS, MOST_FAULTS), (5_000, MOST_FAULTS)]
        {
            let names = (0..strange).map(|n| (format!("estranho{n}"), Value::Null));
            let input = Value::Object(names.collect());
            let error = Error::from_faults(super::field_errors(&validator, &input)).body();
            let details = error.details.expect("details");
            assert_eq!(
                details["fields"].as_array().map(Vec::len),
                Some(faults_of_variant)
            );
            assert_eq!(details.contains_key("more_fields"), strange > MOST_FAULTS);
        }
    }
}
