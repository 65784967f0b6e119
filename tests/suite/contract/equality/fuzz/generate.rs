//! Random calls from the table's input schemas, valid and with one error.

use std::collections::BTreeMap;

use gateway::Entry;
use serde_json::{Map, Value, json};
use tools::operations;

use crate::limits::TEXTS;
use crate::support::Random;

/// A call that either interface can send. Ids are placeholders, because each service has its own.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) tool: &'static str,
    pub(super) arguments: Map<String, Value>,
    pub(super) key: Option<String>,
    /// True if REST sends the key in the header instead of the body.
    pub(super) key_in_header: bool,
    /// A field name that is sent twice, and the path of the object that contains it.
    pub(super) twice: Option<(Vec<String>, String)>,
}

/// The prefix of an id placeholder; its number follows.
pub(super) const ID: &str = "@id:";
/// The prefix of a string that stands for raw JSON.
pub(super) const RAW: &str = "@raw:";

/// Values from earlier responses.
#[derive(Default)]
pub(super) struct Known {
    /// The kind of each id, by the field that contained it.
    pub(super) kinds: Vec<String>,
    /// The revision of each id, if its resource has one.
    pub(super) revisions: BTreeMap<usize, Value>,
    /// Tokens of drafts.
    pub(super) tokens: Vec<Value>,
    pub(super) earlier: Vec<Call>,
}

pub(super) struct Generator {
    pub(super) random: Random,
    schemas: Vec<(&'static Entry, Map<String, Value>)>,
    keys: usize,
}

impl Generator {
    pub(super) fn new(seed: u64) -> Self {
        let tools = operations().filter(|entry| entry.spec.tool);
        Self {
            random: Random::new(seed),
            schemas: tools.map(|entry| (entry, entry.input_schema())).collect(),
            keys: 0,
        }
    }

    pub(super) fn generate_call(&mut self, known: &Known) -> Call {
        if !known.earlier.is_empty() && self.random.random_bool(8) {
            return self.repeat_or_vary_call(known);
        }
        // Calls of random tools about random pieces would hardly ever decide one.
        if self.random.random_bool(8)
            && let Some(call) = self.submit_or_decide(known)
        {
            return call;
        }
        let (entry, schema) = loop {
            let place = self.random.random_below(self.schemas.len());
            let (entry, schema) = &self.schemas[place];
            // Generating images is slow, and works in the same way over both interfaces.
            let draws = entry.spec.name.starts_with("generate_");
            if !draws || self.random.random_bool(15) {
                break (*entry, schema.clone());
            }
        };
        let mut call = Call {
            tool: entry.spec.name,
            arguments: Map::new(),
            key: None,
            key_in_header: self.random.random_bool(50),
            twice: None,
        };
        self.fill_fields(&schema, &mut call.arguments, known);
        if call.tool == "apply_project_operation" {
            self.choose_variant(&schema, &mut call.arguments, known);
        }
        if let Some(id) = call.arguments.values().find_map(placeholder_number)
            && let Some(revision) = known.revisions.get(&id)
            && call.arguments.contains_key("expected_revision")
            && self.random.random_bool(80)
        {
            call.arguments
                .insert("expected_revision".into(), revision.clone());
        }
        if entry.spec.keyed && self.random.random_bool(50) {
            self.keys += 1;
            call.key = Some(format!("chave-{:06}", self.keys));
        }
        if self.random.random_bool(35) {
            self.add_error(entry, &schema, &mut call);
        }
        call
    }

