//! The file of an upload, read and ready to be stored.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    DOCUMENT_EXISTS, clean_tag,
    reading::{DocumentReader, LARGEST_PDF, ReadDocument, detect_type, source_from_name},
};
use domain::Error;
use gateway::{Context, FileField, Held, Received, ReceivedFile, Result, Services};
use search::Prepared;
use std::sync::Arc;
use store::knowledge::Taken;

/// The name of the file field.
const NAME: &str = "file";
/// Maximum characters of the name of a file.
const LONGEST_NAME: usize = 255;
/// Maximum characters of a tag.
const LONGEST_TAG: usize = 64;
/// Maximum number of tags of an uploaded document.
const MOST_TAGS: usize = 20;

/// The file field of an upload.
pub(super) const FIELD: FileField = FileField {
    name: NAME,
    judge: |head| detect_type(head).map_err(|refusal| refusal.into_error(NAME)),
    longest: LARGEST_PDF,
    receive: |file, services| Box::pin(read_received_file(file, services)),
};

/// Documento recebido, já lido.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the document itself is the content of the call")]
pub(super) struct ReceivedDocument {
    nome: String,
    sha256: String,
    bytes: i64,
}

async fn read_received_file(received: ReceivedFile, services: &Services) -> Result<Received> {
    let source = source_from_name(&received.name);
    if source.is_empty() {
        return Err(Error::invalid_field(
            NAME,
            "required",
            "precisa do nome do arquivo (`filename`)",
        ));
    }
    if source.chars().count() > LONGEST_NAME {
        return Err(Error::invalid_field(
            NAME,
            "maxLength",
            "tem um nome longo demais",
        ));
    }
    let value = json!({
        "nome": source, "sha256": received.sha256, "bytes": received.bytes,
    });
    let reader = services.parts.get::<DocumentReader>();
    let read = reader.read_document(Spooled(received), source).await;
    let read = read.map_err(|refusal| refusal.into_error(NAME))?;
    Ok(Received {
        value,
        content: Some(Arc::new(read)),
        held: Box::new(Nothing),
    })
}

/// Gives the path of a received file. Dropping this value deletes the file.
struct Spooled(ReceivedFile);

impl AsRef<std::path::Path> for Spooled {
    fn as_ref(&self) -> &std::path::Path {
        (*self.0.file).as_ref()
    }
}

/// Has nothing to release, because receiving a document stores no bytes; only the operation does.
struct Nothing;

#[async_trait]
impl Held for Nothing {
    async fn release(self: Box<Self>, _: &Services) {}
}

/// Returns the document of this call, with these tags; `None` keeps the current tags of the document.
pub(super) fn document_with_tags(ctx: &Context<'_>, tags: Option<Vec<String>>) -> Result<Prepared> {
    let read: &ReadDocument = ctx.file_content()?;
    Ok(Prepared {
        tags,
        ..read.document.clone()
    })
}

/// Splits tags at commas.
///
/// Refuses (400) too many tags, and a tag that is too long or has a control character.
pub(super) fn split_tags(text: &str) -> Result<Vec<String>> {
    let tags: Vec<String> = text
        .split(',')
        .map(clean_tag)
        .filter(|tag| !tag.is_empty())
        .collect();
    if tags.len() > MOST_TAGS {
        return Err(Error::invalid_field(
            "tags",
            "maxItems",
            "deve ter no máximo 20 etiquetas",
        ));
    }
    let fits = |tag: &String| tag.chars().count() <= LONGEST_TAG && !tag.contains(char::is_control);
    match tags.iter().all(fits) {
        true => Ok(tags),
        false => Err(Error::invalid_field(
            "tags",
            "maxLength",
            "cada etiqueta tem até 64 caracteres, sem caracteres de controle",
        )),
    }
}

/// Builds the error for a document whose name or text another document already has.
pub(super) fn document_exists_error(taken: &Taken, source: &str) -> Error {
    let because = match (taken.source == source, taken.same_text) {
        (true, true) => format!("A base já tem “{source}”, com este texto."),
        (true, false) => format!("A base já tem “{source}”, com outro texto."),
        (false, _) => format!("A base já tem este texto, em “{}”.", taken.source),
    };
    Error::new(DOCUMENT_EXISTS)
        .because(because)
        .with_detail("documento_id", taken.id.as_str().into())
        .with_detail("fonte", taken.source.as_str().into())
}
