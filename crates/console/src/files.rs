//! Forms with a file. The page that receives such a form looks up the operation in the table, checks the
//! file by the rules of the operation, and passes the file on to the operation.

use std::{fs::File, io::Read, path::Path};

use futures::future::BoxFuture;
use gateway::{
    CallInput, Error, FileField, FileType, Received, ReceivedFile, Result, Services, offload,
};
use serde_json::Value;

use crate::{area::Table, forms::keyed_input, view::View};

/// A form with a file for an operation.
pub(crate) trait Upload {
    const OPERATION: &'static str;
    /// The largest file that the operation accepts, in bytes.
    const LONGEST: u64;
}

/// Returns the file field of a form. The file field of the operation checks and stores the file.
pub(crate) const fn file_field<U: Upload>() -> FileField {
    FileField {
        name: "file",
        // `receive_file` checks type and size.
        judge: |_| {
            Ok(FileType {
                media_type: "application/octet-stream",
                limit: U::LONGEST,
            })
        },
        longest: U::LONGEST,
        receive: receive_file::<U>,
    }
}

fn receive_file<U: Upload>(
    received: ReceivedFile,
    services: &Services,
) -> BoxFuture<'_, Result<Received>> {
    Box::pin(async move {
        let operations = &services.parts.get::<Table>().registry;
        let field = operations
            .find(U::OPERATION)
            .and_then(|operation| operation.spec.file_field());
        let field =
            field.ok_or_else(|| Error::internal("the upload operation has no file field"))?;
        let path = (*received.file).as_ref().to_owned();
        let head = offload(move || read_head(&path))
            .await?
            .map_err(Error::internal)?;
        let file_type = (field.judge)(&head)?;
        if received.bytes > file_type.limit {
            let limit = usize::try_from(file_type.limit).unwrap_or(usize::MAX);
            return Err(Error::body_too_large(limit));
        }
        let mut received = received;
        received.file_type = file_type;
        (field.receive)(received, services).await
    })
}

/// Reads the first bytes of a file, which determine its type.
fn read_head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = vec![];
    let most = u64::try_from(FileField::HEAD).unwrap_or(u64::MAX);
    File::open(path)?.take(most).read_to_end(&mut head)?;
    Ok(head)
}

/// Calls an operation with these fields and the file that the page received.
pub(crate) async fn call_with_file(
    view: &View<'_>,
    operation: &str,
    form_key: Option<&str>,
    mut fields: Value,
) -> Result<Value> {
    let file = view.ctx.file()?.clone();
    // The idempotency key depends on the file too, so the same form with another file is a new call.
    fields["file"] = file.digest().into();
    let mut fields = keyed_input(form_key, fields).await?;
    fields.remove("file");
    view.call(operation, CallInput::Forwarded { fields, file })
        .await
}
