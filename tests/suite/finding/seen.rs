//! Every kind of resource in the search, and which members find it.

use domain::{Capability, Level, Role};
use serde_json::{Value, json};

use super::{bracket_matches, put_draft, search, search_titles, search_with, titles_by_kind};
use crate::{
    knowledge::add_document,
    support::{Client, TestApp, encode_form},
};

/// Creates one resource of each kind with the word `canjica`, as an admin. Returns the client of
/// the admin and the id of the event.
async fn create_one_of_each(app: &TestApp) -> (Client, String) {
    let member = app.add_member(Role::Admin).await;
    let admin = app.session_client(&member).await;
    let event = admin
        .create_demand(
            json!({ "title": "Canjica da vovó", "day": 3, "month": 12, "hour": "09:30" }),
        )
        .await;
    let card = json!({ "event_id": event, "cards": [{ "text": "Canjicas\n\nCom coco" }, { "text": "Fim" }] });
    admin.post("/api/carousel", card).await.expect(200);
    let project = admin
        .post("/api/projects", json!({ "name": "Festa junina" }))
        .await;
    let project = project.expect(201).body["project"]["id"].clone();
    let section = json!({
        "type": "section.add", "payload": { "title": "Comprar canjica branca" },
        "expected_revision": 1,
    });
    let path = format!(
        "/api/projects/{}/operations",
        project.as_str().expect("an id")
    );
    admin.post(&path, section).await.expect(200);
    put_draft(
        &admin,
        "junho.receitas",
        "<style>.canjica{}</style><p>A melhor canjica do bairro.</p>",
        json!({ "assunto": "Receitas" }),
    )
    .await;
    let skill = json!({ "name": "canjica-perfeita", "description": "O ponto", "content": "Mexa." });
    admin.post("/api/skills", skill).await.expect(201);
    add_document(
        app,
        "doces.md",
        &[],
        "# Doces\n\nA canjica cozinha por horas.",
    )
    .await;
    (admin, event)
}

#[tokio::test]
async fn every_kind_of_resource_is_found_with_its_title_match_date_and_page() {
    let app = TestApp::new().await;
    let (admin, event) = create_one_of_each(&app).await;
    let groups = search(&admin, "CANJICAS").await;
    let found: Vec<(String, String, String, Value)> = groups
        .as_array()
        .expect("groups")
        .iter()
        .flat_map(|group| {
            let results = group["resultados"].as_array().expect("results");
            results.iter().map(|one| {
                (
                    format!(
                        "{} {}",
                        group["tipo"].as_str().expect("a kind"),
                        group["ha_mais"]
                    ),
                    one["titulo"].as_str().expect("a title").to_owned(),
                    bracket_matches(&one["trecho"]),
                    one["pagina"].clone(),
                )
            })
        })
        .collect();
    let kinds: Vec<&str> = found.iter().map(|(kind, ..)| kind.as_str()).collect();
    let expected = [
        "evento false",
        "projeto false",
        "email false",
        "midia false",
        "skill false",
        "documento false",
        "documento false",
    ];
    assert_eq!(kinds, expected, "{groups:#}");
    assert_eq!(found[0].2, "[Canjica] da vovó");
    assert_eq!(found[0].3, format!("/eventos/{event}"));
    assert_eq!(found[1].2, "Comprar [canjica] branca");
    assert_eq!(found[2].2, "Receitas A melhor [canjica] do bairro.");
    assert_eq!(found[2].3, "/emails/junho.receitas");
    assert!(found[3].2.contains("[Canjicas]"), "{found:?}");
    assert_eq!(found[3].3, format!("/eventos/{event}"));
    assert_eq!(found[4].2, "[canjica]-perfeita");
    let first = &groups[0]["resultados"][0];
    assert_eq!(first["data"], "2026-12-03T12:30:00.000Z");
    assert_eq!(first["status"], "a fazer");
    assert_eq!(first["no_titulo"], true);
    // Every result links to an existing page.
    let member = app.add_member(Role::Admin).await;
    let browser = app.browser_client(&member).await;
    for (_, title, _, page) in &found {
        let page = page.as_str().expect("a page");
        assert_eq!(browser.get(page).await.status, 200, "{title}: {page}");
    }
    let people = search_with(&admin, &[("q", &member.name), ("tipos", "pessoa")]).await;
    let page = people[0]["resultados"][0]["pagina"]
        .as_str()
        .expect("a page");
    assert_eq!(browser.get(page).await.status, 200, "{page}");
}

#[tokio::test]
async fn a_member_who_sees_only_own_events_finds_only_these_and_their_media() {
    let app = TestApp::new().await;
    let (admin, event) = create_one_of_each(&app).await;
    let member = app.add_member(Role::Criador).await;
    let creator = app.session_client(&member).await;
    let kinds = async |client: &Client| -> Vec<String> {
        let groups = search(client, "canjica").await;
        titles_by_kind(&groups)
            .iter()
            .map(|(kind, _)| (*kind).to_owned())
            .collect()
    };
    let others = ["projeto", "email", "skill", "documento"];
    for indexed in [false, true] {
        if indexed {
            super::run_jobs(&app).await;
        }
        assert_eq!(kinds(&creator).await, others);
    }
    let revision = admin.load_event(&event).await["api_revision"].clone();
    let assign = json!({ "expected_revision": revision, "assignee_ids": [member.id] });
    let path = format!("/api/eventos/{event}");
    admin.patch(&path, assign).await.expect(200);
    let all = ["evento", "projeto", "email", "midia", "skill", "documento"];
    assert_eq!(kinds(&creator).await, all);
    let revision = admin.load_event(&event).await["api_revision"].clone();
    let leave = json!({ "expected_revision": revision, "assignee_ids": [] });
    admin.patch(&path, leave).await.expect(200);
    assert_eq!(kinds(&creator).await, others);
}

