//! Parses Markdown into paragraphs with headings.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::document::{Builder, Document};

impl Document {
    /// Parses Markdown. The title is the first heading of level 1, or the title in the front
    /// matter. Blocks keep their Markdown source.
    #[must_use]
    pub fn from_markdown(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let mut builder = Builder::default();
        // The depth of nested blocks, the text of the open heading, and whether it is front matter.
        let (mut depth, mut heading, mut front) = (0, None::<String>, false);
        let mut read = 0;
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            match event {
                Event::Start(tag) => {
                    if depth == 0 {
                        builder.read += text[read..range.start].chars().count();
                        read = range.start;
                        heading = matches!(tag, Tag::Heading { .. }).then(String::new);
                        front = matches!(tag, Tag::MetadataBlock(_));
                    }
                    depth += 1;
                }
                Event::End(tag) => {
                    depth -= 1;
                    match (depth, tag) {
                        (0, TagEnd::Heading(level)) => {
                            builder
                                .push_heading(level as usize, &heading.take().unwrap_or_default());
                        }
                        (0, TagEnd::MetadataBlock(_)) => front = false,
                        (0, _) => builder.push_block(text[range].trim_end()),
                        _ => {}
                    }
                }
                Event::Text(said) if front => {
                    let title = said.lines().find_map(|line| line.strip_prefix("title:"));
                    builder.set_title(title.unwrap_or("").trim().trim_matches(['"', '\'']));
                }
                Event::Text(said) | Event::Code(said) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&said);
                    }
                }
                Event::SoftBreak | Event::HardBreak => {
                    if let Some(heading) = &mut heading {
                        heading.push(' ');
                    }
                }
                _ => {}
            }
        }
        builder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the headings and the text of each paragraph, after checking its position in the
    /// document.
    fn paragraphs(text: &str) -> Vec<(String, String)> {
        let document = Document::from_markdown(text);
        for paragraph in &document.paragraphs {
            let at: String = text.chars().skip(paragraph.starts_at).collect();
            assert!(at.starts_with(&paragraph.text), "{paragraph:?}");
        }
        let found = document.paragraphs.into_iter();
        found.map(|p| (p.headings.join("/"), p.text)).collect()
    }

    #[test]
    fn markdown_keeps_the_path_of_headings() {
        let text = "---\ntitle: \"Guia\"\n---\n# Arroz\n\nIntro.\n\n## Água ##\nDuas `xícaras`.\n\n\
            ```\n# não é título\n```\n### Sal de C#\n- um\n- dois\n\nFogo *brando*\n-----\nBaixo.";
        assert_eq!(Document::from_markdown(text).title.as_deref(), Some("Guia"));
        let expected = [
            ("Arroz", "Intro."),
            ("Arroz/Água", "Duas `xícaras`."),
            ("Arroz/Água", "```\n# não é título\n```"),
            ("Arroz/Água/Sal de C#", "- um\n- dois"),
            ("Arroz/Fogo brando", "Baixo."),
        ];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(paragraphs(text), expected);
    }

    #[test]
    fn a_code_block_ends_only_at_its_own_fence() {
        let plain = |text: &str| -> Vec<String> {
            let paths = paragraphs(text).into_iter().map(|(path, _)| path);
            paths.collect()
        };
        assert_eq!(plain("```dentro```\n# Título\nTexto"), ["", "Título"]);
        assert_eq!(plain("````\n```\n# não\n````\n# Sim\nTexto"), ["", "Sim"]);
        assert_eq!(plain("~~~\n```\n# não\n~~~\n# Sim\nTexto"), ["", "Sim"]);
        assert_eq!(plain("```\n```js\n# não\n```\n# Sim\nTexto"), ["", "Sim"]);
    }

    #[test]
    fn a_horizontal_rule_at_the_top_is_not_front_matter() {
        let text = "---\n\nPrimeiro.\n\n---\n\n# Fim\n\nSegundo.";
        let texts: Vec<String> = paragraphs(text).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["Primeiro.", "Segundo."]);
        let long = format!("---\ntitle: {}\n---\nTexto", "a".repeat(5_000));
        let title = Document::from_markdown(&long).title.expect("a title");
        assert_eq!(title.len(), 200);
    }

    #[test]
    fn plain_text_has_paragraphs_and_no_title() {
        let document = Document::from_text("\u{feff}Um\r\ndois\r\n\r\n \r\n# Três");
        assert_eq!(document.title, None);
        let texts: Vec<_> = document
            .paragraphs
            .iter()
            .map(|p| p.text.as_str())
            .collect();
        assert_eq!(texts, ["Um\ndois", "# Três"]);
    }
}
