//! The pages of a link, without a script.

use axum::http::Method;
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::Role;
use serde_json::{Value, json};

use super::{create_link, submit_piece};
use crate::support::{Answer, Client, TestApp, encode_form, guest_secret, video_file};

/// Returns a browser whose forms come from a page of this service.
fn browser(app: &TestApp) -> Client {
    app.anonymous().with_header("sec-fetch-site", "same-origin")
}

async fn post(client: &Client, link: &str, fields: &[(&str, &str)]) -> Answer {
    let form = client.with_header("content-type", "application/x-www-form-urlencoded");
    let body = Some(encode_form(fields).into());
    form.send(Method::POST, &format!("/convidado/{link}"), body)
        .await
}

async fn status_of(client: &Client, id: &str) -> Value {
    client.load_event(id).await["status"].clone()
}

#[tokio::test]
async fn opening_a_link_decides_nothing_and_its_form_decides_once() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let first = submit_piece(&session, "Primeira", "Legenda um").await;
    let second = submit_piece(&session, "Segunda", "Legenda <b>dois</b>").await;
    let made = create_link(&session, "decidir", json!({ "pecas": [first, second] })).await;
    let link = guest_secret(&made);
    let guest = browser(&app);
    let path = format!("/convidado/{link}");
    for method in [Method::GET, Method::HEAD] {
        guest.send(method, &path, None).await.expect(200);
    }
    let page = guest.get(&path).await.expect(200);
    assert!(page.text.contains("Legenda &lt;b&gt;dois&lt;/b&gt;"));
    assert_eq!(page.headers["x-robots-tag"], "noindex");
    assert_eq!(status_of(&session, &first).await, "em aprovação");
    let fields = [
        ("acao", "aprovar"),
        ("event_id", first.as_str()),
        ("api_revision", "2"),
        ("pedido", "chave-do-formulario"),
    ];
    // A form of another site is refused.
    let foreign = app.anonymous().with_header("sec-fetch-site", "cross-site");
    assert_eq!(post(&foreign, &link, &fields).await.status, 403);
    for _ in 0..2 {
        let sent = post(&guest, &link, &fields).await.expect(303);
        let next = sent.headers["location"].to_str().expect("text");
        assert!(
            next.ends_with(&format!("?feito=aprovar#peca-{second}")),
            "{next}"
        );
    }
    assert_eq!(status_of(&session, &first).await, "aprovado");
    let stale = [
        ("acao", "pedir_ajustes"),
        ("event_id", second.as_str()),
        ("api_revision", "1"),
        ("texto", "Falta <i>sal</i>"),
        ("pedido", "outra-chave-daqui"),
    ];
    let refused = post(&guest, &link, &stale).await.expect(409);
    assert!(
        refused.text.contains("Falta &lt;i&gt;sal&lt;/i&gt;"),
        "the typed text is kept"
    );
    assert_eq!(status_of(&session, &second).await, "em aprovação");
}

#[tokio::test]
async fn a_link_that_ended_shows_a_page_without_anything_of_the_team() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(&session, "decidir", json!({ "pecas": [id] })).await;
    let link = guest_secret(&made);
    let path = format!(
        "/api/convidados/{}",
        made["link"]["id"].as_str().expect("an id")
    );
    session.delete(&path).await.expect(200);
    let guest = browser(&app);
    for link in [link.as_str(), "x", &"A".repeat(43)] {
        let page = guest.get(&format!("/convidado/{link}")).await.expect(401);
        assert!(page.text.contains("Peça outro link"), "{}", page.text);
        for hidden in ["Legenda", lead.name.as_str(), "/entrar"] {
            assert!(!page.text.contains(hidden), "{hidden}");
        }
        let fields = [
            ("acao", "aprovar"),
            ("event_id", &id),
            ("api_revision", "2"),
        ];
        assert_eq!(post(&guest, link, &fields).await.status, 401);
    }
    assert_eq!(status_of(&session, &id).await, "em aprovação");
}

#[tokio::test]
async fn the_code_opens_the_page_for_the_browser_that_gave_it() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(
        &session,
        "decidir",
        json!({ "pecas": [id], "codigo": true }),
    )
    .await;
    let (link, code) = (
        guest_secret(&made),
        made["codigo"].as_str().expect("a code"),
    );
    let guest = browser(&app);
    let path = format!("/convidado/{link}");
    let closed = guest.get(&path).await.expect(200);
    assert!(!closed.text.contains("Legenda") && closed.text.contains("Código"));
    let wrong = post(&guest, &link, &[("acao", "codigo"), ("codigo", "nada")]).await;
    assert_eq!(wrong.status, 400);
    let given = post(&guest, &link, &[("acao", "codigo"), ("codigo", code)])
        .await
        .expect(303);
    let cookie = given.headers["set-cookie"].to_str().expect("text");
    assert!(
        cookie.contains("HttpOnly") && cookie.contains(&format!("Path={path};")),
        "{cookie}"
    );
    let pair = cookie.split(';').next().expect("a pair").to_owned();
    let opened = guest
        .with_header("cookie", pair)
        .get(&path)
        .await
        .expect(200);
    assert!(opened.text.contains("Legenda"));
    assert!(!guest.get(&path).await.expect(200).text.contains("Legenda"));
}

