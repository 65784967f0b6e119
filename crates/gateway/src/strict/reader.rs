//! The parser. It builds the whole tree and records where parsing stopped.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, map::Entry};

use crate::{Error, Result, to_printable};

/// The field name that stands for the whole input in errors.
const BODY: &str = "corpo";

/// Maximum nesting levels in a field. Many JSON parsers stop at 128 levels, and answers add levels
/// of their own.
const DEEPEST: usize = 64;

/// The parser reads an integer beyond 64 bits as a double of at least this size.
const LARGE: f64 = 9_223_372_036_854_775_808.0;

/// A parsed object.
pub struct Parsed {
    pub input: Map<String, Value>,
    /// The number of values in the object, at all levels.
    pub values: usize,
}

/// Parses an object; `None` if it has more than `most` values.
///
/// Fails with 400 if the text is not a JSON object, or, at any level, repeats a name, nests a field
/// too deeply or has a number that cannot be stored exactly.
pub fn parse_object(text: &[u8], most: usize) -> Result<Option<Parsed>> {
    let (mut reader, read) = read_checked(text, most, Reader::read_object);
    match read {
        Ok(Value::Object(input)) => Ok(Some(Parsed {
            input,
            values: reader.values,
        })),
        Ok(_) => Err(not_an_object_error()),
        Err(error) => reader.build_refusal(&error, None).map_or(Ok(None), Err),
    }
}

/// Parses the JSON text of one field by the rules for a field of a JSON body. Also returns the
/// number of its values at all levels.
///
/// Fails with 400 if the field has more than `most` values, or if a body with this field would be
/// refused.
pub fn parse_value(field: &str, text: &str, most: usize) -> Result<(Value, usize)> {
    let (mut reader, read) = read_checked(text.as_bytes(), most, Reader::read_field);
    let field = to_printable(field);
    match read {
        Ok(value) => Ok((value, reader.values)),
        Err(error) => Err(match reader.build_refusal(&error, Some(&field)) {
            Some(refused) => refused,
            None => field_too_many_values_error(&field, most),
        }),
    }
}

type Read = fn(&mut Reader, &[u8]) -> serde_json::Result<Value>;

fn read_checked(text: &[u8], most: usize, read: Read) -> (Reader, serde_json::Result<Value>) {
    let mut reader = Reader::new(most);
    let value = read(&mut reader, text);
    // A double of this size was either written as a double or is a rounded integer. If one is
    // rounded, the text is read again, to find the path of the number.
    if value.is_ok()
        && reader.large
        && let Some(number) = find_rounded_integer(text)
    {
        reader = Reader {
            rounded: Some(number),
            ..Reader::new(most)
        };
        let value = read(&mut reader, text);
        return (reader, value);
    }
    (reader, value)
}

/// Returns the index of the first integer beyond 64 bits among the numbers of a text.
fn find_rounded_integer(text: &[u8]) -> Option<usize> {
    let in_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let (mut at, mut numbers) = (0, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(&byte) = text.get(at).filter(|byte| **byte != b'"') {
                    at += if byte == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let length = text[at..].iter().take_while(|byte| in_number(**byte));
                let end = at + length.count();
                let digits = str::from_utf8(&text[at..end]).unwrap_or_default();
                let is_whole = !digits.contains(['.', 'e', 'E']);
                if is_whole && digits.parse::<i64>().is_err() && digits.parse::<u64>().is_err() {
                    return Some(numbers);
                }
                numbers += 1;
                at = end;
            }
            _ => at += 1,
        }
    }
    None
}

/// Creates the error for a text that is not JSON, with the position of the fault. If the fault is
/// half of a surrogate pair, the error says so, because that fault is hard to see.
#[must_use]
pub fn not_json_error(error: &serde_json::Error) -> Error {
    field_not_json_error(BODY, error)
}

fn field_not_json_error(field: &str, error: &serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    let message = format!("{} (linha {line}, coluna {column})", describe_fault(error));
    Error::invalid_field(field, "json", &message)
}

fn describe_fault(error: &serde_json::Error) -> &'static str {
    let message = error.to_string();
    match message.contains("surrogate") || message.contains("end of hex escape") {
        true => "tem um escape \\u pela metade, sem o seu par substituto",
        false => "não é JSON válido",
    }
}

/// Creates the error for an input with more values than the operation accepts.
#[must_use]
pub fn too_many_values_error(most: usize) -> Error {
    field_too_many_values_error(BODY, most)
}

fn field_too_many_values_error(field: &str, most: usize) -> Error {
    let message = format!("deve ter no máximo {most} valores");
    Error::invalid_field(field, "maxValues", &message)
}

fn not_an_object_error() -> Error {
    Error::invalid_field(BODY, "type", "deve ser um objeto JSON")
}

