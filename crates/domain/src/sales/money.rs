//! Parses amounts of money in the formats that people write.

/// The reason why a text is not an amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoMoney {
    #[error("não é um valor como 1234,56")]
    Malformed,
    #[error("não diz se o separador é de milhar ou decimal; escreva 1234 ou 1234,00")]
    Ambiguous,
    #[error("tem mais de duas casas decimais")]
    TooPrecise,
    #[error("é grande demais")]
    TooLarge,
}

/// Maximum number of digits before the decimal separator.
const MOST_DIGITS: usize = 13;

/// Parses an amount to cents: `1234`, `1234.5`, `1234,56`, `1.234,56` or `1,234.56`.
///
/// With two different separators, the last one is the decimal separator. A single separator
/// followed by three digits is ambiguous and therefore an error.
pub fn parse_cents(text: &str) -> Result<i64, NoMoney> {
    let text = text.trim();
    let marks: Vec<(usize, char)> = text
        .char_indices()
        .filter(|(_, c)| matches!(c, '.' | ','))
        .collect();
    let (whole, decimals) = match marks.as_slice() {
        [] => (text.to_owned(), ""),
        [.., (at, last)] => {
            let after = &text[at + 1..];
            let others = marks.iter().filter(|(_, mark)| mark != last).count();
            let same = marks.len() - others;
            match (others, same) {
                (0, 1) => (
                    text[..*at].to_owned(),
                    parse_decimals_after_single_separator(&text[..*at], after)?,
                ),
                (0, _) => (parse_grouped_digits(text, *last)?, ""),
                (_, 1) => {
                    let group = if *last == ',' { '.' } else { ',' };
                    (
                        parse_grouped_digits(&text[..*at], group)?,
                        parse_decimals(after)?,
                    )
                }
                _ => return Err(NoMoney::Malformed),
            }
        }
    };
    if whole.is_empty() || !is_digits(&whole) {
        return Err(NoMoney::Malformed);
    }
    if whole.trim_start_matches('0').len() > MOST_DIGITS {
        return Err(NoMoney::TooLarge);
    }
    let cents = format!("{whole}{decimals:0<2}");
    cents.parse().map_err(|_| NoMoney::TooLarge)
}

/// Returns the decimals of an amount with a single separator.
fn parse_decimals_after_single_separator<'a>(
    before: &str,
    after: &'a str,
) -> Result<&'a str, NoMoney> {
    let is_group = (1..=3).contains(&before.len()) && !before.starts_with('0');
    if after.len() == 3 && is_digits(after) && is_digits(before) && is_group {
        return Err(NoMoney::Ambiguous);
    }
    parse_decimals(after)
}

fn parse_decimals(text: &str) -> Result<&str, NoMoney> {
    match text.len() {
        _ if !is_digits(text) => Err(NoMoney::Malformed),
        0 => Err(NoMoney::Malformed),
        1 | 2 => Ok(text),
        _ => Err(NoMoney::TooPrecise),
    }
}

/// Removes the separator `mark` of groups of three digits.
fn parse_grouped_digits(text: &str, mark: char) -> Result<String, NoMoney> {
    let groups: Vec<&str> = text.split(mark).collect();
    let are_whole = groups.iter().enumerate().all(|(at, group)| {
        is_digits(group)
            && if at == 0 {
                (1..=3).contains(&group.len())
            } else {
                group.len() == 3
            }
    });
    if are_whole {
        Ok(groups.concat())
    } else {
        Err(NoMoney::Malformed)
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_parsed_to_the_cent() {
        for (text, amount) in [
            ("0", 0),
            ("1234", 123_400),
            ("1234.56", 123_456),
            ("1234,56", 123_456),
            ("1234,5", 123_450),
            ("1.234,56", 123_456),
            ("1,234.56", 123_456),
            ("1.234.567", 123_456_700),
            ("1.234.567,89", 123_456_789),
            (" 0,01 ", 1),
            ("9999999999999,99", 999_999_999_999_999),
        ] {
            assert_eq!(parse_cents(text), Ok(amount), "{text}");
        }
    }

    #[test]
    fn an_ambiguous_amount_is_refused() {
        for text in ["1.234", "1,234", "12.345", "999,999"] {
            assert_eq!(parse_cents(text), Err(NoMoney::Ambiguous), "{text}");
        }
        for text in ["0.123", "1234.567", "1.234,567"] {
            assert_eq!(parse_cents(text), Err(NoMoney::TooPrecise), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_not_an_amount_is_refused() {
        for text in [
            "", "-1", "+1", "1e3", "R$ 10", "1,", ",5", "1..2", "1.23.456", "1.2,3.4", "１２",
            "1 000", "12.34,5", "1.234.56",
        ] {
            assert_eq!(parse_cents(text), Err(NoMoney::Malformed), "{text}");
        }
        assert_eq!(parse_cents("99999999999999"), Err(NoMoney::TooLarge));
    }
}
