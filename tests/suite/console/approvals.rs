//! The inbox of approvals: its content, and decisions bound to the revision that the approver saw.

use domain::Role;
use serde_json::json;

use super::{hidden_value, visible_text};
use crate::support::{Answer, Client, TestApp};

/// Creates a service; returns it with the browser and the session of a lead.
async fn service_with_lead() -> (TestApp, Client, Client) {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&lead).await,
        app.session_client(&lead).await,
    );
    (app, browser, session)
}

/// Creates a piece and submits it; returns its id. The piece then waits for a decision at revision
/// 2.
async fn submit_piece(session: &Client, title: &str, day: i64) -> String {
    let id = session.create_demand(json!({ "title": title })).await;
    let submit = json!({
        "event_id": id, "expected_revision": 1, "caption": format!("Legenda de {title}"),
        "day": day, "month": 1, "year": 2027,
    });
    session.post("/api/enviar", submit).await.expect(200);
    id
}

async fn send_decision(browser: &Client, id: &str, fields: &[(&str, &str)]) -> Answer {
    browser
        .post_form(&format!("/aprovacoes/{id}"), fields)
        .await
}

#[tokio::test]
async fn the_inbox_shows_one_piece_at_a_time_and_moves_to_the_next() {
    let (app, browser, session) = service_with_lead().await;
    let empty = browser.get("/aprovacoes").await.expect(200);
    assert!(visible_text(&empty).contains("Tudo decidido"));
    let first = submit_piece(&session, "Primeira", 10).await;
    let second = submit_piece(&session, "Segunda", 11).await;
    let page = browser.get("/aprovacoes").await.expect(200);
    assert!(page.text.contains("Legenda de Primeira") && !page.text.contains("Legenda de Segunda"));
    assert!(visible_text(&page).contains("1 de 2"));
    assert_eq!(hidden_value(&page, "proxima"), second);
    let key = hidden_value(&page, "pedido");
    let fields = [
        ("action", "aprovar"),
        ("expected_revision", "2"),
        ("proxima", second.as_str()),
        ("pedido", key.as_str()),
    ];
    for _ in 0..2 {
        let answer = send_decision(&browser, &first, &fields).await.expect(303);
        let to = answer.headers["location"]
            .to_str()
            .expect("text")
            .to_owned();
        let page = browser.get(&to).await.expect(200);
        assert!(page.text.contains("Legenda de Segunda"), "{to}");
        assert!(visible_text(&page).contains("1 de 1"));
    }
    assert_eq!(session.load_event(&first).await["api_revision"], 3);
    let decided = browser
        .get(&format!("/aprovacoes?evento={first}"))
        .await
        .expect(200);
    assert!(visible_text(&decided).contains("Esta peça não espera mais uma decisão"));

    let author = app.add_member(Role::Criador).await;
    let author = app.browser_client(&author).await;
    let refused = author.get("/aprovacoes").await.expect(403);
    assert!(visible_text(&refused).contains("approve") && visible_text(&refused).contains("admin"));
    let fields = [("action", "aprovar"), ("expected_revision", "2")];
    send_decision(&author, &second, &fields).await.expect(403);
}

#[tokio::test]
async fn a_refusal_requires_a_reason() {
    let (_, browser, session) = service_with_lead().await;
    let id = submit_piece(&session, "Festa", 10).await;
    let fields = [
        ("action", "recusar"),
        ("expected_revision", "2"),
        ("motivo", "  "),
    ];
    let refused = send_decision(&browser, &id, &fields).await.expect(400);
    assert!(visible_text(&refused).contains("é obrigatório: diga o que precisa mudar"));
    assert_eq!(session.load_event(&id).await["status"], "em aprovação");
    let fields = [
        ("action", "recusar"),
        ("expected_revision", "2"),
        ("rapido", "Fora do tom da marca."),
        ("rapido", "Falta a chamada para a ação."),
        ("motivo", "Troque <b>tudo</b>.\r\nObrigada"),
    ];
    send_decision(&browser, &id, &fields).await.expect(303);
    let event = session
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(200)
        .body;
    assert_eq!(event["evento"]["status"], "recusado");
    assert_eq!(
        event["historico"][0]["reason"],
        "Fora do tom da marca.\nFalta a chamada para a ação.\nTroque <b>tudo</b>.\nObrigada"
    );
    let page = browser.get(&format!("/eventos/{id}")).await.expect(200);
    assert!(page.text.contains("Troque &lt;b&gt;tudo&lt;/b&gt;."));
}

