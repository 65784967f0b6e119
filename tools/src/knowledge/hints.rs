//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

pub(super) const SEARCH: &[Hint] = &[
    ("q", "use `pergunta`"),
    ("query", "use `pergunta`"),
    ("question", "use `pergunta`"),
    ("busca", "use `pergunta`"),
    ("limit", "use `limite`"),
    ("cursor", "não há páginas: use `limite`, até 20"),
    ("tag", "use `tags`"),
    ("etiquetas", "use `tags`"),
];
