//! Requests that are refused before their body is read: the client gets the refusal, and after a
//! small body the connection stays open.

use std::time::Duration;

use domain::Role;
use pauta::server::Limits;

use super::{assert_refused_and_closed, authorized_head, body_headers, encode_chunk, run_client};
use crate::support::{Listener, Reply, TestApp, Wire, request_head, run_blocking, short_limits};

const JSON: &str = "application/json";
const FORM: &str = "multipart/form-data; boundary=xx";

/// Returns one refused request of each kind: the request head without the headers of the body, the
/// media type of the body, and the status and code of the refusal.
fn refusal_cases(lead: &str, author: &str) -> Vec<(String, &'static str, u16, &'static str)> {
    let begin = |method: &str, path: &str, token: &str| {
        let whole = authorized_head(method, path, token, "");
        whole.strip_suffix("\r\n").expect("an end").to_owned()
    };
    vec![
        (
            begin("POST", "/api/demanda", "x"),
            JSON,
            401,
            "UNAUTHENTICATED",
        ),
        (begin("POST", "/api/mcp", "x"), JSON, 401, "UNAUTHENTICATED"),
        (
            begin("POST", "/api/upload", "x"),
            FORM,
            401,
            "UNAUTHENTICATED",
        ),
        (
            begin("POST", "/api/demanda", author),
            JSON,
            403,
            "CAPABILITY_REQUIRED",
        ),
        (begin("POST", "/api/nada", lead), JSON, 404, "NOT_FOUND"),
        (
            begin("DELETE", "/api/demanda", lead),
            JSON,
            405,
            "METHOD_NOT_ALLOWED",
        ),
        (
            begin("PUT", "/api/mcp", lead),
            JSON,
            405,
            "METHOD_NOT_ALLOWED",
        ),
        (
            begin("POST", "/api/mcp", lead),
            "text/plain",
            415,
            "UNSUPPORTED_MEDIA_TYPE",
        ),
        (
            begin("POST", "/api/upload", lead),
            JSON,
            415,
            "UNSUPPORTED_MEDIA_TYPE",
        ),
    ]
}

