//! Published skills: versions never change, and the newest version is visible on all interfaces at
//! once.

use domain::{Role, sha256_hex};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    limits::TEXTS,
    support::{Answer, Client, TestApp},
};

async fn publish_skill(admin: &Client, name: &str, content: &str, expected: Option<i64>) -> Answer {
    let mut input = json!({ "name": name, "description": "Para quê", "content": content });
    if let Some(expected) = expected {
        input["expected_version"] = expected.into();
    }
    admin.post("/api/skills", input).await
}

async fn list_skills(client: &Client, query: &str) -> Vec<Value> {
    let listed = client.get(&format!("/api/skills{query}")).await.expect(200);
    listed.body["skills"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_version_is_published_and_the_earlier_ones_stay() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let admin = app.session_client(&member).await;
    for (version, content) in (1i64..).zip(["# Um", "# Dois", "# Três"]) {
        let published = publish_skill(&admin, "tom", content, Some(version - 1)).await;
        let sha256 = sha256_hex(content.as_bytes());
        let expected = json!({ "ok": true, "name": "tom", "version": version, "sha256": sha256 });
        assert_eq!(published.expect(201).body, expected);
    }
    let current = json!({
        "name": "tom", "version": 3, "description": "Para quê", "content": "# Três",
        "sha256": sha256_hex("# Três".as_bytes()), "updated_at": "2026-08-22T15:00:00.002Z",
        "updated_by": member.id, "updated_by_name": member.name,
    });
    let reader = app.as_member(Role::Criador).await;
    assert_eq!(
        list_skills(&reader, "").await,
        std::slice::from_ref(&current)
    );
    let one = list_skills(&reader, "?name=tom").await;
    let history = one[0]["history"].as_array().expect("a history").clone();
    let mut without = one[0].clone();
    without
        .as_object_mut()
        .expect("an object")
        .remove("history");
    assert_eq!(without, current);
    let versions: Vec<_> = history.iter().map(|line| line["version"].clone()).collect();
    assert_eq!(versions, [3, 2, 1]);
    let oldest = json!({
        "version": 1, "sha256": sha256_hex("# Um".as_bytes()), "updated_by": member.id,
        "updated_at": "2026-08-22T15:00:00.000Z", "updated_by_name": member.name,
    });
    assert_eq!(history[2], oldest);
    let first = list_skills(&reader, "?name=tom&version=1").await;
    assert_eq!(
        (&first[0]["content"], &first[0]["version"]),
        (&json!("# Um"), &json!(1))
    );
    for unknown in ["?name=nenhuma", "?name=tom&version=4"] {
        assert_eq!(
            list_skills(&reader, unknown).await,
            [] as [Value; 0],
            "{unknown}"
        );
    }
    let light = list_skills(&reader, "?conteudo=false").await;
    assert!(light[0].get("content").is_none() && light[0]["version"] == 3);
}

#[tokio::test]
async fn an_expected_version_that_is_not_the_current_one_is_refused() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for expected in [1, 9_007_199_254_740_991] {
        let refused = publish_skill(&admin, "tom", "x", Some(expected)).await;
        let refused = refused.expect_refusal(409, "STALE_REVISION").body;
        assert_eq!(refused["details"]["current"], 0);
    }
    assert_eq!(app.count_rows("skills").await, 0);
    publish_skill(&admin, "tom", "x", Some(0)).await.expect(201);
    for expected in [0, 2] {
        let refused = publish_skill(&admin, "tom", "y", Some(expected)).await;
        let refused = refused.expect_refusal(409, "STALE_REVISION").body;
        assert_eq!(refused["details"]["current"], 1);
    }
    publish_skill(&admin, "tom", "y", Some(1)).await.expect(201);
    assert_eq!(
        publish_skill(&admin, "tom", "y", None)
            .await
            .expect(201)
            .body["version"],
        3
    );
    assert_eq!(app.count_rows("skill_versions").await, 3);
}

#[tokio::test]
async fn one_of_several_publishers_wins_or_each_gets_its_own_version() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    publish_skill(&admin, "tom", "x", None).await.expect(201);
    let race = |expected: Option<i64>, name: &'static str| {
        let admin = admin.clone();
        async move {
            let all = (0..6).map(|_| publish_skill(&admin, name, "x", expected));
            let mut statuses: Vec<_> = join_all(all).await.iter().map(|a| a.status).collect();
            statuses.sort_unstable();
            statuses
        }
    };
    let one_wins = [201, 409, 409, 409, 409, 409];
    assert_eq!(race(Some(1), "tom").await, one_wins);
    assert_eq!(race(Some(0), "nova").await, one_wins);
    assert_eq!(race(None, "tom").await, [201; 6]);
    assert_eq!(list_skills(&admin, "?name=tom").await[0]["version"], 8);
    assert_eq!(app.count_rows("skill_versions").await, 9);
}

