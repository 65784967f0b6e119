//! The pages of lists, and their cursors.

use std::collections::BTreeSet;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::Role;
use serde_json::{Value, json};

use super::{list_titles, path_with_query};
use crate::support::{Client, TestApp};

/// Reads every page of a list; returns `(due_at, id)` of each event.
async fn read_all_pages(client: &Client, path: &str, limit: usize) -> Vec<(Value, Value)> {
    let (mut rows, mut cursor) = (vec![], String::new());
    loop {
        let join = if path.contains('?') { '&' } else { '?' };
        let page = client
            .get(&format!("{path}{join}limit={limit}{cursor}"))
            .await
            .expect(200)
            .body;
        let lists = ["eventos", "tarefas", "pendentes"];
        let list = lists
            .iter()
            .find_map(|name| page[name].as_array())
            .expect("a list");
        rows.extend(
            list.iter()
                .map(|event| (event["due_at"].clone(), event["id"].clone())),
        );
        let Some(next) = page["next_cursor"].as_str() else {
            return rows;
        };
        assert_eq!(list.len(), limit, "only the last page may be shorter");
        cursor = format!("&cursor={next}");
    }
}

#[tokio::test]
async fn pages_neither_skip_nor_repeat_events_with_equal_dates() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    for n in 0..24 {
        let mut demand = json!({ "title": format!("{n}"), "assignee_id": member.id });
        if n % 4 != 3 {
            demand["day"] = (1 + n % 3).into();
            demand["month"] = 9.into();
        }
        let id = lead.create_demand(demand).await;
        let submit = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", submit).await.expect(200);
    }
    let author = app.session_client(&member).await;
    let all = read_all_pages(&lead, "/api/eventos", 200).await;
    assert_eq!(all.len(), 24);
    // Events are ordered by date, with undated events last; events with the same date are ordered
    // by id.
    let mut sorted = all.clone();
    sorted.sort_by_key(|(due_at, id)| {
        let (due_at, id) = (due_at.as_str(), id.as_str().expect("an id"));
        (due_at.is_none(), due_at.map(str::to_owned), id.to_owned())
    });
    assert_eq!(all, sorted);
    assert!(all[18..].iter().all(|(due_at, _)| due_at.is_null()));
    let lists: [(&Client, &str); 5] = [
        (&lead, "/api/eventos"),
        (&author, "/api/eventos"),
        (&author, "/api/tarefas"),
        (&lead, "/api/aprovacoes"),
        (
            &lead,
            "/api/eventos?channel=instagram&status=em%20aprova%C3%A7%C3%A3o",
        ),
    ];
    for (client, path) in lists {
        for limit in [1, 2, 5, 6, 12, 23, 24, 25] {
            assert_eq!(
                read_all_pages(client, path, limit).await,
                all,
                "{path} limit {limit}"
            );
        }
    }
}

#[tokio::test]
async fn a_page_is_not_shifted_by_concurrent_writes() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let on = |title: &str, day: u8| json!({ "title": title, "day": day, "month": 9 });
    for (title, day) in [("1", 1), ("2", 2), ("3", 3), ("4", 4)] {
        lead.create_demand(on(title, day)).await;
    }
    let first = lead.get("/api/eventos?limit=2").await.expect(200).body;
    lead.create_demand(on("antes", 1)).await;
    lead.create_demand(on("depois", 3)).await;
    let path = format!(
        "/api/eventos?cursor={}",
        first["next_cursor"].as_str().expect("a next cursor")
    );
    let rest: BTreeSet<_> = list_titles(&lead, &path).await.into_iter().collect();
    assert_eq!(
        rest,
        BTreeSet::from(["3".into(), "4".into(), "depois".into()])
    );
}

#[tokio::test]
async fn the_refusal_of_an_invalid_cursor_names_its_field() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = admin.create_demand(json!({})).await;
    let encoded = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let bad = [
        "x".to_owned(),
        "%%%".into(),
        String::new(),
        encoded(""),
        encoded("null"),
        encoded("{}"),
        encoded("[]"),
        encoded("[1]"),
        encoded("[\"1\",\"x\"]"),
        encoded("[1,\"x\",2,3]"),
        encoded("[1.5,\"x\"]"),
        encoded("[1e400,\"x\"]"),
        encoded("[9223372036854775808,\"x\"]"),
        encoded("[1,\"\\u0000\"]"),
        encoded("[1,\"\\u0000\",1]"),
        encoded("\"\\u0000\""),
        format!("{}=", encoded("[1,\"xy\"]")),
        "a".repeat(5_000),
    ];
    let lists = [
        "/api/eventos",
        &format!("/api/eventos/{id}"),
        "/api/tarefas",
        "/api/aprovacoes",
        "/api/anexaveis",
        "/api/config",
        "/api/config/log",
    ];
    for path in lists {
        for cursor in &bad {
            let answer = admin
                .get(&path_with_query(path, &[("cursor", cursor)]))
                .await;
            assert_eq!(answer.status, 400, "{path} {cursor}: {}", answer.text);
            assert_eq!(answer.invalid_fields(), ["cursor"], "{path} {cursor}");
        }
    }
    let tool = admin
        .call_tool("list_events", json!({ "cursor": "x" }))
        .await;
    assert!(tool.is_error && tool.text.contains("`cursor`"));
}

#[tokio::test]
async fn a_cursor_at_an_extreme_position_returns_an_empty_page_or_the_first_page() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    lead.create_demand(json!({ "day": 1, "month": 9 })).await;
    for (position, count) in [
        (json!([i64::MIN, ""]), 1),
        (json!([0, "é 🎉 ' \""]), 1),
        (json!([i64::MAX, "~"]), 0),
    ] {
        let cursor = URL_SAFE_NO_PAD.encode(position.to_string());
        let path = format!("/api/eventos?cursor={cursor}");
        assert_eq!(list_titles(&lead, &path).await.len(), count, "{position}");
    }
}