/// Creates an app; returns it with the credentials of a lead and of an author, in this order.
async fn service_with_team() -> (TestApp, String, String) {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await.credential().to_owned();
    let author = app.as_member(Role::Criador).await.credential().to_owned();
    (app, lead, author)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_refusal_with_a_small_body_the_next_request_is_answered() {
    let (app, lead, author) = service_with_team().await;
    run_client(&app, move |address| {
        let mut wire = Wire::open(address);
        for (begin, media_type, status, code) in refusal_cases(&lead, &author) {
            for (length, pause) in [(1, 0), (10_000, 0), (60_000, 0), (500, 50)] {
                let body = "x".repeat(length);
                let known = body_headers(media_type, length);
                let chunked =
                    format!("Content-Type: {media_type}\r\nTransfer-Encoding: chunked\r\n");
                let chunks = format!("{}0\r\n\r\n", encode_chunk(&body));
                for (lines, body) in [(known, body), (chunked, chunks)] {
                    wire.send(format!("{begin}{lines}\r\n"));
                    std::thread::sleep(Duration::from_millis(pause));
                    wire.send(body);
                    let reply = wire.read_reply().expect_refusal(status, code);
                    assert!(!reply.closes_connection(), "{reply:?}");
                    wire.send(request_head("GET", "/api/health", ""));
                    assert_eq!(wire.read_reply().status, 200, "{begin}{lines}");
                }
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_sends_a_large_body_before_reading_gets_the_refusal() {
    let (app, lead, author) = service_with_team().await;
    run_client(&app, move |address| {
        let piece = "x".repeat(1 << 20);
        let chunked_piece = encode_chunk(&piece);
        for (begin, media_type, status, code) in refusal_cases(&lead, &author) {
            let known = body_headers(media_type, piece.len() * 8);
            let chunked = format!("Content-Type: {media_type}\r\nTransfer-Encoding: chunked\r\n");
            for (lines, piece) in [(known, &piece), (chunked, &chunked_piece)] {
                let mut wire = Wire::open(address);
                wire.send(format!("{begin}{lines}\r\n"));
                for _ in 0..8 {
                    wire.send(piece);
                }
                if lines.contains("chunked") {
                    wire.send("0\r\n\r\n");
                }
                let reply = wire.read_reply().expect_refusal(status, code);
                assert!(reply.closes_connection(), "{reply:?}");
                assert_eq!(wire.read_to_end(), "", "{begin}{lines}");
            }
        }
    })
    .await;
}

/// Asserts that the service refuses a body that exceeds the limit as it arrives.
fn assert_too_large(wire: &mut Wire) -> Reply {
    assert_refused_and_closed(wire, 413, "PAYLOAD_TOO_LARGE")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_refused_half_way_still_gets_its_answer() {
    let (app, lead, _) = service_with_team().await;
    run_client(&app, move |address| {
        let piece = encode_chunk(&"x".repeat(1 << 20));
        let lines = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
        for path in ["/api/demanda", "/api/mcp"] {
            let mut wire = Wire::open(address);
            wire.send(authorized_head("POST", path, &lead, lines));
            for _ in 0..40 {
                wire.send(&piece);
            }
            wire.send("0\r\n\r\n");
            assert_too_large(&mut wire);
        }
        let mut wire = Wire::open(address);
        wire.send(authorized_head(
            "POST",
            "/api/demanda",
            &lead,
            &body_headers(JSON, 5_000_000),
        ));
        wire.send("x".repeat(5_000_000));
        assert_too_large(&mut wire);
        // The parts to refuse: an unknown field, and an image of 30 MB.
        for (name, status, code) in [
            ("cor", 400, "INVALID_INPUT"),
            ("file", 413, "PAYLOAD_TOO_LARGE"),
        ] {
            let begin = format!("--xx\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
            let png = "\u{89}PNG\r\n\u{1a}\n".chars().map(|c| c as u8);
            let image: Vec<u8> = png.chain(std::iter::repeat_n(0, 30_000_000)).collect();
            let mut wire = Wire::open(address);
            let length = begin.len() + image.len() + 10;
            wire.send(authorized_head(
                "POST",
                "/api/upload",
                &lead,
                &body_headers(FORM, length),
            ));
            wire.send(begin).send(image).send("\r\n--xx--\r\n");
            assert_refused_and_closed(&mut wire, status, code);
        }
    })
    .await;
    // The answer is sent before the last uploaded file is deleted.
    let deleted = async {
        while app.stored_file_count() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let deleted = tokio::time::timeout(Duration::from_secs(30), deleted).await;
    deleted.expect("a refused upload leaves no file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_expects_100_continue_gets_the_refusal_instead() {
    let (app, lead, author) = service_with_team().await;
    run_client(&app, move |address| {
        for (begin, media_type, status, code) in refusal_cases(&lead, &author) {
            let lines = format!(
                "{}Expect: 100-continue\r\n",
                body_headers(media_type, 40_000)
            );
            let mut wire = Wire::open(address);
            wire.send(format!("{begin}{lines}\r\n"));
            assert_refused_and_closed(&mut wire, status, code);
        }
        let lines = format!("{}Expect: 100-continue\r\n", body_headers(JSON, 13));
        let mut wire = Wire::open(address);
        wire.send(authorized_head("POST", "/api/demanda", &lead, &lines));
        assert_eq!(wire.read_reply().status, 100);
        wire.send("{\"title\":\"A\"}");
        assert_eq!(wire.read_reply().status, 200);
        wire.send(request_head("GET", "/api/health", ""));
        assert_eq!(wire.read_reply().status, 200);
    })
    .await;
    assert_eq!(app.count_rows("events").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lingering_close_has_a_time_limit() {
    let (app, ..) = service_with_team().await;
    let limits = Limits {
        linger: Duration::from_secs(1),
        ..short_limits()
    };
    let listener = Listener::start(app.router.clone(), limits).await;
    let address = listener.address;
    run_blocking(move || {
        // The client has got its response, but neither sends the rest nor closes the connection.
        let mut wire = Wire::open(address);
        let begin = authorized_head("POST", "/api/demanda", "x", &body_headers(JSON, 10_000_000));
        wire.send(begin).send("x".repeat(1000));
        assert_eq!(wire.read_reply().status, 401);
        assert_eq!(wire.read_to_end(), "");
        let closed = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            wire.try_send("x").is_err()
        });
        assert!(closed);
    })
    .await;
}
