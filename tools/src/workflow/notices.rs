//! What a person should hear more about after a success: the texts of `avisos`.

use domain::time::{LocalDate, Millis};

/// A date that the call has set and that is over.
pub(super) fn past(date: Option<Millis>, now: Millis) -> Option<String> {
    let date = date.filter(|date| *date < now)?;
    Some(format!(
        "A data {} já passou; ela foi gravada assim mesmo. Confira o ano e a hora.",
        told(date)
    ))
}

/// An instant for people, in Brasilia time.
pub(super) fn told(instant: Millis) -> String {
    let LocalDate {
        day,
        month,
        year,
        hour,
    } = LocalDate::of(instant);
    format!("{day:02}/{month:02}/{year} {hour}")
}
