//! Reads an object and the items of one of its lists in one pass.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{
    items::{Items, Text, Tree},
    reader::{LARGE, Node, Plain, Reader, Stop, rounded},
};
use crate::Result;

/// An input with its items.
pub(super) struct Scanned {
    /// The object, with `null` in place of each item.
    pub(super) object: Plain,
    pub(super) items: Option<Items>,
}

/// Reads the object and its list. `None` if the plain parser must read the text, because only that
/// parser reports what is wrong.
pub(super) fn scan(text: &[u8], most: usize, field: &str) -> Option<Scanned> {
    let text = str::from_utf8(text).ok()?;
    let mut reader = Reader::new(most);
    let mut list = None;
    let mut json = serde_json::Deserializer::from_str(text);
    let top = Top {
        node: Node::top(&mut reader),
        text,
        field,
        list: &mut list,
    };
    let input = json.deserialize_map(top).ok()?;
    json.end().ok()?;
    if reader.large && rounded(text.as_bytes()).is_some() {
        return None;
    }
    let object = Plain {
        input,
        values: reader.values,
    };
    let items = list.map(|list| Items {
        text: text.to_owned(),
        list,
    });
    Some(Scanned { object, items })
}

/// The object with the list.
struct Top<'r, 't> {
    node: Node<'r>,
    text: &'t str,
    field: &'t str,
    list: &'t mut Option<Vec<Tree>>,
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
            let value = if name == self.field {
                let list = entries.next_value_seed(List {
                    node,
                    text: self.text,
                })?;
                let nulls = Value::Array(vec![Value::Null; list.len()]);
                *self.list = Some(list);
                nulls
            } else {
                entries.next_value_seed(node)?
            };
            if map.insert(name, value).is_some() {
                return Err(A::Error::custom("twice"));
            }
        }
        Ok(map)
    }
}

/// The list.
struct List<'r, 't> {
    node: Node<'r>,
    text: &'t str,
}

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = Vec<Tree>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Tree>, D::Error> {
        self.node.reader.count()?;
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = Vec<Tree>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Vec<Tree>, A::Error> {
        let mut list = vec![];
        loop {
            let build = Build {
                node: self.node.within()?,
                text: self.text,
            };
            match items.next_element_seed(build)? {
                Some(item) => list.push(item),
                None => return Ok(list),
            }
        }
    }
}

/// The usual maximum number of fields in an object.
const FIELDS: usize = 8;

/// Builds an item or a value in it.
struct Build<'r, 't> {
    node: Node<'r>,
    text: &'t str,
}

impl Build<'_, '_> {
    fn within<E: serde::de::Error>(&mut self) -> Result<Build<'_, '_>, E> {
        Ok(Build {
            node: self.node.within()?,
            text: self.text,
        })
    }
}

