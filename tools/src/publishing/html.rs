//! The HTML pages of this area: static text and escaped values, without scripts.

use gateway::{Content, Reply};

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; \
    base-uri 'none'; frame-ancestors 'none'";

const STYLE: &str = "body{font:1rem/1.6 system-ui,sans-serif;max-width:36rem;margin:4rem auto;\
    padding:0 1.5rem;color:#1d1d1f;background:#fff}h1{font-size:1.4rem}dt{color:#636366;\
    font-size:.85rem;margin-top:.8rem}dd{margin:0;overflow-wrap:anywhere}\
    @media(prefers-color-scheme:dark){body{color:#f2f2f7;background:#1c1c1e}dt{color:#aeaeb2}}";

/// A page with a title, paragraphs, and pairs of name and value.
pub(super) struct Sheet {
    pub title: String,
    pub paragraphs: Vec<String>,
    pub facts: Vec<(&'static str, String)>,
}

impl Sheet {
    /// Renders the page with every text escaped.
    pub(super) fn into_reply(self) -> Reply {
        let title = escape_html(&self.title);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"pt-BR\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
             <style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        );
        for text in &self.paragraphs {
            page += &format!("<p>{}</p>\n", escape_html(text));
        }
        if !self.facts.is_empty() {
            page += "<dl>\n";
            for (name, value) in &self.facts {
                page += &format!(
                    "<dt>{}</dt><dd>{}</dd>\n",
                    escape_html(name),
                    escape_html(value)
                );
            }
            page += "</dl>\n";
        }
        page += "</body></html>\n";
        Reply::new(Content::Text(page.into()))
            .with_header("content-security-policy", POLICY)
            .with_header("referrer-policy", "no-referrer")
    }
}

fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            letter => out.push(letter),
        }
    }
    out
}
