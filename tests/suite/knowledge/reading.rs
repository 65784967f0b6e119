//! Limits on reading uploaded documents: expensive files, and many files at once.

use std::{
    fs::File,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use domain::Role;
use ports::{PdfRefusal, PdfText, ReadPdf};
use tokio::sync::Semaphore;
use tools::knowledge::DocumentReader;

use super::{
    pdfs::{pdf_bomb, pdf_of_pages},
    search_passages,
    uploads::{PATH, service_with_pdf_reader, upload_document},
};
use crate::support::TestApp;

#[tokio::test]
async fn an_expensive_pdf_is_stopped_at_the_limits_of_its_process() {
    let app = service_with_pdf_reader().await;
    let admin = app.as_member(Role::Admin).await;
    let bomb = pdf_bomb();
    assert!(bomb.len() < 2_000_000);
    let refused = upload_document(&admin, "bomba.pdf", &bomb)
        .await
        .expect(400);
    assert_eq!(refused.invalid_fields(), ["file"]);
    upload_document(&admin, "depois.md", "Tamarindo.")
        .await
        .expect(201);
}

#[tokio::test]
async fn a_pdf_of_ten_thousand_pages_is_read() {
    let app = service_with_pdf_reader().await;
    let admin = app.as_member(Role::Admin).await;
    let book = upload_document(&admin, "livro.pdf", pdf_of_pages(10_000)).await;
    let book = book.expect(201).body;
    assert!(book["trechos"].as_i64().expect("a number") > 100, "{book}");
    assert_eq!(
        search_passages(&admin, "\"ficha 9876\"").await["citacoes"][0]["fonte"],
        "livro.pdf"
    );
}

/// A PDF reader that waits for a permit before it reads a file.
struct SlowReader {
    permits: Semaphore,
    begun: AtomicUsize,
}

#[async_trait]
impl ReadPdf for SlowReader {
    async fn read_pdf(&self, _: File) -> Result<PdfText, PdfRefusal> {
        let number = self.begun.fetch_add(1, Ordering::SeqCst);
        let permit = self.permits.acquire().await.expect("the semaphore is open");
        permit.forget();
        Ok(PdfText {
            title: None,
            text: format!("Livro {number}."),
        })
    }
}

#[tokio::test]
async fn two_documents_are_read_at_once_and_other_requests_are_served_meanwhile() {
    let slow = Arc::new(SlowReader {
        permits: Semaphore::new(0),
        begun: AtomicUsize::new(0),
    });
    let app = TestApp::new()
        .await
        .with_part(DocumentReader::new(slow.clone()));
    let admin = app.as_member(Role::Admin).await;
    let uploads = ["a.pdf", "b.pdf", "c.pdf"].map(|name| {
        let admin = admin.clone();
        tokio::spawn(async move { upload_document(&admin, name, b"%PDF-1.7").await.status })
    });
    while slow.begun.load(Ordering::SeqCst) < 2 {
        admin.get(PATH).await.expect(200);
    }
    for _ in 0..20 {
        admin.get(PATH).await.expect(200);
    }
    assert_eq!(slow.begun.load(Ordering::SeqCst), 2);
    slow.permits.add_permits(3);
    for upload in uploads {
        assert_eq!(upload.await.expect("the upload ends"), 201);
    }
    assert_eq!(slow.begun.load(Ordering::SeqCst), 3);
}
