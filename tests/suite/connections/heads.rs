//! The parsing of request heads: line ends, `Host`, lengths, and bytes that arrive one at a time.

use super::{
    assert_refused_and_closed, authorized_head, body_headers, encode_chunk, run_client,
    run_client_as_lead,
};
use crate::support::{TestApp, Wire, request_head};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bare_line_feed_is_refused_anywhere() {
    let app = TestApp::new().await;
    run_client_as_lead(&app, |address, token| {
        let good = request_head("GET", "/api/health", "");
        let body = "{\"title\":\"A\"}";
        let known = authorized_head(
            "POST",
            "/api/demanda",
            token,
            &body_headers("application/json", body.len()),
        );
        let lines = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
        let chunked = authorized_head("POST", "/api/demanda", token, lines);
        let before = [
            (0, String::new()),
            (1, good.clone()),
            (3, good.repeat(3)),
            (1, format!("{known}{body}")),
            (1, format!("{chunked}{}0\r\n\r\n", encode_chunk(body))),
            (
                1,
                format!("{chunked}{}0\r\nX-Fim: a\r\n\r\n", encode_chunk(body)),
            ),
        ];
        for (answers, before) in before {
            for bad in [
                "GET /api/health HTTP/1.1\nHost: localhost\r\n\r\n",
                "GET /api/health HTTP/1.1\r\nHost: localhost\n\r\n",
                "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\n",
                "GET /api/health HTTP/1.1\nHost: localhost\n\n",
                "\nGET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n",
            ] {
                let mut wire = Wire::open(address);
                wire.send(format!("{before}{bad}{good}"));
                for _ in 0..answers {
                    assert_eq!(wire.read_reply().status, 200, "{before}{bad:?}");
                }
                let reply = assert_refused_and_closed(&mut wire, 400, "INVALID_INPUT");
                assert_eq!(reply.body["details"]["fields"][0]["field"], "cabeçalho");
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_has_exactly_one_host() {
    let app = TestApp::new().await;
    run_client(&app, move |address| {
        let good = request_head("GET", "/api/health", "");
        for (lines, rule) in [
            ("", "required"),
            ("Host: localhost\r\nHost: localhost\r\n", "unique"),
            ("Host: localhost\r\nX: a\r\nhost: outro\r\n", "unique"),
        ] {
            let mut wire = Wire::open(address);
            wire.send(format!("GET /api/health HTTP/1.1\r\n{lines}\r\n{good}"));
            let reply = wire.read_reply().expect_refusal(400, "INVALID_INPUT");
            assert_eq!(reply.body["details"]["fields"][0]["field"], "Host");
            assert_eq!(reply.body["details"]["fields"][0]["rule"], rule);
            assert_eq!(wire.read_reply().status, 200);
        }
        let mut wire = Wire::open(address);
        wire.send("GET /api/health HTTP/1.0\r\n\r\n");
        assert!(wire.read_to_end().starts_with("HTTP/1.0 200 "));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_malformed_head_gets_the_error_object() {
    let app = TestApp::new().await;
    run_client(&app, move |address| {
        let long = "x".repeat(70_000);
        let with = |lines: &str| request_head("POST", "/api/demanda", lines);
        for (request, status, code) in [
            ("olá\r\n\r\n".to_owned(), 400, "INVALID_INPUT"),
            ("GET  / HTTP/1.1\r\n\r\n".to_owned(), 400, "INVALID_INPUT"),
            ("GET / HTTP/3.0\r\n\r\n".to_owned(), 400, "INVALID_INPUT"),
            (
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
                400,
                "INVALID_INPUT",
            ),
            (with("Sem dois pontos\r\n"), 400, "INVALID_INPUT"),
            (with("X: a\r\n dobrado\r\n"), 400, "INVALID_INPUT"),
            (with("Content-Length: x\r\n"), 400, "INVALID_INPUT"),
            (
                with("Content-Length: 1\r\nContent-Length: 2\r\n"),
                400,
                "INVALID_INPUT",
            ),
            (
                with("Transfer-Encoding: chunked, x\r\n"),
                400,
                "INVALID_INPUT",
            ),
            (with(&format!("X: {long}\r\n")), 431, "HEADERS_TOO_LARGE"),
            (with(&"X: a\r\n".repeat(101)), 431, "HEADERS_TOO_LARGE"),
            (
                format!("GET /{long} HTTP/1.1\r\n\r\n"),
                431,
                "HEADERS_TOO_LARGE",
            ),
        ] {
            let mut wire = Wire::open(address);
            wire.send(&request);
            assert_refused_and_closed(&mut wire, status, code);
        }
        // A large head is accepted if it is below the limit.
        let mut wire = Wire::open(address);
        wire.send(request_head(
            "GET",
            "/api/health",
            &format!("X: {}\r\n", &long[..60_000]),
        ));
        assert_eq!(wire.read_reply().status, 200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_in_one_piece_or_byte_by_byte_are_answered_in_order() {
    let app = TestApp::new().await;
    run_client_as_lead(&app, |address, token| {
        let body = "{\"title\":\"A\"}";
        let lines = body_headers("application/json", body.len());
        let known = authorized_head("POST", "/api/demanda", token, &lines);
        let lines = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
        let chunked = authorized_head("POST", "/api/demanda", token, lines);
        let parts: Vec<String> = body.chars().map(|c| encode_chunk(&c.to_string())).collect();
        let requests = [
            request_head("GET", "/api/health", ""),
            format!("{known}{body}"),
            format!("\r\n{}", request_head("GET", "/nada", "")),
            format!("{chunked}{}0\r\n\r\n", parts.concat()),
            request_head("HEAD", "/api/health", ""),
            format!("{chunked}{}0;x=1\r\nX-Fim: a\r\n\r\n", encode_chunk(body)),
            authorized_head("GET", "/api/eventos", "errado", ""),
        ]
        .concat();
        for step in [1, 7, 100, requests.len()] {
            let mut wire = Wire::open(address);
            for piece in requests.as_bytes().chunks(step) {
                wire.send(piece);
            }
            let mut statuses = vec![];
            for n in 0..7 {
                if n == 4 {
                    // The response to HEAD has the `Content-Length` of a body that does not follow.
                    wire.skip_head();
                    statuses.push(200);
                } else {
                    statuses.push(wire.read_reply().status);
                }
            }
            assert_eq!(statuses, [200, 200, 404, 200, 200, 200, 401], "{step}");
        }
    })
    .await;
    assert_eq!(app.count_rows("events").await, 12);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_with_length_and_chunks_is_read_by_its_chunks_and_the_connection_closes() {
    let app = TestApp::new().await;
    run_client_as_lead(&app, |address, token| {
        let demand = encode_chunk("{\"title\":\"A\"}");
        for lines in [
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        ] {
            let lines = format!("Content-Type: application/json\r\n{lines}");
            let one = authorized_head("POST", "/api/demanda", token, &lines);
            let mut wire = Wire::open(address);
            wire.send(format!("{one}{demand}0\r\n\r\n{one}{demand}0\r\n\r\n"));
            let reply = wire.read_reply();
            assert_eq!(
                (reply.status, reply.closes_connection()),
                (200, true),
                "{reply:?}"
            );
            assert_eq!(wire.read_to_end(), "");
        }
        // Two equal `Content-Length` headers count as one.
        let lines = format!(
            "{}Content-Length: 13\r\n",
            body_headers("application/json", 13)
        );
        let mut wire = Wire::open(address);
        wire.send(authorized_head("POST", "/api/demanda", token, &lines));
        wire.send("{\"title\":\"A\"}");
        assert_eq!(wire.read_reply().status, 200);
    })
    .await;
    assert_eq!(app.count_rows("events").await, 3);
}
