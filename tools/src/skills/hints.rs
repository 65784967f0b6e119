//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

pub(super) const PUBLISH: &[Hint] = &[
    ("version", "envie a versão lida em `expected_version`"),
    (
        "expected_revision",
        "envie a versão lida em `expected_version`",
    ),
    ("title", "use `name`"),
    ("text", "use `content`"),
    ("body", "use `content`"),
    ("conteudo", "use `content`"),
    (
        "name",
        "só letras minúsculas, números e hífens, como `tom-de-voz`",
    ),
];

pub(super) const LIST: &[Hint] = &[
    (
        "q",
        "use `name`, ou pesquise o conteúdo com `search_knowledge`",
    ),
    ("skill", "use `name`"),
    ("content", "use `conteudo`"),
    ("offset", "use `de` e `tamanho`"),
];
