//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

const REVISION: Hint = ("revision", "envie a `revision` lida em `expected_revision`");
const API_REVISION: Hint = (
    "api_revision",
    "envie a `revision` lida em `expected_revision`",
);

pub(super) const APPLY: &[Hint] = &[
    REVISION,
    API_REVISION,
    ("operation", "envie `type` e `payload`"),
    (
        "operations",
        "várias operações vão em `apply_project_operations`",
    ),
    ("title", "os campos do tipo vão em `payload`"),
    ("section_id", "os campos do tipo vão em `payload`"),
    ("item_id", "os campos do tipo vão em `payload`"),
    ("payload.name", "use `title`"),
    ("payload.description", "use `notes`"),
    (
        "payload.assignee_id",
        "use `assignee_member_ids`, a lista inteira",
    ),
    (
        "payload.assignee_ids",
        "use `assignee_member_ids`, a lista inteira",
    ),
    (
        "payload.assignees",
        "use `assignee_member_ids`, a lista inteira",
    ),
    ("payload.due_at", "use `due_on`, AAAA-MM-DD"),
    ("payload.due_date", "use `due_on`, AAAA-MM-DD"),
    (
        "payload.status",
        "use os tipos `item.complete` e `item.reopen`",
    ),
    ("payload.event_ids", "um evento por vez, em `event_id`"),
    ("payload.user_id", "use `member_id`"),
    ("payload.id", "use `section_id` ou `item_id`"),
    ("payload.start", "use `starts_on`, AAAA-MM-DD"),
    ("payload.end", "use `ends_on`, AAAA-MM-DD"),
];

pub(super) const BATCH: &[Hint] = &[
    REVISION,
    API_REVISION,
    ("type", "vai em cada item de `operations`, com `payload`"),
    ("payload", "vai em cada item de `operations`, com `type`"),
];

pub(super) const CREATE: &[Hint] = &[
    ("title", "use `name`"),
    ("notes", "use `description`"),
    (
        "sections",
        "o projeto nasce vazio: depois, `apply_project_operations`",
    ),
    (
        "members",
        "quem participa entra com `apply_project_operation` e `member.add`",
    ),
    (
        "starts_on",
        "as datas vão em `apply_project_operation` e `project.schedule`",
    ),
    (
        "ends_on",
        "as datas vão em `apply_project_operation` e `project.schedule`",
    ),
];

pub(super) const READ: &[Hint] = &[
    ("status", "use `item_status`"),
    ("assignee_id", "use `assignee_member_id`"),
];
