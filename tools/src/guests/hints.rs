//! Hints for wrong field names.

/// The hints of `create_guest_link`.
pub(super) const CREATE: &[(&str, &str)] = &[
    ("event_id", "use `pecas`, uma lista de ids"),
    ("name", "use `nome`"),
    ("email", "use `contato`"),
    ("telefone", "use `contato`"),
];
