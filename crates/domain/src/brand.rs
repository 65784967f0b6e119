//! The brand of a team, as published in the configuration.

use serde_json::{Map, Value};

use crate::{Fault, MediaId, text_enum};

text_enum! {
    /// A bundled font family.
    pub enum Font {
        Cinzel = "cinzel",
        Garamond = "garamond",
        Inter = "inter",
        Fraunces = "fraunces",
        Newsreader = "newsreader",
        Bricolage = "bricolage",
    }
}

/// A team's name, handle, logo, colours and font. Every image style uses them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brand {
    /// The team name. It signs images if the brand has no handle.
    pub name: String,
    /// The handle, with its `@`.
    pub handle: Option<String>,
    /// The id of a stored image.
    pub logo: Option<MediaId>,
    /// Two to five sRGB colours; the first is the main one.
    pub colors: Vec<[u8; 3]>,
    pub font: Option<Font>,
}

/// The field names of a brand in the configuration.
const FIELDS: [&str; 5] = ["nome", "handle", "logo", "cores", "fonte"];

impl Brand {
    /// The key of the brand in the configuration.
    pub const KEY: &str = "marca";

    /// Parses the configuration value; null means no brand.
    ///
    /// # Errors
    ///
    /// One field error for each invalid field.
    pub fn from_config(value: &Value) -> Result<Option<Self>, Vec<Fault>> {
        let fields = match value {
            Value::Null => return Ok(None),
            Value::Object(fields) => fields,
            _ => return Err(vec![new_fault("", "type", "deve ser objeto")]),
        };
        let mut faults = vec![];
        let strange = fields.keys().filter(|name| !FIELDS.contains(&&***name));
        for name in strange.take(crate::MOST_FAULTS) {
            let name: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
            let message =
                "não é um campo da marca, que tem `nome`, `handle`, `logo`, `cores`, `fonte`";
            faults.push(new_fault(&name, "additionalProperties", message));
        }
        let mut text = |name: &str, rule: &str, message: &str, holds: &dyn Fn(&str) -> bool| {
            let value = fields.get(name).filter(|value| !value.is_null())?;
            let text = value.as_str().filter(|text| holds(text));
            if text.is_none() {
                faults.push(new_fault(name, rule, message));
            }
            text.map(str::to_owned)
        };
        let name = text(
            "nome",
            "length",
            "deve ser um texto de 1 a 80 caracteres",
            &|text| !text.trim().is_empty() && text.chars().count() <= 80,
        );
        let handle = text(
            "handle",
            "pattern",
            "deve ser como `@cozinha.boa`",
            &is_handle,
        );
        let logo = text(
            "logo",
            "pattern",
            "deve ser o `id` de uma imagem de `list_media`",
            &crate::is_id,
        );
        let fonts = Font::ALL.iter().map(|font| font.as_str());
        let fonts = format!(
            "deve ser uma de: `{}`",
            fonts.collect::<Vec<_>>().join("`, `")
        );
        let font = text("fonte", "enum", &fonts, &|text| {
            text.parse::<Font>().is_ok()
        });
        if !fields.contains_key("nome") {
            faults.push(new_fault("nome", "required", "é obrigatório"));
        }
        let colors = parse_colors(fields);
        if colors.is_none() {
            let message = "deve ser uma lista de 2 a 5 cores `#RRGGBB`, a principal primeiro";
            faults.push(new_fault("cores", "pattern", message));
        }
        let (Some(name), Some(colors), true) = (name, colors, faults.is_empty()) else {
            if faults.is_empty() {
                faults.push(new_fault("nome", "required", "é obrigatório"));
            }
            return Err(faults);
        };
        Ok(Some(Self {
            name,
            handle,
            logo: logo.as_deref().map(Into::into),
            colors,
            font: font.and_then(|font| font.parse().ok()),
        }))
    }
}

fn new_fault(field: &str, rule: &str, message: &str) -> Fault {
    let field = if field.is_empty() {
        "value".to_owned()
    } else {
        format!("value.{field}")
    };
    Fault {
        field,
        rule: rule.into(),
        message: message.into(),
    }
}

fn is_handle(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
    text.strip_prefix('@')
        .is_some_and(|name| (1..=30).contains(&name.len()) && name.chars().all(plain))
}

fn parse_colors(fields: &Map<String, Value>) -> Option<Vec<[u8; 3]>> {
    let listed = fields.get("cores")?.as_array()?;
    if !(2..=5).contains(&listed.len()) {
        return None;
    }
    let colors = listed.iter().map(|color| parse_rgb(color.as_str()?));
    colors.collect()
}

/// Parses `#RRGGBB`.
fn parse_rgb(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#')?;
    let hex = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if digits.len() != 6 || !hex(digits) {
        return None;
    }
    let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    Some([part(0)?, part(2)?, part(4)?])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_brand_is_read_or_refused_field_by_field() {
        let whole = json!({
            "nome": "Cozinha", "handle": "@cozinha.boa", "cores": ["#B83A1E", "#f6ecda"],
            "fonte": "fraunces", "logo": "0198c0de-0000-7000-8000-00000000000a",
        });
        let brand = Brand::from_config(&whole).expect("valid").expect("a brand");
        assert_eq!(brand.colors, [[0xB8, 0x3A, 0x1E], [0xF6, 0xEC, 0xDA]]);
        assert_eq!(brand.font, Some(Font::Fraunces));
        assert_eq!(Brand::from_config(&Value::Null), Ok(None));
        let wrong = json!({
            "nome": " ", "handle": "cozinha", "cores": ["azul", "#fff"], "fonte": "arial",
            "logo": "logo.png", "slogan": "x",
        });
        let faults = Brand::from_config(&wrong).expect_err("refused");
        let fields: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
        let expected = ["slogan", "nome", "handle", "logo", "fonte", "cores"];
        assert_eq!(fields, expected.map(|field| format!("value.{field}")));
        for value in [json!("verde"), json!({ "cores": ["#000000", "#ffffff"] })] {
            assert_eq!(
                Brand::from_config(&value).map_err(|faults| faults.len()),
                Err(1)
            );
        }
    }
}
