//! Reads documents for the knowledge base: the uploads of members and the files of the operator.
//!
//! The bytes of a file determine its type; its name only distinguishes the text formats. Reading
//! runs on blocking threads. A PDF is read in a process with limits of time and memory, because a
//! hostile author can make it arbitrarily expensive. Few documents are read at once, because each
//! one is completely in memory.

use std::{
    fs::File,
    io::{Read, Seek},
    path::Path,
    sync::Arc,
    time::Duration,
};

use domain::{Code, Error};
use gateway::FileType;
use ports::{PdfRefusal, ReadPdf};
use search::{Document, Prepared, prepare_for_index};
use store::knowledge::SKILL_SOURCE;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
    time::timeout,
};

/// Maximum bytes of a text file.
const LARGEST_TEXT: u64 = 5_000_000;
/// Maximum bytes of a PDF. Often most of these bytes are images.
pub const LARGEST_PDF: u64 = 50_000_000;
/// Number of leading bytes from which the type of a file is detected.
const HEAD: u64 = 1_024;
/// Maximum number of documents that are read and stored at the same time.
const AT_ONCE: usize = 2;
/// How long a document waits for its turn.
const TIMEOUT: Duration = Duration::from_secs(90);

const PDF: FileType = FileType {
    media_type: "application/pdf",
    limit: LARGEST_PDF,
};
const TEXT: FileType = FileType {
    media_type: "text/plain",
    limit: LARGEST_TEXT,
};

/// The reason why a file was not read. The message follows the name of the file, and is in Portuguese,
/// for members and for the operator.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("não é um arquivo comum")]
    NotAFile,
    #[error("não tem um formato aceito; use .md, .txt, .html ou .pdf")]
    Format,
    #[error("não é um PDF, apesar do nome")]
    NotPdf,
    #[error("é grande demais: o limite deste formato é {} MB", .0 / 1_000_000)]
    TooLarge(u64),
    #[error("não está em UTF-8; converta o texto e tente de novo")]
    NotUtf8,
    #[error("não é texto: há caracteres NUL nele")]
    Nul,
    #[error("não tem texto; um PDF digitalizado precisa antes de reconhecimento")]
    NoText,
    #[error("está protegido por senha; salve uma cópia sem senha")]
    Locked,
    #[error("está danificado ou usa um recurso que não é lido")]
    Damaged,
    #[error("tem texto demais; divida-o em partes")]
    TooLong,
    #[error("não pôde ser lido em {0} segundos")]
    TooSlow(u64),
    #[error("não pôde ser lido")]
    Failed(#[source] Error),
}

impl Unreadable {
    /// Builds the refusal of an upload. `field` is the name of its file field.
    pub(super) fn into_error(self, field: &str) -> Error {
        let rule = match self {
            Self::Failed(error) => return error,
            Self::Format | Self::NotPdf | Self::NotAFile => {
                return Error::new(Code::UNSUPPORTED_MEDIA_TYPE)
                    .because(format!("O arquivo {self}."));
            }
            Self::TooLarge(limit) => {
                return Error::new(Code::PAYLOAD_TOO_LARGE)
                    .because(format!("O arquivo passa de {limit} bytes."))
                    .with_detail("limit", limit.into());
            }
            Self::NotUtf8 | Self::Nul => "encoding",
            Self::NoText => "minLength",
            Self::Locked | Self::Damaged => "pdf",
            Self::TooLong => "maxLength",
            Self::TooSlow(_) => "timeout",
        };
        Error::invalid_field(field, rule, &self.to_string())
    }
}

impl From<std::io::Error> for Unreadable {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(Error::internal(error))
    }
}

impl From<PdfRefusal> for Unreadable {
    fn from(refusal: PdfRefusal) -> Self {
        match refusal {
            PdfRefusal::Locked => Self::Locked,
            PdfRefusal::Damaged => Self::Damaged,
            PdfRefusal::TooLong => Self::TooLong,
            PdfRefusal::TooSlow(seconds) => Self::TooSlow(seconds),
            PdfRefusal::Failed(error) => Self::Failed(error),
        }
    }
}

/// Detects the type of a file from its first bytes: a PDF, or text.
pub(super) fn detect_type(head: &[u8]) -> Result<FileType, Unreadable> {
    if head.windows(5).any(|five| five == b"%PDF-") {
        return Ok(PDF);
    }
    // Images, archives and the like have NUL bytes at their beginning.
    match head.contains(&0) {
        true => Err(Unreadable::Format),
        false => Ok(TEXT),
    }
}

/// The format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextFormat {
    Markdown,
    Plain,
    Html,
}

impl TextFormat {
    /// Detects HTML from the beginning of the text, and the other formats from the name.
    fn detect_format(name: &str, text: &str) -> Result<Self, Unreadable> {
        if is_html_page(text) {
            return Ok(Self::Html);
        }
        match file_extension(name).as_str() {
            "md" | "markdown" => Ok(Self::Markdown),
            "txt" | "text" => Ok(Self::Plain),
            "html" | "htm" => Ok(Self::Html),
            "pdf" => Err(Unreadable::NotPdf),
            _ => Err(Unreadable::Format),
        }
    }
}

