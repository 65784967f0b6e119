//! Declares the area: its name, its description, its operations, pages and jobs.

use super::remove_unused::RemoveUnused;
use super::{
    GET_MEDIA, ImageReader, LINK_INVALID, Links, ListMedia, UpdateCarousel, UpdateEventMedia,
    UploadMedia,
};
use super::{
    create_upload::CreateUpload,
    get_reduced_media,
    get_upload::GetUpload,
    import_media::{FileDownloader, ImportMedia},
    package, preview_art, upload_link,
};
use gateway::{Area, Entry, Part, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "media",
    "Imagens e vídeos: envio, lista, ordem nos eventos e links assinados.",
)
.codes(&[LINK_INVALID])
.required_parts(&[
    Part::of_type::<Links>("Links"),
    Part::of_type::<ImageReader>("ImageReader"),
    Part::of_type::<FileDownloader>("FileDownloader"),
])
// A call that attaches media announces it in its own transaction (`attach::announce_change`).
.announces_nothing()
.operations(&[
    Entry::for_operation::<UploadMedia>(),
    Entry::for_operation::<CreateUpload>(),
    Entry::for_operation::<GetUpload>(),
    Entry::for_operation::<ImportMedia>(),
    Entry::for_operation::<ListMedia>(),
    Entry::for_operation::<UpdateEventMedia>(),
    Entry::for_operation::<UpdateCarousel>(),
])
.pages(&[GET_MEDIA, package::PAGE])
.jobs(&[JobEntry::for_job::<RemoveUnused>()]);

/// The routes that are not published: the routes that only the web console uses, and the routes of
/// signed upload links. The answer of `create_upload` contains the full URL of such a link.
pub const FOR_CONSOLE: &[Entry] = &[
    get_reduced_media::PAGE,
    preview_art::PAGE,
    package::FOR_BROWSER,
    upload_link::PUT,
    upload_link::PATCH,
    upload_link::PAGE,
    upload_link::FORM,
];
