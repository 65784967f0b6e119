//! Previews of variants on the pages of the team and of guests, and in the views of agents.

use serde_json::{Value, json};

use super::{Team, decide_variants, load_piece, put_variants, submit_piece};
use crate::support::{Client, guest_secret};

/// Creates a piece with two variants. The variant for LinkedIn has its own content; the variant for
/// Threads takes all its content from the piece. Returns the id of the piece.
async fn piece_with_variants(team: &Team) -> String {
    let id = team.create_piece("Pão quente").await;
    let stated = json!([
        { "canal": "linkedin", "legenda": "Pão na empresa: {link}", "link": "https://exemplo.test/pao",
          "primeiro_comentario": "Peça em {link}", "day": 21, "month": 8, "hour": "09:30" },
        { "canal": "threads" },
    ]);
    put_variants(&team.writer, &id, 2, stated).await.expect(200);
    id
}

async fn invite_guest(team: &Team, id: &str) -> (Client, Client, String) {
    let fields = json!({ "nome": "Bia", "contato": "bia@cliente.test", "direito": "decidir", "pecas": [id] });
    let made = team
        .lead
        .post("/api/convidados", fields)
        .await
        .expect(201)
        .body;
    let guest = team.app.guest_client(&made);
    let browser = team
        .app
        .anonymous()
        .with_header("sec-fetch-site", "same-origin");
    (
        guest,
        browser,
        format!("/convidado/{}", guest_secret(&made)),
    )
}

async fn guest_posts(guest: &Client) -> Value {
    let seen = guest.get("/api/convidado/pecas").await.expect(200).body;
    seen["pecas"][0]["variantes"].clone()
}

#[tokio::test]
async fn a_guest_sees_each_approved_post_and_no_drafts() {
    let team = Team::new().await;
    let id = piece_with_variants(&team).await;
    submit_piece(&team.writer, &id, 3).await.expect(200);
    let (guest, browser, path) = invite_guest(&team, &id).await;
    let posts = guest_posts(&guest).await;
    let link = "https://exemplo.test/pao?utm_source=linkedin&utm_medium=social";
    let text =
        |post: usize, field: &str| posts[post][field].as_str().unwrap_or_default().to_owned();
    assert!(text(0, "legenda").starts_with(&format!("Pão na empresa: {link}")));
    assert!(text(0, "primeiro_comentario").starts_with(&format!("Peça em {link}")));
    assert!(text(0, "link").starts_with(link));
    assert!(
        text(0, "due_at").ends_with("-08-21T12:30:00.000Z"),
        "{posts}"
    );
    assert_eq!(text(1, "legenda"), "Pão quente");
    assert!(
        text(1, "due_at").ends_with("-08-20T13:00:00.000Z"),
        "{posts}"
    );

    // The guest's page shows the same posts, in the layout of each network.
    let page = browser.get(&path).await.expect(200).text;
    for shown in [
        "LinkedIn",
        "Threads",
        "Pão na empresa: https://exemplo.test/pao",
        "Peça em https",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
    assert_eq!(page.matches("class=\"one-preview\" open").count(), 2);

    // A variant that changes after the approval is a draft, which guests do not see. They still see the
    // other variants.
    let decision = json!({ "event_id": id, "acao": "aprovar", "api_revision": 4 });
    guest
        .post("/api/convidado/decisao", decision)
        .await
        .expect(200);
    assert_eq!(guest_posts(&guest).await.as_array().map(Vec::len), Some(2));
    let change = json!([{ "canal": "linkedin", "legenda": "Rascunho" }]);
    put_variants(&team.writer, &id, 5, change).await.expect(200);
    let seen = guest.get("/api/convidado/pecas").await.expect(200);
    assert!(!seen.text.contains("Rascunho"), "{}", seen.text);
    assert_eq!(seen.body["pecas"][0]["variantes"][0]["canal"], "threads");
    let changing = seen.body["pecas"][0]["canais_em_ajuste"].clone();
    assert_eq!(
        changing,
        json!([{ "canal": "linkedin", "formato": "post" }])
    );
    let page = browser.get(&path).await.expect(200).text;
    assert!(page.contains("alterando o post no LinkedIn"), "{page}");

    // When all variants have changed, the page says so. It shows neither the drafts nor a preview of the
    // piece itself.
    let change = json!([{ "canal": "threads", "legenda": "Rascunho" }]);
    put_variants(&team.writer, &id, 6, change).await.expect(200);
    assert_eq!(guest_posts(&guest).await, json!([]));
    let page = browser.get(&path).await.expect(200).text;
    assert!(page.contains("data-changing"), "{page}");
    for hidden in ["Rascunho", "form-preview", "Pão quente</p>"] {
        assert!(!page.contains(hidden), "{hidden}: {page}");
    }
    let decision = json!({ "action": "aprovar" });
    decide_variants(&team.lead, &id, 7, decision)
        .await
        .expect(200);
    assert_eq!(guest_posts(&guest).await.as_array().map(Vec::len), Some(2));
    let page = browser.get(&path).await.expect(200).text;
    assert!(!page.contains("data-changing"), "{page}");
}

#[tokio::test]
async fn a_refused_piece_shows_a_guest_none_of_its_posts() {
    let team = Team::new().await;
    let id = piece_with_variants(&team).await;
    submit_piece(&team.writer, &id, 3).await.expect(200);
    let (guest, browser, path) = invite_guest(&team, &id).await;
    let refuse = json!({ "event_id": id, "action": "recusar", "motivo": "Outro tom" });
    team.lead.post("/api/aprovar", refuse).await.expect(200);
    assert_eq!(guest_posts(&guest).await, json!([]));
    let page = browser.get(&path).await.expect(200).text;
    assert!(!page.contains("Pão na empresa") && !page.contains("one-preview"));
}

#[tokio::test]
async fn the_page_and_the_inbox_preview_every_post() {
    let team = Team::new().await;
    let id = piece_with_variants(&team).await;
    let browser = team.app.browser_client(&team.lead_member).await;
    let page = browser
        .get(&format!("/eventos/{id}"))
        .await
        .expect(200)
        .text;
    assert_eq!(page.matches("class=\"one-preview\"").count(), 2);
    assert_eq!(page.matches("class=\"one-preview\" open").count(), 1);
    assert!(
        page.contains("data-channel=\"linkedin\"") && page.contains("data-channel=\"threads\"")
    );
    // Only the preview of the variant without its own caption is updated while the user types.
    assert_eq!(page.matches("<figcaption data-post").count(), 1);

    submit_piece(&team.writer, &id, 3).await.expect(200);
    let inbox = browser
        .get(&format!("/aprovacoes?evento={id}"))
        .await
        .expect(200)
        .text;
    assert_eq!(inbox.matches("class=\"one-preview\" open").count(), 2);
    assert!(inbox.contains("Peça em https://exemplo.test/pao?utm_source=linkedin"));
}

#[tokio::test]
async fn each_format_is_previewed_in_its_own_layout() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let stated = json!([{ "canal": "instagram", "formato": "story" }, { "canal": "youtube", "formato": "short", "titulo": "Só o título" }]);
    put_variants(&team.writer, &id, 2, stated).await.expect(200);
    let browser = team.app.browser_client(&team.lead_member).await;
    let page = browser
        .get(&format!("/eventos/{id}"))
        .await
        .expect(200)
        .text;
    let forms: Vec<_> = page
        .split("class=\"form-preview\" data-form=\"")
        .skip(1)
        .filter_map(|form| form.split('"').next())
        .collect();
    assert_eq!(forms, ["story", "short"]);
    assert!(page.contains("Só o título"));
}

