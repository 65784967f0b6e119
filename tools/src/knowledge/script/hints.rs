//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

pub(super) const SCRIPT: &[Hint] = &[
    ("prompt", "use `tema`"),
    ("topic", "use `tema`"),
    ("assunto", "use `tema`"),
    ("format", "use `formato`"),
    ("duration_s", "use `duracao_s`"),
    ("duracao", "use `duracao_s`, em segundos"),
    (
        "sources",
        "use `fontes`, com os `documento_id` de `search_knowledge`",
    ),
    ("tags", "escolha documentos em `fontes`"),
    ("audience", "use `publico`"),
    ("tone", "use `tom`"),
    (
        "formato",
        "`reel` serve a qualquer vídeo curto; `carrossel`, a cards",
    ),
];
