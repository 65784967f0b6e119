//! A list whose items stay JSON texts, for an operation that judges them one by one. A tree of each
//! item would be built only to be taken apart again.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize,
    de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};

use super::reader::{self, DEEPEST, LARGE, Node, Parsed, Reader, Stop, reason, too_many};
use crate::{Error, Result, Spec};

/// The object, with the texts as they are written: only their syntax is checked, and that not in
/// their escapes. `None` where the plain parser must look: it says what is wrong.
pub(super) fn scan(text: &[u8], most: usize, field: &str) -> Option<Parsed> {
    let mut reader = Reader::new(most);
    let mut json = serde_json::Deserializer::from_slice(text);
    let top = Top {
        node: Node::top(&mut reader),
        field,
    };
    let input = json.deserialize_map(top).ok()?;
    json.end().ok()?;
    (!reader.large).then_some(Parsed {
        input,
        values: reader.values,
    })
}

/// Writes the items of a parsed list as texts.
pub(super) fn rewrite(input: &mut Map<String, Value>, field: &str) {
    if let Some(Value::Array(items)) = input.get_mut(field) {
        for item in items {
            *item = Value::String(item.to_string());
        }
    }
}

/// An item of such a list, as far as it is judged.
#[derive(Debug, PartialEq, Eq)]
pub enum Item<'a> {
    Null,
    Text(Cow<'a, str>),
    /// An object.
    Fields(Vec<(Cow<'a, str>, Item<'a>)>),
    /// A number, a list, true or false.
    Other,
}

/// Reads the texts of the list that the spec names. Refused (400) as by [`super::parse`].
pub fn items<'a>(texts: &'a [String], spec: &Spec) -> Result<Vec<Item<'a>>> {
    let mut reader = Reader::new(spec.values);
    let field = spec.texts.unwrap_or_default();
    let mut items = Vec::with_capacity(texts.len());
    for (at, text) in texts.iter().enumerate() {
        match reader.item(text) {
            Ok(item) => items.push(item),
            Err(error) if reader.stop.is_none() => {
                let field = format!("{field}.{at}");
                return Err(Error::invalid(&field, "json", reason(&error)));
            }
            Err(_) => break,
        }
    }
    if reader.large || reader.stop.is_some() {
        // The plain parser names the place, and knows which large numbers were rounded.
        let whole = format!("{{\"{field}\":[{}]}}", texts.join(","));
        reader::parse(whole.as_bytes(), spec.values)?.ok_or_else(|| too_many(spec.values))?;
    }
    Ok(items)
}

impl Reader {
    fn item<'a>(&mut self, text: &'a str) -> serde_json::Result<Item<'a>> {
        let mut json = serde_json::Deserializer::from_str(text);
        let node = Node {
            reader: self,
            levels: DEEPEST - 1,
        };
        let item = Build(node).deserialize(&mut json)?;
        json.end().map(|()| item)
    }
}

/// The object with the list.
struct Top<'r, 'f> {
    node: Node<'r>,
    field: &'f str,
}

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let node = self.node.within()?;
            let value = match name == self.field {
                true => entries.next_value_seed(Texts(node))?,
                false => entries.next_value_seed(node)?,
            };
            if map.insert(name, value).is_some() {
                return Err(A::Error::custom("twice"));
            }
        }
        Ok(map)
    }
}

/// The list.
struct Texts<'r>(Node<'r>);

impl<'de> DeserializeSeed<'de> for Texts<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.0.reader.count()?;
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Texts<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut texts = vec![];
        while let Some(item) = items.next_element::<&RawValue>()? {
            self.0.reader.count()?;
            texts.push(Value::String(item.get().to_owned()));
        }
        Ok(Value::Array(texts))
    }
}

/// An item, or a value in it.
struct Build<'r>(Node<'r>);

impl Build<'_> {
    fn within<E: serde::de::Error>(&mut self) -> Result<Build<'_>, E> {
        self.0.within().map(Build)
    }
}

impl<'de> DeserializeSeed<'de> for Build<'_> {
    type Value = Item<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Item<'de>, D::Error> {
        self.0.reader.count()?;
        deserializer.deserialize_any(self)
    }
}

