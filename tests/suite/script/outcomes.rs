//! One key pays for one script: the outcome of lost and late answers.

use serde_json::Value;

use super::*;
use crate::support::openai::{answer, cut};

async fn with_key(client: &Client, key: &str) -> Answer {
    write(&client.with_key(key), about_chicken()).await
}

#[tokio::test]
async fn a_repeated_key_gives_the_same_script_on_both_interfaces() {
    let api = TextApi::new().await;
    let (app, creator) = desk(&api, Dialect::OpenAi).await;
    let first = with_key(&creator, "chave-0001").await.expect(200);
    let again = with_key(&creator, "chave-0001").await.expect(200);
    assert!(again.headers.contains_key("idempotency-replayed"));
    let mut input = about_chicken();
    input["idempotency_key"] = "chave-0001".into();
    let tool = creator.call("generate_script", input).await;
    assert_eq!((&again.body, &tool.structured), (&first.body, &first.body));
    assert_eq!(api.asked().len(), 2);
    let other = json!({ "tema": "Pão", "formato": "post" });
    let other = write(&creator.with_key("chave-0001"), other).await;
    other.refused(409, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(
        app.count("audit_events WHERE action = 'generate_script'")
            .await,
        2
    );
}

/// A service with a timeout of one second for scripts.
async fn hasty(api: &TextApi, dialect: Dialect) -> (TestApp, Client) {
    let mut settings = api.settings(dialect);
    settings.push(("PAUTA_TEXT_TIMEOUT", "1".into()));
    let app = TestApp::with_settings(settings).await;
    seed(&app).await;
    let creator = app.as_member(Role::Criador).await;
    (app, creator)
}

#[tokio::test]
async fn a_draft_that_is_late_is_a_timeout_and_its_key_is_not_repeated() {
    for dialect in DIALECTS {
        let api = TextApi::new().await;
        let (_app, creator) = hasty(&api, dialect).await;
        api.answers(|_| async { Reply::Silence });
        let late = with_key(&creator, "chave-0001").await;
        let late = late.refused(500, "PROVIDER_TIMEOUT");
        assert!(late.text.contains("1 segundo"), "{}", late.text);
        let again = with_key(&creator, "chave-0001").await;
        again.refused(409, "OUTCOME_UNKNOWN");
        assert_eq!(api.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_draft_that_breaks_off_is_a_timeout() {
    for dialect in DIALECTS {
        let api = TextApi::new().await;
        let (_app, creator) = desk(&api, dialect).await;
        api.answers(|_| async {
            let whole = answer(
                200,
                &json!({ "choices": [], "content": [], "id": "resposta" }),
            );
            Reply::Response(cut(whole).await)
        });
        let broken = with_key(&creator, "chave-0001").await;
        broken.refused(500, "PROVIDER_TIMEOUT");
    }
}

/// The reply to a verification, and the words of the notice.
type Failing = (fn() -> Reply, &'static str);

/// The draft was paid for, so it is returned with a notice that it was not verified.
#[tokio::test]
async fn a_script_whose_verification_fails_says_so() {
    let api = TextApi::new().await;
    let (_app, creator) = hasty(&api, Dialect::Anthropic).await;
    let failing: [Failing; 4] = [
        (|| Reply::Silence, "não terminou a tempo"),
        (|| Reply::Refusal, "falhou"),
        (|| Reply::Text("nada".into()), "falhou"),
        (
            || Reply::json(json!({ "afirmacoes": [{ "afirmacao": 1 }] })),
            "falhou",
        ),
    ];
    for (reply, told) in failing {
        api.answers(move |asked| async move {
            match asked.is_draft {
                true => usual(&asked),
                false => reply(),
            }
        });
        let script = written(&creator, about_chicken()).await;
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