/// The reason why parsing of a valid JSON text stopped.
enum Stop {
    TooMany,
    TooDeep,
    Twice,
    Rounded,
}

struct Reader {
    values: usize,
    most: usize,
    numbers: usize,
    /// True if there is a double as large as an integer beyond 64 bits.
    large: bool,
    /// The index of the rounded number among the numbers of the text.
    rounded: Option<usize>,
    stop: Option<Stop>,
    /// The path to the place where parsing stopped, innermost name first.
    path: Vec<String>,
}

impl Reader {
    fn new(most: usize) -> Self {
        Self {
            values: 0,
            most,
            numbers: 0,
            large: false,
            rounded: None,
            stop: None,
            path: vec![],
        }
    }

    fn read_object(&mut self, text: &[u8]) -> serde_json::Result<Value> {
        let mut json = serde_json::Deserializer::from_slice(text);
        let value = json.deserialize_map(Node::top_level(self))?;
        json.end().map(|()| value)
    }

    fn read_field(&mut self, text: &[u8]) -> serde_json::Result<Value> {
        let mut json = serde_json::Deserializer::from_slice(text);
        let node = Node {
            reader: self,
            levels: DEEPEST,
        };
        let value = node.deserialize(&mut json)?;
        json.end().map(|()| value)
    }

    fn count_number<E: serde::de::Error>(&mut self) -> Result<(), E> {
        if self.rounded == Some(self.numbers) {
            return Err(self.record_stop(Stop::Rounded));
        }
        self.numbers += 1;
        Ok(())
    }

    fn count_value<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.values += 1;
        if self.values > self.most {
            return Err(self.record_stop(Stop::TooMany));
        }
        Ok(())
    }

    fn record_stop<E: serde::de::Error>(&mut self, stop: Stop) -> E {
        self.stop = Some(stop);
        E::custom("stopped")
    }

    /// Returns the error to report; `None` if there are too many values. `field` is the name of the
    /// field if its text was parsed instead of a whole body.
    fn build_refusal(&mut self, error: &serde_json::Error, field: Option<&str>) -> Option<Error> {
        self.path.extend(field.map(str::to_owned));
        self.path.reverse();
        let path: Vec<String> = self.path.iter().map(|name| to_printable(name)).collect();
        Some(match self.stop {
            Some(Stop::TooMany) => return None,
            Some(Stop::TooDeep) => {
                let message = format!("deve ter no máximo {DEEPEST} níveis de listas e objetos");
                let field = path.first().map_or(BODY, String::as_str);
                Error::invalid_field(field, "maxDepth", &message)
            }
            Some(Stop::Twice) => {
                Error::invalid_field(&path.join("."), "unique", "foi informado mais de uma vez")
            }
            Some(Stop::Rounded) => {
                let message = "tem um inteiro que não se guarda com exatidão: vão de -2^63 a 2^64-1; \
                    envie os maiores como texto";
                Error::invalid_field(&path.join("."), "exact", message)
            }
            None if error.is_data() && field.is_none() => not_an_object_error(),
            None => field_not_json_error(field.unwrap_or(BODY), error),
        })
    }
}

/// A value, with the remaining number of nesting levels.
struct Node<'r> {
    reader: &'r mut Reader,
    levels: usize,
}

impl<'r> Node<'r> {
    fn top_level(reader: &'r mut Reader) -> Self {
        Self {
            reader,
            levels: DEEPEST + 1,
        }
    }

    fn next_level<E: serde::de::Error>(&mut self) -> Result<Node<'_>, E> {
        match self.levels.checked_sub(1) {
            Some(levels) => Ok(Node {
                reader: self.reader,
                levels,
            }),
            None => Err(self.reader.record_stop(Stop::TooDeep)),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.reader.count_value()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        self.reader.count_number()?;
        Ok(value.into())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        self.reader.count_number()?;
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        self.reader.count_number()?;
        self.reader.large |= value.abs() >= LARGE;
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut list = vec![];
        loop {
            let node = self.next_level()?;
            match items.next_element_seed(node) {
                Ok(Some(item)) => list.push(item),
                Ok(None) => return Ok(Value::Array(list)),
                Err(error) => {
                    self.reader.path.push(list.len().to_string());
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        // An empty object counts as a level too.
        self.next_level()?;
        while let Some(name) = entries.next_key::<String>()? {
            let vacant = match map.entry(name) {
                Entry::Vacant(vacant) => vacant,
                Entry::Occupied(there) => {
                    self.reader.path.push(there.key().clone());
                    return Err(self.reader.record_stop(Stop::Twice));
                }
            };
            let node = self.next_level()?;
            match entries.next_value_seed(node) {
                Ok(value) => drop(vacant.insert(value)),
                Err(error) => {
                    self.reader.path.push(vacant.key().clone());
                    return Err(error);
                }
            }
        }
        Ok(Value::Object(map))
    }
}
