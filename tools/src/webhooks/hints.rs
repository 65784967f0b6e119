//! Hints for wrong field names.

/// The hints of `create_webhook` and `update_webhook`.
pub(super) const SETTINGS: &[(&str, &str)] = &[
    ("events", "use `tipos`"),
    ("eventos", "use `tipos`"),
    ("kinds", "use `tipos`"),
    ("description", "use `descricao`"),
    ("canal", "use `channel`"),
    ("secret", "o segredo é gerado pela Pauta"),
];
