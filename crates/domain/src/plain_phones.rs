//! Removes telephone numbers from a text.

use std::borrow::Cow;

/// The text that replaces a telephone number.
const MASK: &str = "***";
/// The minimum number of digits of a number with its area code.
const WITH_AREA: usize = 10;
/// The maximum number of digits with the country code (ITU-T E.164).
const MOST: usize = 15;
/// Maximum length of a number as text, in bytes. In a longer run of digits, the rest is not part of
/// the number.
const LONGEST: usize = 40;

/// Replaces every telephone number in the text: 10 to 15 digits in usual formats, and numbers
/// without an area code such as `98888-7777`. Prices, dates and years stay.
#[must_use]
pub fn without_phones(text: &str) -> Cow<'_, str> {
    let mut clean = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < text.len() {
        let Some(length) = phone_may_start_at(text, at)
            .then(|| phone_length(&text[at..]))
            .flatten()
        else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        };
        clean.push_str(&text[copied..at]);
        clean.push_str(MASK);
        at += length;
        copied = at;
    }
    if copied == 0 {
        return text.into();
    }
    clean.push_str(&text[copied..]);
    clean.into()
}

/// Returns true if a telephone number may begin at this position: not inside a word or another number.
fn phone_may_start_at(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let begins = text[at..].starts_with(|c: char| c.is_ascii_digit() || "+(".contains(c));
    begins && !before.is_some_and(|c| c.is_alphanumeric() || ",+".contains(c))
}

/// Returns the length of the telephone number at the start of the text: the longest run of digit groups
/// that forms a number.
fn phone_length(text: &str) -> Option<usize> {
    let ends = group_ends(text);
    let mut prefixes = ends.iter().rev();
    prefixes.find(|end| is_phone(&text[..**end])).copied()
}

/// Returns the end positions of the digit groups. A group followed by a letter does not count.
fn group_ends(text: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_ascii_digit() || "+()-. ".contains(c);
    let run = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let run = run.min(LONGEST);
    let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let goes_on = |at: usize| text[at..].starts_with(char::is_alphanumeric);
    let ends = (1..=run).filter(|at| is_digit(at - 1) && !is_digit(*at));
    ends.filter(|at| !goes_on(*at)).collect()
}

fn is_phone(text: &str) -> bool {
    let groups: Vec<&str> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|group| !group.is_empty())
        .collect();
    let Some(last) = groups.last() else {
        return false;
    };
    let digits: usize = groups.iter().map(|group| group.len()).sum();
    let ends_like_one = groups.len() == 1 || matches!(last.len(), 4 | 8 | 9);
    let has_area = (WITH_AREA..=MOST).contains(&digits);
    has_area && (text.starts_with('+') || ends_like_one) || is_local_number(text, &groups)
}

/// True for nine digits of a mobile number, or four or five digits, a separator and four digits. A
/// range of two years is not a number.
fn is_local_number(text: &str, groups: &[&str]) -> bool {
    let is_year = |text: &str| text.starts_with("19") || text.starts_with("20");
    match groups {
        [whole] => whole.len() == 9 && whole.starts_with('9') && text == *whole,
        [first, last] => {
            let fits = matches!(first.len(), 4 | 5) && last.len() == 4;
            let is_plain = text.len() == first.len() + 1 + last.len();
            let are_years = first.len() == 4 && is_year(first) && is_year(last);
            fits && is_plain && !are_years
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::without_phones;

    #[test]
    fn numbers_are_removed_in_every_common_format() {
        for (text, clean) in [
            ("+55 (11) 98888-7777", "***"),
            ("(11) 98888-7777", "***"),
            ("11988887777", "***"),
            ("ligou de 11 9 8888-7777.", "ligou de ***."),
            ("5511988887777 e 98888-7777", "*** e ***"),
            ("tel.: 3333-4444, de manhã", "tel.: ***, de manhã"),
            ("+351 912 345 678", "***"),
            ("zap 11 98888.7777!", "zap ***!"),
            ("(11) 988887777", "***"),
            ("11 988887777", "***"),
            ("988887777", "***"),
            ("(11) 98888-7777 15h", "*** 15h"),
            ("11 98888-7777,2 vezes", "***,2 vezes"),
            ("(11) 98888-7777 - (11) 97777-6666", "*** - ***"),
            ("98888-7777 97777-6666", "*** ***"),
        ] {
            assert_eq!(without_phones(text), clean, "{text}");
        }
    }

    #[test]
    fn a_long_run_of_digits_is_searched_only_up_to_the_maximum_length() {
        let ends = |text: &str| super::group_ends(text).len();
        assert_eq!(ends(&"1 ".repeat(1_000)), super::LONGEST / 2);
        assert_eq!(without_phones(&"1".repeat(1_000)), "1".repeat(1_000));
        let far = format!("{}11 98888-7777", "1 ".repeat(30));
        assert!(!without_phones(&far).contains("98888"), "{far}");
    }

    #[test]
    fn other_numbers_are_not_changed() {
        for text in [
            "",
            "R$ 1.200,00 em 12 vezes",
            "achou caro: 39,90 por mês",
            "assinou em 2025-11-23 e saiu em 10/12/2025",
            "de 2025-2026",
            "pedido HP1234567890",
            "aula 12, minuto 34",
            "100.000 seguidores",
            "ção 5 é",
        ] {
            assert_eq!(without_phones(text), text, "{text}");
        }
    }
}
