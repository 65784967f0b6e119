//! The days that a dashboard covers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::time::{LocalDay, Millis, end_of_day, start_of_day};
use gateway::{Error, Result};

/// Days of a period without a first day.
const USUAL: i32 = 30;

/// The period, as fields of an input.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Period {
    /// Primeiro dia (Brasília).
    inicio: Option<LocalDay>,
    /// Último dia, incluído.
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
    /// The requested days. By default the last day is today, and the period has 30 days.
    ///
    /// Refused (400) when the last day is before the first.
    pub fn recent(&self, now: Millis) -> Result<Span> {
        let fim = self.fim.unwrap_or(LocalDay::of(now));
        Self::checked(self.inicio.unwrap_or(fim.plus(1 - USUAL)), fim)
    }

    /// The requested days, completed as in [`Self::recent`]; `None` if none are requested.
    pub fn given(&self, now: Millis) -> Result<Option<Span>> {
        match (self.inicio, self.fim) {
            (None, None) => Ok(None),
            _ => self.recent(now).map(Some),
        }
    }

    /// The requested days; the launch's days replace those that are missing.
    pub fn of_launch(&self, starts_on: LocalDay, ends_on: LocalDay) -> Result<Span> {
        let inicio = self.inicio.unwrap_or(starts_on);
        Self::checked(inicio, self.fim.unwrap_or(ends_on))
    }

    /// Checks that the first day is not after the last.
    fn checked(inicio: LocalDay, fim: LocalDay) -> Result<Span> {
        if fim < inicio {
            let message = "não pode ser antes de `inicio`";
            return Err(Error::invalid("fim", "period", message));
        }
        Ok(Span { inicio, fim })
    }
}

impl Span {
    pub fn days(self) -> (LocalDay, LocalDay) {
        (self.inicio, self.fim)
    }

    /// The first instant of the period, and the first instant after it.
    pub fn instants(self) -> (Millis, Millis) {
        (start_of_day(self.inicio.0), end_of_day(self.fim.0))
    }
}
