//! Extracts the readable text of an HTML page.

use html5gum::{Token, Tokenizer, emitters::default::DefaultEmitter};

use super::{
    document::{Builder, Document},
    shown::{Shown, is_inline},
};

impl Document {
    /// Extracts the text that a browser displays from an HTML page.
    #[must_use]
    pub fn from_html(html: &str) -> Self {
        let mut page = Page::default();
        let mut emitter = DefaultEmitter::default();
        // Makes the tokenizer read the contents of scripts, styles and titles as text, not as
        // markup.
        emitter.naively_switch_states(true);
        let mut tokens = Tokenizer::new_with_emitter(html, emitter);
        let Ok(()) = tokens.try_for_each(|token| token.map(|token| page.handle_token(token)));
        page.end_block();
        page.builder.finish()
    }
}

#[derive(Default)]
struct Page {
    builder: Builder,
    shown: Shown,
    heading: Option<usize>,
    in_title: bool,
    title: String,
    text: String,
}

impl Page {
    fn handle_token(&mut self, token: Token) {
        match token {
            Token::StartTag(tag) => {
                self.handle_start_tag(&String::from_utf8_lossy(&tag.name), tag.self_closing);
            }
            Token::EndTag(tag) => self.handle_end_tag(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) if self.in_title => {
                self.title.push_str(&String::from_utf8_lossy(&text));
            }
            Token::String(text) if self.shown.hidden_element().is_none() => {
                self.text.push_str(&String::from_utf8_lossy(&text));
            }
            _ => {}
        }
    }

    fn handle_start_tag(&mut self, name: &str, self_closing: bool) {
        if name == "title" && matches!(self.shown.hidden_element(), None | Some("head")) {
            self.in_title = true;
        }
        if !self.shown.process_start_tag(name, self_closing) || is_inline(name) {
            return;
        }
        if let Some(level) = heading_level(name) {
            self.end_block();
            self.heading = Some(level);
        } else if self.heading.is_some() {
            // Within a heading, blocks and line breaks become spaces.
            self.text.push(' ');
        } else {
            self.end_block();
            if name == "li" {
                self.text.push_str("- ");
            }
        }
    }

    fn handle_end_tag(&mut self, name: &str) {
        if name == "title" && self.in_title {
            self.in_title = false;
            self.builder.set_title(&std::mem::take(&mut self.title));
        }
        if !self.shown.process_end_tag(name) || is_inline(name) {
            return;
        }
        if self.heading.is_some() && heading_level(name).is_none() {
            self.text.push(' ');
        } else {
            self.end_block();
            self.heading = None;
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
            Some(level) => self.builder.push_heading(level, &text),
            None => {
                self.builder.push_line(&text);
                if !text.starts_with("- ") {
                    self.builder.end_paragraph();
                }
            }
        }
    }
}

fn heading_level(name: &str) -> Option<usize> {
    let digit = name.strip_prefix('h')?;
    digit.parse().ok().filter(|level| (1..=6).contains(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the headings, joined by `/`, and the text of each paragraph.
    fn paragraphs(html: &str) -> Vec<(String, String)> {
        let found = Document::from_html(html).paragraphs.into_iter();
        found.map(|p| (p.headings.join("/"), p.text)).collect()
    }

    fn owned_pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = expected.iter();
        owned
            .map(|(path, text)| ((*path).into(), (*text).into()))
            .collect()
    }

    #[test]
    fn the_contents_of_scripts_and_styles_are_not_markup() {
        for html in [
            "<script>for(i=0;i<n;i++){f()}</script><p>Texto",
            "<style>a::before{content:'<b'}</style><p>Texto</p>",
            "<script>'</p>' + \"<script\"</script><p>Texto",
            "<svg><title>x</title></svg><p>Texto",
            "<svg/><p>Texto",
            "<script src=a.js />f(a<b)</script><p>Texto",
            "<iframe src=x/><p>a</iframe><p>Texto",
            "<textarea><p>a</textarea><p>Texto",
        ] {
            assert_eq!(paragraphs(html), owned_pairs(&[("", "Texto")]), "{html}");
        }
        assert_eq!(
            Document::from_html("<svg><title>x</title></svg><p>Texto").title,
            None
        );
        let title = Document::from_html("<title>a <b> c</title><p>Texto").title;
        assert_eq!(title.as_deref(), Some("a <b> c"));
    }

    #[test]
    fn a_heading_includes_the_text_of_nested_elements() {
        let html =
            "<h1><img src=a> Pão</h1><p>a</p><h2><div>De<br>queijo</div></h2>b<h3>ex<wbr>tra</h3>c";
        let expected = [
            ("Pão", "a"),
            ("Pão/De queijo", "b"),
            ("Pão/De queijo/extra", "c"),
        ];
        assert_eq!(paragraphs(html), owned_pairs(&expected));
        assert_eq!(
            paragraphs("<h1>Aberto<h2>Dois</h2>a"),
            owned_pairs(&[("Aberto/Dois", "a")])
        );
    }

    #[test]
    fn end_tags_may_be_missing() {
        let html = "<html><head><meta charset=utf-8><title>t</title><p>corpo<p>e mais";
        assert_eq!(
            paragraphs(html),
            owned_pairs(&[("", "corpo"), ("", "e mais")])
        );
        assert_eq!(Document::from_html(html).title.as_deref(), Some("t"));
    }

    #[test]
    fn only_displayed_text_remains() {
        let html = "<!doctype html><html><head><title>P&atilde;o &amp; queijo</title>\
            <style>p{color:red}</style></head><body><script>alert('x')</script>\
            <h1>P&#227;o</h1><p>Asse a <b>220</b>&nbsp;&deg;C.<br>Espere.</p>\
            <h2>Forno</h2><ul><li>grade<li>pedra</ul><!-- nada --><p>Fim";
        let document = Document::from_html(html);
        assert_eq!(document.title.as_deref(), Some("Pão & queijo"));
        let expected = [
            ("Pão", "Asse a 220 °C."),
            ("Pão", "Espere."),
            ("Pão/Forno", "- grade\n- pedra\nFim"),
        ];
        assert_eq!(paragraphs(html), owned_pairs(&expected));
    }

    #[test]
    fn broken_pages_give_their_readable_text() {
        for html in [
            "<p",
            "<title>x",
            "<script>y",
            "<<>>&#0;&#xffffffff;",
            "</p></p>",
            "<head><p>z",
        ] {
            let _ = Document::from_html(html);
        }
        assert_eq!(
            Document::from_html("<head><title>t</title><body>corpo").paragraphs[0].text,
            "corpo"
        );
    }
}
