//! The upper bound: an axum handler that returns the recorded bytes of a response.

use std::path::PathBuf;

use anyhow::Result;
use axum::{Router, body::Bytes, http::header::CONTENT_TYPE, routing::get};

/// Serves the bytes of the file `answer` until the process is killed.
pub async fn serve(port: u16, answer: PathBuf) -> Result<()> {
    let answer = Bytes::from(std::fs::read(answer)?);
    let handler = move || {
        let answer = answer.clone();
        async move { ([(CONTENT_TYPE, "application/json")], answer) }
    };
    let router = Router::new()
        .route("/readyz", get(|| async {}))
        .route("/api/aprovacoes", get(handler));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    Ok(axum::serve(listener, router).await?)
}
