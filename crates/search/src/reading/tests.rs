use html5gum::{DefaultEmitter, Token, Tokenizer};

use super::*;
use crate::shown::{Shown, is_inline};

/// Returns the source text of each match.
fn matched_texts<'a>(html: &'a str, text: &str) -> Vec<&'a str> {
    let mut all = vec![];
    for_each_occurrence(html, text, |at| all.push(&html[at]));
    all
}

#[test]
fn a_text_is_found_across_tags_and_entities() {
    for (html, text, source) in [
        (
            "<p>R$&nbsp;<b>78</b>,50</p>",
            "R$ 78,50",
            "R$&nbsp;<b>78</b>,50",
        ),
        ("Ol&aacute;, <i>Ana</i>!", "OLA, ANA", "Ol&aacute;, <i>Ana"),
        ("a\u{a0}\n \t b", "a b", "a\u{a0}\n \t b"),
        ("<td>R$</td>\n<td>9,90</td>", "R$ 9,90", "R$</td>\n<td>9,90"),
        ("um<br>dois", "um dois", "um<br>dois"),
        (
            "fa<wbr>ca&shy;s\u{200b}!",
            "facas!",
            "fa<wbr>ca&shy;s\u{200b}!",
        ),
        (
            "P&#227;o &amp; queijo",
            "pao & queijo",
            "P&#227;o &amp; queijo",
        ),
        ("a&lt;b", "a<b", "a&lt;b"),
        ("cafe\u{301} forte", "café", "cafe\u{301}"),
        ("5 < 6 e 7", "5 < 6", "5 < 6"),
        ("10%&copy2026", "©2026", "&copy2026"),
        ("um<!-- nota --> dois", "um dois", "um<!-- nota --> dois"),
        ("a<img src='x'>b", "ab", "a<img src='x'>b"),
        ("ﬁm…", "fim...", "ﬁm…"),
    ] {
        assert_eq!(matched_texts(html, text), [source], "{html:?}");
    }
}

#[test]
fn hidden_text_is_found_only_in_the_source() {
    for hidden in [
        "<style>p{co<b>lor</b>}</style>",
        "<script>co<b>lor</script>",
        "<!-- co<b>lor</b> -->",
        "<head><title>co<b>lor</title></head>",
        "<template>co<b>lor</b></template>",
        "<p>co</p><p>lor</p>",
    ] {
        assert!(matched_texts(hidden, "color").is_empty(), "{hidden}");
    }
    let link = "<a href=\"https://loja.org/Maçã\">Compre</a>";
    assert_eq!(matched_texts(link, "LOJA.org/maca"), ["loja.org/Maçã"]);
    assert_eq!(matched_texts("<p>Só</p>", "<p>so"), ["<p>Só"]);
    assert_eq!(matched_texts("a&nbsp;b", "&nbsp;"), ["&nbsp;"]);
}

#[test]
fn occurrences_are_in_order_and_without_duplicates() {
    assert_eq!(
        matched_texts("<b title='sal'>sal</b> SAL s<i>a</i>l", "sal").len(),
        4
    );
    let mut starts = vec![];
    for_each_occurrence("s<i>a</i>l <u>sal</u> <a href=sal>", "sal", |at| {
        starts.push(at.start);
    });
    assert!(starts.is_sorted() && starts.len() == 3, "{starts:?}");
    assert_eq!(
        matched_texts("aaaa", "aa").len(),
        3,
        "occurrences may overlap"
    );
    assert_eq!(matched_texts("…", ".").len(), 1);
    let mut exact = 0;
    for_each_exact_occurrence("aAaa", "a", |_| exact += 1);
    assert_eq!(exact, 3);
}

#[test]
fn a_search_for_white_space_or_invisible_text_does_not_fail() {
    assert_eq!(matched_texts("a b", "  ").len(), 1);
    assert!(matched_texts("a b", "\u{301}").is_empty());
    assert!(matched_texts("", "a").is_empty());
    assert_eq!(matched_texts("um <b>dois</b>", " dois "), ["dois"]);
}

