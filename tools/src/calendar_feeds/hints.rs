//! Hints for wrong field names.

/// The hints of `create_calendar_feed`.
pub(super) const CREATE: &[(&str, &str)] = &[
    ("name", "use `nome`"),
    ("canal", "use `channel`"),
    ("tag", "use `tipo`"),
    ("etiqueta", "use `tipo`"),
    ("editorial_tag", "use `tipo`"),
    ("projeto", "use `project_id`"),
    (
        "de",
        "o calendário mostra sempre de 90 dias atrás a 400 dias à frente",
    ),
    (
        "ate",
        "o calendário mostra sempre de 90 dias atrás a 400 dias à frente",
    ),
];
