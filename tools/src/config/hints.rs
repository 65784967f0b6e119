//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

pub(super) const PUBLISH: &[Hint] = &[
    ("version", "envie a versão lida em `expected_version`"),
    (
        "expected_revision",
        "envie a versão lida em `expected_version`",
    ),
    ("name", "use `key`"),
    ("chave", "use `key`"),
    ("valor", "use `value`"),
];

pub(super) const READ: &[Hint] = &[("name", "use `key`"), ("chave", "use `key`")];