#[tokio::test]
async fn a_kind_is_searched_only_for_callers_who_may_list_it() {
    let app = TestApp::new().await;
    let (_, _) = create_one_of_each(&app).await;
    // A token of the level `leitor` may not list media. Its member is a lead and sees all events.
    let reader = app.add_member_with(Role::Lider, Level::Leitor, false).await;
    let reader = app.token_client(&reader).await;
    let groups = search(&reader, "canjica").await;
    let kinds: Vec<_> = titles_by_kind(&groups)
        .iter()
        .map(|(kind, _)| *kind)
        .collect();
    assert_eq!(kinds, ["evento", "projeto", "email", "skill", "documento"]);
    let refused = reader.get("/api/busca?q=canjica&tipos=evento,midia").await;
    let refused = refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    let listed = reader.get("/api/media").await.expect(403);
    assert_eq!(refused.body["capability"], listed.body["capability"]);

    // A token finds only the kinds that its scopes may list.
    let member = app.add_member(Role::Admin).await;
    let scopes = [
        (Capability::ProjectsView, vec!["projeto"]),
        (Capability::Rag, vec!["documento"]),
        (Capability::Art, vec!["midia"]),
        (Capability::TasksView, vec!["evento"]),
        (Capability::ConfigView, vec![]),
    ];
    for (scope, expected) in scopes {
        let (client, _) = app.token_client_with(&member, &[scope]).await;
        let groups = search(&client, "canjica").await;
        let kinds: Vec<_> = titles_by_kind(&groups)
            .iter()
            .map(|(kind, _)| *kind)
            .collect();
        assert_eq!(kinds, expected, "{scope:?}");
    }
    let (people, _) = app
        .token_client_with(&member, &[Capability::TasksView])
        .await;
    assert!(
        search_titles(&people, &member.name)
            .await
            .contains(&member.name)
    );
    let (others, _) = app.token_client_with(&member, &[Capability::Rag]).await;
    assert_eq!(search_titles(&others, &member.name).await, [""; 0]);
    app.anonymous()
        .get("/api/busca?q=canjica")
        .await
        .expect(401);
}

#[tokio::test]
async fn hostile_searches_are_answered_or_refused() {
    let app = TestApp::new().await;
    let (admin, _) = create_one_of_each(&app).await;
    let long = "x".repeat(200);
    let many = "canjica ".repeat(25);
    let searches = [
        "\"canjica\" OR 1",
        "canjica*",
        "NEAR(canjica, 2)",
        "canjica' & 'x",
        "%",
        "_",
        "\\",
        "-",
        "😀",
        "日本語",
        "a\u{301}",
        "Ǆ ß İ",
        "¦canjic",
        "¬can",
        "§canjic canjica",
        &long,
        &many,
        "canjica AND NOT x",
        ":*",
        "'':*",
        "{title} : canjica",
        "^canjica",
    ];
    for q in searches {
        let path = format!("/api/busca?{}", encode_form(&[("q", q)]));
        admin.get(&path).await.expect(200);
    }
    for (query, field) in [
        ("", "q"),
        ("q=", "q"),
        ("q=%20%20", "q"),
        ("q=a&limite=0", "limite"),
        ("q=a&limite=51", "limite"),
        ("q=a&limite=x", "limite"),
        ("q=a&tipos=", "tipos"),
        ("q=a&tipos=evento,tudo", "tipos"),
        ("q=a&outro=1", "outro"),
    ] {
        let refused = admin.get(&format!("/api/busca?{query}")).await;
        assert_eq!(
            refused
                .expect_refusal(400, "INVALID_INPUT")
                .invalid_fields(),
            [field],
            "{query}"
        );
    }
    let long = format!("/api/busca?q={}", "x".repeat(201));
    assert_eq!(admin.get(&long).await.expect(400).invalid_fields(), ["q"]);
}

#[tokio::test]
async fn the_alternative_text_on_a_hidden_event_does_not_find_its_medium() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let creator = app.session_client(&member).await;
    let own = json!({ "title": "Peça da criadora", "assignee_id": member.id });
    let own = lead.create_demand(own).await;
    let cards = json!({ "event_id": own, "cards": [{ "text": "Pamonha" }, { "text": "Fim" }] });
    let made = creator.post("/api/carousel", cards).await.expect(200).body;
    let medium = &made["cards"][0]["id"];

    let hidden = lead
        .create_demand(json!({ "title": "Só da liderança" }))
        .await;
    let attach = json!({ "expected_revision": 1, "attach": [medium] });
    let path = format!("/api/eventos/{hidden}/media");
    lead.patch(&path, attach).await.expect(200);
    let alt = json!({
        "expected_revision": lead.load_event(&hidden).await["api_revision"],
        "alt": [{ "media_id": medium, "alt": "Anúncio da aquisição" }],
    });
    lead.patch(&path, alt).await.expect(200);
    for _ in 0..2 {
        let found = search(&lead, "aquisicao").await.to_string();
        assert!(found.contains("Anúncio"), "{found}");
        assert_eq!(search(&creator, "aquisicao").await, json!([]));
        let found = search(&creator, "pamonha").await.to_string();
        assert!(
            found.contains("midia") && !found.contains("Anúncio"),
            "{found}"
        );
        super::run_jobs(&app).await;
    }
}
