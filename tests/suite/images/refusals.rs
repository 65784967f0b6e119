//! Error responses of the provider, and the errors that callers get.

use std::collections::BTreeSet;

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::Role;
use pauta::cli::log_filter;
use serde_json::json;

use super::{
    assert_nothing_left,
    double::{ImagesApi, KEY, base64_response, error_response, image_file},
    request_art, service_with_images_api, small_request,
};
use crate::support::{Log, TestApp, log_to};

/// An error response of the provider, and the expected error for the caller.
struct Case {
    answer: fn() -> Response,
    provider_code: &'static str,
    /// Words that the error message and the next step must contain.
    told: [&'static str; 2],
    retry_after: Option<&'static str>,
}

fn with_retry_after(seconds: &'static str, answer: Response) -> Response {
    ([(header::RETRY_AFTER, seconds)], answer).into_response()
}

const USER: &str = "image_generation_user_error";
const REQUEST: &str = "invalid_request_error";

const CASES: &[Case] = &[
    Case {
        answer: || error_response(400, USER, "moderation_blocked"),
        provider_code: "moderation_blocked",
        told: ["conteúdo", "Reescreva"],
        retry_after: None,
    },
    Case {
        answer: || error_response(429, "insufficient_quota", "insufficient_quota"),
        provider_code: "insufficient_quota",
        told: ["crédito", "repetir não adianta"],
        retry_after: None,
    },
    Case {
        answer: || with_retry_after("7", error_response(429, "requests", "rate_limit_exceeded")),
        provider_code: "rate_limit_exceeded",
        told: ["limitando", "Espere"],
        retry_after: Some("7"),
    },
    Case {
        answer: || error_response(401, REQUEST, "invalid_api_key"),
        provider_code: "invalid_api_key",
        told: ["não aceitou a chave", "PAUTA_OPENAI_API_KEY"],
        retry_after: None,
    },
    Case {
        answer: || error_response(403, REQUEST, "unsupported_country_region_territory"),
        provider_code: "unsupported_country_region_territory",
        told: ["não permite", "permissões"],
        retry_after: None,
    },
    Case {
        answer: || error_response(404, REQUEST, "model_not_found"),
        provider_code: "model_not_found",
        told: ["modelo", "PAUTA_OPENAI_IMAGE_MODEL"],
        retry_after: None,
    },
    Case {
        answer: || error_response(400, REQUEST, "unknown_parameter"),
        provider_code: "unknown_parameter",
        told: ["recusou o pedido", "Confira o pedido"],
        retry_after: None,
    },
    Case {
        answer: || error_response(500, "server_error", "server_error"),
        provider_code: "server_error",
        told: ["com falha", "mais tarde"],
        retry_after: None,
    },
    Case {
        answer: || {
            let page = "<html><body>502 Bad Gateway</body></html>";
            let page = ([(header::CONTENT_TYPE, "text/html")], page);
            with_retry_after("30", (StatusCode::BAD_GATEWAY, page).into_response())
        },
        provider_code: "502",
        told: ["com falha", "mais tarde"],
        retry_after: Some("30"),
    },
    // If the refusal has no code, the error names its type, or its status if the type is not safe
    // to show either.
    Case {
        answer: || {
            let body = json!({ "error": { "message": "No.", "type": USER, "code": null } });
            (StatusCode::BAD_REQUEST, body.to_string()).into_response()
        },
        provider_code: USER,
        told: ["conteúdo", "Reescreva"],
        retry_after: None,
    },
    Case {
        answer: || {
            with_retry_after(
                "logo",
                error_response(418, REQUEST, "um código\ncom <linhas>"),
            )
        },
        provider_code: "418",
        told: ["recusou o pedido", "Confira o pedido"],
        retry_after: None,
    },
    Case {
        answer: || (StatusCode::CONFLICT, r#"{"error":"só texto"}"#).into_response(),
        provider_code: "409",
        told: ["recusou o pedido", "Confira o pedido"],
        retry_after: None,
    },
    Case {
        answer: || {
            let elsewhere = [(header::LOCATION, "/v1/images/generations")];
            (StatusCode::TEMPORARY_REDIRECT, elsewhere).into_response()
        },
        provider_code: "307",
        told: ["endereço", "PAUTA_OPENAI_BASE_URL"],
        retry_after: None,
    },
];

#[tokio::test]
async fn every_refusal_is_distinguished_and_frees_the_key() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    for (number, case) in CASES.iter().enumerate() {
        let key = format!("chave-{number:04}");
        api.set_handler(|_| std::future::ready((case.answer)()));
        let refused = request_art(&lead, &key)
            .await
            .expect_refusal(500, "PROVIDER_FAILED");
        let details = &refused.body["details"];
        assert_eq!(details["provider_code"], case.provider_code);
        let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
        let told = [text(&refused.body["error"]), text(&details["next"])];
        for (told, words) in told.iter().zip(case.told) {
            assert!(told.contains(words), "{}: {told}", case.provider_code);
        }
        let wait = refused.headers.get(header::RETRY_AFTER);
        assert_eq!(wait.map(|v| v.to_str().expect("text")), case.retry_after);

        // The key is free again, so the same key over MCP gets the same error.
        let mut arguments = small_request();
        arguments["idempotency_key"] = key.as_str().into();
        let tool = lead.call_tool("generate_art", arguments).await;
        assert!(tool.is_error);
        let wait = case
            .retry_after
            .map(|seconds| format!("\"retry_after\":{seconds}"));
        let code = format!("\"provider_code\":\"{}\"", case.provider_code);
        for words in case.told.into_iter().chain([&*code]).chain(wait.as_deref()) {
            assert!(tool.text.contains(words), "{words}: {}", tool.text);
        }

        assert_eq!(api.accepted_requests().len(), 3 * number + 2);
        if number == 0 {
            assert_nothing_left(&app).await;
        }
        api.set_handler(|_| async { base64_response(&image_file(8, 8, "png")) });
        request_art(&lead, &key).await.expect(200);
        assert_eq!(api.accepted_requests().len(), 3 * number + 3);
    }
    let messages: BTreeSet<_> = CASES.iter().map(|case| case.told[0]).collect();
    assert!(messages.len() >= 8);
    let failed = "audit_events WHERE action = 'generate_art' AND outcome = 'failed'";
    let cases = i64::try_from(CASES.len()).expect("a small number");
    assert_eq!(app.count_rows(failed).await, 2 * cases);
    assert_eq!(app.count_rows("idempotency_keys").await, cases);
}

#[tokio::test]
async fn the_double_refuses_the_same_requests_as_the_api() {
    let api = ImagesApi::new().await;
    let _ = service_with_images_api(&api).await;
    let client = reqwest::Client::builder().build().expect("a client");
    let ask = async |key: &str, change: serde_json::Value| {
        let mut fields = json!({ "model": "gpt-image-2", "prompt": "x" });
        let changes = change.as_object().expect("fields");
        fields
            .as_object_mut()
            .expect("an object")
            .extend(changes.clone());
        let url = format!("{}/v1/images/generations", api.base);
        let sent = client.post(url).bearer_auth(key).json(&fields).send().await;
        let answer = sent.expect("an answer");
        let status = answer.status().as_u16();
        let body: serde_json::Value = answer.json().await.expect("JSON");
        (
            status,
            body["error"]["code"].as_str().unwrap_or("").to_owned(),
        )
    };
    for (change, status, code) in [
        (json!({}), 200, ""),
        (
            json!({ "response_format": "b64_json" }),
            400,
            "unknown_parameter",
        ),
        (json!({ "size": "512x512" }), 400, "invalid_value"),
        (json!({ "quality": "hd" }), 400, "invalid_value"),
        (json!({ "n": 0 }), 400, "invalid_value"),
        (json!({ "prompt": "" }), 400, "missing_required_parameter"),
        (json!({ "model": "dall-e-3" }), 404, "model_not_found"),
    ] {
        assert_eq!(ask(KEY, change).await, (status, code.to_owned()));
    }
    let refused = ask("sk-outra", json!({})).await;
    assert_eq!(refused, (401, "invalid_api_key".to_owned()));
    assert_eq!(api.accepted_requests().len(), 1);
}

#[tokio::test]
async fn the_key_is_shown_nowhere_even_when_the_provider_quotes_it() {
    const WRONG: &str = "sk-proj-uma-chave-que-ninguem-mais-conhece";
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(log_filter("trace"))
        .with_writer(log.clone())
        .finish();
    let api = ImagesApi::new().await;
    let mut settings = api.settings();
    settings.push(("PAUTA_OPENAI_API_KEY", WRONG.into()));
    let app = TestApp::with_settings(settings).await;
    let lead = app.as_member(Role::Lider).await;

    let guard = log_to(subscriber);
    let by_rest = request_art(&lead, "chave-0001")
        .await
        .expect_refusal(500, "PROVIDER_FAILED");
    assert_eq!(by_rest.body["details"]["provider_code"], "invalid_api_key");
    let by_mcp = lead.call_tool("generate_art", small_request()).await;
    assert!(by_mcp.text.contains("invalid_api_key"), "{}", by_mcp.text);
    api.set_handler(|_| std::future::ready(error_response(401, WRONG, WRONG)));
    let checked = app.app.gateway.services.images.check_available().await;
    let checked = format!("{:?}", checked.expect_err("the key is wrong"));
    drop(guard);

    let log = log.captured_text();
    assert!(log.lines().count() > 10, "{log}");
    for text in [by_rest.text, by_mcp.text, checked, log] {
        assert!(!text.contains(&WRONG[8..]), "{text}");
    }
    assert!(app.contains_text("PROVIDER_FAILED").await);
    assert!(!app.contains_text(WRONG).await && !app.contains_text(&WRONG[8..]).await);
}
