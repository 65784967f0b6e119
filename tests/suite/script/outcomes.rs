//! One idempotency key causes one paid script, even if the provider's response is lost or late.

use serde_json::Value;

use super::*;
use crate::support::openai::{cut_in_half, json_response};

async fn request_with_key(client: &Client, key: &str) -> Answer {
    request_script(&client.with_idempotency_key(key), chicken_input()).await
}

#[tokio::test]
async fn a_repeated_key_gives_the_same_script_on_both_interfaces() {
    let api = TextApi::new().await;
    let (app, creator) = service_with_text_api(&api, Dialect::OpenAi).await;
    let first = request_with_key(&creator, "chave-0001").await.expect(200);
    let again = request_with_key(&creator, "chave-0001").await.expect(200);
    assert!(again.headers.contains_key("idempotency-replayed"));
    let mut input = chicken_input();
    input["idempotency_key"] = "chave-0001".into();
    let tool = creator.call_tool("generate_script", input).await;
    assert_eq!((&again.body, &tool.structured), (&first.body, &first.body));
    assert_eq!(api.accepted_requests().len(), 2);
    let other = json!({ "tema": "Pão", "formato": "post" });
    let other = request_script(&creator.with_idempotency_key("chave-0001"), other).await;
    other.expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(
        app.count_rows("audit_events WHERE action = 'generate_script'")
            .await,
        2
    );
}

/// A service whose text provider timeout is one second.
async fn service_with_short_timeout(api: &TextApi, dialect: Dialect) -> (TestApp, Client) {
    let mut settings = api.settings(dialect);
    settings.push(("PAUTA_TEXT_TIMEOUT", "1".into()));
    let app = TestApp::with_settings(settings).await;
    seed_documents(&app).await;
    let creator = app.as_member(Role::Criador).await;
    (app, creator)
}

#[tokio::test]
async fn a_late_draft_is_a_timeout_and_its_key_is_not_repeated() {
    for dialect in DIALECTS {
        let api = TextApi::new().await;
        let (_app, creator) = service_with_short_timeout(&api, dialect).await;
        api.set_handler(|_| async { Reply::Silence });
        let late = request_with_key(&creator, "chave-0001").await;
        let late = late.expect_refusal(500, "PROVIDER_TIMEOUT");
        assert!(late.text.contains("1 segundo"), "{}", late.text);
        let again = request_with_key(&creator, "chave-0001").await;
        again.expect_refusal(409, "OUTCOME_UNKNOWN");
        assert_eq!(api.accepted_requests().len(), 1);
    }
}

#[tokio::test]
async fn a_draft_that_breaks_off_is_a_timeout() {
    for dialect in DIALECTS {
        let api = TextApi::new().await;
        let (_app, creator) = service_with_text_api(&api, dialect).await;
        api.set_handler(|_| async {
            let whole = json_response(
                200,
                &json!({ "choices": [], "content": [], "id": "resposta" }),
            );
            Reply::Response(cut_in_half(whole).await)
        });
        let broken = request_with_key(&creator, "chave-0001").await;
        broken.expect_refusal(500, "PROVIDER_TIMEOUT");
    }
}

/// The reply to a verification, and a part of the expected warning.
type Failing = (fn() -> Reply, &'static str);

/// The draft was paid for, so it is returned with a warning that it was not verified.
#[tokio::test]
async fn a_script_whose_verification_fails_has_a_warning() {
    let api = TextApi::new().await;
    let (_app, creator) = service_with_short_timeout(&api, Dialect::Anthropic).await;
    let failing: [Failing; 4] = [
        (|| Reply::Silence, "não terminou a tempo"),
        (|| Reply::Refusal, "falhou"),
        (|| Reply::Text("nada".into()), "falhou"),
        (
            || Reply::from_json(json!({ "afirmacoes": [{ "afirmacao": 1 }] })),
            "falhou",
        ),
    ];
    for (reply, told) in failing {
        api.set_handler(move |asked| async move {
            match asked.is_draft {
                true => usual_reply(&asked),
                false => reply(),
            }
        });
        let script = create_script(&creator, chicken_input()).await;
        assert_eq!(script["verificado"], false);
        assert_eq!(script["verificacao_concluida"], false);
        let notice = script["avisos"][0].as_str().expect("a notice");
        assert!(notice.contains(told), "{notice}");
        let claims = script["verificacao"].as_array().expect("a list");
        assert!(!claims.is_empty());
        let uncertain = |claim: &Value| claim["situacao"] == "incerta";
        assert!(claims.iter().all(uncertain), "{claims:?}");
        assert_eq!(script["fontes"][0]["fonte"], "frango.md");
    }
}
