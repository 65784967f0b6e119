//! Hints for wrong fields: the field that a caller sent, and the advice that the refusal contains.

type Hint = (&'static str, &'static str);

const DATE: Hint = (
    "due_at",
    "use `day`, `month`, `year` e `hour`, no horário de Brasília",
);
const CAPTION: Hint = ("description", "a legenda vai em `caption`");
const TAG: Hint = ("editorial_tag", "use `tipo`");
const MOVE: &str = "a data muda em `update_event`";
const REVISION: Hint = ("api_revision", "envie o valor lido em `expected_revision`");

pub(super) const CREATE: &[Hint] = &[
    DATE,
    TAG,
    (
        "caption",
        "o pedido vai em `description`; a legenda, em `save_draft`",
    ),
    ("briefing", "o pedido vai em `description`"),
    (
        "assignee_ids",
        "use `assignee_id`, de uma pessoa; para várias, depois, `update_event`",
    ),
    ("status", "toda demanda começa `a fazer`"),
];

pub(super) const CREATE_MANY: &[Hint] = &[
    ("demands", "use `demandas`"),
    ("title", "vai em cada item de `demandas`"),
    ("demandas.*.due_at", DATE.1),
    ("demandas.*.editorial_tag", TAG.1),
    (
        "demandas.*.caption",
        "o pedido vai em `description`; a legenda, em `save_draft`",
    ),
    ("demandas.*.briefing", "o pedido vai em `description`"),
    (
        "demandas.*.assignee_ids",
        "use `assignee_id`, de uma pessoa",
    ),
    (
        "demandas.*.idempotency_key",
        "uma só chave, fora de `demandas`",
    ),
    ("demandas.*.status", "toda demanda começa `a fazer`"),
];

pub(super) const POST: &[Hint] = &[("link", "o link do post vai em `post_url`"), REVISION];

pub(super) const TASKS: &[Hint] = &[
    (
        "status",
        "traz o que pede trabalho; por status, `list_events`",
    ),
    (
        "assignee_id",
        "são só as tarefas próprias; as de outros, em `list_events`",
    ),
];

pub(super) const UPDATE: &[Hint] = &[
    DATE,
    TAG,
    REVISION,
    ("caption", "a legenda muda em `save_draft`"),
    (
        "description",
        "a legenda muda em `save_draft`; o briefing não muda",
    ),
    ("briefing", "o briefing não muda"),
    ("assignee_id", "use `assignee_ids`, a lista inteira"),
    ("media", "as mídias mudam em `update_event_media`"),
    (
        "status",
        "`em progresso` e `processing` vêm de `save_draft`, `em aprovação` de \
         `submit_for_approval`, `aprovado` e `recusado` de `decide_approval`",
    ),
];

pub(super) const DRAFT: &[Hint] = &[
    CAPTION,
    REVISION,
    ("due_at", MOVE),
    ("day", MOVE),
    ("month", MOVE),
    ("year", MOVE),
    ("hour", MOVE),
    ("title", "o título muda em `update_event`"),
    ("assignee_id", "os responsáveis mudam em `update_event`"),
    ("assignee_ids", "os responsáveis mudam em `update_event`"),
    (
        "status",
        "`em aprovação` vem de `submit_for_approval`, `aprovado` e `recusado` de \
         `decide_approval`, `publicado` e `arquivado` de `update_event`",
    ),
];

pub(super) const DECIDE_VARIANTS: &[Hint] = &[
    ("decisao", "use `action`"),
    ("ids", "use `variantes`"),
    ("reason", "use `motivo`"),
];

pub(super) const SUBMIT: &[Hint] = &[
    DATE,
    CAPTION,
    TAG,
    REVISION,
    ("status", "o envio leva sempre a `em aprovação`"),
];

pub(super) const DECIDE: &[Hint] = &[
    DATE,
    CAPTION,
    REVISION,
    (
        "status",
        "a decisão vai em `action`: `aprovar`, `recusar` ou `pedir_ajustes`",
    ),
    (
        "decision",
        "a decisão vai em `action`: `aprovar`, `recusar` ou `pedir_ajustes`",
    ),
    ("reason", "use `motivo`"),
];

pub(super) const REOPEN: &[Hint] = &[
    REVISION,
    ("reason", "use `motivo`"),
    ("status", "o evento volta sempre a `em progresso`"),
];

pub(super) const LIST: &[Hint] = &[
    (
        "assignee_id",
        "é o `id` de um membro, como em `list_team`; para um nome, use `q`",
    ),
    ("assignee_ids", "use `assignee_id`, de uma pessoa"),
    ("assignee", "use `assignee_id`, ou o nome em `q`"),
    ("day", "use `de` e `ate`, como AAAA-MM-DD"),
    ("month", "use `de` e `ate`, como AAAA-MM-DD"),
    ("due_at", "use `de` e `ate`, como AAAA-MM-DD"),
];
