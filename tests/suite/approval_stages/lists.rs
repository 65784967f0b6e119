//! Pieces in stages, as lists and counts show them.

use serde_json::{Value, json};

use super::{Fixture, approve, list_pending, load_approval};
use crate::support::plans::trace_each_query;

#[tokio::test]
async fn pending_approvals_are_those_that_wait_for_the_caller() {
    let team = Fixture::new().await;
    team.configure(json!({ "regras": [
        { "nome": "Blog", "canais": ["blog"], "etapas": [
            { "nome": "Revisão", "membros": [team.ana_id] },
            { "nome": "Líderes", "papel": "lider", "prazo_horas_uteis": 8 },
        ] },
    ]}))
    .await;
    let staged = team.submit(json!({ "channel": "blog" })).await;
    let free = team.submit_piece().await;
    let both = [staged.as_str(), free.as_str()];
    let count = async |client: &crate::support::Client| {
        client.get("/api/espera").await.expect(200).body["a_aprovar"].clone()
    };
    for (client, expected) in [
        (&team.ana, &both[..]),
        (&team.bia, &both[1..]),
        (&team.admin, &both[1..]),
    ] {
        assert_eq!(list_pending(client, "").await, expected);
        assert_eq!(list_pending(client, "?de_quem=mim").await, expected);
        assert_eq!(list_pending(client, "?de_quem=todos").await, both);
        assert_eq!(count(client).await, expected.len());
        let day = client.get("/api/meu-dia").await.expect(200).body;
        assert_eq!(
            day["a_aprovar"].as_array().map(Vec::len),
            Some(expected.len())
        );
    }
    approve(&team.ana, &staged, 2).await.expect(200);
    for client in [&team.ana, &team.bia] {
        assert_eq!(list_pending(client, "").await, both);
        assert_eq!(count(client).await, 2);
    }
    assert_eq!(list_pending(&team.admin, "").await, both[1..]);
}

#[tokio::test]
async fn pages_skip_pieces_that_wait_for_others() {
    let team = Fixture::with_two_stages().await;
    let mut ids = vec![];
    for _ in 0..6 {
        ids.push(team.submit_piece().await);
    }
    for id in ids.iter().step_by(2) {
        approve(&team.ana, id, 2).await.expect(200);
    }
    let mut seen = vec![];
    let mut query = "?limit=2".to_owned();
    loop {
        let page = team
            .bia
            .get(&format!("/api/aprovacoes{query}"))
            .await
            .expect(200)
            .body;
        let pending = page["pendentes"].as_array().expect("a list");
        seen.extend(
            pending
                .iter()
                .map(|one| one["id"].as_str().expect("an id").to_owned()),
        );
        match page["next_cursor"].as_str() {
            Some(cursor) => query = format!("?limit=2&cursor={cursor}"),
            None => break,
        }
    }
    let expected: Vec<_> = ids.iter().step_by(2).cloned().collect();
    assert_eq!(seen, expected);
    let found = list_pending(&team.bia, "?q=junina").await;
    assert_eq!(found, expected);
}

#[tokio::test]
async fn lists_show_the_stage_the_approvers_and_the_waiting_time_of_a_piece() {
    let team = Fixture::with_two_stages().await;
    let id = team.submit_piece().await;
    team.app.advance_clock(1_000);
    approve(&team.ana, &id, 2).await.expect(200);
    let free = team.admin.create_demand(json!({})).await;
    let events = team.bia.get("/api/eventos").await.expect(200).body["eventos"].clone();
    let events = events.as_array().expect("a list").clone();
    let find = |id: &str| {
        events
            .iter()
            .find(|one| one["id"] == id)
            .expect("listed")
            .clone()
    };
    assert_eq!(find(&free).get("aprovacao"), None);
    let listed = find(&id)["aprovacao"].clone();
    assert_eq!(
        (
            &listed["etapa"],
            &listed["numero"],
            &listed["de"],
            &listed["desde"]
        ),
        (
            &json!("Direção"),
            &json!(2),
            &json!(2),
            &json!("2026-08-22T15:00:01.001Z")
        )
    );
    assert_eq!(listed["espera_por"][0]["id"], team.bia_id.as_str());
    assert_eq!(
        (&listed["prazo"], &listed["atrasada"]),
        (&Value::Null, &json!(false))
    );
    assert_eq!(listed.get("etapas"), None);
    let mut whole = load_approval(&team.bia, &id).await;
    let stages = whole["etapas"].take();
    let names: Vec<_> = stages
        .as_array()
        .expect("stages")
        .iter()
        .map(|one| &one["nome"])
        .collect();
    assert_eq!(names, ["Revisão", "Direção"]);
    assert_eq!(stages[0]["quem"][0]["id"], team.ana_id.as_str());
    whole.as_object_mut().expect("an object").remove("etapas");
    assert_eq!(whole, listed);
    let pending = team.bia.get("/api/aprovacoes").await.expect(200).body;
    assert_eq!(pending["pendentes"][0]["aprovacao"], listed);
}