/// True if a file with this name may be a document.
#[must_use]
pub fn is_document_name(name: &str) -> bool {
    let known = ["md", "markdown", "txt", "text", "html", "htm", "pdf"];
    known.contains(&file_extension(name).as_str())
}

fn file_extension(name: &str) -> String {
    let extension = Path::new(name).extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// True if the text begins like an HTML page.
fn is_html_page(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some(after) = rest.strip_prefix("<!--") {
        let Some((_, after)) = after.split_once("-->") else {
            return false;
        };
        rest = after.trim_start();
    }
    let begins = |tag: &str| {
        let start = rest.get(..tag.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(tag))
    };
    ["<!doctype html", "<html", "<head", "<body"]
        .into_iter()
        .any(begins)
}

/// Reads the documents of the knowledge base.
#[derive(Clone)]
pub struct DocumentReader {
    pdfs: Arc<dyn ReadPdf>,
    turns: Arc<Semaphore>,
}

/// A document that was read, with the permit that limits how many are read and stored at once.
/// Dropping this value releases the permit.
pub struct ReadDocument {
    pub(super) document: Prepared,
    _turn: OwnedSemaphorePermit,
}

impl ReadDocument {
    /// Returns the document and releases the permit.
    #[must_use]
    pub fn into_document(self) -> Prepared {
        self.document
    }
}

impl DocumentReader {
    #[must_use]
    pub fn new(pdfs: Arc<dyn ReadPdf>) -> Self {
        Self {
            pdfs,
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Reads, splits and stems the file at `path`. `source` is its name in citations and ends with
    /// the name of the file.
    ///
    /// If the caller disconnects, the work still runs to its end, and then drops the file.
    /// Otherwise, callers that disconnect could exceed the number of documents read at once.
    pub async fn read_document(
        &self,
        path: impl AsRef<Path> + Send + 'static,
        source: String,
    ) -> Result<ReadDocument, Unreadable> {
        let turn = timeout(TIMEOUT, self.turns.clone().acquire_owned()).await;
        let Ok(Ok(turn)) = turn else {
            return Err(Unreadable::Failed(
                Error::new(Code::RATE_LIMITED)
                    .because("Há documentos demais sendo lidos.")
                    .with_retry_after(10),
            ));
        };
        let pdfs = self.pdfs.clone();
        let reading = tokio::spawn(async move {
            let document = read_file(&*pdfs, path.as_ref(), source).await?;
            Ok(ReadDocument {
                document,
                _turn: turn,
            })
        });
        let read = reading.await;
        read.unwrap_or_else(|error| Err(Unreadable::Failed(Error::internal(error))))
    }
}

async fn read_file(
    pdfs: &dyn ReadPdf,
    path: &Path,
    source: String,
) -> Result<Prepared, Unreadable> {
    let path = path.to_owned();
    let name = source.rsplit('/').next().unwrap_or_default().to_owned();
    let opened = spawn_blocking(move || {
        // Opening a pipe would wait for its writer.
        if !path.metadata()?.is_file() {
            return Err(Unreadable::NotAFile);
        }
        let mut file = File::open(path)?;
        let mut head = vec![];
        file.by_ref().take(HEAD).read_to_end(&mut head)?;
        file.rewind()?;
        let file_type = detect_type(&head).or_else(|refusal| match is_document_name(&name) {
            // Reads the file as text, so that the error says why it is not text.
            true => Ok(TEXT),
            false => Err(refusal),
        })?;
        match file.metadata()?.len() > file_type.limit {
            true => Err(Unreadable::TooLarge(file_type.limit)),
            false => Ok((file, file_type, name)),
        }
    });
    let (file, file_type, name) = opened
        .await
        .map_err(Error::internal)
        .map_err(Unreadable::Failed)??;
    let pdf = match file_type == PDF {
        true => Some(pdfs.read_pdf(file.try_clone()?).await?),
        false => None,
    };
    let preparing = spawn_blocking(move || {
        let document = match pdf {
            Some(pdf) => Document {
                title: pdf.title,
                ..Document::from_text(&pdf.text)
            },
            None => read_text(file, &name)?,
        };
        // A document without a title gets its file name, with spaces instead of `-` and `_`.
        let stem = Path::new(&name).file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy().replace(['-', '_'], " ");
        prepare_for_index(&source, &stem, &document, None).ok_or(Unreadable::NoText)
    });
    preparing
        .await
        .map_err(Error::internal)
        .map_err(Unreadable::Failed)?
}

fn read_text(file: File, name: &str) -> Result<Document, Unreadable> {
    let mut bytes = vec![];
    file.take(LARGEST_TEXT + 1).read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| Unreadable::NotUtf8)?;
    if text.contains('\0') {
        return Err(Unreadable::Nul);
    }
    Ok(match TextFormat::detect_format(name, &text)? {
        TextFormat::Markdown => Document::from_markdown(&text),
        TextFormat::Html => Document::from_html(&text),
        TextFormat::Plain => Document::from_text(&text),
    })
}

/// Returns the source of an uploaded file: the name of the file, without folders and control characters.
/// The result is never the source of a skill.
pub(super) fn source_from_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.replace(char::is_control, " ");
    let name = name.trim();
    match name.strip_prefix(SKILL_SOURCE) {
        Some(rest) => format!("skill-{rest}"),
        None => name.to_owned(),
    }
}
