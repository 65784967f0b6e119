//! The days that a dashboard covers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::time::{LocalDay, Millis, end_of_day, start_of_day};
use gateway::{Error, Result};

/// The length in days of a period if the caller gives no first day.
const USUAL: i32 = 30;

/// A period as input fields.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Period {
    /// Dia de Brasília.
    inicio: Option<LocalDay>,
    /// Último dia.
    fim: Option<LocalDay>,
}

/// Dias da resposta, no fuso de Brasília; os dois contam.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Span {
    pub inicio: LocalDay,
    pub fim: LocalDay,
}

impl Period {
    /// Returns the requested days. The default last day is today; the default length is 30 days.
    ///
    /// Refuses (400) a last day before the first day.
    pub fn span_or_last_30_days(&self, now: Millis) -> Result<Span> {
        let fim = self.fim.unwrap_or(LocalDay::from_instant(now));
        Self::new_span(self.inicio.unwrap_or(fim.plus_days(1 - USUAL)), fim)
    }

    /// Returns the requested days like [`Self::span_or_last_30_days`], or `None` if neither is
    /// requested.
    pub fn requested_span(&self, now: Millis) -> Result<Option<Span>> {
        match (self.inicio, self.fim) {
            (None, None) => Ok(None),
            _ => self.span_or_last_30_days(now).map(Some),
        }
    }

    /// Returns the requested days. The days of the launch are the defaults.
    pub fn span_or_launch_days(&self, starts_on: LocalDay, ends_on: LocalDay) -> Result<Span> {
        let inicio = self.inicio.unwrap_or(starts_on);
        Self::new_span(inicio, self.fim.unwrap_or(ends_on))
    }

    /// Builds the span. Refuses (400) a last day before the first day.
    fn new_span(inicio: LocalDay, fim: LocalDay) -> Result<Span> {
        if fim < inicio {
            let message = "não pode ser antes de `inicio`";
            return Err(Error::invalid_field("fim", "period", message));
        }
        Ok(Span { inicio, fim })
    }
}

impl Span {
    pub fn first_and_last_day(self) -> (LocalDay, LocalDay) {
        (self.inicio, self.fim)
    }

    /// Returns the first instant of the span, and the first instant after it.
    pub fn start_and_end(self) -> (Millis, Millis) {
        (start_of_day(self.inicio.0), end_of_day(self.fim.0))
    }
}
