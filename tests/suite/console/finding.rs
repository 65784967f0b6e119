//! The search page, and the search of the palette while the viewer types.

use domain::Role;
use serde_json::{Value, json};

use super::visible_text;
use crate::support::{Client, TestApp, encode_form};

async fn search_page_text(browser: &Client, pairs: &[(&str, &str)]) -> String {
    let path = format!("/busca?{}", encode_form(pairs));
    visible_text(&browser.get(&path).await.expect(200))
}

#[tokio::test]
async fn the_page_groups_results_by_kind_and_shows_their_match_and_date() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    let id = lead
        .create_demand(
            json!({ "title": "Bolo <b> de fubá", "day": 3, "month": 12, "hour": "09:30" }),
        )
        .await;
    lead.create_demand(json!({ "title": "Café", "description": "Com bolos de milho" }))
        .await;
    lead.post("/api/projects", json!({ "name": "Semana do bolo" }))
        .await
        .expect(201);
    let answer = browser.get("/busca?q=bolos").await.expect(200);
    assert!(answer.text.contains(&format!("href=\"/eventos/{id}\"")));
    assert!(answer.text.contains("<mark>Bolo</mark> &lt;b&gt; de fubá"));
    assert!(answer.text.contains("Com <mark>bolos</mark> de milho"));
    let text = visible_text(&answer);
    for part in [
        "Peças",
        "Projetos",
        "A fazer · Instagram · 3 de dezembro de 2026",
        "3 resultados",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("mudou em 22 de agosto de 2026"), "{text}");
    let one = search_page_text(&browser, &[("q", "bolo"), ("tipo", "projeto")]).await;
    assert!(one.contains("Semana do") && !one.contains("Café"), "{one}");
    let none = search_page_text(&browser, &[("q", "jabuticaba xis")]).await;
    assert!(none.contains("Nada com “jabuticaba xis”"), "{none}");
    for pairs in [
        vec![],
        vec![("q", "")],
        vec![("q", "  ")],
        vec![("tipo", "outro")],
    ] {
        let empty = search_page_text(&browser, &pairs).await;
        assert!(empty.contains("Acha pelo começo"), "{empty}");
    }
    let long = "ã".repeat(300);
    assert!(
        search_page_text(&browser, &[("q", &long)])
            .await
            .contains("Nada com")
    );
    app.anonymous().get("/busca?q=bolo").await.expect(303);
}

#[tokio::test]
async fn a_link_leads_to_the_results_that_do_not_fit() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    for n in 0..9 {
        lead.create_demand(json!({ "title": format!("Canjica {n}") }))
            .await;
    }
    let all = browser.get("/busca?q=canjica").await.expect(200);
    let link = "/busca?q=canjica&amp;tipo=evento";
    assert!(all.text.contains(link), "{}", all.text);
    assert_eq!(all.text.matches("data-item").count(), 8);
    let alone = browser
        .get("/busca?q=canjica&tipo=evento")
        .await
        .expect(200);
    assert_eq!(alone.text.matches("data-item").count(), 9);
    assert!(!alone.text.contains("Mostrar mais"));
}

#[tokio::test]
async fn places_and_actions_are_found_only_by_members_who_may_open_them() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let admin = app.add_member(Role::Admin).await;
    let creator = app.add_member(Role::Criador).await;
    let lead = app.browser_client(&lead).await;
    let creator = app.browser_client(&creator).await;
    let admin = app.browser_client(&admin).await;
    let made = result_links(&lead, "nova peça").await;
    assert!(made.contains(&"/demandas/nova".to_owned()), "{made:?}");
    for words in ["post", "criar dem"] {
        let made = result_links(&lead, words).await;
        assert!(made.contains(&"/demandas/nova".to_owned()), "{made:?}");
    }
    assert!(
        !result_links(&creator, "nova peça")
            .await
            .contains(&"/demandas/nova".to_owned())
    );
    for (browser, is_found) in [(&admin, true), (&lead, false)] {
        let found = result_links(browser, "audit")
            .await
            .contains(&"/auditoria".to_owned());
        assert_eq!(found, is_found);
    }
    // Every offered page and action exists.
    let offers = admin.get("/paleta").await.expect(200).body;
    let offers = offers.as_array().expect("offers").iter();
    for offer in offers.filter(|offer| offer["tipo"] != "operacao") {
        let path = offer["endereco"].as_str().expect("an address");
        let path = path.split('#').next().expect("a path");
        assert_eq!(admin.get(path).await.status, 200, "{path}");
    }
}

/// Searches for a text; returns the links of the results.
async fn result_links(browser: &Client, q: &str) -> Vec<String> {
    let answer = browser
        .get(&format!("/busca?{}", encode_form(&[("q", q)])))
        .await
        .expect(200);
    let (_, results) = answer.text.split_once("data-list").expect("results");
    let links = results.split("href=\"").skip(1);
    let links = links.map(|link| link.split('"').next().unwrap_or_default().to_owned());
    links.collect()
}

#[tokio::test]
async fn the_palette_searches_for_the_typed_text() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    let id = lead
        .create_demand(
            json!({ "title": "Pães de maio", "assignee_id": member.id, "day": 5, "month": 10 }),
        )
        .await;
    lead.create_demand(json!({ "title": "Pães de outra pessoa" }))
        .await;
    let asked = async |q: &str| -> Value {
        let path = format!("/paleta/busca?{}", encode_form(&[("q", q)]));
        browser.get(&path).await.expect(200).body
    };
    let found = asked("pao").await;
    let expected = json!([{ "grupo": "Peças", "itens": [{
        "titulo": "Pães de maio", "partes": [["Pães", true], [" de maio", false]],
        "no_titulo": true, "detalhe": "A fazer · Instagram", "quando": "5 de outubro de 2026",
        "endereco": format!("/eventos/{id}"),
    }] }]);
    assert_eq!(found, expected);
    assert_eq!(asked("").await, json!([]));
    assert_eq!(asked(" ").await, json!([]));
    // The search takes an unfinished word as a prefix, and a word followed by a space as a whole
    // word.
    assert_eq!(asked("ma").await.as_array().map(Vec::len), Some(1));
    assert_eq!(asked("ma ").await, json!([]));
    app.anonymous().get("/paleta/busca?q=pao").await.expect(303);
}
