//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

pub(super) const START: &[Hint] = &[
    (
        "expected_revision",
        "não é pedida: a geração vale para o evento como está",
    ),
    ("text", "use `prompt`"),
    ("tema", "use `prompt`; um roteiro vem de `generate_script`"),
    ("duration", "use `duration_s`"),
    ("duracao_s", "use `duration_s`"),
    ("seconds", "use `duration_s`"),
    ("aspect_ratio", "use `aspect`"),
    ("format", "use `aspect`"),
    ("size", "use `aspect`"),
    ("image", "use `media_id`, de `list_media`"),
    (
        "slide_index",
        "o vídeo entra no fim; ordene em `update_event_media`",
    ),
];