    /// Submits or decides one of the newest pieces, at its last known revision.
    fn submit_or_decide(&mut self, known: &Known) -> Option<Call> {
        let pieces = known.kinds.iter().enumerate().rev();
        let pieces = pieces
            .filter(|(number, kind)| *kind == "event" && known.revisions.contains_key(number));
        let newest: Vec<usize> = pieces.take(4).map(|(number, _)| number).collect();
        if newest.is_empty() {
            return None;
        }
        let random = &mut self.random;
        let number = *random.pick(&newest);
        let decides = random.random_bool(65);
        let mut arguments = Map::new();
        arguments.insert("event_id".into(), json!(format!("{ID}{number}")));
        if !decides || random.random_bool(70) {
            arguments.insert("expected_revision".into(), known.revisions[&number].clone());
        }
        if decides {
            let action = *random.pick(&["aprovar", "aprovar", "aprovar", "aprovar", "recusar"]);
            arguments.insert("action".into(), json!(action));
            if action == "recusar" {
                arguments.insert("motivo".into(), json!("Outra foto"));
            }
        }
        Some(Call {
            tool: match decides {
                true => "decide_approval",
                false => "submit_for_approval",
            },
            arguments,
            key: None,
            key_in_header: false,
            twice: None,
        })
    }

    /// Repeats an earlier call, or makes a different call with its idempotency key.
    fn repeat_or_vary_call(&mut self, known: &Known) -> Call {
        let keyed: Vec<&Call> = known
            .earlier
            .iter()
            .filter(|call| call.key.is_some())
            .collect();
        let mut call = match !keyed.is_empty() && self.random.random_bool(50) {
            true => (*self.random.pick(&keyed)).clone(),
            false => self.random.pick(&known.earlier).clone(),
        };
        if self.random.random_bool(30) {
            let text = json!(self.random.pick(&TEXTS));
            for field in ["title", "caption", "value", "name", "html", "description"] {
                if call.arguments.contains_key(field) {
                    call.arguments.insert(field.into(), text);
                    break;
                }
            }
        }
        call
    }

    fn fill_fields(
        &mut self,
        schema: &Map<String, Value>,
        into: &mut Map<String, Value>,
        known: &Known,
    ) {
        let required = schema.get("required").cloned().unwrap_or_default();
        let required: Vec<&str> = required
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        for (field, property) in properties {
            // Nullable fields are always sent, because only REST requires them.
            let nullable = property["type"].is_array();
            let wanted =
                required.contains(&field.as_str()) || nullable || self.random.random_bool(35);
            if wanted && field != "idempotency_key" {
                let value = self.generate_value(field, property, known);
                into.insert(field.clone(), value);
            }
        }
    }

    /// Chooses a variant of the schema's `oneOf`, and fills in its `type` and `payload`.
    fn choose_variant(
        &mut self,
        schema: &Map<String, Value>,
        input: &mut Map<String, Value>,
        known: &Known,
    ) {
        let forms = schema["oneOf"].as_array().expect("forms");
        let form = self.random.pick(forms).clone();
        let properties = &form["properties"];
        input.insert("type".into(), properties["type"]["const"].clone());
        let mut payload = Map::new();
        let of_payload = properties["payload"].as_object().expect("an object");
        self.fill_fields(of_payload, &mut payload, known);
        input.insert("payload".into(), Value::Object(payload));
    }

    fn generate_value(&mut self, field: &str, schema: &Value, known: &Known) -> Value {
        if let Some(choices) = schema["enum"].as_array() {
            return self.random.pick(choices).clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => self.random.pick(kinds).clone(),
            kind => kind.clone(),
        };
        let random = &mut self.random;
        match kind.as_str() {
            Some("null") => Value::Null,
            Some("boolean") => json!(random.random_bool(50)),
            Some("integer") => {
                let least = schema["minimum"].as_i64().unwrap_or(0);
                let most = schema["maximum"].as_i64().unwrap_or(9);
                json!(match random.random_below(10) {
                    0 => least,
                    1 => most,
                    _ => (least + i64::try_from(random.random_below(30)).expect("small")).min(most),
                })
            }
            Some("array") => {
                let most = if field == "cards" { 2 } else { 4 };
                let items = 1 + random.random_below(most);
                let item = |_| self.generate_value(field, &schema["items"], known);
                Value::Array((0..items).map(item).collect())
            }
            Some("object") if schema.get("properties").is_none() => self.random_json(3),
            Some("object") => {
                let mut object = Map::new();
                let schema = schema.as_object().expect("a schema");
                self.fill_fields(schema, &mut object, known);
                Value::Object(object)
            }
            Some("string") => self.generate_text(field, schema, known),
            _ => self.random_json(3),
        }
    }

