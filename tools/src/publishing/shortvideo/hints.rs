//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

pub(super) const PUBLISH: &[Hint] = &[
    ("media_ids", "use `mediaIds`"),
    ("media_id", "use `mediaIds`, que é uma lista"),
    ("media", "use `mediaIds`, com os `id` de `list_media`"),
    ("url", "use `mediaIds`: só mídias guardadas no serviço"),
    ("urls", "use `mediaIds`: só mídias guardadas no serviço"),
    (
        "video_url",
        "use `mediaIds`: só mídias guardadas no serviço",
    ),
    (
        "photo_images",
        "use `mediaIds`: só mídias guardadas no serviço",
    ),
    ("description", "use `caption`"),
    ("text", "use `caption`"),
    ("media_type", "use `type`"),
    ("title", "o texto todo vai em `caption`"),
    ("privacy", "use `privacy_level`"),
    ("eventId", "use `event_id`"),
    ("schedule", "não há agendamento: publique na hora"),
];

pub(super) const LIST: &[Hint] = &[
    ("id", "use `publication_id`"),
    ("eventId", "use `event_id`"),
    ("publish_id", "use `publication_id`, o `id` do serviço"),
];
