//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

const ROLE: Hint = ("role", "use `access_level`");

pub(super) const INVITE: &[Hint] = &[
    ROLE,
    ("papel", "use `access_level`"),
    ("nome", "use `name`"),
];

pub(super) const UPDATE: &[Hint] = &[
    ROLE,
    ("papel", "use `access_level`"),
    ("id", "use `member_id`"),
    ("active", "para desligar, use `offboard_member`"),
    (
        "api_access_level",
        "o nível dos tokens muda em `update_member_api_access`",
    ),
    ("name", "o nome não muda por aqui"),
    ("email", "o e-mail não muda por aqui"),
];