/// A name, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for Build<'_> {
    type Value = Item<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Item<'de>, E> {
        Ok(Item::Null)
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Item<'de>, E> {
        Ok(Item::Text(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Item<'de>, E> {
        Ok(Item::Text(value.to_owned().into()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Item<'de>, E> {
        Ok(Item::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Item<'de>, E> {
        Ok(Item::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Item<'de>, E> {
        Ok(Item::Other)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Item<'de>, E> {
        self.0.reader.large |= value.abs() >= LARGE;
        Ok(Item::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Item<'de>, A::Error> {
        loop {
            let item = self.within()?;
            if items.next_element_seed(item)?.is_none() {
                return Ok(Item::Other);
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Item<'de>, A::Error> {
        let mut fields: Vec<(Cow<'de, str>, Item<'de>)> = Vec::with_capacity(8);
        self.within()?;
        while let Some(Name(name)) = entries.next_key()? {
            fields.push((name, entries.next_value_seed(self.within()?)?));
        }
        match repeats(&fields) {
            true => Err(self.0.reader.stopped(Stop::Twice)),
            false => Ok(Item::Fields(fields)),
        }
    }
}

/// Whether two fields have the same name.
fn repeats(fields: &[(Cow<'_, str>, Item<'_>)]) -> bool {
    /// More are compared in order.
    const FEW: usize = 16;
    if fields.len() <= FEW {
        let mut later = fields;
        while let [(name, _), rest @ ..] = later {
            if rest.iter().any(|(other, _)| other == name) {
                return true;
            }
            later = rest;
        }
        return false;
    }
    let mut names: Vec<&str> = fields.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Access, Verb, parse};

    const SPEC: Spec = Spec::new("receive", "Receber", Verb::Post, "/api/itens")
        .access(Access::Public)
        .values(99)
        .texts("itens");

    fn read(text: &str) -> Result<Map<String, Value>> {
        let parsed = parse(text.as_bytes(), SPEC.values, SPEC.texts)?;
        Ok(parsed.ok_or_else(|| too_many(SPEC.values))?.input)
    }

    /// The items of a body.
    fn texts(body: &str) -> Result<Vec<String>> {
        let texts = read(body)?.remove("itens").expect("a list");
        Ok(serde_json::from_value(texts).expect("texts"))
    }

    fn fault(error: &Error) -> (String, String) {
        let fault = &error.body().details.expect("details")["fields"][0];
        let word = |name: &str| fault[name].as_str().expect("text").to_owned();
        (word("field"), word("rule"))
    }

    #[test]
    fn items_stay_texts_and_the_rest_is_parsed() {
        // The plain parser looks at a large number.
        for list in [
            r#"[ {"b": [1, "é\n"]} ,"\"x",null,-0.5,1e2,[],"\u0041"]"#,
            r#"[{"b":[1,"é\n"]},"\"x",1e300]"#,
        ] {
            let body = format!(r#"{{"a":[1,{{}}],"itens":{list}}}"#);
            assert_eq!(read(&body).expect("JSON")["a"], json!([1, {}]));
            let texts = texts(&body).expect("JSON");
            let items = texts.iter().map(|text| serde_json::from_str(text));
            let items: Vec<Value> = items.collect::<serde_json::Result<_>>().expect("JSON");
            assert_eq!(
                items,
                serde_json::from_str::<Vec<Value>>(list).expect("JSON")
            );
            assert_eq!(
                super::items(&texts, &SPEC).expect("strict").len(),
                items.len()
            );
        }
        for list in ["null", "7", r#"{"a":1}"#] {
            let input = read(&format!(r#"{{"itens":{list}}}"#)).expect("JSON");
            assert_eq!(input["itens"].to_string(), list);
        }
    }

    #[test]
    fn an_item_is_read_as_far_as_it_is_judged() {
        let body = r#"{"itens":[{"a":"b","\u0063":"\u00e9","d":{"e":null},"f":[{}]},7]}"#;
        let texts = texts(body).expect("JSON");
        let text = |text: &'static str| Item::Text(text.into());
        let fields = vec![
            ("a".into(), text("b")),
            ("c".into(), text("é")),
            ("d".into(), Item::Fields(vec![("e".into(), Item::Null)])),
            ("f".into(), Item::Other),
        ];
        let read = items(&texts, &SPEC).expect("strict");
        assert_eq!(read, [Item::Fields(fields), Item::Other]);
    }

    #[test]
    fn items_are_refused_as_any_input() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let names: Vec<String> = (0..40).map(|at| format!(r#""n{}":0"#, at % 39)).collect();
        for item in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":{"b":1,"\u0062":2}}"#,
            r#"[[{"b":{"":1,"":2}}]]"#,
            &format!("{{{}}}", names.join(",")),
            "18446744073709551616",
            r#"{"a":[1e30,-9223372036854775809]}"#,
            &deep(64),
            &format!("[{}0]", "0,".repeat(99)),
        ] {
            let body = format!(r#"{{"itens":[0,{item}]}}"#);
            let as_any = match reader::parse(body.as_bytes(), SPEC.values) {
                Ok(parsed) => parsed.map_or_else(|| too_many(SPEC.values), |_| panic!("{item}")),
                Err(refused) => refused,
            };
            let refused = texts(&body).and_then(|texts| items(&texts, &SPEC).map(drop));
            assert_eq!(fault(&refused.expect_err(item)), fault(&as_any), "{item}");
        }
        for item in ["1e30", "-1e300", &deep(63)] {
            let texts = texts(&format!(r#"{{"itens":[0,{item}]}}"#)).expect(item);
            assert_eq!(items(&texts, &SPEC).expect(item).len(), 2);
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for body in [
            "",
            "[]",
            r#"{"itens":[}"#,
            r#"{"itens":[{]}"#,
            r#"{"itens":[{}],"itens":[]}"#,
            "{\"itens\":[\"\u{1}\"]}",
            r#"{"itens":[]} x"#,
        ] {
            assert!(read(body).is_err(), "{body}");
        }
        // Escapes are read with their item, which is named.
        for item in [r#"{"a":"\ud83c"}"#, r#""\udf89\ud83c""#, "1e999"] {
            let texts = texts(&format!(r#"{{"itens":[0,{item}]}}"#)).expect("a list");
            let refused = items(&texts, &SPEC).expect_err(item);
            assert_eq!(fault(&refused), ("itens.1".into(), "json".into()), "{item}");
        }
    }
}
