//! Uploads to the real binary, which is killed before the uploads end.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use domain::Role;
use pauta::app::SystemClock;
use ports::Clock;

use super::*;
use crate::support::{Server, count_files};

/// Begins an upload of `bytes` bytes and sends only `first`.
fn begin_upload(server: &Server, token: &str, bytes: usize, first: &[u8]) -> TcpStream {
    let form = "--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n";
    let length = form.len() + bytes + "\r\n--xx--\r\n".len();
    let head = format!(
        "POST /api/upload HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\nContent-Type: multipart/form-data; boundary=xx\r\n\
         Content-Length: {length}\r\n\r\n{form}"
    );
    let mut stream = TcpStream::connect(&server.address).expect("the server listens");
    stream.write_all(head.as_bytes()).expect("the server reads");
    stream.write_all(first).expect("the server reads");
    stream
}

/// Waits until an incomplete upload is on the disk.
fn wait_for_incomplete_upload(media: &Path) {
    let begun = Instant::now();
    while !media.join(".incoming").exists() || count_files(media) == 0 {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the upload did not reach the disk in time"
        );
        thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_start_deletes_the_file_of_a_killed_upload_and_keeps_that_of_a_running_one() {
    let app = TestApp::new().await;
    app.advance_clock(SystemClock.now() - app.now());
    let member = app.add_member(Role::Admin).await;
    let token = app.token_client(&member).await.credential().to_owned();
    let other = TestApp::new().await;
    let directory = tempfile::tempdir().expect("a directory");
    let temporary = directory.path().join("tmp");
    fs::create_dir(&temporary).expect("a folder");
    let media = directory.path().join("media");
    let settings = [
        ("PAUTA_STORAGE", media.display().to_string()),
        ("TMPDIR", temporary.display().to_string()),
    ];
    let start = |app: &TestApp| Server::start(app.database_url(), directory.path(), &settings);

    let mut server = start(&app);
    let mut video = b"\0\0\0\x14ftypisom\0\0\x02\0isom".to_vec();
    video.resize(50_000_000, 7);
    let _half = begin_upload(&server, &token, 100_000_000, &video);
    wait_for_incomplete_upload(&media);
    server.kill();
    assert_eq!(count_files(&media), 1);
    assert_eq!(count_files(&temporary), 0);

    let server = start(&app);
    assert_eq!(count_files(&media), 0);

    // Starts another instance during an upload.
    let image = png_image(900, 900);
    let mut upload = begin_upload(&server, &token, image.len(), &image[..image.len() / 2]);
    upload.write_all(&[]).expect("the server reads");
    let long = begin_upload(&server, &token, 100_000_000, &video[..1_000_000]);
    wait_for_incomplete_upload(&media);
    let _second = start(&other);
    let left = count_files(&media);
    assert!(left >= 1, "{left}");
    upload
        .write_all(&image[image.len() / 2..])
        .expect("the server reads");
    upload
        .write_all(b"\r\n--xx--\r\n")
        .expect("the server reads");
    let mut answer = String::new();
    upload
        .read_to_string(&mut answer)
        .expect("the server answers");
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    drop(long);
}
