//! The readable text of an HTML page.

use html5gum::{Token, Tokenizer};

use super::document::{Builder, Document};

/// Elements whose text nobody reads.
const SILENT: [&str; 8] = [
    "script", "style", "template", "noscript", "svg", "head", "iframe", "textarea",
];
/// Elements that run on in their line.
const INLINE: [&str; 28] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u",
    "var",
];

pub(super) fn read(html: &str) -> Document {
    let mut page = Page::default();
    let Ok(()) = Tokenizer::new(html).try_for_each(|token| token.map(|token| page.take(token)));
    page.end_block();
    page.builder.done()
}

#[derive(Default)]
struct Page {
    builder: Builder,
    /// The element that silences, and how deep in others of its name.
    silent: Option<(String, usize)>,
    heading: Option<usize>,
    in_title: bool,
    title: String,
    text: String,
}

impl Page {
    fn take(&mut self, token: Token) {
        match token {
            Token::StartTag(tag) => {
                self.start(&String::from_utf8_lossy(&tag.name), tag.self_closing);
            }
            Token::EndTag(tag) => self.end(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) if self.in_title => {
                self.title.push_str(&String::from_utf8_lossy(&text));
            }
            Token::String(text) if self.silent.is_none() => {
                self.text.push_str(&String::from_utf8_lossy(&text));
            }
            _ => {}
        }
    }

    fn start(&mut self, name: &str, self_closing: bool) {
        if name == "title" {
            self.in_title = true;
        }
        match &mut self.silent {
            // A page may leave its head open.
            Some((silent, _)) if silent == "head" && name == "body" => self.silent = None,
            Some((silent, depth)) if silent == name && !self_closing => *depth += 1,
            Some(_) => {}
            None if SILENT.contains(&name) && !self_closing => {
                self.silent = Some((name.to_owned(), 0));
            }
            None if INLINE.contains(&name) => {}
            None => {
                self.end_block();
                self.heading = level(name);
                if name == "li" {
                    self.text.push_str("- ");
                }
            }
        }
    }

    fn end(&mut self, name: &str) {
        if name == "title" && self.in_title {
            self.in_title = false;
            self.builder.title(&std::mem::take(&mut self.title));
        }
        match &mut self.silent {
            Some((silent, 0)) if silent == name => self.silent = None,
            Some((silent, depth)) if silent == name => *depth -= 1,
            Some(_) => {}
            None if INLINE.contains(&name) => {}
            None => {
                self.end_block();
                self.heading = None;
            }
        }
    }

    fn end_block(&mut self) {
        let text = std::mem::take(&mut self.text);
        let text = text.replace('\0', " ");
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        if text.is_empty() || text == "-" {
            return;
        }
        match self.heading {
            Some(level) => self.builder.heading(level, &text, &text),
            None => {
                self.builder.line(&text);
                if !text.starts_with("- ") {
                    self.builder.end_paragraph();
                }
            }
        }
    }
}

fn level(name: &str) -> Option<usize> {
    let digit = name.strip_prefix('h')?;
    digit.parse().ok().filter(|level| (1..=6).contains(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_read_remains() {
        let html = "<!doctype html><html><head><title>P&atilde;o &amp; queijo</title>\
            <style>p{color:red}</style></head><body><script>alert('x')</script>\
            <h1>P&#227;o</h1><p>Asse a <b>220</b>&nbsp;&deg;C.<br>Espere.</p>\
            <h2>Forno</h2><ul><li>grade<li>pedra</ul><!-- nada --><p>Fim";
        let document = read(html);
        assert_eq!(document.title.as_deref(), Some("Pão & queijo"));
        let told: Vec<_> = document
            .paragraphs
            .iter()
            .map(|p| (p.headings.join("/"), p.text.as_str()))
            .collect();
        let expected = [
            ("Pão", "Asse a 220 °C."),
            ("Pão", "Espere."),
            ("Pão/Forno", "- grade\n- pedra\nFim"),
        ];
        assert_eq!(told, expected.map(|(path, text)| (path.to_owned(), text)));
    }

    #[test]
    fn broken_pages_still_tell_what_they_can() {
        for html in [
            "<p",
            "<title>x",
            "<script>y",
            "<<>>&#0;&#xffffffff;",
            "</p></p>",
            "<head><p>z",
        ] {
            let _ = read(html);
        }
        assert_eq!(
            read("<head><title>t</title><body>corpo").paragraphs[0].text,
            "corpo"
        );
    }
}
