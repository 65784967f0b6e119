//! Alerts: facts that a person should look at.

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

/// Algo a olhar.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Alert {
    pub nivel: AlertLevel,
    pub texto: String,
}

impl Alert {
    pub fn info(text: impl Into<String>) -> Self {
        Self::at(AlertLevel::Info, text)
    }

    pub fn attention(text: impl Into<String>) -> Self {
        Self::at(AlertLevel::Attention, text)
    }

    pub fn critical(text: impl Into<String>) -> Self {
        Self::at(AlertLevel::Critical, text)
    }

    fn at(nivel: AlertLevel, text: impl Into<String>) -> Self {
        Self {
            nivel,
            texto: text.into(),
        }
    }
}

/// A share in the usual notation: `12,5%`.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    let text = text.strip_suffix(".0").unwrap_or(&text);
    format!("{}%", text.replace('.', ","))
}
