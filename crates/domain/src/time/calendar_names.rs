//! The names of months and weekdays, in Portuguese.

const MONTHS: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

/// Returns the name of a month, counted from 1; empty for a number that is not a month.
#[must_use]
pub fn month_name(number: i8) -> &'static str {
    let index = usize::try_from(number - 1).ok();
    let name = index.and_then(|index| MONTHS.get(index));
    name.copied().unwrap_or_default()
}

/// The names of the weekdays, from Sunday.
pub const WEEKDAYS: [&str; 7] = [
    "domingo",
    "segunda-feira",
    "terça-feira",
    "quarta-feira",
    "quinta-feira",
    "sexta-feira",
    "sábado",
];

/// Returns the name of a weekday, counted from 0 for Sunday; empty for a number that is not a weekday.
#[must_use]
pub fn weekday_name(number: i8) -> &'static str {
    let index = usize::try_from(number).ok();
    let name = index.and_then(|index| WEEKDAYS.get(index));
    name.copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_named_in_portuguese() {
        let names = [0, 1, 3, 12, 13].map(month_name);
        assert_eq!(names, ["", "janeiro", "março", "dezembro", ""]);
    }

    #[test]
    fn weekdays_are_named_from_sunday() {
        let names = [-1, 0, 2, 6, 7].map(weekday_name);
        assert_eq!(names, ["", "domingo", "terça-feira", "sábado", ""]);
    }
}