#[tokio::test]
async fn each_field_has_its_limits() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let with = |field: &str, value: Value| {
        let mut input = json!({ "name": "tom", "description": "x", "content": "x" });
        input[field] = value;
        input
    };
    let longest_name = "a-9".repeat(21) + "z";
    for name in ["a", "-", "9", longest_name.as_str()] {
        admin
            .post("/api/skills", with("name", name.into()))
            .await
            .expect(201);
    }
    let too_long = format!("{longest_name}z");
    for name in ["", "A", "á", "a b", "a_b", "a/b", "a\n", &too_long] {
        let refused = admin.post("/api/skills", with("name", name.into())).await;
        assert_eq!(refused.invalid_fields()[0], "name", "{name:?}");
        let query = form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>();
        let refused = admin.get(&format!("/api/skills?name={query}")).await;
        assert_eq!(refused.invalid_fields()[0], "name", "{name:?}");
    }
    for (field, limit) in [("description", 1_024), ("content", 200_000)] {
        for character in ["a", "ã", "🎉"] {
            let text = character.repeat(limit);
            let longer = format!("{text}a");
            for bad in [longer.as_str(), "", "a\u{0}"] {
                let refused = admin.post("/api/skills", with(field, bad.into())).await;
                assert_eq!(refused.invalid_fields()[0], field);
            }
            let made = admin
                .post("/api/skills", with(field, text.clone().into()))
                .await;
            made.expect(201);
            assert!(list_skills(&admin, "?name=tom").await[0][field] == text);
        }
    }
    for version in [
        json!(-1),
        json!(0.5),
        json!("1"),
        json!(null),
        json!(9_007_199_254_740_992i64),
    ] {
        let refused = admin
            .post("/api/skills", with("expected_version", version))
            .await;
        assert_eq!(refused.invalid_fields(), ["expected_version"]);
    }
    let alone = admin.get("/api/skills?version=1").await;
    assert_eq!(alone.invalid_fields(), ["name"]);
    assert_eq!(
        admin
            .get("/api/skills?conteudo=talvez")
            .await
            .invalid_fields(),
        ["conteudo"]
    );
}

#[tokio::test]
async fn content_is_returned_byte_for_byte() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for text in TEXTS {
        let input = json!({ "name": "tom", "description": text, "content": text });
        let published = admin.call_tool("publish_skill_version", input).await;
        assert!(!published.is_error, "{}", published.text);
        let one = &list_skills(&admin, "?name=tom&limit=1").await[0];
        assert_eq!(
            (&one["content"], &one["description"]),
            (&json!(text), &json!(text))
        );
        assert_eq!(one["sha256"], sha256_hex(text.as_bytes()));
    }
}

#[tokio::test]
async fn skills_and_their_history_are_listed_in_pages_without_gaps() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for number in 0..9 {
        publish_skill(&admin, &format!("skill-{number}"), "x", None)
            .await
            .expect(201);
        publish_skill(&admin, "muitas", "x", None).await.expect(201);
    }
    let pointers = [
        ("", "/skills", "name"),
        ("&name=muitas", "/skills/0/history", "version"),
    ];
    for (query, rows, field) in pointers {
        let mut whole = None;
        for limit in [1, 4, 9, 10, 11] {
            let (mut seen, mut cursor) = (vec![], String::new());
            loop {
                let path = format!("/api/skills?limit={limit}{query}{cursor}");
                let page = admin.get(&path).await.expect(200).body;
                let rows = page.pointer(rows).and_then(Value::as_array).expect("rows");
                seen.extend(rows.iter().map(|row| row[field].clone()));
                let Some(next) = page["next_cursor"].as_str() else {
                    break;
                };
                cursor = format!("&cursor={next}");
            }
            assert_eq!(
                *whole.get_or_insert_with(|| seen.clone()),
                seen,
                "limit {limit}"
            );
        }
        assert_eq!(
            whole.expect("a page").len(),
            if query.is_empty() { 10 } else { 9 }
        );
    }
    let refused = admin.get("/api/skills?cursor=abc").await;
    assert_eq!(refused.invalid_fields(), ["cursor"]);
    let listed = admin.get("/api/skills?limit=1").await.expect(200).body;
    let cursor = listed["next_cursor"].as_str().expect("a cursor");
    let refused = admin
        .get(&format!("/api/skills?name=muitas&cursor={cursor}"))
        .await;
    assert_eq!(refused.invalid_fields(), ["cursor"]);
}

#[tokio::test]
async fn a_long_skill_is_read_in_windows_through_rest_and_mcp() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let whole = "aé한🎉<".repeat(40_000);
    publish_skill(&admin, "tom", &whole, None).await.expect(201);
    let begun = admin
        .call_tool("list_skills", json!({ "name": "tom" }))
        .await;
    assert_eq!(begun.structured["skills"][0]["cortado"], json!(["content"]));
    let (mut by_tool, mut by_rest, mut from) = (String::new(), String::new(), json!(0));
    while from != Value::Null {
        let window = json!({ "name": "tom", "de": from });
        let told = admin.call_tool("list_skills", window).await.structured;
        by_tool.push_str(told["skills"][0]["content"].as_str().expect("text"));
        let query = format!("?name=tom&de={from}&tamanho=20000");
        let read = &list_skills(&admin, &query).await[0];
        assert_eq!(*read, told["skills"][0]);
        assert_eq!(read["sha256"], sha256_hex(whole.as_bytes()));
        by_rest.push_str(read["content"].as_str().expect("text"));
        assert_eq!(
            read["janela"],
            json!({
                "de": from, "tamanho": 20_000, "total": 200_000,
                "proxima": read["janela"]["proxima"],
            })
        );
        from = read["janela"]["proxima"].clone();
    }
    assert!(by_tool == whole && by_rest == whole);
    let beyond = &list_skills(&admin, "?name=tom&de=200000").await[0];
    assert_eq!(beyond["content"], "");
    let end = json!({ "de": 200_000, "tamanho": 0, "total": 200_000, "proxima": null });
    assert_eq!(beyond["janela"], end);
    let bare = &list_skills(&admin, "?name=tom&de=0&conteudo=false").await[0];
    assert!(bare.get("content").is_none() && bare.get("janela").is_none());
    for (query, field) in [
        ("de=0", "name"),
        ("tamanho=5", "name"),
        ("name=tom&de=-1", "de"),
        ("name=tom&tamanho=0", "tamanho"),
        ("name=tom&tamanho=1.5", "tamanho"),
    ] {
        let refused = admin.get(&format!("/api/skills?{query}")).await;
        assert_eq!(refused.invalid_fields(), [field], "{query}");
    }
}
