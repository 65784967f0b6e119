//! Images and videos: generation, upload, and the media of events.
//!
//! Bytes are written to the storage first, under their SHA-256; then the row and its link to an
//! event commit together. The media of an event are part of the event: attaching, replacing,
//! ordering and describing them use its compare-and-set and its history. A carousel is drawn
//! completely before anything is stored. A background is requested only after all texts were
//! checked to fit.
//!
//! Decided here: the inputs of a generated image are stored with it, and a carousel is corrected
//! card by card. A card is drawn again when its text, background, style or page mark changes. The
//! background that a provider drew is stored too, as a medium derived from the first card that uses
//! it. Corrections are drawn over it, so a new text does not cost a new background.
//!
//! An upload is an operation like any other, with guard, validation, idempotency (over the fields
//! and the SHA-256 of the file) and audit. An unknown field is refused as it arrives, and the bytes
//! between two parts are limited. Decoding, drawing and hashing run on blocking threads.

pub(crate) mod archive;
mod area;
mod attach;
mod brand;
mod cards;
mod contents;
mod correction;
mod create_upload;
mod duration;
mod generate_art;
mod generate_carousel;
mod get_media;
mod get_reduced_media;
mod get_upload;
mod hints;
mod import_media;
mod inspect;
mod job;
mod keep;
mod list_media;
mod media_view;
mod original;
mod package;
pub(crate) mod package_names;
mod photo;
mod preview_art;
mod remove_unused;
mod size;
mod source_view;
mod update_carousel;
mod update_event_media;
mod upload_link;
mod upload_media;
mod uploaded_file;

pub use crate::links::{LINK_LIFETIME, Links};
pub use area::{AREA, FOR_CONSOLE};
pub(crate) use attach::{Place, announce_change, insert_slide, require_attachable};
pub use contents::{ABANDONED, Claim, remove_unused_contents};
pub use create_upload::LIFETIME as UPLOAD_LIFETIME;
pub use domain::Style;
pub(crate) use duration::read_duration;
pub use generate_art::GenerateArt;
pub use generate_carousel::GenerateCarousel;
pub use get_media::GET_MEDIA;
pub use import_media::FileDownloader;
pub use inspect::MediaType;
pub(crate) use inspect::video_size;
pub(crate) use keep::{store_image, store_image_by};
pub use list_media::ListMedia;
pub use media_view::MediaResult;
pub(crate) use original::original_content;
pub use photo::load_stored_image;
pub(crate) use photo::{load_file, require_image};
pub use update_carousel::UpdateCarousel;
pub use update_event_media::UpdateEventMedia;
pub use upload_link::delete_ended_uploads;
pub use upload_media::UploadMedia;
pub use uploaded_file::ImageReader;

use gateway::{Code, Resource};

const MEDIA: Resource = Resource::new("media");

pub const LINK_INVALID: Code = Code::new("LINK_INVALID", 403, "Link inválido ou expirado.")
    .with_next_step("Peça um link novo à operação que o devolveu.");