#[tokio::test]
async fn a_decision_about_an_older_revision_shows_both_versions() {
    let (_, browser, session) = service_with_lead().await;
    let id = submit_piece(&session, "Festa", 10).await;
    let reopen = json!({ "expected_revision": 2 });
    session
        .post(&format!("/api/eventos/{id}/reabrir"), reopen)
        .await
        .expect(200);
    let again = json!({ "event_id": id, "expected_revision": 3, "caption": "Legenda nova" });
    session.post("/api/enviar", again).await.expect(200);
    let fields = [("action", "aprovar"), ("expected_revision", "2")];
    let conflict = send_decision(&browser, &id, &fields).await.expect(409);
    assert!(conflict.text.contains("Legenda de Festa") && conflict.text.contains("Legenda nova"));
    assert!(visible_text(&conflict).contains("Nada foi gravado"));
    assert_eq!(hidden_value(&conflict, "expected_revision"), "4");
    assert_eq!(session.load_event(&id).await["status"], "em aprovação");
    // A decision that the script sends late leads to the same comparison.
    let later = browser
        .get(&format!("/aprovacoes?evento={id}&vista=2"))
        .await
        .expect(200);
    assert!(visible_text(&later).contains("A que você viu"));

    let approve =
        json!({ "event_id": id, "action": "recusar", "motivo": "não", "expected_revision": 4 });
    session.post("/api/aprovar", approve).await.expect(200);
    let fields = [("action", "aprovar"), ("expected_revision", "4")];
    let conflict = send_decision(&browser, &id, &fields).await.expect(409);
    assert!(visible_text(&conflict).contains("Esta peça não espera mais uma decisão"));
    assert!(visible_text(&conflict).contains("recusou"));
}

#[tokio::test]
async fn changes_since_the_last_decision_or_the_last_visit_are_shown() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&lead).await,
        app.session_client(&lead).await,
    );
    let (name, value) = app.session_cookie(&lead).await;
    let id = submit_piece(&session, "Festa", 10).await;
    let having_seen = |revision: i64| {
        let cookies = format!("{name}={value}; pauta_vistas={id}:{revision}");
        app.anonymous().with_header("cookie", cookies)
    };
    let page = browser.get("/aprovacoes").await.expect(200);
    assert!(visible_text(&page).contains("É a primeira vez"));
    let refuse =
        json!({ "event_id": id, "action": "recusar", "motivo": "mude", "expected_revision": 2 });
    session.post("/api/aprovar", refuse).await.expect(200);
    let draft = json!({ "event_id": id, "expected_revision": 3, "caption": "Legenda de quase" });
    session.post("/api/draft", draft).await.expect(200);
    let again = json!({ "event_id": id, "expected_revision": 4, "caption": "Legenda de agora" });
    session.post("/api/enviar", again).await.expect(200);
    let page = browser.get("/aprovacoes").await.expect(200);
    assert!(visible_text(&page).contains("Desde a última decisão, na revisão 3"));
    assert!(
        page.text.contains("<del>Festa</del><ins>agora</ins>"),
        "{}",
        page.text
    );
    assert!(page.text.contains("mude</blockquote>"));
    assert!(!visible_text(&page).contains("novo para você"));
    // The page shows the changes since the decision, and marks each change that the viewer has not seen.
    let page = having_seen(4).get("/aprovacoes").await.expect(200);
    assert!(visible_text(&page).contains("Desde a última decisão, na revisão 3"));
    assert!(page.text.contains("<del>Festa</del><ins>agora</ins>"));
    assert_eq!(page.text.matches("novo para você").count(), 1);
    let page = having_seen(5).get("/aprovacoes").await.expect(200);
    assert!(visible_text(&page).contains("Nada mudou desde a última vez que você viu"));
    assert!(!visible_text(&page).contains("novo para você"));

    // Without a decision, the only point of comparison is the revision that the viewer saw last.
    let new = submit_piece(&session, "Outra", 11).await;
    let cookies = format!("{name}={value}; pauta_vistas={new}:1");
    let saw_first = app.anonymous().with_header("cookie", cookies);
    let page = saw_first.get(&format!("/aprovacoes?evento={new}")).await;
    let page = page.expect(200);
    assert!(visible_text(&page).contains("Desde a última vez que você viu, na revisão 1"));
}

