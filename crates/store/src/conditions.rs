//! Builds WHERE conditions.

use sea_orm::Value;

/// Conditions joined by AND, with their values.
#[derive(Default, Clone)]
pub(crate) struct Conditions {
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
}

impl Conditions {
    pub(crate) fn bind(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    pub(crate) fn and(&mut self, condition: &str) {
        if !self.text.is_empty() {
            self.text.push_str(" AND ");
        }
        self.text.push_str(condition);
    }
}
