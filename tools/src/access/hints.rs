//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

pub(super) const LEVEL: &[Hint] = &[
    ("level", "use `api_access_level`"),
    (
        "access_level",
        "use `api_access_level`; o papel muda em `update_member`",
    ),
    (
        "role",
        "use `api_access_level`; o papel muda em `update_member`",
    ),
];

pub(super) const TOKEN: &[Hint] = &[
    ("name", "use `label`"),
    ("expires_at", "use `expires_in_days`"),
    ("capabilities", "use `scopes`"),
    ("level", "use `scopes`, as capacidades de `get_my_access`"),
];
