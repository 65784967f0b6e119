//! The resource kind and the error codes of publications, and the count of publications by state.

use crate::visibility::EVENT;
use domain::PublicationId;
use gateway::{Code, Counted, Error, Resource};
use store::publications;

/// The resource kind of publications. A member sees the publications of the pieces that the member
/// sees, and the publications that the member has started.
pub const PUBLICATION: Resource = Resource::new("publication").with_visibility(|db, member, id| {
    Box::pin(async move {
        let id = PublicationId::from(id);
        let found = publications::find_endings(&db, std::slice::from_ref(&id)).await?;
        let found = found.into_values().next();
        let is_visible = match found {
            None => false,
            Some(one) if one.created_by == member.id || member.sees_all_events() => true,
            Some(one) => match &one.event_id {
                Some(event) => EVENT.is_visible_to(db, member, event.as_str()).await?,
                None => false,
            },
        };
        match is_visible {
            true => Ok(()),
            false => Err(Error::not_found_in("publicação", "list_publications")),
        }
    })
});

pub const ACCOUNT_DISCONNECTED: Code = Code::new(
    "ACCOUNT_DISCONNECTED",
    409,
    "A conta precisa ser conectada de novo.",
)
.with_next_step("Peça a um admin da equipe que conecte a conta de novo.");

pub const MEDIA_REJECTED: Code = Code::new("MEDIA_REJECTED", 409, "O TikTok recusou a mídia.")
    .with_next_step("Corrija ou troque a mídia e publique de novo.");

pub const PUBLISHING_REFUSED: Code = Code::new(
    "PUBLISHING_REFUSED",
    409,
    "O TikTok não aceita esta publicação.",
)
.with_next_step("Não repita igual: diga à pessoa o que o TikTok respondeu.");

pub const PUBLICATION_OPEN: Code = Code::new(
    "PUBLICATION_OPEN",
    409,
    "Já há uma publicação disto em andamento.",
)
.with_next_step("Acompanhe com `list_shortvideo_publications`; não publique de novo.");

pub const ALREADY_PUBLISHED: Code = Code::new(
    "ALREADY_PUBLISHED",
    409,
    "Estas mídias já foram publicadas.",
)
.with_next_step("Para repetir de propósito, envie `publication_id` em `despite_publication_id`.");

pub const UPLOAD_EXPIRED: Code = Code::new(
    "UPLOAD_EXPIRED",
    409,
    "O prazo para enviar o vídeo ao TikTok acabou, e nada foi publicado.",
)
.with_next_step("Publique de novo.");

pub const PUBLICATION_STATE: Code = Code::new(
    "PUBLICATION_STATE",
    409,
    "O estado da publicação não permite isto.",
)
.with_next_step("Releia com `list_publications`.");

pub const PUBLISHING_PAUSED: Code = Code::new(
    "PUBLISHING_PAUSED",
    409,
    "Todas as publicações estão pausadas; nada foi publicado.",
)
.with_next_step("Pergunte a quem pausou. `pause_publishing` retoma.");

/// The number of publications by state, for the metrics.
pub const COUNTED: Counted = Counted {
    name: "publications",
    by_state: |db| Box::pin(async { Ok(publications::count_by_state(&db.reader()).await?) }),
};

/// The error codes of failed publications.
pub const PUBLICATION_CODES: &[Code] = &[
    MEDIA_REJECTED,
    PUBLISHING_REFUSED,
    PUBLICATION_OPEN,
    ALREADY_PUBLISHED,
    UPLOAD_EXPIRED,
    PUBLISHING_PAUSED,
];
