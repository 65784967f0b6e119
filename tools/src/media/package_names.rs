//! The names of the files in a download.
//!
//! A name contains the title of the event, and must be valid on every system that opens the
//! archive. Windows refuses some characters and removes dots at the end; a separator would create a
//! folder.

use domain::file_extension;

/// The maximum length of the part of a name that comes from the title, in characters.
const LONGEST: usize = 60;

/// Returns the name of a medium: its number, the title of the event, and the extension of its type.
pub(crate) fn file_name(number: usize, count: usize, stem: &str, media_type: &str) -> String {
    let width = count.to_string().len().max(2);
    format!("{number:0width$} {stem}.{}", file_extension(media_type))
}

/// Converts a title to the middle part of a file name.
pub(crate) fn to_stem(title: &str) -> String {
    let visible = title.chars().filter(|character| !is_invisible(*character));
    let safe: String = visible
        .map(|character| if is_safe(character) { character } else { ' ' })
        .collect();
    let words: Vec<&str> = safe.split_whitespace().collect();
    let short: String = words.join(" ").chars().take(LONGEST).collect();
    let stem = short.trim_matches(|character| matches!(character, '.' | ' ' | '-' | '~'));
    if stem.is_empty() {
        "peça".into()
    } else {
        stem.into()
    }
}

fn is_safe(character: char) -> bool {
    const RESERVED: &str = "/\\:*?\"<>|%";
    !character.is_control() && !RESERVED.contains(character)
}

/// True for characters without a visible form, such as those that change the direction of a text.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_a_path_or_a_reserved_name() {
        for (title, stem) in [
            ("Dia das Mães", "Dia das Mães"),
            ("../../etc/passwd", "etc passwd"),
            ("C:\\Windows\\x", "C Windows x"),
            ("  a\n\tb\0c  ", "a b c"),
            ("fim...", "fim"),
            ("\u{202e}gpj.exe", "gpj.exe"),
            ("🍞 \"pão\"? <b>", "🍞 pão b"),
            ("...", "peça"),
            ("\u{200b}", "peça"),
            ("שלום", "שלום"),
        ] {
            assert_eq!(to_stem(title), stem);
        }
        assert_eq!(to_stem(&"ã".repeat(300)).chars().count(), LONGEST);
        // `CON` alone is a device on Windows. With a number before it, `CON` is an ordinary name.
        assert_eq!(file_name(1, 3, "CON", "image/png"), "01 CON.png");
    }

    #[test]
    fn the_names_of_many_media_sort_in_their_order() {
        let name = |number| file_name(number, 120, "x", "video/mp4");
        assert_eq!(name(7), "007 x.mp4");
        assert!(name(9) < name(10) && name(99) < name(100));
    }
}
