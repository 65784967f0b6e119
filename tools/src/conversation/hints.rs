//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

const TEXT: Hint = ("text", "use `texto`");

pub(super) const ADD: &[Hint] = &[
    TEXT,
    ("comentario", "use `texto`"),
    ("anchor", "use `ancora`"),
    ("mentions", "use `mencoes`"),
    ("thread_id", "use `responde_a`"),
    ("conversa", "use `responde_a`"),
    (
        "expected_revision",
        "a revisão lida vai em `api_revision`; um comentário não muda o evento",
    ),
    ("ancora.quote", "use `trecho`"),
    ("ancora.texto", "use `trecho`"),
    ("ancora.slide_index", "use `media_id`"),
];

pub(super) const LIST: &[Hint] = &[("status", "use `estado`"), ("author_id", "use `autor`")];

pub(super) const UPDATE: &[Hint] = &[
    TEXT,
    ("estado", "use `resolvido`: `true` resolve, `false` reabre"),
    ("status", "use `resolvido`: `true` resolve, `false` reabre"),
    (
        "ancora",
        "não muda: remova o comentário e escreva outro no lugar certo",
    ),
    (
        "mencoes",
        "não mudam: mencione numa resposta, com `add_remark`",
    ),
];
