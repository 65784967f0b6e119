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

/// Algo a olhar.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Alert {
    pub nivel: AlertLevel,
    pub texto: String,
}

impl Alert {
    pub fn info(text: impl Into<String>) -> Self {
        Self::new(AlertLevel::Info, text)
    }

    pub fn attention(text: impl Into<String>) -> Self {
        Self::new(AlertLevel::Attention, text)
    }

    pub fn critical(text: impl Into<String>) -> Self {
        Self::new(AlertLevel::Critical, text)
    }

    fn new(nivel: AlertLevel, text: impl Into<String>) -> Self {
        Self {
            nivel,
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
