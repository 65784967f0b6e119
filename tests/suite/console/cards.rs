//! The page that corrects the cards of a carousel.

use domain::Role;
use serde_json::{Value, json};

use super::{filled::Filled, visible_text};
use crate::support::{Answer, Client, TestApp};

struct Deck {
    app: TestApp,
    browser: Client,
    session: Client,
    id: String,
}

const SAVE: (&str, &str) = ("acao", "salvar");
const SUBMIT: (&str, &str) = ("acao", "enviar");

impl Deck {
    /// Creates a lead with a piece that has a carousel of these texts.
    async fn new(texts: &[&str]) -> Self {
        let app = TestApp::new().await;
        let lead = app.add_member(Role::Lider).await;
        let (browser, session) = (
            app.browser_client(&lead).await,
            app.session_client(&lead).await,
        );
        let id = session.create_demand(json!({ "title": "Sopas" })).await;
        let cards: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
        let asked = json!({ "event_id": id, "cards": cards, "style": "editorial" });
        session.post("/api/carousel", asked).await.expect(200);
        Self {
            app,
            browser,
            session,
            id,
        }
    }

    fn cards_path(&self) -> String {
        format!("/eventos/{}/cards", self.id)
    }

    async fn open_editor(&self) -> Answer {
        self.browser.get(&self.cards_path()).await.expect(200)
    }

    async fn editor_form(&self) -> Filled {
        Filled::parse_form(&self.open_editor().await, "cards")
    }

    async fn media_ids(&self) -> Vec<String> {
        let media = self.session.load_event(&self.id).await["media"].clone();
        let media = media.as_array().expect("media").iter();
        media
            .map(|medium| medium["id"].as_str().expect("an id").to_owned())
            .collect()
    }

    /// Returns the original texts of the cards of the piece, in order.
    async fn source_texts(&self) -> Vec<Value> {
        let path = format!("/api/media?event_id={}", self.id);
        let listed = self.session.get(&path).await.expect(200).body;
        let listed = listed["media"].as_array().expect("media").clone();
        let media = self.media_ids().await.into_iter();
        media
            .map(|id| {
                let found = listed.iter().find(|medium| medium["id"] == *id);
                found.expect("the medium is listed")["source"]["text"].clone()
            })
            .collect()
    }

    async fn patch_event(&self, path: &str, body: Value) {
        let path = format!("/api/eventos/{}{path}", self.id);
        self.session.patch(&path, body).await.expect(200);
    }
}

fn redirect_location(answer: &Answer) -> &str {
    answer.headers["location"].to_str().expect("text")
}

#[tokio::test]
async fn the_form_opens_with_the_original_texts_style_and_order() {
    let first = "Pão <b>de</b> queijo & \"ovos\"\n\n- polvilho\n\u{202e}שלום 🧀";
    let deck = Deck::new(&[first, "Dois"]).await;
    let piece = format!("/eventos/{}", deck.id);
    let piece = deck.browser.get(&piece).await.expect(200);
    assert!(
        piece
            .text
            .contains(&format!("href=\"{}\"", deck.cards_path()))
    );
    let page = deck.open_editor().await;
    assert!(page.text.contains("Pão &lt;b&gt;de&lt;/b&gt; queijo"));
    let form = Filled::parse_form(&page, "cards");
    assert_eq!(form.field_values("texto"), [first, "Dois"]);
    assert_eq!(form.field_values("midia"), deck.media_ids().await);
    assert_eq!(form.field_values("style"), ["editorial"]);
    assert_eq!(form.field_values("expected_revision"), ["2"]);
    assert_eq!(visible_text(&page).matches("Fica como está").count(), 2);

    let same = form.submit_form(&deck.browser, SAVE).await.expect(303);
    let told = deck
        .browser
        .get(
            redirect_location(&same)
                .split('#')
                .next()
                .unwrap_or_default(),
        )
        .await;
    assert!(
        visible_text(&told.expect(200)).contains("Nenhum card precisou ser desenhado de novo.")
    );
    assert_eq!(deck.session.load_event(&deck.id).await["api_revision"], 2);
}

