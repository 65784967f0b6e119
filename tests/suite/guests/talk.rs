//! The remarks that a guest sees: how many, which quoted passages, and which marked places.

use domain::{RemarkId, Role};
use serde_json::{Value, json};

use super::{
    create_link, invite, let_a_second_pass, list_pieces, post_remark, submit, submit_piece,
};
use crate::support::{Answer, Client, TestApp, guest_secret};

/// Inserts answers into a thread of guests, written by the creator of the piece.
async fn insert_answers(app: &TestApp, event: &str, thread: &str, count: usize) {
    let numbers: Vec<usize> = (1..=count).collect();
    for batch in numbers.chunks(100) {
        let rows = batch.iter().map(|number| {
            let at = app.now() + i64::try_from(*number).expect("small");
            let id = RemarkId::new(at);
            format!(
                "SELECT '{id}', id, '{thread}', created_by, 'Resposta', api_revision, {at}, TRUE
                 FROM events WHERE id = '{event}'"
            )
        });
        let rows: Vec<String> = rows.collect();
        let sql = format!(
            "INSERT INTO remarks (id, event_id, thread_id, author_id, text, read_revision,
             created_at, for_guests) {}",
            rows.join(" UNION ALL ")
        );
        app.execute_statement(&sql, []).await;
    }
}

fn texts(piece: &Value) -> Vec<&str> {
    let remarks = piece["comentarios"].as_array().expect("a list").iter();
    remarks
        .map(|one| one["texto"].as_str().expect("a text"))
        .collect()
}

fn find<'p>(pieces: &'p [Value], id: &str) -> &'p Value {
    let mut pieces = pieces.iter();
    pieces.find(|one| one["id"] == id).expect("the piece")
}

async fn open_thread(client: &Client, piece: &str, fields: Value) -> Answer {
    let mut input = json!({ "texto": "Aqui", "publico": "convidados" });
    for (field, value) in fields.as_object().expect("fields") {
        input[field] = value.clone();
    }
    let path = format!("/api/eventos/{piece}/comentarios");
    client.post(&path, input).await
}

#[tokio::test]
async fn a_long_thread_hides_no_newer_thread_and_has_a_limit_of_answers() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let long = submit_piece(&session, "Longa", "Legenda").await;
    let other = submit_piece(&session, "Outra", "Legenda").await;
    let guest = invite(&app, &session, "comentar", &[&long, &other]).await;
    let sent = post_remark(&guest, &long, "A primeira", json!({})).await;
    let thread = sent.expect(200).body["id"].clone();
    let thread = thread.as_str().expect("an id");
    insert_answers(&app, &long, thread, 499).await;
    app.advance_clock(60_000);
    // The 500th answer is the last one that a thread accepts, both from guests and from members.
    let answer = json!({ "responde_a": thread });
    post_remark(&guest, &long, "A última", answer.clone())
        .await
        .expect(200);
    let full = post_remark(&guest, &long, "Mais uma", answer).await;
    let full = full.expect_refusal(409, "TOO_MANY_REMARKS");
    assert!(!full.text.contains("list_"), "{}", full.text);
    let path = format!("/api/eventos/{long}/comentarios");
    let answer = json!({ "texto": "Mais uma", "responde_a": thread });
    let full = session.post(&path, answer).await;
    full.expect_refusal(409, "TOO_MANY_REMARKS");
    let all = list_pieces(&guest).await;
    assert_eq!(texts(find(&all, &long)).len(), 501);

    // Inserts more answers than a guest is shown. Such threads exist from the time before the limit
    // of answers.
    insert_answers(&app, &long, thread, 2_500).await;
    app.advance_clock(60_000);
    post_remark(&guest, &long, "Nova", json!({}))
        .await
        .expect(200);
    post_remark(&guest, &other, "Na outra", json!({}))
        .await
        .expect(200);
    let all = list_pieces(&guest).await;
    let (long, other) = (find(&all, &long), find(&all, &other));
    assert_eq!(texts(other), ["Na outra"]);
    assert_eq!(other.get("ha_comentarios_antigos"), None);
    let shown = texts(long);
    assert_eq!(
        (shown[0], shown[shown.len() - 1]),
        ("A primeira", "Nova"),
        "the first remark of a thread and the newest ones"
    );
    assert!(shown.len() < 1_100, "{}", shown.len());
    assert_eq!(long["ha_comentarios_antigos"], true);
}

#[tokio::test]
async fn a_quoted_draft_is_hidden_but_a_guest_sees_their_own_quotes() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = session.create_demand(json!({})).await;
    let save =
        json!({ "event_id": id, "expected_revision": 1, "caption": "Frase de rascunho. Fica." });
    session.post("/api/draft", save).await.expect(200);
    for passage in ["Frase de rascunho", "Fica"] {
        let place = json!({ "ancora": { "tipo": "legenda", "trecho": passage } });
        open_thread(&session, &id, place).await.expect(200);
        let_a_second_pass(&app);
    }
    submit(&session, &id, "Fica. Texto do cliente.").await;
    let guest = invite(&app, &session, "comentar", &[&id]).await;
    let neighbour = invite(&app, &session, "ver", &[&id]).await;
    let seen = guest.get("/api/convidado/pecas").await.expect(200);
    assert!(!seen.text.contains("rascunho"), "{}", seen.text);
    let places = |piece: &Value| {
        let remarks = piece["comentarios"].as_array().expect("a list").iter();
        remarks
            .map(|one| one["ancora"].clone())
            .collect::<Vec<Value>>()
    };
    let shown = places(&seen.body["pecas"][0]);
    assert_eq!(
        shown[0],
        json!({ "tipo": "legenda", "desatualizado": true })
    );
    assert_eq!(shown[1]["trecho"], "Fica");

    let place = json!({ "tipo": "legenda", "trecho": "Texto do cliente" });
    let fields = json!({ "ancora": place, "api_revision": 3 });
    post_remark(&guest, &id, "Bom", fields).await.expect(200);
    let_a_second_pass(&app);
    let refuse = json!({ "event_id": id, "action": "recusar", "motivo": "Outra" });
    session.post("/api/aprovar", refuse).await.expect(200);
    submit(&session, &id, "Outra frase.").await;
    let own = places(&list_pieces(&guest).await[0]);
    assert_eq!(
        (&own[2]["trecho"], &own[2]["desatualizado"]),
        (&json!("Texto do cliente"), &json!(true))
    );
    let of_others = places(&list_pieces(&neighbour).await[0]);
    let gone = json!({ "tipo": "legenda", "desatualizado": true });
    assert_eq!(of_others, [gone.clone(), gone.clone(), gone]);
}

