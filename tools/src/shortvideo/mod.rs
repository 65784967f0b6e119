//! Publishing photos and videos at the connected short-video account.
//!
//! A publication is a row with a state. `publish_shortvideo` stores it before the provider is called
//! and never calls twice; the job `follow_publication` takes it to its end.

mod account;
mod approved;
mod desk;
mod follow;
mod get_shortvideo_creator_info;
mod hints;
mod list_shortvideo_publications;
mod meaning;
mod photos;
mod post;
mod publication_view;
mod publish_shortvideo;
mod submit;
mod upload;
mod video;

pub use account::ACCOUNT_DISCONNECTED;
pub use desk::Desk;
pub use get_shortvideo_creator_info::GetShortvideoCreatorInfo;
pub use list_shortvideo_publications::ListShortvideoPublications;
pub use publish_shortvideo::PublishShortvideo;

use gateway::{Code, Counted, Resource, jobs::JobEntry};

const PUBLICATION: Resource = Resource::new("publication");

pub const MEDIA_REJECTED: Code = Code::new("MEDIA_REJECTED", 409, "O TikTok recusou a mídia.")
    .next("Corrija ou troque a mídia e publique de novo.");

pub const PUBLISHING_REFUSED: Code = Code::new(
    "PUBLISHING_REFUSED",
    409,
    "O TikTok não aceita esta publicação.",
)
.next("Não repita igual: diga à pessoa o que o TikTok respondeu.");

pub const PUBLICATION_OPEN: Code = Code::new(
    "PUBLICATION_OPEN",
    409,
    "Já há uma publicação disto em andamento.",
)
.next("Acompanhe com `list_shortvideo_publications`; não publique de novo.");

pub const ALREADY_PUBLISHED: Code = Code::new(
    "ALREADY_PUBLISHED",
    409,
    "Estas mídias já foram publicadas.",
)
.next("Para repetir de propósito, envie `publication_id` em `despite_publication_id`.");

pub const UPLOAD_EXPIRED: Code = Code::new(
    "UPLOAD_EXPIRED",
    409,
    "O prazo para enviar o vídeo ao TikTok acabou, e nada foi publicado.",
)
.next("Publique de novo.");

/// The codes of publishing.
pub const CODES: [Code; 5] = [
    MEDIA_REJECTED,
    PUBLISHING_REFUSED,
    PUBLICATION_OPEN,
    ALREADY_PUBLISHED,
    UPLOAD_EXPIRED,
];

/// Publications by state, in the metrics.
pub const COUNTED: Counted = Counted {
    name: "publications",
    by_state: |db| Box::pin(async { Ok(store::publications::counts(&db.reader()).await?) }),
};

/// The jobs of publishing.
pub const JOBS: &[JobEntry] = &[
    JobEntry::of::<follow::FollowPublication>(),
    JobEntry::of::<submit::AbandonPublication>(),
];
