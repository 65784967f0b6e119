//! Serves the files of a variant, in the form in which they are posted, and its texts as one archive.

use std::collections::VecDeque;

use domain::{
    Capability, Error, Event, EventId, Format,
    variant::{ResolvedPost, Variant},
};
use gateway::{Access, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use ports::publishing::PAGE_SIDES;
use schemars::JsonSchema;
use serde::Deserialize;
use store::{media::storage_path, variants};

use crate::{
    media::{
        ImageReader,
        archive::{ALTS, ArchiveFile, CAPTION, FileContent, serve_archive},
        load_file,
        package_names::{file_name, to_stem},
    },
    post_file::{PostFile, load_post_file},
    visibility,
};

const COMMENT: &str = "primeiro comentário.txt";
const TITLE: &str = "título.txt";

/// Serves the files and texts of a variant as one archive.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetVariantPackage {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// O canal.
    canal: String,
    /// O formato.
    formato: Format,
}

/// Serves the archive to a member with a browser session.
pub(in crate::publishing) const FOR_BROWSER: Entry = Entry::for_page::<GetVariantPackage>(
    Spec::new(
        "console_variant_package",
        "Baixar tudo de um canal da peça",
        Verb::Get,
        "/eventos/{eventId}/canais/{canal}/{formato}/pacote.zip",
    )
    .access(Access::Browser)
    .console()
    .sends(OutputForm::Document("application/zip"))
    .fails(&[400, 403, 404, 503]),
    "Os arquivos de um canal da peça, como são postados, e os textos dele, em um zip.",
);

impl Page for GetVariantPackage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        ctx.caller()?
            .authorize(Access::Member(Capability::TasksView))?;
        let piece = visibility::require_event(ctx, &self.event_id).await?;
        let mut all = variants::list(&ctx.db(), &piece.id).await?.into_iter();
        let variant =
            all.find(|variant| variant.channel == self.canal && variant.format == self.formato);
        let variant = variant.ok_or_else(|| Error::not_found("canal nesta peça"))?;
        let stem = to_stem(&format!("{} {}", piece.title, variant.channel));
        let files = list_files(ctx, &piece, &variant, &stem).await?;
        if files.is_empty() {
            return Err(Error::not_found("arquivo ou texto neste canal"));
        }
        serve_archive(ctx, &piece, &stem, files).await
    }
}

/// Lists the files of the archive: the media of the variant in their order, then its texts.
async fn list_files(
    ctx: &Context<'_>,
    piece: &Event,
    variant: &Variant,
    stem: &str,
) -> Result<VecDeque<ArchiveFile>> {
    let post = variant.resolve(piece);
    let mut alts = vec![];
    let mut files = match variant.format {
        Format::Document => build_document(ctx, &post, stem)
            .await?
            .into_iter()
            .collect(),
        _ => list_media_files(ctx, &post, stem, &mut alts).await?,
    };
    let texts = list_texts(&post, alts.join("\n"));
    files.extend(texts.into_iter().map(|(name, text)| ArchiveFile {
        name: name.into(),
        content: FileContent::Text(text),
    }));
    Ok(files)
}

/// Lists the media of a post in their order, and adds their alternative texts to `alts`.
async fn list_media_files(
    ctx: &Context<'_>,
    post: &ResolvedPost,
    stem: &str,
    alts: &mut Vec<String>,
) -> Result<VecDeque<ArchiveFile>> {
    let mut files = VecDeque::new();
    for (number, medium) in (1..).zip(&post.media) {
        let Some(file) = load_post_file(ctx, medium).await? else {
            continue;
        };
        let (media_type, content) = match file {
            PostFile::Cropped(bytes) => ("image/jpeg".to_owned(), FileContent::Bytes(bytes)),
            PostFile::Original(stored) => {
                let content = FileContent::Stored {
                    path: storage_path(&stored.sha256),
                    length: stored.bytes.unsigned_abs(),
                };
                (stored.media_type, content)
            }
        };
        let name = file_name(number, post.media.len(), stem, &media_type);
        if let Some(alt) = &medium.alt {
            alts.push(format!("{name}\n{alt}\n"));
        }
        files.push_back(ArchiveFile { name, content });
    }
    Ok(files)
}

/// Builds the PDF whose pages are the images of a post; `None` if the post has no image.
async fn build_document(
    ctx: &Context<'_>,
    post: &ResolvedPost,
    stem: &str,
) -> Result<Option<ArchiveFile>> {
    let reader = ctx.services.parts.get::<ImageReader>();
    let mut pages = vec![];
    for medium in &post.media {
        pages.push(match load_post_file(ctx, medium).await? {
            Some(PostFile::Cropped(bytes)) => bytes,
            Some(PostFile::Original(stored)) => {
                let file = load_file(ctx.services, &stored).await?;
                let page = reader.to_jpeg(file, PAGE_SIDES.0, PAGE_SIDES.1).await?;
                page.bytes
            }
            None => continue,
        });
    }
    if pages.is_empty() {
        return Ok(None);
    }
    Ok(Some(ArchiveFile {
        name: format!("{stem}.pdf"),
        content: FileContent::Bytes(reader.join_as_pdf(pages).await?),
    }))
}

/// Returns the texts of a post that are not empty, with the names of their files.
fn list_texts(post: &ResolvedPost, alts: String) -> Vec<(&'static str, String)> {
    let texts = [
        (TITLE, post.title.clone().unwrap_or_default()),
        (CAPTION, post.caption.clone()),
        (COMMENT, post.first_comment.clone().unwrap_or_default()),
        (ALTS, alts),
    ];
    let texts = texts.into_iter();
    texts.filter(|(_, text)| !text.trim().is_empty()).collect()
}
