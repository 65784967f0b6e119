//! Images and videos: made, uploaded, linked, and shown by events.

mod attach;
mod contents;
mod generate_art;
mod generate_carousel;
mod inspect;
mod job;
mod keep;
mod links;
mod list_media;
mod media_view;
mod remove_unused;
mod size;
mod update_event_media;
mod upload_media;

pub use contents::{Claim, sweep};
pub use domain::Style;
pub use generate_art::GenerateArt;
pub use generate_carousel::GenerateCarousel;
pub use inspect::{MediaType, video_size};
pub use links::Links;
pub use list_media::ListMedia;
pub use media_view::{MediaRef, MediaResult};
pub use update_event_media::UpdateEventMedia;
pub use upload_media::UploadMedia;

use gateway::{Area, jobs::JobEntry};

/// The area of these operations.
pub const AREA: Area = Area::new(
    "media",
    "Imagens e vídeos: envio, lista, ordem nos eventos e links assinados.",
)
.jobs(JOBS);

const JOBS: &[JobEntry] = &[JobEntry::of::<remove_unused::RemoveUnused>()];
