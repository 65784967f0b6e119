//! Channels with their own publication time, on the page of the day, in its counts and in the agenda.
//! The tests start at noon on Saturday, 22 August 2026, in Brasília.

use domain::{Role, time::DAY};
use serde_json::{Value, json};

use super::{Team, put_variants};
use crate::{console::visible_text, support::Client};

/// Returns the ids of the pieces in this list of the page of the day.
async fn list_day_ids(client: &Client, list: &str) -> Vec<Value> {
    let day = client.get("/api/meu-dia").await.expect(200).body;
    let events = day[list].as_array().expect("a list").iter();
    events.map(|event| event["id"].clone()).collect()
}

/// Creates an approved piece for 20 September. Its channel Threads is posted by hand on this day of
/// August at 18:00. Returns the id of the piece.
async fn piece_with_early_channel(team: &Team, day: i8) -> String {
    let fields = json!({ "assignee_id": team.writer_member.id, "channel": "instagram",
        "title": "Duas datas", "day": 20, "month": 9, "year": 2026, "hour": "10:00" });
    let id = team.lead.create_demand(fields).await;
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Pão" });
    team.writer.post("/api/draft", draft).await.expect(200);
    let variants = json!([{ "canal": "threads", "legenda": "Broa de fubá", "publicacao": "manual",
        "day": day, "month": 8, "year": 2026, "hour": "18:00" }]);
    put_variants(&team.writer, &id, 2, variants)
        .await
        .expect(200);
    team.approve(&id, 3).await;
    id
}

#[tokio::test]
async fn a_channel_with_its_own_time_is_listed_today_or_in_the_week() {
    let team = Team::new().await;
    let today = piece_with_early_channel(&team, 22).await;
    let week = piece_with_early_channel(&team, 25).await;
    let beyond = piece_with_early_channel(&team, 30).await;
    for client in [&team.lead, &team.writer] {
        assert_eq!(list_day_ids(client, "hoje").await, [json!(today)]);
        assert_eq!(list_day_ids(client, "semana").await, [json!(week)]);
        assert!(list_day_ids(client, "atrasados").await.is_empty());
    }
    let page = team.app.browser_client(&team.writer_member).await;
    let page = page.get("/").await.expect(200);
    let text = visible_text(&page);
    assert!(text.contains("22 ago, 18:00"), "{text}");
    assert_eq!(text.matches("Threads · post").count(), 2, "{text}");
    assert!(!page.text.contains(&beyond));
    // Another criador does not see the piece, neither today nor in the week.
    let other = team.app.add_member(Role::Criador).await;
    let other = team.app.session_client(&other).await;
    for list in ["hoje", "semana"] {
        assert!(list_day_ids(&other, list).await.is_empty(), "{list}");
    }
    // An archived piece is not listed, because it is not posted on any channel.
    let archive = json!({ "expected_revision": 5, "status": "arquivado" });
    let path = format!("/api/eventos/{today}");
    team.lead.patch(&path, archive).await.expect(200);
    assert!(list_day_ids(&team.lead, "hoje").await.is_empty());
}

#[tokio::test]
async fn a_channel_whose_hour_has_passed_without_its_post_is_late() {
    let team = Team::new().await;
    let id = piece_with_early_channel(&team, 22).await;
    team.app.advance_clock(DAY);
    let lead = team.app.session_client(&team.lead_member).await;
    let writer = team.app.session_client(&team.writer_member).await;
    for client in [&lead, &writer] {
        assert_eq!(list_day_ids(client, "atrasados").await, [json!(id)]);
        let counts = client.get("/api/espera").await.expect(200).body;
        assert_eq!(counts["atrasados"], 1);
        assert_eq!(counts["recusados_ou_atrasados"], 1);
        let late = client.get("/api/eventos?atrasados=true").await.expect(200);
        assert_eq!(late.body["eventos"][0]["id"], json!(id));
    }
    let browser = team.app.browser_client(&team.lead_member).await;
    let page = browser.get("/agenda?ver=todas&atrasadas=sim").await;
    assert!(page.expect(200).text.contains(&format!("id=\"e-{id}\"")));
    let read = super::load_piece(&lead, &id).await;
    let post = json!({ "expected_revision": read["evento"]["api_revision"],
        "variant_id": read["variantes"][0]["id"], "post_url": "https://www.threads.net/p/1" });
    let path = format!("/api/eventos/{id}/post");
    lead.post(&path, post).await.expect(200);
    assert!(list_day_ids(&lead, "atrasados").await.is_empty());
    let counts = lead.get("/api/espera").await.expect(200).body;
    assert_eq!(counts["recusados_ou_atrasados"], 0);
}

