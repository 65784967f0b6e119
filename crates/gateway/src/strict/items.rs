//! A list whose items an operation judges one by one. They are read with the rest of the input, but stay
//! parts of its text: a tree of each item would be built only to be taken apart again.

use std::{fmt, ops::Range, slice};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::reader::{LARGE, Node, Plain, Reader, Stop};
use crate::Result;

/// The items of a list.
#[derive(Debug)]
pub struct Items {
    /// The text of the input.
    text: String,
    list: Vec<Tree>,
}

/// An item or a value in it, as far as it is judged.
#[derive(Debug, Clone, Copy)]
pub enum Item<'a> {
    Null,
    Text(&'a str),
    /// An object.
    Fields(Fields<'a>),
    /// A number, a list, true or false.
    Other,
}

/// The fields of an object; no two have the same name.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    text: &'a str,
    fields: &'a [(Text, Tree)],
}

#[derive(Debug)]
enum Tree {
    Null,
    Text(Text),
    Fields(Vec<(Text, Tree)>),
    Other,
}

/// A text in the text of the input.
#[derive(Debug)]
enum Text {
    /// It has no escapes.
    At(Range<usize>),
    /// It has some, which are resolved here.
    Resolved(String),
}

impl Items {
    /// The items of a list that was parsed elsewhere.
    pub(crate) fn of(list: &[Value]) -> Option<Self> {
        let text = serde_json::to_vec(&serde_json::json!({ "list": list })).ok()?;
        scan(&text, usize::MAX, "list")?.items
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Bytes of the input that they were in.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = Item<'_>> {
        self.list.iter().map(|item| item.within(&self.text))
    }
}

impl<'a> Fields<'a> {
    #[must_use]
    pub fn len(self) -> usize {
        self.fields.len()
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.fields.is_empty()
    }
}

impl<'a> IntoIterator for Fields<'a> {
    type Item = (&'a str, Item<'a>);
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        Entries {
            text: self.text,
            fields: self.fields.iter(),
        }
    }
}

/// The names and values of [`Fields`].
#[derive(Debug)]
pub struct Entries<'a> {
    text: &'a str,
    fields: slice::Iter<'a, (Text, Tree)>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a str, Item<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.fields.next()?;
        Some((name.within(self.text), value.within(self.text)))
    }
}

impl Tree {
    fn within<'a>(&'a self, text: &'a str) -> Item<'a> {
        match self {
            Self::Null => Item::Null,
            Self::Text(part) => Item::Text(part.within(text)),
            Self::Fields(fields) => Item::Fields(Fields { text, fields }),
            Self::Other => Item::Other,
        }
    }
}

impl Text {
    fn within<'a>(&'a self, text: &'a str) -> &'a str {
        match self {
            Self::At(range) => &text[range.clone()],
            Self::Resolved(text) => text,
        }
    }
}

/// An input with its items.
pub(super) struct Scanned {
    /// With `null` for each item.
    pub(super) plain: Plain,
    pub(super) items: Option<Items>,
    /// Whether a number may have been rounded.
    pub(super) large: bool,
}

/// Reads the object with the list. `None` where the plain parser says what is wrong.
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
    let text = text.to_owned();
    let items = list.map(|list| Items { text, list });
    let plain = Plain {
        input,
        values: reader.values,
    };
    Some(Scanned {
        plain,
        items,
        large: reader.large,
    })
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

/// An item, or a value in it.
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
        let mut fields = Vec::with_capacity(8);
        self.within()?;
        while let Some(name) = entries.next_key_seed(Part(self.text))? {
            fields.push((name, entries.next_value_seed(self.within()?)?));
        }
        let text = self.text;
        match repeats(Fields {
            text,
            fields: &fields,
        }) {
            true => Err(self.node.reader.stopped(Stop::Twice)),
            false => Ok(Tree::Fields(fields)),
        }
    }
}

/// A name or a text in this text.
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

/// Whether two fields have the same name.
fn repeats(fields: Fields<'_>) -> bool {
    /// More are compared in order.
    const FEW: usize = 16;
    let names = fields.into_iter().map(|(name, _)| name);
    if fields.len() <= FEW {
        let mut known = [""; FEW];
        return names.enumerate().any(|(at, name)| {
            known[at] = name;
            known[..at].contains(&name)
        });
    }
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Error, Parsed, parse, strict::reader, too_many};

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

    /// A value as it is judged: `7` for all that is not.
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
        // The plain parser looks at a large number too.
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
            // A caller inside the service has the values.
            let again = Items::of(plain.input["itens"].as_array().expect("a list"));
            let again = again.expect("items");
            assert_eq!(again.iter().map(judged).collect::<Vec<_>>(), read);
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