    fn generate_text(&mut self, field: &str, schema: &Value, known: &Known) -> Value {
        let random = &mut self.random;
        let small = |random: &mut Random, choices: &[&str]| json!(random.pick(choices));
        match field {
            "templateId" => return small(random, &["a", "b", "boas.vindas:1", "..", "é"]),
            "name" if schema["pattern"].is_string() => return small(random, &["tom", "x", "É"]),
            "key" => return small(random, &["k", "marca", "a b"]),
            "hour" => return small(random, &["09:30", "23:59", "24:00"]),
            "de" | "ate" => return small(random, &["2026-08-01", "2026-12-31", "2026-02-30"]),
            "starts_on" | "ends_on" | "due_on" => {
                return small(random, &["2026-08-01", "2026-12-31", "2026-02-30"]);
            }
            "size" => return json!("256x256"),
            "format" => return small(random, &["1:1", "9:16"]),
            "cursor" => return small(random, &["x", "WyJ4Il0"]),
            "q" | "pergunta" | "procurar" => return small(random, &["festa", "a", "é \"b\""]),
            "expected_updated_at" => {
                return match known.tokens.is_empty() || random.random_bool(20) {
                    true => small(
                        random,
                        &["2026-08-22T15:00:00.000Z", "2026-08-22T15:00:00Z", "x"],
                    ),
                    false => {
                        let latest = known.tokens.len().saturating_sub(3);
                        random.pick(&known.tokens[latest..]).clone()
                    }
                };
            }
            _ => {}
        }
        if let Some(kind) = id_kind(field) {
            return self.choose_id(kind, known);
        }
        let most = schema["maxLength"].as_u64().unwrap_or(80);
        let random = &mut self.random;
        match usize::try_from(most) {
            Ok(most) if most <= 400 && random.random_bool(10) => {
                json!("é".repeat(most + random.random_below(2)))
            }
            _ => json!(random.pick(&TEXTS)),
        }
    }

    fn choose_id(&mut self, kind: &str, known: &Known) -> Value {
        let random = &mut self.random;
        if random.random_bool(10) {
            return json!(random.pick(&[
                "0198c0de-0000-7000-8000-000000000000",
                "evento-7",
                "'; --"
            ]));
        }
        let any = random.random_bool(10);
        let fitting = known.kinds.iter().enumerate();
        let fitting: Vec<usize> = fitting
            .filter(|(_, known)| any || *known == kind)
            .map(|(number, _)| number)
            .collect();
        match fitting.len() {
            0 => json!("0198c0de-0000-7000-8000-000000000001"),
            // Prefers recent ids, because more operations are possible on them.
            count => json!(format!(
                "{ID}{}",
                fitting[count - 1 - random.random_below(count.min(6))]
            )),
        }
    }

    /// Returns a random JSON value.
    fn random_json(&mut self, levels: usize) -> Value {
        let random = &mut self.random;
        match random.random_below(if levels == 0 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => json!(random.random_bool(50)),
            2 => json!(random.random_below(1000)),
            3 => json!(9_007_199_254_740_992_u64 + random.random_below(4) as u64),
            4 => json!(-0.5),
            5 => json!(random.pick(&TEXTS)),
            6 => (0..random.random_below(4))
                .map(|_| self.random_json(levels - 1))
                .collect(),
            _ => {
                let names = ["", "a", "é", "__proto__"];
                let count = random.random_below(names.len());
                let fields = names.iter().take(count);
                let field = |name: &&str| ((*name).to_owned(), self.random_json(levels - 1));
                Value::Object(fields.map(field).collect())
            }
        }
    }

