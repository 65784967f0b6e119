//! Refusals by the text providers, and their invalid responses.

use axum::{
    http::{StatusCode, header},
    response::IntoResponse,
};
use domain::Role;

use super::*;
use crate::support::openai::{error_response, json_response};

/// Requests a script whose draft gets this reply; returns the refusal. Asserts that the key is free
/// again.
async fn refuse_draft(
    api: &TextApi,
    creator: &Client,
    reply: impl Fn() -> Reply + Send + Sync + 'static,
) -> Answer {
    let reply = std::sync::Arc::new(reply);
    api.set_handler(move |_| {
        let reply = reply.clone();
        async move { reply() }
    });
    let key = creator.with_idempotency_key("chave-0001");
    let first = request_script(&key, chicken_input()).await;
    let again = request_script(&key, chicken_input()).await;
    assert_eq!(
        (first.status, first.error_code()),
        (again.status, again.error_code())
    );
    first.expect_refusal(500, "PROVIDER_FAILED")
}

#[tokio::test]
async fn a_refusal_of_the_model_a_cut_text_and_no_text_are_distinguished() {
    for dialect in DIALECTS {
        let api = TextApi::new().await;
        let (_app, creator) = service_with_text_api(&api, dialect).await;
        let length = match dialect {
            Dialect::OpenAi => "length",
            Dialect::Anthropic => "max_tokens",
        };
        let half = || Reply::Cut(sample_draft().to_string()[..40].to_owned());
        let cut = refuse_draft(&api, &creator, half).await.body;
        assert_eq!(cut["details"]["provider_code"], length);
        assert!(cut["error"].as_str().expect("text").contains("cortado"));
        let refusal = refuse_draft(&api, &creator, || Reply::Refusal).await.body;
        assert_eq!(refusal["details"]["provider_code"], "refusal");
        assert!(refusal["error"].as_str().expect("text").contains("recusou"));
        let empty = refuse_draft(&api, &creator, || Reply::Empty).await.body;
        assert!(empty["error"].as_str().expect("text").contains("sem texto"));
        let blank = refuse_draft(&api, &creator, || Reply::Text(" ".into()))
            .await
            .body;
        assert!(blank["error"].as_str().expect("text").contains("sem texto"));
    }
}

#[tokio::test]
async fn a_text_that_is_not_the_requested_object_is_refused() {
    let api = TextApi::new().await;
    let (_app, creator) = service_with_text_api(&api, Dialect::OpenAi).await;
    for text in [
        "{\"titulo\": \"Fra",
        "Claro! Aqui está o roteiro.",
        "[]",
        "{}",
        "{\"titulo\": 1}",
        "{\"titulo\":\"a\",\"gancho\":\"b\",\"blocos\":[],\"cta\":\"c\"}",
        "{\"titulo\":\" \",\"gancho\":\"b\",\"blocos\":[{\"texto\":\"t\"}],\"cta\":\"c\"}",
        "{\"titulo\":\"a\",\"gancho\":\"b\",\"blocos\":[{\"texto\":\" \"}],\"cta\":\"c\"}",
    ] {
        refuse_draft(&api, &creator, move || Reply::Text(text.into())).await;
    }
    let fenced = format!("```json\n{}\n```", sample_draft());
    api.set_handler(move |asked| {
        let fenced = fenced.clone();
        async move {
            match asked.is_draft {
                true => Reply::Text(fenced),
                false => usual_reply(&asked),
            }
        }
    });
    create_script(&creator, chicken_input()).await;
}

#[tokio::test]
async fn refusals_of_the_account_say_what_to_check() {
    let api = TextApi::new().await;
    let (_app, creator) = service_with_text_api(&api, Dialect::OpenAi).await;
    let cases: [(u16, &str, &str); 6] = [
        (401, "invalid_api_key", "PAUTA_OPENAI_API_KEY"),
        (403, "permission_error", "permissões"),
        (404, "model_not_found", "PAUTA_OPENAI_TEXT_MODEL"),
        (429, "insufficient_quota", "crédito"),
        (429, "rate_limit_exceeded", "limitando"),
        (500, "server_error", "com falha"),
    ];
    for (status, code, told) in cases {
        let reply = move || Reply::Response(error_response(status, "x", code));
        let answer = refuse_draft(&api, &creator, reply).await;
        assert_eq!(answer.body["details"]["provider_code"], code);
        assert!(answer.text.contains(told), "{}", answer.text);
        assert!(!answer.text.contains("Something was wrong"));
    }
}

#[tokio::test]
async fn a_response_that_does_not_come_from_the_api_is_a_failure() {
    for dialect in DIALECTS {
        let api = TextApi::new().await;
        let (_app, creator) = service_with_text_api(&api, dialect).await;
        let page = |status: StatusCode| {
            let html = [(header::CONTENT_TYPE, "text/html")];
            (status, html, "<h1>Bad gateway</h1>").into_response()
        };
        refuse_draft(&api, &creator, move || {
            Reply::Response(page(StatusCode::OK))
        })
        .await;
        refuse_draft(&api, &creator, move || {
            Reply::Response(page(StatusCode::BAD_GATEWAY))
        })
        .await;
        let odd = || Reply::Response(json_response(200, &json!({ "choices": 1, "content": 1 })));
        refuse_draft(&api, &creator, odd).await;
    }
}

#[tokio::test]
async fn a_wrong_key_and_an_unknown_model_are_distinguished() {
    for dialect in DIALECTS {
        let api = TextApi::new().await;
        for (name, told) in [("KEY", "chave"), ("MODEL", "modelo")] {
            let mut settings = api.settings(dialect);
            let setting = settings
                .iter_mut()
                .find(|(setting, _)| setting.ends_with(name));
            let (setting, value) = setting.expect("a setting");
            *value = "sk-other".into();
            let setting = (*setting).to_owned();
            let app = TestApp::with_settings(settings).await;
            let creator = app.as_member(Role::Criador).await;
            let answer = request_script(&creator, chicken_input()).await;
            let answer = answer.expect_refusal(500, "PROVIDER_FAILED");
            assert!(
                answer.text.contains(told) && answer.text.contains(&setting),
                "{}",
                answer.text
            );
            assert!(!answer.text.contains("sk-other") && !answer.text.contains("sk-ant"));
        }
        assert!(api.accepted_requests().is_empty());
    }
}