#[tokio::test]
async fn only_members_who_may_correct_the_piece_see_its_cards() {
    let deck = Deck::new(&["Um"]).await;
    let member = deck.app.add_member(Role::Criador).await;
    let stranger = deck.app.browser_client(&member).await;
    stranger.get(&deck.cards_path()).await.expect(404);
    let form = deck.editor_form().await;
    form.submit_form(&stranger, SAVE).await.expect(404);
    deck.app
        .anonymous()
        .get(&deck.cards_path())
        .await
        .expect(303);
    deck.session.get(&deck.cards_path()).await.expect(303);
    deck.browser
        .get("/eventos/01990000-0000-7000-8000-00000000ffff/cards")
        .await
        .expect(404);
    let empty = deck.session.create_demand(json!({})).await;
    let page = deck.browser.get(&format!("/eventos/{empty}/cards")).await;
    assert!(visible_text(&page.expect(200)).contains("Esta peça não tem cards."));
}

#[tokio::test]
async fn buttons_return_the_form_with_its_texts_and_write_nothing() {
    let deck = Deck::new(&["Um", "Dois", "Três"]).await;
    let media = deck.media_ids().await;
    let mut form = deck.editor_form().await;
    form.fill_field("texto", 1, "Dois, digitado\n\n<i>");
    let asked = async |form: &Filled, what: &str, key: &str| {
        let button = format!("{what}:{key}");
        let page = form
            .submit_form(&deck.browser, ("fazer", &button))
            .await
            .expect(200);
        Filled::parse_form(&page, "cards")
    };
    let form = asked(&form, "subir", &media[1]).await;
    assert_eq!(
        form.field_values("texto"),
        ["Dois, digitado\n\n<i>", "Um", "Três"]
    );
    let form = asked(&form, "descer", &media[0]).await;
    let form = asked(&form, "copiar", &media[1]).await;
    assert_eq!(
        form.field_values("texto"),
        [
            "Dois, digitado\n\n<i>",
            "Dois, digitado\n\n<i>",
            "Três",
            "Um"
        ]
    );
    assert_eq!(form.field_values("copia"), ["", &media[1], "", ""]);
    let form = asked(&form, "retirar", &media[2]).await;
    assert_eq!(form.field_values("retirado").len(), 1);
    assert!(form.field_values("texto").contains(&"Três"));
    let form = asked(&form, "novo", "").await;
    let form = asked(&form, "devolver", &media[2]).await;
    assert_eq!(form.field_values("retirado").len(), 0);
    let texts = form.field_values("texto");
    assert_eq!(texts[2..], ["Um", "", "Três"]);
    // The script sends this field to move a card to another place.
    let moved = format!("cards:{}::0", media[2]);
    let moved = form
        .submit_form(&deck.browser, ("mover", &moved))
        .await
        .expect(200);
    assert_eq!(
        Filled::parse_form(&moved, "cards").field_values("texto")[0],
        "Três"
    );
    assert_eq!(deck.session.load_event(&deck.id).await["api_revision"], 2);
    assert_eq!(deck.media_ids().await, media);
}

#[tokio::test]
async fn saving_draws_only_the_changed_cards_and_names_them() {
    let deck = Deck::new(&["Um", "Doiss", "Três"]).await;
    let media = deck.media_ids().await;
    let files = deck.app.stored_file_count();
    let mut form = deck.editor_form().await;
    form.fill_field("texto", 1, "Dois");
    // The same form, sent twice, makes one correction.
    for _ in 0..2 {
        let saved = form.submit_form(&deck.browser, SAVE).await.expect(303);
        let to = format!(
            "/eventos/{}?feito=update_carousel&desenhados=2&cards=3#midias",
            deck.id
        );
        assert_eq!(redirect_location(&saved), to);
    }
    let now = deck.media_ids().await;
    assert_eq!((&now[0], &now[2]), (&media[0], &media[2]));
    assert_ne!(now[1], media[1]);
    assert_eq!(deck.source_texts().await, ["Um", "Dois", "Três"]);
    assert_eq!(deck.app.stored_file_count(), files + 1);
    let written = "event_history WHERE action = 'update_carousel'";
    assert_eq!(deck.app.count_rows(written).await, 1);
    let page = format!("/eventos/{}?desenhados=2&cards=3", deck.id);
    let page = deck.browser.get(&page).await.expect(200);
    let told = "Desenhado de novo: o card 2. Os outros 2 ficaram como estavam.";
    assert!(visible_text(&page).contains(told));
    let bad = format!("/eventos/{}?desenhados=9&cards=3", deck.id);
    let page = deck.browser.get(&bad).await.expect(200);
    assert!(!visible_text(&page).contains("esenhado de novo"));
}

