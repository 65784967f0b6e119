//! Commemorative dates of Brazil: fixed days, weekdays of a month, and days counted from Easter.

use jiff::civil::{Date, Weekday};

use super::days::add_days;

const FIXED: &[(i8, i8, &str)] = &[
    (1, 1, "Confraternização Universal"),
    (1, 25, "Aniversário de São Paulo"),
    (1, 30, "Dia da Saudade"),
    (3, 8, "Dia da Mulher"),
    (3, 15, "Dia do Consumidor"),
    (3, 20, "Dia da Felicidade"),
    (3, 22, "Dia da Água"),
    (4, 7, "Dia da Saúde"),
    (4, 13, "Dia do Beijo"),
    (4, 19, "Dia dos Povos Indígenas"),
    (4, 21, "Tiradentes"),
    (4, 22, "Descobrimento do Brasil"),
    (4, 23, "Dia do Livro"),
    (5, 1, "Dia do Trabalho"),
    (5, 13, "Abolição da Escravatura"),
    (5, 17, "Dia contra a Homofobia"),
    (5, 25, "Dia da Indústria"),
    (6, 5, "Dia do Meio Ambiente"),
    (6, 12, "Dia dos Namorados"),
    (6, 24, "São João"),
    (6, 28, "Dia do Orgulho LGBT+"),
    (7, 20, "Dia do Amigo"),
    (7, 26, "Dia dos Avós"),
    (8, 11, "Dia do Estudante"),
    (8, 19, "Dia da Fotografia"),
    (8, 22, "Dia do Folclore"),
    (9, 7, "Independência do Brasil"),
    (9, 15, "Dia do Cliente"),
    (9, 21, "Dia da Árvore"),
    (9, 23, "Início da primavera"),
    (9, 30, "Dia da Secretária"),
    (10, 1, "Dia do Idoso"),
    (10, 4, "Dia dos Animais"),
    (10, 12, "Nossa Senhora Aparecida e Dia das Crianças"),
    (10, 15, "Dia dos Professores"),
    (10, 28, "Dia do Servidor Público"),
    (10, 31, "Dia das Bruxas"),
    (11, 2, "Finados"),
    (11, 15, "Proclamação da República"),
    (11, 19, "Dia do Homem e da Bandeira"),
    (11, 20, "Consciência Negra"),
    (12, 2, "Dia do Samba"),
    (12, 24, "Véspera de Natal"),
    (12, 25, "Natal"),
    (12, 31, "Véspera de Ano-Novo"),
];

/// Commemorative dates as a number of days after Easter Sunday.
const AFTER_EASTER: &[(i32, &str)] = &[
    (-48, "Carnaval (segunda)"),
    (-47, "Carnaval"),
    (-46, "Quarta-feira de Cinzas"),
    (-2, "Sexta-feira Santa"),
    (0, "Páscoa"),
    (60, "Corpus Christi"),
];

/// Returns the names of the commemorative dates on this day.
pub(super) fn commemorative_names(day: Date) -> Vec<&'static str> {
    let fixed = FIXED
        .iter()
        .filter(|(month, number, _)| (day.month(), day.day()) == (*month, *number))
        .map(|(_, _, name)| *name);
    let easter = easter_sunday(day.year());
    let after_easter = AFTER_EASTER
        .iter()
        .filter(|(days, _)| add_days(easter, *days) == day)
        .map(|(_, name)| *name);
    fixed
        .chain(after_easter)
        .chain(weekday_date_name(day))
        .collect()
}

/// Returns the name of the commemorative date on this day, if it is defined by a weekday of its month.
fn weekday_date_name(day: Date) -> Option<&'static str> {
    let nth = |month, nth, weekday| {
        Date::new(day.year(), month, 1)
            .and_then(|first| first.nth_weekday_of_month(nth, weekday))
            .ok()
    };
    // Black Friday follows the fourth Thursday of November. It is always in November.
    let black_friday = nth(11, 4, Weekday::Thursday).map(|thursday| add_days(thursday, 1));
    let cases = [
        (nth(5, 2, Weekday::Sunday), "Dia das Mães"),
        (nth(8, 2, Weekday::Sunday), "Dia dos Pais"),
        (black_friday, "Black Friday"),
        (
            black_friday.map(|friday| add_days(friday, 3)),
            "Cyber Monday",
        ),
    ];
    let case = cases.into_iter().find(|(date, _)| *date == Some(day));
    case.map(|(_, name)| name)
}

/// Returns Easter Sunday in the Gregorian calendar (Meeus, "Astronomical Algorithms", chapter 8).
fn easter_sunday(year: i16) -> Date {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let (d, e) = (b / 4, b % 4);
    let g = (8 * b + 13) / 25;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 19 * l) / 433;
    let month = (h + l - 7 * m + 90) / 25;
    let day = (h + l - 7 * m + 33 * month + 19) % 32;
    let narrow = |number: i32| i8::try_from(number).unwrap_or(1);
    Date::new(year, narrow(month), narrow(day)).unwrap_or(Date::ZERO)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn easter_matches_the_almanacs() {
        for (year, month, day) in [
            (1818, 3, 22),
            (1943, 4, 25),
            (2000, 4, 23),
            (2008, 3, 23),
            (2024, 3, 31),
            (2025, 4, 20),
            (2026, 4, 5),
            (2027, 3, 28),
            (2038, 4, 25),
        ] {
            assert_eq!(easter_sunday(year), date(year, month, day));
        }
    }

    #[test]
    fn movable_dates_are_computed_for_each_year() {
        let cases = [
            (date(2026, 2, 17), "Carnaval"),
            (date(2026, 2, 18), "Quarta-feira de Cinzas"),
            (date(2026, 4, 3), "Sexta-feira Santa"),
            (date(2026, 4, 5), "Páscoa"),
            (date(2026, 6, 4), "Corpus Christi"),
            (date(2026, 5, 10), "Dia das Mães"),
            (date(2026, 8, 9), "Dia dos Pais"),
            (date(2026, 11, 27), "Black Friday"),
            (date(2026, 11, 30), "Cyber Monday"),
            (date(2026, 11, 20), "Consciência Negra"),
        ];
        for (day, name) in cases {
            assert!(
                commemorative_names(day).contains(&name),
                "{day}: {:?}",
                commemorative_names(day)
            );
        }
        assert!(commemorative_names(date(2026, 11, 23)).is_empty());
        // In this year, two commemorative dates are on the same day.
        assert_eq!(commemorative_names(date(2024, 3, 31)), ["Páscoa"]);
        assert_eq!(
            commemorative_names(date(2019, 4, 21)),
            ["Tiradentes", "Páscoa"]
        );
    }
}