#[tokio::test]
async fn a_quoted_briefing_is_not_shown_to_a_guest() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let demand = json!({ "title": "Peça", "description": "briefing interno" });
    let id = session.create_demand(demand).await;
    let place = json!({ "ancora": { "tipo": "legenda", "trecho": "interno" } });
    open_thread(&session, &id, place).await.expect(200);
    let input = json!({ "event_id": id, "expected_revision": 1 });
    session.post("/api/enviar", input).await.expect(200);
    let guest = invite(&app, &session, "ver", &[&id]).await;
    let seen = guest.get("/api/convidado/pecas").await.expect(200);
    assert!(!seen.text.contains("interno"), "{}", seen.text);
}

#[tokio::test]
async fn the_page_marks_the_place_of_a_remark() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let browser = app.browser_client(&lead).await;
    let id = session.create_demand(json!({})).await;
    let art = json!({ "event_id": id, "prompt": "Arte" });
    session.post("/api/art", art).await;
    let medium = session.load_event(&id).await["media"][0]["id"].clone();
    let medium = medium.as_str().expect("a medium").to_owned();
    // A remark that the form of the console sends without a point is about the whole image.
    let path = format!("/eventos/{id}/comentarios");
    let fields = [
        ("texto", "A imagem toda"),
        ("onde", medium.as_str()),
        ("publico", "convidados"),
        ("volta", "/"),
    ];
    browser.post_form(&path, &fields).await.expect(303);
    let_a_second_pass(&app);
    submit(&session, &id, "Legenda").await;
    let made = create_link(&session, "comentar", json!({ "pecas": [id] })).await;
    let page = format!("/convidado/{}", guest_secret(&made));
    let visitor = app.anonymous();
    let shown = visitor.get(&page).await.expect(200).text;
    let thread = |text: &str| {
        let threads = shown.split_once("Comentários</h3>").expect("threads").1;
        threads.split_once(text).expect("the remark").0.to_owned()
    };
    let whole = thread("A imagem toda");
    assert!(whole.contains("Na mídia 1"), "{whole}");
    assert!(!whole.contains("<circle"), "a point nobody chose: {whole}");

    let part = json!({ "tipo": "imagem", "media_id": medium, "x": 0.1, "y": 0.2, "largura": 0.3,
        "altura": 0.4 });
    open_thread(&session, &id, json!({ "ancora": part }))
        .await
        .expect(200);
    let shown = visitor.get(&page).await.expect(200).text;
    let rectangle = r#"<rect x="10.00%" y="20.00%" width="30.00%" height="40.00%""#;
    assert!(shown.contains(rectangle), "{shown}");
}

#[tokio::test]
async fn the_page_says_that_a_link_has_more_pieces_than_it_shows() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(&session, "ver", json!({ "pecas": [id] })).await;
    let link = made["link"]["id"].as_str().expect("an id").to_owned();
    for count in [50, 50, 50, 50, 50, 49] {
        let demands: Vec<Value> = (0..count).map(|_| json!({ "title": "Muitas" })).collect();
        let demands = json!({ "demandas": demands });
        session.post("/api/demandas", demands).await.expect(200);
    }
    let show = async |condition: &str| {
        let sql = format!(
            "INSERT INTO guest_link_events (link_id, event_id)
             SELECT '{link}', id FROM events WHERE {condition}"
        );
        app.execute_statement(&sql, []).await;
    };
    let submitted = "UPDATE events SET status = 'em aprovação'";
    app.execute_statement(submitted, []).await;
    show("title = 'Muitas'").await;
    let guest = app.guest_client(&made);
    let page = format!("/convidado/{}", guest_secret(&made));
    let visitor = app.anonymous();
    let all = guest.get("/api/convidado/pecas").await.expect(200).body;
    assert_eq!(all["pecas"].as_array().map(Vec::len), Some(300));
    assert_eq!(all.get("ha_mais_pecas"), None);
    let words = "Este link tem mais peças do que cabem aqui";
    let shown = visitor.get(&page).await.expect(200);
    assert!(!shown.text.contains(words));

    let one_more = submit_piece(&session, "Mais uma", "Legenda").await;
    show(&format!("id = '{one_more}'")).await;
    let all = guest.get("/api/convidado/pecas").await.expect(200).body;
    assert_eq!(all["pecas"].as_array().map(Vec::len), Some(300));
    assert_eq!(all["ha_mais_pecas"], true);
    let shown = visitor.get(&page).await.expect(200);
    assert!(shown.text.contains(words), "{}", shown.text);
}