#[tokio::test]
async fn copies_new_cards_and_a_new_order_are_saved_as_the_form_shows_them() {
    let deck = Deck::new(&["Um", "Dois", "Três"]).await;
    let media = deck.media_ids().await;
    let mut form = deck.editor_form().await;
    for button in [
        format!("copiar:{}", media[0]),
        format!("subir:{}", media[2]),
        format!("retirar:{}", media[1]),
        "novo".into(),
    ] {
        let page = form
            .submit_form(&deck.browser, ("fazer", &button))
            .await
            .expect(200);
        form = Filled::parse_form(&page, "cards");
    }
    let at = form
        .field_values("texto")
        .iter()
        .position(|text| text.is_empty());
    form.fill_field("texto", at.expect("the new card"), "Quatro");
    form.fill_field("style", 0, "vibrante");
    form.submit_form(&deck.browser, SAVE).await.expect(303);
    assert_eq!(deck.source_texts().await, ["Um", "Um", "Três", "Quatro"]);
    let form = deck.editor_form().await;
    assert_eq!(form.field_values("style"), ["vibrante"]);
}

#[tokio::test]
async fn a_refusal_is_shown_beside_its_card_and_all_texts_stay() {
    let deck = Deck::new(&["Um", "Dois"]).await;
    let form = deck.editor_form().await;
    let script = deck.browser.with_header("hx-request", "true");
    for (text, told) in [
        ("", "O texto está em branco: escreva-o, ou retire o card."),
        (&"Linha\n".repeat(150), "O texto não cabe no card"),
        (&"é".repeat(2_001), "O texto deve ter no máximo 2000"),
    ] {
        let mut form = form.clone();
        form.fill_field("texto", 0, "Um, digitado");
        form.fill_field("texto", 1, text);
        for browser in [&deck.browser, &script] {
            let page = form.submit_form(browser, SAVE).await.expect(400);
            assert!(visible_text(&page).contains(told), "{told}: {}", page.text);
            assert!(page.text.contains("Nada foi salvo."));
            assert_eq!(
                Filled::parse_form(&page, "cards").field_values("texto"),
                ["Um, digitado", text]
            );
        }
    }
    let mut both = form.clone();
    both.fill_field("descricao", 0, "Uma mesa");
    both.fill_field("foto", 0, &deck.media_ids().await[1]);
    let page = both.submit_form(&deck.browser, SAVE).await.expect(400);
    assert!(visible_text(&page).contains("A imagem do fundo é escolhida ou descrita"));
    let mut unknown = form.clone();
    unknown.fill_field("style", 0, "barroco");
    let page = unknown.submit_form(&deck.browser, SAVE).await.expect(400);
    assert_eq!(
        Filled::parse_form(&page, "cards").field_values("texto"),
        ["Um", "Dois"]
    );
    assert_eq!(deck.session.load_event(&deck.id).await["api_revision"], 2);
}

