//! Images and videos: made, uploaded, linked, and shown by events.

mod attach;
mod contents;
mod generate_art;
mod generate_carousel;
mod get_media;
mod inspect;
mod job;
mod keep;
mod list_media;
mod media_view;
mod photo;
mod size;
mod update_event_media;
mod upload_media;
mod uploaded_file;

pub use crate::links::Links;
pub use contents::{Claim, sweep};
pub use domain::Style;
pub use generate_art::GenerateArt;
pub use generate_carousel::GenerateCarousel;
pub use get_media::GET_MEDIA;
pub use inspect::MediaType;
pub use list_media::ListMedia;
pub use media_view::MediaResult;
pub use update_event_media::UpdateEventMedia;
pub use upload_media::UploadMedia;
pub use uploaded_file::ImageReader;

use gateway::Area;

/// The area of these operations.
pub const AREA: Area = Area::new(
    "media",
    "Imagens e vídeos: envio, lista, ordem nos eventos e links assinados.",
);