#[tokio::test]
async fn a_page_reads_its_approvals_in_one_query() {
    let team = Fixture::with_two_stages().await;
    for _ in 0..5 {
        let id = team.submit_piece().await;
        approve(&team.ana, &id, 2).await.expect(200);
    }
    let free = team.admin.create_demand(json!({ "channel": "x" })).await;
    for path in ["/api/eventos", "/api/aprovacoes?de_quem=todos"] {
        let queries = trace_each_query(async {
            team.bia.get(path).await.expect(200);
        });
        let queries = queries.await;
        let of = |table: &str| queries.iter().filter(|sql| sql.contains(table)).count();
        assert_eq!(of("FROM approvals a"), 1, "{path}: {queries:?}");
        assert_eq!(of("FROM members WHERE active"), 1, "{path}: {queries:?}");
    }
    // A list without a piece in approval sends no query for approvals.
    let path = "/api/eventos?channel=x";
    let queries = trace_each_query(async {
        let events = team.bia.get(path).await.expect(200).body["eventos"].clone();
        assert_eq!(events[0]["id"], free.as_str());
    });
    assert!(!queries.await.iter().any(|sql| sql.contains("approvals")));
}

/// Returns the ids of the approved pieces with changed variants that an inbox lists.
async fn list_changed(client: &crate::support::Client, query: &str) -> Vec<String> {
    let path = format!("/api/aprovacoes{query}");
    let read = client.get(&path).await.expect(200).body;
    let changed = read["canais_mudados"].as_array().cloned();
    let changed = changed.unwrap_or_default().into_iter();
    let ids = changed.map(|one| one["id"].as_str().expect("an id").to_owned());
    ids.collect()
}

async fn count_waiting(client: &crate::support::Client) -> usize {
    let counted = client.get("/api/espera").await.expect(200).body;
    let counted = counted["a_aprovar"].as_u64().expect("a number");
    usize::try_from(counted).expect("a small number")
}

#[tokio::test]
async fn changed_variants_wait_for_those_who_decide_the_last_stage_however_many_wait_for_others() {
    let team = Fixture::new().await;
    team.configure(json!({ "sem_autoaprovacao": true, "regras": [
        { "nome": "Blog", "canais": ["blog"], "etapas": [
            { "nome": "Revisão", "membros": [team.bia_id] },
            { "nome": "Ana", "membros": [team.ana_id] },
        ] },
        { "nome": "Resto", "etapas": [{ "nome": "Bia", "membros": [team.bia_id] }] },
    ]}))
    .await;
    let mut ids = vec![];
    for number in 0..54 {
        // Ids sort by their creation time, so each piece gets a different instant.
        team.app.advance_clock(1);
        let channel = if number < 52 { "blog" } else { "instagram" };
        let id = team
            .admin
            .create_demand(json!({ "channel": channel }))
            .await;
        let writer = if number < 53 { &team.admin } else { &team.bia };
        let variants = json!({ "expected_revision": 1, "variantes": [{ "canal": "threads", "legenda": "Pão" }] });
        let path = format!("/api/eventos/{id}/variantes");
        writer.put(&path, variants).await.expect(200);
        ids.push(id);
    }
    let sql = "UPDATE events SET status = 'aprovado'";
    team.app.execute_statement(sql, []).await;
    let (blog, rest) = ids.split_at(52);
    let [of_bia, own] = rest else {
        panic!("two pieces")
    };
    // Bia may not approve the piece that she changed herself, so Ana is asked instead.
    let of_ana = [blog, std::slice::from_ref(own)].concat();
    assert_eq!(list_changed(&team.ana, "").await, of_ana);
    assert_eq!(count_waiting(&team.ana).await, 53);
    // The stages ask Bia for one piece, and never ask the admin.
    assert_eq!(list_changed(&team.bia, "").await, [of_bia.as_str()]);
    assert_eq!(count_waiting(&team.bia).await, 1);
    assert!(list_changed(&team.admin, "").await.is_empty());
    assert_eq!(count_waiting(&team.admin).await, 0);
    assert_eq!(list_changed(&team.admin, "?de_quem=todos").await, ids);
    // Without rules, the changed variants wait for every member who may approve.
    team.configure(Value::Null).await;
    for client in [&team.ana, &team.bia, &team.admin] {
        assert_eq!(list_changed(client, "").await, ids);
        assert_eq!(count_waiting(client).await, 54);
    }
}