#[tokio::test]
async fn the_view_of_an_agent_shows_one_post_at_a_time() {
    let team = Team::new().await;
    let id = piece_with_variants(&team).await;
    submit_piece(&team.writer, &id, 3).await.expect(200);
    let token = team.app.token_client(&team.lead_member).await;
    let uri = format!("ui://pauta/aprovacao/{id}");
    let read = token
        .send_rpc("resources/read", json!({ "uri": uri }))
        .await;
    let drawn = &read.body["result"]["contents"][0]["text"];
    let text = drawn.as_str().expect("text");
    assert_eq!(text.matches("class=\"context\"").count(), 2);
    assert_eq!(text.matches("class=\"context\" hidden").count(), 1);
    assert!(
        text.contains("1 de 2: LinkedIn") && text.contains("2 de 2: Threads"),
        "{text}"
    );
    assert!(text.contains("Pão na empresa: https://exemplo.test/pao"));
}

#[tokio::test]
async fn changed_channels_wait_in_the_inbox_until_they_are_approved_or_refused() {
    let team = Team::new().await;
    let id = piece_with_variants(&team).await;
    team.approve(&id, 3).await;
    let pending = async || team.lead.get("/api/aprovacoes").await.expect(200).body;
    let count = async || {
        let counted = team.lead.get("/api/espera").await.expect(200).body;
        counted["a_aprovar"].as_i64().expect("a number")
    };
    assert!(pending().await.get("canais_mudados").is_none());
    assert_eq!(count().await, 0);

    let change = json!([{ "canal": "threads", "legenda": "Outra" }]);
    put_variants(&team.writer, &id, 5, change).await.expect(200);
    let changed = pending().await["canais_mudados"].clone();
    assert_eq!(changed[0]["id"], json!(id));
    assert_eq!(changed[0]["api_revision"], 6);
    assert_eq!(changed[0]["variantes"].as_array().map(Vec::len), Some(1));
    assert_eq!(changed[0]["variantes"][0]["canal"], "threads");
    assert_eq!(count().await, 1);
    // The results of a search do not list changed channels.
    let found = team
        .lead
        .get("/api/aprovacoes?q=qualquer")
        .await
        .expect(200);
    assert!(found.body.get("canais_mudados").is_none());

    let refuse = json!({ "action": "recusar", "motivo": "Curta" });
    decide_variants(&team.lead, &id, 6, refuse)
        .await
        .expect(200);
    assert!(pending().await.get("canais_mudados").is_none());
    assert_eq!(count().await, 0);
    let variant = load_piece(&team.lead, &id).await["variantes"][1].clone();
    assert_eq!(
        (&variant["aprovada"], &variant["recusada"]),
        (&json!(false), &json!(true))
    );

    // A refused channel waits again after its correction.
    let change = json!([{ "canal": "threads", "legenda": "Outra, mais longa" }]);
    put_variants(&team.writer, &id, 7, change).await.expect(200);
    assert_eq!(count().await, 1);
    assert!(
        load_piece(&team.lead, &id).await["variantes"][1]
            .get("recusada")
            .is_none()
    );
    decide_variants(&team.lead, &id, 8, json!({ "action": "aprovar" }))
        .await
        .expect(200);
    assert_eq!(count().await, 0);
}

