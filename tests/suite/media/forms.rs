//! A form that never ends is refused as soon as its error has arrived.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use super::*;

/// Sends a form that begins with `head` and repeats `piece` up to 16 MB. Returns the response and
/// the number of pieces that the service read.
async fn send_endless_form(client: &Client, head: &str, piece: &str) -> (Answer, usize) {
    let taken = Arc::new(AtomicUsize::new(0));
    let count = taken.clone();
    let pieces = 16_000_000 / piece.len();
    let rest = std::iter::repeat_n(Bytes::from(piece.to_owned()), pieces);
    let rest = rest.inspect(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let whole = std::iter::once(Bytes::from(head.to_owned())).chain(rest);
    let body = Body::from_stream(futures::stream::iter(whole.map(Ok::<_, std::io::Error>)));
    let typed = client.with_header("content-type", "multipart/form-data; boundary=xx");
    let answer = typed.send(Method::POST, "/api/upload", Some(body)).await;
    (answer, taken.load(Ordering::Relaxed))
}

fn form_part(name: &str, value: &str) -> String {
    format!("--xx\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
}

#[tokio::test]
async fn an_unknown_field_is_refused_as_it_arrives() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let value = "x".repeat(10_000);
    let (refused, taken) =
        send_endless_form(&lead, &form_part("cor", &value), &form_part("cor", &value)).await;
    assert_eq!(refused.invalid_fields(), ["cor"]);
    assert!(taken < 10, "{taken}");
    let (refused, taken) =
        send_endless_form(&lead, &form_part("alt", "a"), &form_part("alt", &value)).await;
    assert_eq!(refused.invalid_fields(), ["alt"]);
    assert!(taken < 10, "{taken}");
    let (refused, _) = send_endless_form(&lead, &form_part("kind", &"k".repeat(16_001)), "x").await;
    assert_eq!(refused.invalid_fields(), ["kind"]);
}

#[tokio::test]
async fn an_endless_preamble_or_part_header_is_refused() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let piece = "x".repeat(10_000);
    for head in [
        "--xx\r\nContent-Disposition: ",
        "--xx\r\nX-Outro: a\r\nX-Mais: ",
        "antes de tudo",
        "--xx        ",
        "--xx\r\nContent-Disposition: form-data; name=\"alt\"\r\n\r\na\r\n--xx\r\nX: ",
    ] {
        let (refused, taken) = send_endless_form(&lead, head, &piece).await;
        assert_eq!(refused.invalid_fields(), ["corpo"], "{head:?}");
        assert!(taken < 20, "{head:?}: {taken}");
    }
    let (refused, taken) = send_endless_form(&lead, "--xx", " ").await;
    assert_eq!(refused.invalid_fields(), ["corpo"]);
    assert!(taken < 70_000, "{taken}");
    assert_eq!(app.stored_file_count(), 0);
}

#[tokio::test]
async fn a_form_that_arrives_byte_by_byte_is_read_like_any_other() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let whole = multipart_form(
        &[("alt", "Um ponto"), ("kind", "k")],
        Some(&png_image(4, 4)),
    );
    let pieces: Vec<_> = whole
        .iter()
        .map(|b| Ok::<_, std::io::Error>(vec![*b]))
        .collect();
    let body = Body::from_stream(futures::stream::iter(pieces));
    let typed = lead.with_header("content-type", "multipart/form-data; boundary=xx");
    let made = typed.send(Method::POST, "/api/upload", Some(body)).await;
    assert_eq!(made.expect(201).body["width"], 4);
}

#[tokio::test]
async fn a_query_parameter_is_refused_as_in_every_other_operation() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let event = create_demand(&lead).await;
    let typed = lead.with_header("content-type", "multipart/form-data; boundary=xx");
    let id = event.as_str().expect("an id");
    for (query, field) in [
        (format!("event_id={id}"), "event_id"),
        ("cor=1".into(), "cor"),
    ] {
        let body = Body::from(multipart_form(&[], Some(&png_image(4, 4))));
        let path = format!("/api/upload?{query}");
        let refused = typed.send(Method::POST, &path, Some(body)).await;
        assert_eq!(refused.invalid_fields(), [field]);
    }
    assert_eq!(app.count_rows("media").await, 0);
}
