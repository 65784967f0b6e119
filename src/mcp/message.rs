//! Reads a message. The called tool is found before the message is parsed, because each tool has
//! its own length limit. The arguments are extracted as unparsed text, and the gateway parses them
//! like a REST body.

use std::{fmt, ops::Range};

use gateway::{Error, Input, Result, not_json_error, offload, parse_object};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, value::RawValue};

use crate::intake::{FEW, Given, Incoming, Intake, SMALL};

/// Maximum bytes of a message besides the arguments of its tool.
pub(super) const ENVELOPE: usize = 16_000;

/// Maximum bytes of a name; a longer one is ignored.
const LONGEST_NAME: usize = 400;

const CALL: &str = "tools/call";

/// A message that is within its length limit.
pub(super) struct Message {
    /// The message with `arguments` replaced by an empty value.
    pub(super) text: Vec<u8>,
    /// The parsed `text`.
    pub(super) envelope: Input,
    pub(super) arguments: Option<Given>,
    /// The length of the complete message in bytes.
    pub(super) size: usize,
    pub(super) is_initialize: bool,
}

/// The limit that a message exceeds.
pub(super) enum TooLarge {
    /// The limit for a call of this tool.
    Tool(String, usize),
    /// A limit that does not depend on the tool.
    Message(usize),
}

/// Reads a message up to its length limit.
///
/// `limit` returns the maximum length of a message that calls a tool; `None` for an unknown tool.
/// Fails (400) if the message is not a JSON-RPC 2.0 request or repeats a field.
pub(super) async fn read_message(
    intake: &Intake,
    mut incoming: Incoming,
    largest: impl Fn() -> usize,
    limit: impl Fn(&str) -> Option<usize>,
) -> Result<Result<Message, TooLarge>> {
    let largest = || largest().max(SMALL);
    if incoming.exceeds_limit(SMALL) && incoming.exceeds_limit(largest()) {
        let (outline, _) = Outline::scan(incoming.read_beginning().await?);
        return Ok(Err(outline.exceeded_limit(largest(), &limit)));
    }
    let (mut outline, mut scanned) = Outline::scan(incoming.read_beginning().await?);
    let is_whole = incoming.is_whole() || scanned.is_ok();
    let most = match (&outline.method, &outline.name) {
        _ if is_whole && !incoming.exceeds_limit(SMALL) => SMALL,
        _ if is_whole => largest(),
        (Some(method), _) if method != CALL => SMALL,
        (_, Some(name)) => limit(name).unwrap_or(SMALL),
        _ => largest(),
    };
    let Some(given) = incoming.read_rest(intake, most).await? else {
        return Ok(Err(outline.exceeded_limit(most, &limit)));
    };
    if !is_whole {
        let text = given.text.clone();
        (outline, scanned) = offload(move || Outline::scan(&text)).await?;
    }
    if let Err(error) = scanned {
        let first = given.text.trim_ascii_start().first();
        return Err(match first {
            Some(b'[') => invalid_message("deve ser uma só mensagem: lotes não são aceitos"),
            _ if error.is_data() => invalid_message("deve ser uma mensagem JSON-RPC 2.0"),
            _ => not_json_error(&error),
        });
    }
    let size = given.text.len();
    let arguments = outline
        .arguments
        .filter(|_| outline.method.as_deref() == Some(CALL));
    let (text, arguments) = match arguments {
        Some(range) => extract_arguments(given, range),
        None if size > SMALL => return Ok(Err(TooLarge::Message(SMALL))),
        None => (given.text.to_vec(), None),
    };
    if text.len() > SMALL {
        return Ok(Err(TooLarge::Message(SMALL)));
    }
    let envelope = parse_request(&text)?;
    Ok(Ok(Message {
        text,
        envelope,
        arguments,
        size,
        is_initialize: outline.method.as_deref() == Some("initialize"),
    }))
}

/// Returns the name of the tool that a message calls. `text` is the beginning of the message; `None` if
/// it does not contain the name.
pub(super) fn called_tool(text: &[u8]) -> Option<String> {
    let (outline, _) = Outline::scan(text);
    outline
        .name
        .filter(|_| outline.method.as_deref() == Some(CALL))
}

