//! Light Markdown: `# ` before a heading, `- ` before list items, `**` around bold text.

use std::ops::Range;

/// A line of the input text, without its markup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SourceLine {
    pub text: String,
    /// The bold byte ranges.
    pub bold: Vec<Range<usize>>,
    pub heading: bool,
}

const LINE_ENDS: [char; 10] = [
    '\n', '\r', '\u{B}', '\u{C}', '\u{85}', '\u{1C}', '\u{1D}', '\u{1E}', '\u{2028}', '\u{2029}',
];

/// Removes the markup from each line of a text. If only one line begins with the marker of a list item,
/// the marker stays, because it is probably a dash.
pub(crate) fn source_lines(text: &str) -> Vec<SourceLine> {
    let text = text.replace("\r\n", "\n");
    let bullets = text
        .split(LINE_ENDS)
        .filter(|l| strip_item(l).is_some())
        .count();
    text.split(LINE_ENDS)
        .map(|line| match (strip_heading(line), strip_item(line)) {
            (Some(rest), _) => SourceLine {
                heading: true,
                ..strip_bold(rest)
            },
            (_, Some(rest)) if bullets > 1 => strip_bold(&format!("• {rest}")),
            _ => strip_bold(line),
        })
        .collect()
}

fn strip_heading(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with(' ') && !rest.trim().is_empty())
        .then(|| rest.trim_start())
}

fn strip_item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = ["- ", "* ", "+ "]
        .iter()
        .find_map(|sign| line.strip_prefix(sign))?;
    (!rest.trim().is_empty()).then(|| rest.trim_start())
}

/// Removes pairs of `**` and records the bold ranges. An unpaired `**` stays.
fn strip_bold(line: &str) -> SourceLine {
    let mut found = SourceLine::default();
    let mut rest = line;
    while let Some(open) = rest.find("**") {
        let inside = &rest[open + 2..];
        let Some(close) = inside.find("**").filter(|&at| {
            let words = &inside[..at];
            at > 0 && words.trim() == words
        }) else {
            found.text.push_str(&rest[..open + 2]);
            rest = inside;
            continue;
        };
        found.text.push_str(&rest[..open]);
        let start = found.text.len();
        found.text.push_str(&inside[..close]);
        found.bold.push(start..found.text.len());
        rest = &inside[close + 2..];
    }
    found.text.push_str(rest);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lists_and_bold_words_lose_their_markup() {
        let set = source_lines("# Três erros\n- Queimar na **gordura fria**\n- Usar o **miolo**");
        assert!(set[0].heading && set[0].text == "Três erros");
        assert_eq!(set[1].text, "• Queimar na gordura fria");
        assert_eq!(&set[1].text[set[1].bold[0].clone()], "gordura fria");
        assert_eq!(set[2].text, "• Usar o miolo");
    }

    #[test]
    fn characters_that_are_not_markup_are_kept() {
        for text in [
            "#promo",
            "2 ** 3",
            "a ** b ** c",
            "- só um travessão",
            "#",
            "**",
            "****",
        ] {
            assert_eq!(source_lines(text)[0].text, text);
        }
    }
}