#[tokio::test]
async fn a_carousel_has_at_most_ten_cards_and_at_least_one() {
    let deck = Deck::new(&["Um"]).await;
    let key = deck.media_ids().await[0].clone();
    let page = deck.editor_form().await;
    let page = page
        .submit_form(&deck.browser, ("fazer", &format!("retirar:{key}")))
        .await;
    let mut form = Filled::parse_form(&page.expect(200), "cards");
    assert_eq!(form.field_values("texto"), ["Um"]);
    for _ in 0..12 {
        let copy = format!("copiar:{key}");
        let page = form
            .submit_form(&deck.browser, ("fazer", &copy))
            .await
            .expect(200);
        form = Filled::parse_form(&page, "cards");
    }
    assert_eq!(form.field_values("texto"), ["Um"; 10]);
    let page = form
        .submit_form(&deck.browser, ("acao", "previa"))
        .await
        .expect(200);
    assert!(visible_text(&page).contains("Um carrossel tem até 10 cards."));
    form.submit_form(&deck.browser, SAVE).await.expect(303);
    assert_eq!(deck.media_ids().await.len(), 10);
}

#[tokio::test]
async fn a_form_whose_cards_changed_meanwhile_shows_both_versions_and_keeps_its_texts() {
    let deck = Deck::new(&["Um", "Dois"]).await;
    let media = deck.media_ids().await;
    let mut form = deck.editor_form().await;
    form.fill_field("texto", 0, "Um, meu");
    let cards = json!([{ "media_id": media[0], "text": "Um, de outra" }, { "media_id": media[1] }]);
    deck.patch_event(
        "/carousel",
        json!({ "expected_revision": 2, "cards": cards }),
    )
    .await;
    let conflict = form.submit_form(&deck.browser, SAVE).await.expect(409);
    let told = visible_text(&conflict);
    assert!(told.contains("Os cards mudaram enquanto você os corrigia."));
    assert!(told.contains("Você viu a revisão 2; agora é a 3."));
    assert_eq!(deck.source_texts().await, ["Um, de outra", "Dois"]);
    let again = Filled::parse_form(&conflict, "cards");
    assert_eq!(again.field_values("texto"), ["Um, meu", "Dois"]);
    assert_eq!(again.field_values("expected_revision"), ["3"]);
    assert_eq!(again.field_values("midia"), ["", media[1].as_str()]);
    again.submit_form(&deck.browser, SAVE).await.expect(303);
    assert_eq!(deck.source_texts().await, ["Um, meu", "Dois"]);
    assert_eq!(deck.media_ids().await[1], media[1]);
}

#[tokio::test]
async fn a_stale_form_is_saved_but_not_submitted_if_the_media_did_not_change() {
    let deck = Deck::new(&["Um", "Dois"]).await;
    let mut form = deck.editor_form().await;
    form.fill_field("texto", 0, "Uma");
    deck.patch_event(
        "",
        json!({ "expected_revision": 2, "title": "Sopas de inverno" }),
    )
    .await;
    let conflict = form.submit_form(&deck.browser, SUBMIT).await.expect(409);
    assert_eq!(
        Filled::parse_form(&conflict, "cards").field_values("texto"),
        ["Uma", "Dois"]
    );
    assert_eq!(deck.session.load_event(&deck.id).await["status"], "a fazer");
    form.submit_form(&deck.browser, SAVE).await.expect(303);
    let event = deck.session.load_event(&deck.id).await;
    assert_eq!(
        (&event["title"], &event["api_revision"]),
        (&json!("Sopas de inverno"), &json!(4))
    );
    assert_eq!(deck.source_texts().await, ["Uma", "Dois"]);
}

