//! Reads the fields of a form from a page, as a browser sends them.

use crate::support::{Answer, Client};

/// A form of a page, which a test fills in as a person does.
#[derive(Debug, Clone)]
pub struct Filled {
    action: String,
    fields: Vec<(String, String)>,
}

impl Filled {
    /// Returns the form with this id, as the page shows it.
    pub fn parse_form(page: &Answer, id: &str) -> Self {
        let start = format!("<form id=\"{id}\"");
        let (_, form) = page.text.split_once(&start).expect("the form");
        let form = form.split("</form>").next().unwrap_or_default();
        let mut parts = form.split('<');
        let action = attribute_value(parts.next().unwrap_or_default(), "action");
        let mut fields = vec![];
        let mut list: Option<(String, Option<String>)> = None;
        for part in parts {
            let (tag, text) = part.split_once('>').unwrap_or((part, ""));
            let name = attribute_value(tag, "name");
            let has = |word: &str| tag.split(' ').any(|part| part == word);
            match tag.split([' ', '>']).next().unwrap_or_default() {
                "input" if name.is_some() && !has("disabled") => {
                    fields.push((
                        name.unwrap_or_default(),
                        attribute_value(tag, "value").unwrap_or_default(),
                    ));
                }
                "textarea" if name.is_some() => {
                    let text = text.strip_prefix('\n').unwrap_or(text);
                    fields.push((name.unwrap_or_default(), unescape_html(text)));
                }
                "select" => list = name.map(|name| (name, None)),
                "option" => {
                    if let Some((_, chosen)) = list
                        .as_mut()
                        .filter(|(_, chosen)| chosen.is_none() || has("selected"))
                    {
                        *chosen = attribute_value(tag, "value");
                    }
                }
                "/select" => {
                    fields.extend(
                        list.take()
                            .map(|(name, chosen)| (name, chosen.unwrap_or_default())),
                    );
                }
                _ => {}
            }
        }
        Self {
            action: action.expect("an action"),
            fields,
        }
    }

    /// Returns the values of all fields with this name.
    pub fn field_values(&self, name: &str) -> Vec<&str> {
        let named = self.fields.iter().filter(|(field, _)| field == name);
        named.map(|(_, value)| value.as_str()).collect()
    }

    /// Writes into the field at position `at` among the fields with this name.
    pub fn fill_field(&mut self, name: &str, at: usize, value: &str) {
        let mut named = self.fields.iter_mut().filter(|(field, _)| field == name);
        named.nth(at).expect("the field").1 = value.into();
    }

    /// Sends the form with a button. Browsers send line ends as CR LF, and no button without a name.
    pub async fn submit_form(&self, browser: &Client, button: (&str, &str)) -> Answer {
        let mut fields = self.fields.clone();
        if !button.0.is_empty() {
            fields.push((button.0.into(), button.1.into()));
        }
        for (_, value) in &mut fields {
            *value = value.replace('\n', "\r\n");
        }
        browser.post_form(&self.action, &fields).await
    }
}

fn attribute_value(tag: &str, name: &str) -> Option<String> {
    let mark = format!(" {name}=\"");
    let (_, value) = tag.split_once(&mark)?;
    value.split('"').next().map(unescape_html)
}

fn unescape_html(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}