#[tokio::test]
async fn lists_name_the_channels_that_a_piece_goes_to() {
    let team = Team::new().await;
    let id = piece_with_variants(&team).await;
    team.create_piece("Sem canais").await;
    let listed = team.lead.get("/api/eventos").await.expect(200).body;
    let events = listed["eventos"].as_array().expect("a list").iter();
    let of = |wanted: bool| {
        let mut found = events.clone();
        found
            .find(|event| (event["id"] == json!(id)) == wanted)
            .expect("the event")
    };
    assert!(of(false).get("canais").is_none());
    let channels = &of(true)["canais"];
    assert_eq!(channels[0]["canal"], "linkedin");
    assert_eq!(channels[0]["aprovada"], false);
    assert!(
        channels[0]["due_at"]
            .as_str()
            .is_some_and(|due| due.contains("-08-21T12:30"))
    );
    assert_eq!(
        channels[1],
        json!({ "canal": "threads", "formato": "post", "aprovada": false, "publicacao": "manual" })
    );
    let browser = team.app.browser_client(&team.lead_member).await;
    let day = &of(true)["due_at"].as_str().expect("a date")[..10];
    let agenda = browser.get(&format!("/agenda?ver=dia&dia={day}")).await;
    let agenda = agenda.expect(200).text;
    assert!(agenda.contains("title=\"LinkedIn, Threads\""), "{agenda}");
}

/// Returns the URL of the first cropped image on a page, with HTML escapes resolved.
fn cropped_address(page: &str) -> String {
    let images = page
        .split("<img ")
        .skip(1)
        .map(|image| image.split('>').next());
    let mut images = images.flatten();
    let cropped = images.find(|image| image.contains("data-cropped"));
    let cropped = cropped.unwrap_or_else(|| panic!("a cropped image: {page}"));
    let (_, address) = cropped.split_once("src=\"").expect("an address");
    let address = address.split('"').next().unwrap_or_default();
    address.replace("&amp;", "&")
}

fn image_size(bytes: &[u8]) -> (u32, u32) {
    let image = image::load_from_memory(bytes).expect("an image");
    (image.width(), image.height())
}

#[tokio::test]
async fn previews_show_images_cropped_as_in_the_post() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let file = crate::publishing::jpeg_image(400, 500, 1);
    let medium = crate::publishing::upload_file(&team.writer, &file, Some(&id)).await;
    let revision = team.writer.load_event(&id).await["api_revision"].as_i64();
    let revision = revision.expect("a revision");
    let crop = json!([{ "canal": "threads", "midias": [
        { "media_id": medium, "recorte": { "proporcao": "1:1" } }] }]);
    put_variants(&team.writer, &id, revision, crop)
        .await
        .expect(200);
    submit_piece(&team.writer, &id, revision + 1)
        .await
        .expect(200);
    let browser = team.app.browser_client(&team.lead_member).await;
    for path in [format!("/eventos/{id}"), format!("/aprovacoes?evento={id}")] {
        let page = browser.get(&path).await.expect(200).text;
        let address = cropped_address(&page);
        let image = browser.get(&address).await.expect(200);
        assert_eq!(image_size(&image.bytes), (400, 400), "{path}: {address}");
        assert!(page.contains("recortada em 1:1, como vai ao ar"), "{path}");
    }

    // Guests load images from their own route, which serves only the images of their page.
    let (_, guest, path) = invite_guest(&team, &id).await;
    let page = guest.get(&path).await.expect(200).text;
    let address = cropped_address(&page);
    assert!(address.starts_with(&path), "{address}");
    let image = guest.get(&address).await.expect(200);
    assert_eq!(image_size(&image.bytes), (400, 400), "{address}");
    for (part, other) in [
        ("canal=threads", "canal=bluesky"),
        ("formato=post", "formato=story"),
        (id.as_str(), "01990000-0000-7000-8000-00000000dead"),
    ] {
        let wrong = address.replace(part, other);
        guest.get(&wrong).await.expect(404);
    }
    let decision = json!({ "event_id": id, "action": "aprovar" });
    team.lead.post("/api/aprovar", decision).await.expect(200);
    guest.get(&address).await.expect(200);
    // While the variant is a draft, guests cannot load its crop.
    let draft = json!([{ "canal": "threads", "legenda": "Rascunho" }]);
    put_variants(&team.writer, &id, revision + 3, draft)
        .await
        .expect(200);
    guest.get(&address).await.expect(404);
}
