//! Approval stages on the pages of the console: the stages of a piece, and the decision forms for
//! members who may decide.

use domain::Role;
use serde_json::json;

use super::visible_text;
use crate::support::{Answer, TestApp};

/// Returns true if the page shows this text, regardless of the elements that divide it.
fn shows_text(page: &Answer, text: &str) -> bool {
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    squeeze(&visible_text(page)).contains(&squeeze(text))
}

#[tokio::test]
async fn the_agenda_marks_a_piece_as_waiting_only_for_members_whom_its_stage_asks() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let (ana, bia) = (
        app.add_member(Role::Lider).await,
        app.add_member(Role::Lider).await,
    );
    let session = app.session_client(&admin).await;
    let value = json!({ "regras": [{ "nome": "Tudo", "etapas": [
        { "nome": "Revisão", "membros": [ana.id] },
        { "nome": "Direção", "papel": "lider" },
    ] }] });
    let config = json!({ "key": "aprovacao", "value": value });
    session.post("/api/config", config).await.expect(200);
    let id = session
        .create_demand(json!({ "day": 25, "month": 8, "year": 2026 }))
        .await;
    let submit = json!({ "event_id": id, "expected_revision": 1 });
    session.post("/api/enviar", submit).await.expect(200);
    let waits = async |member: &domain::Member| {
        let browser = app.browser_client(member).await;
        let path = "/agenda?ver=mes&dia=2026-08-25&espera=sim";
        let page = browser.get(path).await.expect(200).text;
        page.contains(&format!("id=\"e-{id}\""))
    };
    let all = [&ana, &bia, &admin];
    assert_eq!(
        [
            waits(all[0]).await,
            waits(all[1]).await,
            waits(all[2]).await
        ],
        [true, false, false]
    );
    let approve = json!({ "event_id": id, "action": "aprovar", "expected_revision": 2 });
    let of_ana = app.session_client(&ana).await;
    of_ana.post("/api/aprovar", approve).await.expect(200);
    // The second stage asks all leads; Ana has not approved it yet.
    assert_eq!(
        [
            waits(all[0]).await,
            waits(all[1]).await,
            waits(all[2]).await
        ],
        [true, true, false]
    );
}

#[tokio::test]
async fn the_pages_show_the_stages_and_only_deciders_see_the_forms() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let (ana, bia) = (
        app.add_member(Role::Lider).await,
        app.add_member(Role::Lider).await,
    );
    let session = app.session_client(&admin).await;
    let value = json!({ "sem_autoaprovacao": true, "regras": [{ "nome": "Tudo", "etapas": [
        { "nome": "Revisão", "membros": [ana.id], "prazo_horas_uteis": 2 },
        { "nome": "Direção", "papel": "lider" },
    ] }] });
    let config = json!({ "key": "aprovacao", "value": value });
    session.post("/api/config", config).await.expect(200);
    let id = session.create_demand(json!({})).await;
    let submit = json!({ "event_id": id, "expected_revision": 1 });
    session.post("/api/enviar", submit).await.expect(200);
    let inbox = format!("/aprovacoes?evento={id}");
    let piece = format!("/eventos/{id}");
    let (ana_pages, bia_pages) = (
        app.browser_client(&ana).await,
        app.browser_client(&bia).await,
    );

    let waiting = format!("Etapa 1 de 2, “Revisão”: espera por {}.", ana.name);
    for path in [&inbox, &piece] {
        for client in [&ana_pages, &bia_pages] {
            let page = client.get(path).await.expect(200);
            assert!(
                shows_text(&page, &waiting),
                "{path}: {}",
                visible_text(&page)
            );
            assert!(shows_text(&page, "prazo seg 24 ago, 11:00"), "{path}");
            assert!(shows_text(&page, "Direção líderes"), "{path}");
        }
    }
    let forms = |text: &str| {
        ["aprovar", "recusar", "pedir_ajustes"].map(|action| {
            let field = format!("name=\"action\" value=\"{action}\"");
            text.contains(&field)
        })
    };
    let of_ana = ana_pages.get(&inbox).await.expect(200).text;
    assert_eq!(forms(&of_ana), [true; 3]);
    let of_bia = bia_pages.get(&inbox).await.expect(200);
    assert_eq!(forms(&of_bia.text), [false; 3]);
    assert!(visible_text(&of_bia).contains("Não é a sua vez"));
    // The author may refuse their own piece or ask for changes, but may not approve it.
    let author = app.browser_client(&admin).await;
    let of_author = author.get(&inbox).await.expect(200).text;
    assert_eq!(forms(&of_author), [false, true, true]);
    let decide = "Aprovar ou recusar";
    assert!(ana_pages.get(&piece).await.text.contains(decide));
    assert!(!bia_pages.get(&piece).await.text.contains(decide));
    // The first stage does not ask Bia, so the inbox of Bia is empty.
    let empty = bia_pages.get("/aprovacoes").await.expect(200);
    assert!(visible_text(&empty).contains("Tudo decidido"));

    let fields = [("action", "aprovar"), ("expected_revision", "2")];
    let form = format!("/aprovacoes/{id}");
    bia_pages.post_form(&form, &fields).await.expect(403);
    ana_pages.post_form(&form, &fields).await.expect(303);
    let page = bia_pages.get(&piece).await.expect(200);
    assert!(shows_text(
        &page,
        "Etapa 2 de 2, “Direção”: espera por líderes."
    ));
    assert!(shows_text(&page, "etapa: Revisão, depois Direção"));
    let of_bia = bia_pages.get(&inbox).await.expect(200).text;
    assert_eq!(forms(&of_bia), [true; 3]);
}

#[tokio::test]
async fn the_form_of_a_setting_shows_the_faults_of_the_rules() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let pages = app.browser_client(&admin).await;
    let form = |value: &str| {
        [
            ("chave", "aprovacao".to_owned()),
            ("tipo", "json".to_owned()),
            ("valor", value.to_owned()),
            ("versao", "0".to_owned()),
        ]
    };
    let wrong = r#"{"regras":[{"nome":"Blog","etapas":[{"nome":"Revisão"}]}]}"#;
    let refused = pages.post_form("/configuracao", &form(wrong)).await;
    let refused = visible_text(&refused.expect(400));
    assert!(refused.contains("não tem quem decida"), "{refused}");
    let right = r#"{"regras":[{"nome":"Blog","etapas":[{"nome":"Revisão","papel":"lider"}]}]}"#;
    let answer = pages.post_form("/configuracao", &form(right)).await;
    answer.expect(303);
    let page = pages.get("/configuracao/editar?chave=aprovacao").await;
    assert!(page.expect(200).text.contains("Revisão"));
}
