//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

const REVISION: Hint = (
    "expected_revision",
    "não é pedida: a geração vale para o evento como está",
);

pub(super) const ART: &[Hint] = &[
    ("api_revision", "envie o valor lido em `expected_revision`"),
    ("text", "use `prompt`"),
    ("texto", "use `prompt`"),
    ("cards", "use `generate_carousel`"),
    ("width", "use `size`, como `1080x1350`"),
    ("height", "use `size`, como `1080x1350`"),
    ("aspect_ratio", "use `format`"),
    ("background", "use `media_id`, de `list_media`"),
    ("image", "use `media_id`, de `list_media`"),
    (
        "n",
        "uma imagem por chamada; várias, em `generate_carousel`",
    ),
    (
        "size",
        "largura x altura, cada lado de 256 a 2048, como `1080x1350`",
    ),
    ("format", "largura:altura, como `4:5`"),
];

pub(super) const IMPORT: &[Hint] = &[
    ("image_url", "use `url`"),
    ("source_url", "use `url`"),
    ("link", "use `url`"),
    ("base64", "use `data`"),
    ("image", "use `data`, em Base64, ou `url`"),
    ("media", "use `data`, em Base64, ou `url`"),
];

pub(super) const CAROUSEL: &[Hint] = &[
    REVISION,
    ("slides", "use `cards`, cada um com `text`"),
    ("texts", "use `cards`, cada um com `text`"),
    (
        "prompt",
        "o fundo vai em cada card, em `prompt`; uma foto, em `media_id`",
    ),
    ("size", "os cards têm sempre 1080x1350"),
    ("format", "os cards têm sempre 1080x1350"),
    ("cards.*.title", "vai na primeira linha de `text`"),
    ("cards.*.caption", "use `text`"),
    ("cards.*.content", "use `text`"),
    (
        "cards.*.media_id",
        "uma foto serve a todos os cards, fora de `cards`",
    ),
    (
        "cards.*.style",
        "o estilo é de todos os cards, fora de `cards`",
    ),
];

pub(super) const CORRECTION: &[Hint] = &[
    ("api_revision", "envie o valor lido em `expected_revision`"),
    ("order", "a ordem é a de `cards`"),
    ("remove", "sai o card que não está em `cards`"),
    ("media_id", "vai em cada card, dentro de `cards`"),
    ("prompt", "vai em cada card, dentro de `cards`"),
    ("cards.*.id", "use `media_id`"),
    (
        "cards.*.style",
        "o estilo é de todos os cards, fora de `cards`",
    ),
];

const PLACE: &str = "a ordem vai em `order`, com os `id` das mídias";

pub(super) const ARRANGE: &[Hint] = &[
    ("api_revision", "envie o valor lido em `expected_revision`"),
    ("media", "use `attach`, `detach` e `order`"),
    (
        "media_id",
        "use `attach`, `detach` e `order`, que são listas",
    ),
    ("media_ids", "use `attach`, `detach` e `order`"),
    ("slide_index", PLACE),
    ("position", PLACE),
    ("remove", "use `detach`"),
];

pub(super) const LIST: &[Hint] = &[
    ("kind", "use `tipo`"),
    ("type", "use `tipo`"),
    ("media_type", "use `tipo`"),
    (
        "q",
        "não há busca por texto: filtre por `event_id` e `tipo`",
    ),
];
