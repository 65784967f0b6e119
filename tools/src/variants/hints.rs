//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

pub(super) const PUT: &[Hint] = &[
    ("variantes.*.channel", "use `canal`"),
    ("variantes.*.format", "use `formato`"),
    ("variantes.*.caption", "use `legenda`"),
    ("variantes.*.media", "use `midias`"),
    ("variantes.*.first_comment", "use `primeiro_comentario`"),
    ("variantes.*.title", "use `titulo`"),
    (
        "variantes.*.alt",
        "o texto alternativo é de cada item de `midias`",
    ),
    ("variantes.*.due_at", "use `day`, `month`, `year` e `hour`"),
    ("variantes.*.id", "a variante é a do `canal` e `formato`"),
    (
        "variantes.*.aprovada",
        "quem aprova é `decide_approval` ou `decide_variants`",
    ),
    ("variantes.*.link_final", "é calculado de `link`"),
];
