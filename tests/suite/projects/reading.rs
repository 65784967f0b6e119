//! The paged list of projects, and reading a project in parts.

use std::collections::BTreeSet;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::Role;
use serde_json::{Value, json};

use super::{Desk, create_project, item_titles, string_value};
use crate::support::TestApp;

#[tokio::test]
async fn projects_are_listed_newest_first_with_their_counts() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let mut ids = vec![];
    for count in 0..5 {
        ids.push(create_project(&lead, &format!("P{count}")).await);
        app.advance_clock(1);
    }
    let desk = Desk {
        app,
        lead,
        id: ids[1].clone(),
    };
    let ana = desk.app.add_member(Role::Criador).await;
    let section = desk.add_section("A").await;
    desk.add_section("B").await;
    let done = desk.add_item(&section, "feito").await;
    desk.add_item(&section, "aberto").await;
    desk.apply_operation("item.complete", json!({ "item_id": done }))
        .await
        .expect(200);
    desk.apply_operation("member.add", json!({ "member_id": ana.id }))
        .await
        .expect(200);
    desk.apply_operation("project.archive", json!({}))
        .await
        .expect(200);
    let counts = json!({ "sections": 2, "items": 2, "open": 1, "done": 1, "members": 1 });
    assert_eq!(desk.read_project().await["counts"], counts);
    for limit in [1, 2, 5, 200] {
        let (mut seen, mut cursor) = (vec![], String::new());
        loop {
            let path = format!("/api/projects?limit={limit}{cursor}");
            let page = desk.lead.get(&path).await.expect(200).body;
            seen.extend(page["projects"].as_array().expect("a list").iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let listed: Vec<_> = seen.iter().rev().map(|p| string_value(&p["id"])).collect();
        assert_eq!(listed, ids, "limit {limit}");
        let line = &seen[3];
        assert_eq!(
            (&line["counts"], &line["status"]),
            (&counts, &json!("arquivado"))
        );
        assert_eq!(line["revision"], desk.read_project().await["revision"]);
        assert_eq!(line["updated_at"], desk.read_project().await["updated_at"]);
    }
    for (status, expected) in [("arquivado", 1), ("ativo", 4)] {
        let page = desk
            .lead
            .get(&format!("/api/projects?status={status}"))
            .await
            .expect(200);
        assert_eq!(
            page.body["projects"].as_array().map(Vec::len),
            Some(expected)
        );
    }
    for (query, field) in [
        ("status=x", "status"),
        ("cursor=x", "cursor"),
        ("limit=0", "limit"),
    ] {
        assert_eq!(
            desk.lead
                .get(&format!("/api/projects?{query}"))
                .await
                .invalid_fields(),
            [field]
        );
    }
}

#[tokio::test]
async fn a_project_can_be_read_in_parts() {
    let desk = Desk::new().await;
    let ana = desk.app.add_member(Role::Criador).await;
    let (a, b) = (desk.add_section("A").await, desk.add_section("B").await);
    let mut items = vec![];
    for (section, title) in [(&a, "1"), (&a, "2"), (&b, "3"), (&b, "4"), (&b, "5")] {
        items.push(desk.add_item(section, title).await);
    }
    desk.apply_operation("item.complete", json!({ "item_id": items[3] }))
        .await
        .expect(200);
    let assign = json!({ "item_id": items[1], "assignee_member_ids": [ana.id] });
    desk.apply_operation("item.assign", assign)
        .await
        .expect(200);
    let read = async |query: &str| {
        let path = format!("/api/projects/{}?{query}", desk.id);
        desk.lead.get(&path).await.expect(200).body
    };
    let queries = [
        (format!("section_id={b}"), "", "345"),
        ("item_status=feito".into(), "", "4"),
        ("item_status=aberto".into(), "12", "35"),
        (format!("assignee_member_id={}", ana.id), "2", ""),
        (format!("section_id={b}&item_status=aberto"), "", "35"),
        (format!("section_id={}", super::NOBODY), "", ""),
        ("limit=3".into(), "12", "3"),
        ("limit=5".into(), "12", "345"),
    ];
    for (query, in_a, in_b) in queries {
        let answer = read(&query).await;
        let project = &answer["project"];
        assert_eq!(
            (
                item_titles(project, 0).concat(),
                item_titles(project, 1).concat()
            ),
            (in_a.into(), in_b.into()),
            "{query}"
        );
        assert_eq!(project["counts"]["items"], 5);
        assert_eq!(
            answer["next_cursor"].is_null(),
            query != "limit=3",
            "{query}"
        );
    }
    for limit in 1..=6 {
        let (mut seen, mut cursor) = (String::new(), String::new());
        loop {
            let answer = read(&format!("limit={limit}&item_status=aberto{cursor}")).await;
            seen += &(item_titles(&answer["project"], 0).concat()
                + &item_titles(&answer["project"], 1).concat());
            match answer["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(seen, "1235", "limit {limit}");
    }
}

#[tokio::test]
async fn a_project_too_large_for_a_tool_can_be_read_in_pages() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let notes = "🎉".repeat(10_000);
    for count in 0..3 {
        let payload = json!({ "section_id": section, "title": format!("{count}"), "notes": notes });
        desk.apply_operation("item.add", payload).await.expect(200);
    }
    let whole = desk
        .lead
        .call_tool("get_project", json!({ "projectId": desk.id }))
        .await;
    assert!(!whole.is_error && whole.text.len() <= 100_000);
    let item = &whole.structured["project"]["sections"][0]["items"][2];
    assert!(
        item["notes"]
            .as_str()
            .is_some_and(|notes| notes.ends_with('…'))
    );
    assert_eq!(whole.structured["project"]["cortado"], json!(["sections"]));
    let (mut seen, mut cursor) = (BTreeSet::new(), Value::Null);
    loop {
        let mut arguments = json!({ "projectId": desk.id, "limit": 2 });
        if cursor.is_string() {
            arguments["cursor"] = cursor;
        }
        let page = desk.lead.call_tool("get_project", arguments).await;
        assert!(!page.is_error, "{}", page.text);
        seen.extend(item_titles(&page.structured["project"], 0));
        cursor = page.structured["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["0", "1", "2"]);
}

#[tokio::test]
async fn an_invented_cursor_is_refused() {
    let desk = Desk::new().await;
    for position in [
        "18446744073709551615",
        "18446744073709551600",
        "1001",
        "-1",
        "x",
    ] {
        let cursor = URL_SAFE_NO_PAD.encode(position);
        let path = format!("/api/projects/{}?limit=200&cursor={cursor}", desk.id);
        assert_eq!(
            desk.lead.get(&path).await.invalid_fields(),
            ["cursor"],
            "{position}"
        );
    }
}