#[tokio::test]
async fn media_are_served_while_the_link_shows_their_piece() {
    let app = TestApp::new().await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let id = session.create_demand(json!({})).await;
    let art = json!({ "event_id": id, "prompt": "Arte" });
    session.post("/api/art", art).await;
    let media = session.load_event(&id).await["media"].clone();
    let medium = media[0]["id"].as_str().expect("a medium").to_owned();
    let made = create_link(&session, "comentar", json!({ "pecas": [id] })).await;
    let link = guest_secret(&made);
    let guest = browser(&app);
    let path = format!("/convidado/{link}/midia/{medium}");
    guest.get(&path).await.expect(404);
    super::submit(&session, &id, "Legenda").await;
    let image = guest.get(&path).await.expect(200);
    assert_eq!(image.headers["content-type"], "image/jpeg");
    // The tap on the image becomes a remark at its point.
    let spot = format!("/convidado/{link}/lugar?peca={id}&midia={medium}");
    guest.get(&spot).await.expect(200);
    let tapped = guest
        .get(&format!("{spot}&ponto.x=75&ponto.y=0"))
        .await
        .expect(200);
    assert!(
        tapped.text.contains(r#"name="x" value="0.25""#),
        "{}",
        tapped.text
    );
    let revision = session.load_event(&id).await["api_revision"].to_string();
    let fields = [
        ("acao", "comentar"),
        ("event_id", id.as_str()),
        ("api_revision", &revision),
        ("texto", "Aqui"),
        ("media_id", &medium),
        ("x", "0.25"),
        ("y", "0"),
    ];
    post(&guest, &link, &fields).await.expect(303);
    let listed = session
        .get(&format!("/api/comentarios?event_id={id}"))
        .await
        .expect(200)
        .body;
    assert_eq!(listed["comentarios"][0]["ancora"]["x"], 0.25, "{listed}");
    remark_on_an_area(&guest, &link, &spot, &fields).await;
    let listed = session
        .get(&format!("/api/comentarios?event_id={id}"))
        .await
        .expect(200)
        .body;
    let remarks = listed["comentarios"].as_array().expect("remarks").iter();
    let mut places = remarks.map(|remark| &remark["ancora"]);
    let area = places.find(|place| place["largura"].is_number());
    let area = area.expect("a remark on an area");
    assert_eq!(
        (&area["x"], &area["largura"], &area["altura"]),
        (&json!(0.25), &json!(0.5), &json!(1.0)),
    );
    let path_of_link = format!(
        "/api/convidados/{}",
        made["link"]["id"].as_str().expect("an id")
    );
    session.delete(&path_of_link).await.expect(200);
    assert_eq!(guest.get(&path).await.status, 401);
}

/// Taps two opposite corners of an image, and writes a remark on the area between them.
async fn remark_on_an_area(guest: &Client, link: &str, spot: &str, fields: &[(&str, &str)]) {
    let point = guest.get(&format!("{spot}&ponto.x=225&ponto.y=0")).await;
    let corner = "canto_x=0.75&amp;canto_y=0";
    assert!(point.expect(200).text.contains(corner));
    let first = format!("{spot}&canto_x=0.75&canto_y=0");
    let asked = guest.get(&first).await.expect(200).text;
    assert!(asked.contains(r#"name="canto_x" value="0.75""#), "{asked}");
    let area = guest.get(&format!("{first}&ponto.x=75&ponto.y=9999")).await;
    let area = area.expect(200).text;
    for shown in [
        r#"name="x" value="0.25""#,
        r#"name="largura" value="0.5""#,
        "<rect x=\"25.00%\"",
    ] {
        assert!(area.contains(shown), "{shown}: {area}");
    }
    for wrong in ["canto_x=NaN&canto_y=0", "canto_x=0&canto_y=a"] {
        guest.get(&format!("{spot}&{wrong}")).await.expect(400);
    }
    let sides = [("largura", "0.5"), ("altura", "1")];
    let fields: Vec<_> = fields.iter().copied().chain(sides).collect();
    post(guest, link, &fields).await.expect(303);
}

#[tokio::test]
async fn the_form_of_a_link_offers_pieces_that_wait_for_others_too() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let (ana, bia) = (
        app.add_member(Role::Lider).await,
        app.add_member(Role::Lider).await,
    );
    let rules = json!({ "regras": [{ "nome": "Tudo",
        "etapas": [{ "nome": "Revisão", "membros": [bia.id] }] }] });
    let config = json!({ "key": "aprovacao", "value": rules });
    admin.post("/api/config", config).await.expect(200);
    let id = submit_piece(&admin, "Espera por Bia", "Legenda").await;
    for member in [&ana, &bia] {
        let pages = app.browser_client(member).await;
        let form = pages.get("/convidados").await.expect(200).text;
        let choice = format!("name=\"pecas\" value=\"{id}\"");
        assert!(form.contains(&choice), "{form}");
    }
}

#[tokio::test]
async fn a_guest_edits_and_removes_a_remark_and_quotes_the_caption_on_the_page() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = submit_piece(&session, "Peça", "Massa lisa, massa fina.").await;
    let made = create_link(&session, "comentar", json!({ "pecas": [id] })).await;
    let link = guest_secret(&made);
    let guest = browser(&app);
    let about = [("event_id", id.as_str()), ("api_revision", "2")];
    let send = async |more: &[(&str, &str)]| {
        let fields = [&about[..], more].concat();
        post(&guest, &link, &fields).await
    };
    let quote = [
        ("acao", "comentar"),
        ("texto", "Fina? Veja https://example.com/massa."),
        ("trecho", "massa fina"),
    ];
    let sent = send(&quote).await.expect(303);
    let to = sent.headers["location"].to_str().expect("text");
    assert!(to.ends_with(&format!("?feito=comentar#peca-{id}")), "{to}");
    let wrong = [
        ("acao", "comentar"),
        ("texto", "Onde?"),
        ("trecho", "massa grossa"),
    ];
    let refused = send(&wrong).await.expect(400);
    for kept in ["Onde?", "massa grossa"] {
        assert!(refused.text.contains(kept), "{kept}: {}", refused.text);
    }
    let path = format!("/api/comentarios?event_id={id}");
    let listed = session.get(&path).await.expect(200).body;
    let remark = listed["comentarios"][0].clone();
    assert_eq!(listed["comentarios"].as_array().map(Vec::len), Some(1));
    assert_eq!(remark["ancora"]["posicao"], 12, "{remark}");
    let page = guest.get(&format!("/convidado/{link}")).await.expect(200);
    let address = r#"<a href="https://example.com/massa" dir="ltr" rel="noreferrer"#;
    assert!(page.text.contains(address), "{}", page.text);
    assert!(page.text.contains("massa fina</blockquote>"));

    let own = remark["id"].as_str().expect("an id");
    let edit = [
        ("acao", "editar"),
        ("comentario", own),
        ("texto", "Fina\r\ndemais"),
    ];
    let sent = send(&edit).await.expect(303);
    let to = sent.headers["location"].to_str().expect("text");
    assert!(to.ends_with(&format!("?feito=editar#peca-{id}")), "{to}");
    let listed = session.get(&path).await.expect(200).body;
    assert_eq!(listed["comentarios"][0]["texto"], "Fina\ndemais");
    // The page has no forms for a remark of the team, and a form with the id of this remark is
    // refused.
    let remark = json!({ "texto": "Da equipe", "publico": "convidados" });
    let path_of_piece = format!("/api/eventos/{id}/comentarios");
    let foreign = session.post(&path_of_piece, remark).await.expect(200);
    let foreign = foreign.body["id"].clone();
    let foreign = foreign.as_str().expect("an id");
    let page = guest.get(&format!("/convidado/{link}")).await.expect(200);
    let forms = |of: &str| {
        let field = format!("name=\"comentario\" value=\"{of}\"");
        page.text.matches(&field).count()
    };
    assert_eq!((forms(own), forms(foreign)), (2, 0));
    for of in [foreign, "x"] {
        let remove = [("acao", "remover"), ("comentario", of)];
        let refused = send(&remove).await;
        assert!(matches!(refused.status, 400 | 404), "{}", refused.status);
    }
    let remove = [("acao", "remover"), ("comentario", own)];
    send(&remove).await.expect(303);
    let listed = session.get(&path).await.expect(200).body;
    assert_eq!(listed["comentarios"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["comentarios"][0]["texto"], "Da equipe");
}

#[tokio::test]
async fn a_guest_names_a_second_of_a_video_on_the_page() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Lider).await;
    let id = session.create_demand(json!({})).await;
    let file = STANDARD.encode(video_file(2_000));
    let upload = json!({ "event_id": id, "data": file });
    let upload = session.post("/api/media", upload).await;
    let video = upload.body["id"].as_str().expect("an id").to_owned();
    super::submit(&session, &id, "Legenda").await;
    let revision = session.load_event(&id).await["api_revision"].to_string();
    let made = create_link(&session, "comentar", json!({ "pecas": [id] })).await;
    let link = guest_secret(&made);
    let guest = browser(&app);
    let page = guest.get(&format!("/convidado/{link}")).await.expect(200);
    assert!(page.text.contains("Comentar num segundo deste vídeo"));
    let mut fields = vec![
        ("acao", "comentar"),
        ("event_id", id.as_str()),
        ("api_revision", &revision),
        ("video_id", &video),
        ("texto", "Corte aqui"),
        ("segundo", "um"),
    ];
    let refused = post(&guest, &link, &fields).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    fields[5].1 = "65,5";
    post(&guest, &link, &fields).await.expect(303);
    let path = format!("/api/comentarios?event_id={id}");
    let listed = session.get(&path).await.expect(200).body;
    assert_eq!(listed["comentarios"][0]["ancora"]["segundo"], 65.5);
    let page = guest.get(&format!("/convidado/{link}")).await.expect(200);
    assert!(page.text.contains("No vídeo da mídia 1, aos 1:05"));
}