/// Splits a message into the part without arguments and the arguments.
fn extract_arguments(given: Given, range: Range<usize>) -> (Vec<u8>, Option<Given>) {
    let text = &given.text;
    let instead: &[u8] = match text[range.start] {
        b'{' => b"{}",
        b'n' => b"null",
        // Arguments of another type are invalid, so their value does not matter.
        _ => b"[]",
    };
    let envelope = [&text[..range.start], instead, &text[range.end..]].concat();
    let arguments = (instead == b"{}").then(|| given.slice_text(range));
    (envelope, arguments)
}

/// Parses a request or notification without its arguments.
fn parse_request(text: &[u8]) -> Result<Input> {
    let Some(message) = parse_object(text, FEW)? else {
        return Err(invalid_message("tem valores demais"));
    };
    let text = |name: &str| message.input.get(name).and_then(Value::as_str);
    if text("jsonrpc") == Some("2.0") && text("method").is_some() {
        return Ok(message.input);
    }
    Err(invalid_message(
        "deve ter `jsonrpc` igual a \"2.0\" e `method`",
    ))
}

pub(super) fn invalid_message(message: &str) -> Error {
    Error::invalid_field("corpo", "json-rpc", message)
}

/// The fields that determine the length limit, as far as the message has been received.
#[derive(Default)]
struct Outline {
    method: Option<String>,
    name: Option<String>,
    /// The byte range of the arguments.
    arguments: Option<Range<usize>>,
}

impl Outline {
    /// Returns the limit that a message of more than `most` bytes exceeds.
    fn exceeded_limit(self, most: usize, limit: impl Fn(&str) -> Option<usize>) -> TooLarge {
        let is_call = self.method.is_none_or(|method| method == CALL);
        let named = self.name.filter(|name| is_call && limit(name).is_some());
        match named {
            Some(name) => TooLarge::Tool(name, most),
            None => TooLarge::Message(most),
        }
    }

    /// Scans the text without building JSON values.
    fn scan(text: &[u8]) -> (Self, serde_json::Result<()>) {
        let mut outline = Self::default();
        let mut json = serde_json::Deserializer::from_slice(text);
        let read = Fields {
            outline: &mut outline,
            begins: text.as_ptr() as usize,
            in_params: false,
        };
        let read = json.deserialize_map(read).and_then(|()| json.end());
        (outline, read)
    }
}

/// Records the fields of a message or of its `params`.
struct Fields<'o> {
    outline: &'o mut Outline,
    begins: usize,
    in_params: bool,
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(field) = entries.next_key::<String>()? {
            match (self.in_params, field.as_str()) {
                (false, "method") => self.outline.method = parse_name(entries.next_value()?),
                (false, "params") => entries.next_value_seed(Fields {
                    outline: self.outline,
                    begins: self.begins,
                    in_params: true,
                })?,
                (true, "name") => self.outline.name = parse_name(entries.next_value()?),
                (true, "arguments") => {
                    let raw: &RawValue = entries.next_value()?;
                    let start = raw.get().as_ptr() as usize - self.begins;
                    self.outline.arguments = Some(start..start + raw.get().len());
                }
                _ => drop(entries.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

fn parse_name(raw: &RawValue) -> Option<String> {
    let text = Some(raw.get()).filter(|text| text.len() <= LONGEST_NAME)?;
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_called_tool_is_found_in_an_incomplete_message() {
        let text = br#"{"params":{"x":[{}],"n\u0061me":"get_me","arguments":{"a":[1,"#;
        let (outline, read) = Outline::scan(text);
        assert_eq!(outline.name.as_deref(), Some("get_me"));
        assert!(read.is_err_and(|error| error.is_eof()));
        assert!(outline.method.is_none() && outline.arguments.is_none());
    }

    #[test]
    fn the_range_of_the_arguments_is_found() {
        let text =
            r#"{"method":"tools/call", "params":{"arguments" : {"é":[2]} ,"name":"a"}, "id":7}"#;
        let (outline, read) = Outline::scan(text.as_bytes());
        read.expect("JSON");
        let range = outline.arguments.expect("arguments");
        assert_eq!(&text[range], r#"{"é":[2]}"#);
        assert_eq!(outline.method.as_deref(), Some("tools/call"));
    }
}
