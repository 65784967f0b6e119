//! Alerts about the figures of a launch.

use schemars::JsonSchema;
use serde::Serialize;

use domain::text_enum;

text_enum! {
    pub enum AlertLevel {
        Info = "info",
        Attention = "atencao",
        Critical = "critico",
    }
}

text_enum! {
    pub enum AlertSubject {
        Goal = "meta",
        Refunds = "reembolsos",
        Source = "fonte",
        Origin = "origem",
        Emails = "emails",
    }
}

/// Algo a olhar.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Alert {
    pub nivel: AlertLevel,
    /// Do que o alerta trata.
    pub assunto: AlertSubject,
    pub texto: String,
}

impl Alert {
    pub fn info(subject: AlertSubject, text: impl Into<String>) -> Self {
        Self::new(AlertLevel::Info, subject, text)
    }

    pub fn attention(subject: AlertSubject, text: impl Into<String>) -> Self {
        Self::new(AlertLevel::Attention, subject, text)
    }

    pub fn critical(subject: AlertSubject, text: impl Into<String>) -> Self {
        Self::new(AlertLevel::Critical, subject, text)
    }

    fn new(nivel: AlertLevel, assunto: AlertSubject, text: impl Into<String>) -> Self {
        Self {
            nivel,
            assunto,
            texto: text.into(),
        }
    }
}

/// Formats a share as a percentage, such as `12,5%`.
pub(super) fn format_percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    let text = text.strip_suffix(".0").unwrap_or(&text);
    format!("{}%", text.replace('.', ","))
}