impl<'de> DeserializeSeed<'de> for Build<'_, '_> {
    type Value = Tree;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        self.node.reader.count()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Build<'_, '_> {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, value: &'de str) -> Result<Tree, E> {
        Part(self.text).visit_borrowed_str(value).map(Tree::Text)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Tree, E> {
        Part(self.text).visit_str(value).map(Tree::Text)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        self.node.reader.large |= value.abs() >= LARGE;
        Ok(Tree::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Tree, A::Error> {
        loop {
            let item = self.within()?;
            if items.next_element_seed(item)?.is_none() {
                return Ok(Tree::Other);
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Tree, A::Error> {
        let mut fields = Vec::new();
        self.within()?;
        while let Some(name) = entries.next_key_seed(Part(self.text))? {
            if fields.is_empty() {
                fields.reserve(FIELDS);
            }
            fields.push((name, entries.next_value_seed(self.within()?)?));
        }
        match repeats(&fields, self.text) {
            true => Err(self.node.reader.stopped(Stop::Twice)),
            false => Ok(Tree::Fields(fields)),
        }
    }
}

/// Reads a name or a text of the input.
struct Part<'t>(&'t str);

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = Text;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Text, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Text, E> {
        let from = value.as_ptr().addr() - self.0.as_ptr().addr();
        Ok(Text::At(from..from + value.len()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Text, E> {
        Ok(Text::Resolved(value.to_owned()))
    }
}

/// True if two fields have the same name.
fn repeats(fields: &[(Text, Tree)], text: &str) -> bool {
    /// Up to this number, all pairs are compared; larger sets are sorted first.
    const FEW: usize = 16;
    if fields.len() <= FEW {
        let mut later = fields;
        while let [(name, _), rest @ ..] = later {
            let is_same = |(other, _): &(Text, Tree)| {
                other.len() == name.len() && other.within(text) == name.within(text)
            };
            if rest.iter().any(is_same) {
                return true;
            }
            later = rest;
        }
        return false;
    }
    let mut names: Vec<&str> = fields.iter().map(|(name, _)| name.within(text)).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Error, Item, Parsed, parse, strict::reader, too_many};

    const MOST: usize = 99;

    fn read(text: &str) -> Result<Parsed> {
        let parsed = parse(text.as_bytes(), MOST, Some("itens"))?;
        parsed.ok_or_else(|| too_many(MOST))
    }

    fn fault(error: &Error) -> (String, String) {
        let fault = &error.body().details.expect("details")["fields"][0];
        let word = |name: &str| fault[name].as_str().expect("text").to_owned();
        (word("field"), word("rule"))
    }

    /// The validated content of a value as JSON. `7` stands for every value whose content is not
    /// validated.
    fn judged(item: Item<'_>) -> Value {
        match item {
            Item::Null => Value::Null,
            Item::Text(text) => text.into(),
            Item::Fields(fields) => {
                let fields = fields.into_iter();
                let judged = fields.map(|(name, value)| (name.to_owned(), judged(value)));
                Value::Object(judged.collect())
            }
            Item::Other => json!(7),
        }
    }

    #[test]
    fn items_are_read_as_far_as_they_are_judged() {
        // A large number makes the plain parser read the text too.
        for number in ["[1, 2]", "-0.5", "1e300", "true", "[]", "[{\"c\":[null]}]"] {
            let item = format!(
                r#" {{"a": "b","\u0063":"\u00e9","d":{{"e":null,"":{{}}}}, "f":{number}}}"#
            );
            let body = format!(r#"{{"a":[1,{{}}],"itens":[{item} ,"\"ç",null,{number}],"z":2}}"#);
            let parsed = read(&body).expect("JSON");
            let nulls = json!([null, null, null, null]);
            assert_eq!(
                Value::Object(parsed.input),
                json!({ "a": [1, {}], "itens": nulls, "z": 2 })
            );
            let items = parsed.items.expect("items");
            let item = json!({ "a": "b", "c": "é", "d": { "e": null, "": {} }, "f": 7 });
            let read: Vec<Value> = items.iter().map(judged).collect();
            assert_eq!(read, [item, json!("\"ç"), Value::Null, json!(7)]);
            assert_eq!((items.len(), items.bytes()), (4, body.len()));
            let plain = reader::parse(body.as_bytes(), MOST);
            let plain = plain.expect("JSON").expect("few");
            assert_eq!(parsed.values, plain.values);
        }
    }

    #[test]
    fn without_a_list_there_are_no_items() {
        for list in ["null", "7", r#"{"a":1}"#, r#""a""#] {
            let parsed = read(&format!(r#"{{"itens":{list}}}"#)).expect("JSON");
            assert_eq!(parsed.input["itens"].to_string(), list);
            assert!(parsed.items.is_none());
        }
        assert!(read(r#"{"b":[1]}"#).expect("JSON").items.is_none());
        let empty = read(r#"{"itens":[]}"#).expect("JSON").items;
        assert!(empty.expect("items").is_empty());
    }

    #[test]
    fn items_are_refused_as_any_input() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let names: Vec<String> = (0..40).map(|at| format!(r#""n{}":0"#, at % 39)).collect();
        let few: Vec<String> = (0..16).map(|at| format!(r#""n{}":0"#, at % 15)).collect();
        for item in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":{"b":1,"\u0062":2}}"#,
            r#"[[{"b":{"":1,"":2}}]]"#,
            &format!("{{{}}}", names.join(",")),
            &format!("{{{}}}", few.join(",")),
            "18446744073709551616",
            r#"{"a":[1e30,-9223372036854775809]}"#,
            &deep(64),
            &format!("[{}0]", "0,".repeat(MOST)),
            r#"{"a":"\ud83c"}"#,
            r#""\udf89\ud83c""#,
            "1e999",
            "\"\u{1}\"",
            "{",
        ] {
            let body = format!(r#"{{"itens":[0,{item}]}}"#);
            let as_any = match reader::parse(body.as_bytes(), MOST) {
                Ok(parsed) => parsed.map_or_else(|| too_many(MOST), |_| panic!("{item}")),
                Err(refused) => refused,
            };
            let refused = read(&body).err().expect(item);
            assert_eq!(fault(&refused), fault(&as_any), "{item}");
        }
        for item in ["1e30", "-1e300", &deep(63)] {
            let parsed = read(&format!(r#"{{"itens":[0,{item}]}}"#)).expect(item);
            assert_eq!(parsed.items.expect("items").len(), 2);
        }
    }

    #[test]
    fn what_is_not_an_object_is_refused() {
        for body in [
            "",
            "[]",
            r#"{"itens":[{}],"itens":[]}"#,
            r#"{"itens":[]} x"#,
        ] {
            assert!(read(body).is_err(), "{body}");
        }
    }
}
