//! The upper bounds: one handler streams a file from disk, the other returns bytes from memory.

use std::path::PathBuf;

use anyhow::Result;
use axum::{
    Router,
    body::{Body, Bytes},
    http::header::{CONTENT_LENGTH, CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};
use futures::stream;
use tokio::{fs::File, io::AsyncReadExt};

/// Bytes per read.
const PIECE: usize = 256 * 1024;

/// Serves `file` and `document` of the folder until the process is killed.
pub async fn serve(port: u16, folder: PathBuf) -> Result<()> {
    let document = Bytes::from(std::fs::read(folder.join("document"))?);
    let path = folder.join("file");
    let file = move || {
        let path = path.clone();
        async move { stream_file(path).await.map_err(|error| error.to_string()) }
    };
    let document = move || {
        let document = document.clone();
        async move { ([(CONTENT_TYPE, "application/json")], document) }
    };
    let router = Router::new()
        .route("/file", get(file))
        .route("/document", get(document));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    Ok(axum::serve(listener, router).await?)
}

async fn stream_file(path: PathBuf) -> std::io::Result<Response> {
    let file = File::open(path).await?;
    let length = file.metadata().await?.len();
    let pieces = stream::try_unfold(file, async |mut file| {
        let mut piece = Vec::with_capacity(PIECE);
        let read = (&mut file)
            .take(PIECE as u64)
            .read_to_end(&mut piece)
            .await?;
        std::io::Result::Ok((read > 0).then(|| (Bytes::from(piece), file)))
    });
    let headers = [
        (CONTENT_TYPE, "image/png".to_owned()),
        (CONTENT_LENGTH, length.to_string()),
    ];
    Ok((headers, Body::from_stream(pieces)).into_response())
}