#[tokio::test]
async fn changed_channels_wait_on_the_page_of_the_day() {
    let team = Team::new().await;
    let id = piece_with_early_channel(&team, 25).await;
    let browser = team.app.browser_client(&team.lead_member).await;
    let heading = "Canais que mudaram depois de aprovados";
    let page = browser.get("/").await.expect(200);
    assert!(!visible_text(&page).contains(heading));
    let change = json!([{ "canal": "threads", "legenda": "Outra" }]);
    put_variants(&team.writer, &id, 5, change).await.expect(200);
    let page = browser.get("/").await.expect(200);
    assert!(visible_text(&page).contains(heading));
    assert!(page.text.contains(&format!("/eventos/{id}#canais-da-peca")));
    let author = team.app.browser_client(&team.writer_member).await;
    let page = author.get("/").await.expect(200);
    assert!(!visible_text(&page).contains(heading));
}

#[tokio::test]
async fn the_channel_filter_and_the_searches_find_the_content_of_variants() {
    let team = Team::new().await;
    let id = piece_with_early_channel(&team, 25).await;
    let found = async |path: &str| {
        let read = team.lead.get(path).await.expect(200).body;
        let events = read["eventos"].as_array().expect("events").iter();
        let ids: Vec<Value> = events.map(|event| event["id"].clone()).collect();
        ids
    };
    for path in [
        "/api/eventos?channel=threads",
        "/api/eventos?channel=Threads",
        "/api/eventos?channel=instagram",
        "/api/eventos?q=broa+de+fub%C3%A1",
    ] {
        assert_eq!(found(path).await, [json!(id)], "{path}");
    }
    assert!(found("/api/eventos?channel=tiktok").await.is_empty());
    let search = async |q: &str| {
        let path = format!("/api/busca?q={q}");
        team.lead.get(&path).await.expect(200).body["grupos"].clone()
    };
    let of_search = search("fuba").await;
    assert_eq!(of_search[0]["resultados"][0]["id"], json!(id));
    let excerpt = of_search[0]["resultados"][0]["trecho"].to_string();
    assert!(excerpt.contains("Broa de"), "{excerpt}");
    let browser = team.app.browser_client(&team.lead_member).await;
    let page = browser
        .get("/agenda?ver=mes&dia=2026-09-20&canal=threads")
        .await;
    assert!(page.expect(200).text.contains(&format!("id=\"e-{id}\"")));
    // A search for the former text of the variant does not find the piece.
    let change = json!([{ "canal": "threads", "legenda": "Outra coisa" }]);
    put_variants(&team.writer, &id, 5, change).await.expect(200);
    assert_eq!(search("fuba").await, json!([]));
    // After a change of the piece, a search for the text of a variant still finds the piece.
    let change = json!({ "expected_revision": 6, "title": "Título novo" });
    let path = format!("/api/eventos/{id}");
    team.lead.patch(&path, change).await.expect(200);
    assert_eq!(search("coisa").await[0]["resultados"][0]["id"], json!(id));
}

#[tokio::test]
async fn an_approved_piece_with_channels_offers_its_download() {
    let team = Team::new().await;
    let id = team.create_piece("Pão").await;
    let cards = json!({ "event_id": id, "cards": [{ "text": "Um" }, { "text": "Dois" }] });
    team.lead.post("/api/carousel", cards).await.expect(200);
    let revision = team.lead.load_event(&id).await["api_revision"].clone();
    let revision = revision.as_i64().expect("a revision");
    let variants = json!([{ "canal": "threads", "legenda": "Broa" }]);
    put_variants(&team.writer, &id, revision, variants)
        .await
        .expect(200);
    team.approve(&id, revision + 1).await;
    let browser = team.app.browser_client(&team.lead_member).await;
    let page = browser.get(&format!("/eventos/{id}")).await.expect(200);
    assert!(page.text.contains(&format!("/eventos/{id}/pacote.zip")));
}
