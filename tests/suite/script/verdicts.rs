//! The verdicts of a verification: one for each claim, with its passages.

use serde_json::Value;

use super::*;

const CLAIM: &str = "O frango está pronto a 74 graus.";

/// Requests a script whose verification returns these verdicts.
async fn script_with_verdicts(claims: Value) -> Value {
    let api = TextApi::new().await;
    let (_app, creator) = service_with_text_api(&api, Dialect::OpenAi).await;
    api.set_handler(move |asked| {
        let claims = claims.clone();
        async move {
            match asked.is_draft {
                true => usual_reply(&asked),
                false => Reply::from_json(json!({ "afirmacoes": claims })),
            }
        }
    });
    create_script(&creator, chicken_input()).await
}

fn verified_claim(verdict: &str, sources: &[i64]) -> Value {
    json!({ "numero": 1, "afirmacao": CLAIM, "situacao": verdict, "fontes": sources })
}

fn claim_verdicts(script: &Value) -> Vec<&str> {
    let claims = script["verificacao"].as_array().expect("a list").iter();
    claims
        .map(|claim| claim["situacao"].as_str().expect("a verdict"))
        .collect()
}

#[tokio::test]
async fn a_contradicted_claim_has_its_own_verdict_and_the_passage_that_contradicts_it() {
    let script = script_with_verdicts(json!([verified_claim("contradita", &[1])])).await;
    assert_eq!(claim_verdicts(&script), ["contradita"]);
    assert_eq!(
        (&script["verificado"], &script["verificacao_concluida"]),
        (&json!(false), &json!(true))
    );
    let claim = &script["verificacao"][0];
    assert_eq!(claim["fonte_ids"].as_array().expect("a list").len(), 1);
    let passage = &claim["trechos"][0];
    assert_eq!(passage["documento_id"], claim["fonte_ids"][0]);
    assert!(
        passage["trecho"]
            .as_str()
            .expect("text")
            .contains("74 graus")
    );
    assert!(
        passage["id"].is_string() && passage["titulo"] == "Frango",
        "{passage}"
    );
    let told = script["avisos"][0].as_str().expect("a notice");
    assert!(told.contains("contradizem"), "{told}");
}

#[tokio::test]
async fn a_script_is_verified_only_if_the_sources_support_every_claim() {
    let supported = script_with_verdicts(json!([verified_claim("sustentada", &[1])])).await;
    assert_eq!(supported["verificado"], true);
    assert!(supported.get("avisos").is_none(), "{supported}");
    for (verdict, told) in [
        ("contradita", "contradizem"),
        ("nao_sustentada", "nenhuma fonte sustenta"),
        ("incerta", "não foi possível conferir"),
    ] {
        let other =
            json!({ "numero": 0, "afirmacao": "Outra.", "situacao": verdict, "fontes": [1] });
        let script = script_with_verdicts(json!([verified_claim("sustentada", &[1]), other])).await;
        assert_eq!(claim_verdicts(&script), ["sustentada", verdict]);
        assert_eq!(script["verificado"], false, "{verdict}");
        assert_eq!(script["verificacao_concluida"], true, "{verdict}");
        let notice = script["avisos"][0].as_str().expect("a notice");
        assert!(notice.contains(told), "{notice}");
    }
}

#[tokio::test]
async fn a_verdict_needs_an_existing_source() {
    for verdict in ["sustentada", "contradita"] {
        for sources in [&[][..], &[0], &[99], &[-1]] {
            let script = script_with_verdicts(json!([verified_claim(verdict, sources)])).await;
            assert_eq!(
                claim_verdicts(&script),
                ["incerta"],
                "{verdict} {sources:?}"
            );
            assert_eq!(script["verificado"], false);
            assert_eq!(script["verificacao"][0]["trechos"], json!([]));
        }
    }
}

#[tokio::test]
async fn an_unknown_verdict_leaves_only_its_own_claim_unclear() {
    for nonsense in [
        json!("talvez"),
        json!("SUSTENTADA"),
        json!(""),
        json!(1),
        json!(null),
        json!(["sustentada"]),
    ] {
        let odd =
            json!({ "numero": 0, "afirmacao": "Outra.", "situacao": nonsense, "fontes": [1] });
        let script = script_with_verdicts(json!([verified_claim("sustentada", &[1]), odd])).await;
        assert_eq!(
            claim_verdicts(&script),
            ["sustentada", "incerta"],
            "{nonsense}"
        );
        assert_eq!(
            (&script["verificado"], &script["verificacao_concluida"]),
            (&json!(false), &json!(true))
        );
    }
}

#[tokio::test]
async fn a_claim_that_the_verification_leaves_out_is_unclear() {
    let script = script_with_verdicts(json!([])).await;
    assert_eq!(claim_verdicts(&script), ["incerta"]);
    assert_eq!(script["verificacao"][0]["afirmacao"], CLAIM);
    assert_eq!(script["verificado"], false);
    let other =
        json!({ "numero": 0, "afirmacao": "Outra.", "situacao": "sustentada", "fontes": [1] });
    let script = script_with_verdicts(json!([other])).await;
    assert_eq!(claim_verdicts(&script), ["sustentada", "incerta"]);
    assert_eq!(script["verificado"], false);
    // The verification words the claim differently but gives the same number.
    let same = json!({ "numero": 1, "afirmacao": "74 graus, e pronto.", "situacao": "sustentada", "fontes": [1] });
    let script = script_with_verdicts(json!([same])).await;
    assert_eq!(claim_verdicts(&script), ["sustentada"]);
    assert_eq!(script["verificado"], true);
}

#[tokio::test]
async fn a_script_without_claims_is_not_verified() {
    let api = TextApi::new().await;
    let (_app, creator) = service_with_text_api(&api, Dialect::Anthropic).await;
    api.set_handler(|asked| async move {
        if !asked.is_draft {
            return Reply::from_json(json!({ "afirmacoes": [] }));
        }
        let mut answer = sample_draft();
        answer["afirmacoes"] = json!([]);
        Reply::from_json(answer)
    });
    let script = create_script(&creator, chicken_input()).await;
    assert_eq!(script["verificacao"], json!([]));
    assert_eq!(
        (&script["verificado"], &script["verificacao_concluida"]),
        (&json!(false), &json!(true))
    );
}

#[tokio::test]
async fn the_instructions_list_every_verdict_and_ask_for_the_numbers_of_claims() {
    let api = TextApi::new().await;
    let (_app, creator) = service_with_text_api(&api, Dialect::OpenAi).await;
    create_script(&creator, chicken_input()).await;
    let asked = api.accepted_requests();
    for word in [
        "sustentada",
        "contradita",
        "nao_sustentada",
        "incerta",
        "numero",
    ] {
        assert!(
            asked[1].instructions.contains(&format!("`{word}`")),
            "{word}"
        );
    }
}