    /// Adds one error that REST can send as well.
    fn add_error(&mut self, entry: &Entry, schema: &Map<String, Value>, call: &mut Call) {
        let spec = &entry.spec;
        // Leaves the path and the key valid, because REST may send the key in a header.
        let keyed = call.key.is_some();
        let in_path = |field: &str| {
            spec.placeholders().any(|name| name == field) || keyed && field == "idempotency_key"
        };
        let fields = schema["properties"].as_object();
        let fields: Vec<&String> = fields.into_iter().flat_map(Map::keys).collect();
        let fields: Vec<&&String> = fields.iter().filter(|field| !in_path(field)).collect();
        let given = call.arguments.keys().filter(|field| !in_path(field));
        let given: Vec<String> = given.cloned().collect();
        let random = &mut self.random;
        let field = match fields.is_empty() {
            true => "estranho".to_owned(),
            false => (**random.pick(&fields)).clone(),
        };
        match random.random_below(if spec.has_body() { 8 } else { 3 }) {
            0 => {
                let name = *random.pick(&["estranho", "Title", "é", "__proto__"]);
                call.arguments.insert(name.into(), json!("x"));
            }
            1 => {
                let nullable = schema["properties"][&field]["type"].is_array();
                if !nullable {
                    call.arguments.remove(&field);
                }
            }
            2 => {
                if let Some(name) = given.get(random.random_below(given.len().max(1))) {
                    call.twice = Some((vec![], name.clone()));
                }
            }
            3 => {
                let wrong = [
                    json!(7),
                    json!("x"),
                    json!([]),
                    json!({ "a": 1 }),
                    json!(true),
                    json!(1.5),
                    Value::Null,
                ];
                let nullable = schema["properties"][&field]["type"].is_array();
                let wrong = random.pick(&wrong).clone();
                if !(nullable && wrong.is_null()) {
                    call.arguments.insert(field, wrong);
                }
            }
            4 => {
                let levels = *random.pick(&[63, 64, 65, 100, 125, 126, 127, 128, 300]);
                let deep = format!("{RAW}{}{}", "[".repeat(levels), "]".repeat(levels));
                call.arguments.insert(field, json!(deep));
            }
            5 => {
                let numbers = [
                    "18446744073709551615",
                    "18446744073709551616",
                    "1e300",
                    "1e999",
                    "-9223372036854775809",
                    "1.0",
                    "-0",
                ];
                let number = random.pick(&numbers);
                call.arguments
                    .insert(field, json!(format!("{RAW}{number}")));
            }
            6 => {
                let broken = [
                    "\"\\ud83c\"",
                    "{\"a\":1,\"a\":2}",
                    "[{\"b\":[{\"\":0,\"\":0}]}]",
                ];
                let broken = random.pick(&broken);
                call.arguments
                    .insert(field, json!(format!("{RAW}{broken}")));
            }
            _ => {
                let names = (0..60).map(|n| (format!("n{n}"), json!(n)));
                call.arguments.extend(names);
            }
        }
    }
}

fn placeholder_number(value: &Value) -> Option<usize> {
    value.as_str()?.strip_prefix(ID)?.parse().ok()
}

/// Returns the kind of an id, by the field that contains it.
pub(super) fn id_kind(field: &str) -> Option<&'static str> {
    let has = |part: &str| field.contains(part);
    match field {
        "attach" | "detach" | "order" | "alt" => Some("media"),
        _ if has("event") || has("demanda") => Some("event"),
        _ if has("section") => Some("section"),
        _ if has("item") && !has("status") => Some("item"),
        _ if has("project") => Some("project"),
        _ if has("assignee") || has("member") => Some("member"),
        _ if has("media") || has("midia") || has("card") => Some("media"),
        _ => None,
    }
}
