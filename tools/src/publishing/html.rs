//! The HTML pages of this area: static text and escaped values, without scripts.

use gateway::{Content, Reply};

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; \
    base-uri 'none'; frame-ancestors 'none'";

/// The style of the pages, with the colours and typefaces of the sign-in pages.
const STYLE: &str = ":root{color-scheme:light dark;--ink:#1d2327;--soft:#565d63;--paper:#fbfaf7;\
    --accent:#8f2d1e}@media(prefers-color-scheme:dark){:root{--ink:#ece9e2;--soft:#b3b0a9;\
    --paper:#17191b;--accent:#e59a86}}body{margin:0;padding:clamp(1.5rem,10vh,6rem) 1.5rem 2rem;\
    background:var(--paper);color:var(--ink);font:1.0625rem/1.5 system-ui,sans-serif}\
    main{max-width:30rem;margin:0 auto}h1{font:700 2rem/1.15 Georgia,serif;margin:0 0 .5rem;\
    overflow-wrap:anywhere}.brand{font:700 1rem Georgia,serif;letter-spacing:.04em;\
    color:var(--accent);margin:0 0 2.5rem}dt{color:var(--soft);font-size:.9rem;margin-top:.8rem}\
    dd{margin:0;font-weight:600;overflow-wrap:anywhere}";

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
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <meta name=\"robots\" content=\"noindex\"><title>{title} · Pauta</title>\
             <style>{STYLE}</style></head>\n<body><main><p class=\"brand\">Pauta</p>\n<h1>{title}</h1>\n"
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
        page += "</main></body></html>\n";
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
