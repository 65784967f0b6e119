//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

pub(super) const PUT: &[(&str, &str)] = &[
    ("revision", "envie a `revision` lida em `expected_revision`"),
    ("meta", "use `meta_centavos`, um inteiro"),
    ("codigo", "use `lancamento`"),
];
