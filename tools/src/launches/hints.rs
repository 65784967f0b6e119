//! What callers send in the wrong field, and where it belongs.

pub(super) const PUT: &[(&str, &str)] = &[
    ("revision", "envie a `revision` lida em `expected_revision`"),
    ("meta", "use `meta_centavos`, um inteiro"),
    ("codigo", "use `lancamento`"),
];
