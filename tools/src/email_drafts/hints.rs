//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

const TOKEN: &str = "envie o `updated_at` lido em `expected_updated_at`";

pub(super) const WRITE: &[Hint] = &[
    ("expected_revision", TOKEN),
    ("api_revision", TOKEN),
    ("updated_at", TOKEN),
    ("content", "use `html`"),
    ("body", "use `html`"),
    ("subject", "vai dentro de `metadata`"),
    ("assunto", "vai dentro de `metadata`"),
    (
        "procurar",
        "para trocar um trecho, use `replace_in_email_draft`",
    ),
];

pub(super) const REPLACE: &[Hint] = &[
    ("expected_revision", TOKEN),
    ("api_revision", TOKEN),
    ("updated_at", TOKEN),
    ("html", "para gravar o HTML inteiro, use `put_email_draft`"),
    ("busca", "use `procurar`"),
    ("find", "use `procurar`"),
    ("search", "use `procurar`"),
    ("old_text", "use `procurar`"),
    ("substituir", "use `trocar_por`"),
    ("replace", "use `trocar_por`"),
    ("new_text", "use `trocar_por`"),
    ("all", "use `todas`"),
];

pub(super) const READ: &[Hint] = &[
    ("q", "use `busca`"),
    ("procurar", "use `busca`"),
    ("offset", "use `de`"),
    (
        "limit",
        "use `tamanho`; com `busca` vêm até 20, e mais com `cursor`",
    ),
];

pub(super) const DELETE: &[Hint] = &[("expected_revision", TOKEN), ("updated_at", TOKEN)];
