//! Collaborative drafts of e-mail layouts.
//!
//! HTML over its limit is reported before other field errors. A body that is longer than any valid HTML
//! gets the error code of HTML over its limit.
//!
//! Decided here: an absent `metadata` keeps the stored metadata. `substituir` refuses a text that
//! does not occur (409 `TEXT_NOT_FOUND`) or occurs more than once (409 `TEXT_NOT_UNIQUE`): the
//! input is well-formed, but the draft differs from what the caller expects.

mod area;
mod delete_email_draft;
mod draft_view;
mod get_email_draft;
mod hints;
mod list_email_drafts;
mod passages;
mod put_email_draft;
mod replace_in_email_draft;

pub use area::AREA;
pub use delete_email_draft::DeleteEmailDraft;
pub use get_email_draft::GetEmailDraft;
pub use list_email_drafts::ListEmailDrafts;
pub use put_email_draft::PutEmailDraft;
pub use replace_in_email_draft::ReplaceInEmailDraft;

use gateway::{Code, Resource};

const EMAIL_DRAFT: Resource = Resource::new("email_draft");

pub const TEXT_NOT_FOUND: Code = Code::new("TEXT_NOT_FOUND", 409, "O trecho não aparece no HTML.")
    .with_next_step(
        "Ache o trecho com `get_email_draft` e `busca`, e envie o `procurar` que vem com ele.",
    );

pub const TEXT_NOT_UNIQUE: Code = Code::new(
    "TEXT_NOT_UNIQUE",
    409,
    "O trecho aparece mais de uma vez no HTML.",
)
.with_next_step(
    "Amplie `procurar` até ser único, ou envie `todas` para trocar todas as ocorrências.",
);

pub const EMAIL_HTML_TOO_LARGE: Code = Code::new(
    "EMAIL_HTML_TOO_LARGE",
    413,
    "O HTML passa de 2.000.000 de caracteres.",
)
.with_next_step("Reduza o HTML: hospede as imagens em vez de embuti-las e tire estilos repetidos.");