#[tokio::test]
async fn a_replaced_image_is_shown_beside_the_new_one_under_the_last_reason() {
    let (_, browser, session) = service_with_lead().await;
    let id = session.create_demand(json!({ "title": "Festa" })).await;
    let art = async |text: &str| {
        let art = json!({ "prompt": text, "event_id": id, "size": "256x256" });
        let made = session.post("/api/art", art).await.expect(200);
        made.body["id"].as_str().expect("an id").to_owned()
    };
    let change = async |method: &str, mut fields: serde_json::Value| {
        fields["expected_revision"] = session.load_event(&id).await["api_revision"].clone();
        let path = format!("/api/eventos/{id}/media");
        match method {
            "media" => session.patch(&path, fields).await.expect(200),
            path => session.post(path, fields).await.expect(200),
        };
    };
    let old = art("Milho verde").await;
    change("/api/enviar", json!({ "event_id": id, "caption": "Festa" })).await;
    let reason = "Troque a <b>imagem</b>";
    let refuse = json!({ "event_id": id, "action": "recusar", "motivo": reason });
    change("/api/aprovar", refuse).await;
    change("media", json!({ "detach": [old] })).await;
    let new = art("Canjica doce").await;
    let alt = json!({ "alt": [{ "media_id": new, "alt": "Uma panela" }] });
    change("media", alt).await;
    change("/api/enviar", json!({ "event_id": id })).await;

    let page = browser.get("/aprovacoes").await.expect(200);
    let place = |text: &str| page.text.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("Troque a &lt;b&gt;imagem&lt;/b&gt;</blockquote>") < place("id=\"mudou\""));
    let before = place("<figcaption>Antes</figcaption>");
    let now = place("<figcaption>Agora</figcaption>");
    let shown = &page.text[before..now];
    assert!(shown.contains(&format!("src=\"/media/{old}?")), "{shown}");
    let shown = &page.text[now..];
    assert!(shown.contains(&format!("src=\"/media/{new}?")), "{shown}");
    assert!(shown.contains("alt=\"Uma panela\""), "{shown}");
}

#[tokio::test]
async fn pages_show_the_status_of_a_piece_in_its_feminine_form() {
    let (_, browser, session) = service_with_lead().await;
    let decide =
        |action: &str| json!({ "action": action, "motivo": "Mude", "expected_revision": 2 });
    for (action, badge, value) in [
        ("aprovar", ">Aprovada</span>", "aprovado"),
        ("recusar", ">Recusada</span>", "recusado"),
        ("arquivar", ">Arquivada</span>", "arquivado"),
    ] {
        let id = submit_piece(&session, "Festa", 10).await;
        if action == "arquivar" {
            let archive = json!({ "expected_revision": 2, "status": value });
            let path = format!("/api/eventos/{id}");
            session.patch(&path, archive).await.expect(200);
        } else {
            let mut fields = decide(action);
            fields["event_id"] = id.clone().into();
            session.post("/api/aprovar", fields).await.expect(200);
        }
        assert_eq!(session.load_event(&id).await["status"], value);
        for path in [format!("/eventos/{id}"), format!("/aprovacoes?evento={id}")] {
            let page = browser.get(&path).await.expect(200);
            assert!(page.text.contains(badge), "{path}: {badge}");
            let text = visible_text(&page);
            assert!(!text.to_lowercase().contains(value), "{path}: {text}");
        }
        let list = browser
            .get("/agenda?ver=lista&dia=2027-01-10&status=")
            .await;
        let text = visible_text(&list.expect(200));
        assert!(!text.to_lowercase().contains(value), "{text}");
    }
}

#[tokio::test]
async fn an_approver_adjusts_caption_and_date_while_approving() {
    let (_, browser, session) = service_with_lead().await;
    let id = submit_piece(&session, "Festa", 10).await;
    let fields = [
        ("action", "aprovar"),
        ("expected_revision", "2"),
        ("caption", "Legenda final"),
        ("data", "2027-02-01"),
        ("hora", "08:00"),
    ];
    send_decision(&browser, &id, &fields).await.expect(303);
    let event = session.load_event(&id).await;
    assert_eq!(event["status"], "aprovado");
    assert_eq!(event["description"], "Legenda final");
    assert_eq!(event["due_at"], "2027-02-01T11:00:00.000Z");
}