#[test]
fn hostile_html_is_read_in_one_pass() {
    let deep = "<div>".repeat(100_000) + "R$<b> 9" + &"</div>".repeat(100_000);
    assert_eq!(matched_texts(&deep, "r$ 9"), ["R$<b> 9"]);
    for html in [
        "<".repeat(100_000) + "alvo",
        "&".repeat(100_000) + "alvo",
        "&a".repeat(100_000) + " alvo",
        "&#".repeat(100_000) + " alvo",
        "&".to_owned() + &"a".repeat(300_000) + " alvo",
        "<b>".repeat(100_000) + "alvo",
        "</".repeat(100_000) + "><p>alvo",
        "a".repeat(300_000) + "alvo",
        "<svg>".repeat(1_000) + &"</svg>".repeat(1_000) + "alvo",
        "<a x='".to_owned() + &"y".repeat(300_000) + "'>alvo",
        "\u{301}".repeat(100_000) + "alvo",
    ] {
        assert_eq!(matched_texts(&html, "alvo").len(), 1, "{}", &html[..6]);
    }
    // An unclosed tag has no displayed text, so only the search in the source finds it.
    assert_eq!(matched_texts("<a href=alvo", "alvo"), ["alvo"]);
    let needle = "a".repeat(1_000);
    let mut count = 0;
    for_each_occurrence(&"a".repeat(200_000), &needle, |_| count += 1);
    assert_eq!(count, 200_000 - 999);
}

/// Calls `each` with random pages built from these parts.
fn for_random_pages(each: impl Fn(&str)) {
    let parts = [
        "<",
        ">",
        "</b>",
        "<b>",
        "&",
        "&nbsp;",
        "&amp",
        ";",
        "a",
        "é",
        "e\u{301}",
        " ",
        "\r\n",
        "\r",
        "<!--",
        "-->",
        "<style>",
        "</style>",
        "<p a='",
        "'",
        "\"",
        "/",
        "!",
        "🎉",
        "&#x41;",
        "&notit;",
        "<title>",
        "</title>",
        "<![CDATA[",
        "]]>",
        "?",
        "<textarea>",
        "=",
        "-",
        "<br/>",
        "&semi;",
        "&#",
    ];
    let mut dice = 7_u64;
    for _ in 0..20_000 {
        let mut html = String::new();
        for _ in 0..12 {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            html.push_str(parts[(dice >> 33) as usize % parts.len()]);
        }
        each(&html);
    }
}

#[test]
fn every_occurrence_is_a_range_of_the_source() {
    for_random_pages(|html| {
        for text in ["a", "e", " ", "&", "a e", "<"] {
            let mut last = None;
            for_each_occurrence(html, text, |at| {
                let part = html.get(at.clone());
                assert!(part.is_some_and(|part| !part.is_empty()), "{html:?} {at:?}");
                assert!(last < Some(at.start), "{html:?}");
                last = Some(at.start);
            });
        }
    });
}

/// Compares the letters of the pieces with the letters that the tokenizer decodes directly.
#[test]
fn the_pieces_have_the_text_that_the_tokenizer_decodes() {
    for_random_pages(|html| {
        let (mut read, mut letters) = (String::new(), Letters::default());
        for piece in displayed_pieces(html) {
            let mut take = |letter, _| read.push(letter);
            match piece {
                Piece::Break(at) => letters.emit_space(at, &mut take),
                Piece::Text(at) => letters.emit_text(html, at, &mut take),
            }
        }
        assert_eq!(read, letters_by_tokenizer(html), "{html:?}");
    });
}

fn letters_by_tokenizer(html: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let (mut shown, mut letters, mut read) = (Shown::default(), Letters::default(), String::new());
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        let mut take = |letter, _| read.push(letter);
        let breaks = match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                shown.process_start_tag(&name, tag.self_closing) && !is_inline(&name)
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                shown.process_end_tag(&name) && !is_inline(&name)
            }
            Token::String(text) if shown.hidden_element().is_none() => {
                for c in String::from_utf8_lossy(&text).chars() {
                    letters.emit_letter(c, 0..0, &mut take);
                }
                false
            }
            _ => false,
        };
        if breaks {
            letters.emit_space(0..0, &mut take);
        }
    }
    read
}