#[tokio::test]
async fn a_refused_piece_is_corrected_and_submitted_in_one_form() {
    let deck = Deck::new(&["Um", "Doiss"]).await;
    let submit = json!({ "event_id": deck.id, "expected_revision": 2, "caption": "Pronta" });
    deck.session.post("/api/enviar", submit).await.expect(200);
    let waiting = deck.open_editor().await;
    assert!(visible_text(&waiting).contains("Nesta situação os cards não mudam."));
    let refuse = json!({
        "event_id": deck.id, "action": "recusar", "expected_revision": 3, "motivo": "“Doiss” tem um s a mais <b>",
    });
    deck.session.post("/api/aprovar", refuse).await.expect(200);
    let page = deck.open_editor().await;
    assert!(page.text.contains("“Doiss” tem um s a mais &lt;b&gt;"));
    let mut form = Filled::parse_form(&page, "cards");
    form.fill_field("texto", 1, "Dois");
    // The same form, sent twice, makes one correction and one submission.
    for _ in 0..2 {
        let sent = form.submit_form(&deck.browser, SUBMIT).await.expect(303);
        assert!(
            redirect_location(&sent).contains("feito=submit_for_approval&desenhados=2&cards=2")
        );
    }
    let event = deck.session.load_event(&deck.id).await;
    assert_eq!(
        (&event["status"], &event["description"]),
        (&json!("em aprovação"), &json!("Pronta"))
    );
    assert_eq!(event["api_revision"], 6);
    assert_eq!(deck.source_texts().await, ["Um", "Dois"]);
    // While the piece awaits approval, a form that is still open is refused and returned with its
    // texts.
    form.fill_field("texto", 1, "Tarde");
    form.fill_field("expected_revision", 0, "6");
    let late = form.submit_form(&deck.browser, SAVE).await.expect(409);
    assert_eq!(
        Filled::parse_form(&late, "cards").field_values("texto"),
        ["Um", "Tarde"]
    );
}

#[tokio::test]
async fn other_pictures_keep_their_place_and_cards_without_a_source_are_kept() {
    let deck = Deck::new(&["Um", "Dois"]).await;
    let media = deck.media_ids().await;
    let art = json!({ "prompt": "Fundo", "event_id": deck.id, "slide_index": 1, "insert": true });
    let art = deck.session.post("/api/art", art).await.expect(200).body;
    let art = art["id"].as_str().expect("an id").to_owned();
    let forget = format!("DELETE FROM media_sources WHERE media_id = '{}'", media[1]);
    deck.app.execute_statement(&forget, []).await;

    let page = deck.open_editor().await;
    assert!(visible_text(&page).contains("Não é um card: fica neste lugar."));
    assert!(visible_text(&page).contains("O texto deste card não ficou guardado com ele."));
    let mut form = Filled::parse_form(&page, "cards");
    assert_eq!(form.field_values("texto"), ["Um"]);
    form.fill_field("texto", 0, "Uma");
    form.fill_field("foto", 0, &art);
    form.submit_form(&deck.browser, SAVE).await.expect(303);
    let now = deck.media_ids().await;
    assert_eq!((&now[1], &now[2]), (&art, &media[1]));
    assert_ne!(now[0], media[0]);
    let form = deck.editor_form().await;
    assert_eq!(form.field_values("foto"), [art.as_str()]);
    // Moves the first card down and removes its background photo. The picture in the middle keeps
    // its place.
    let moved = form
        .submit_form(&deck.browser, ("fazer", &format!("descer:{}", now[0])))
        .await;
    let mut form = Filled::parse_form(&moved.expect(200), "cards");
    form.fill_field("foto", 0, "");
    form.submit_form(&deck.browser, SAVE).await.expect(303);
    let last = deck.media_ids().await;
    assert_eq!((&last[0], &last[1]), (&media[1], &art));
    assert_eq!(deck.editor_form().await.field_values("foto"), [""]);
}

#[tokio::test]
async fn without_a_script_a_button_previews_what_would_be_drawn() {
    let deck = Deck::new(&["Um", "Dois"]).await;
    let mut form = deck.editor_form().await;
    form.fill_field("texto", 1, "Dois & <três>");
    let page = form
        .submit_form(&deck.browser, ("acao", "previa"))
        .await
        .expect(200);
    let image = "src=\"/previa?card=";
    assert_eq!(page.text.matches(image).count(), 1, "{}", page.text);
    assert!(
        page.text.contains(
            "page=2&amp;pages=2&amp;style=editorial&amp;text=Dois%20%26%20%3Ctr%C3%AAs%3E"
        )
    );
    form.fill_field("texto", 1, &"Linha\n".repeat(150));
    let page = form
        .submit_form(&deck.browser, ("acao", "previa"))
        .await
        .expect(200);
    assert!(visible_text(&page).contains("O texto não cabe no menor corpo legível"));
    assert_eq!(deck.session.load_event(&deck.id).await["api_revision"], 2);
}
