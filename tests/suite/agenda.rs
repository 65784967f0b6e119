//! Who sees which events, and how the lists filter, sort and page.

use std::collections::BTreeSet;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use tools::domain::{Capability, Level, Role};

use crate::support::{Client, TestApp};

const NO_EVENT: &str = "0198c0de-0000-7000-8000-000000000000";

/// The titles of a list, in order.
async fn titles(client: &Client, path: &str) -> Vec<String> {
    let body = client.get(path).await.expect(200).body;
    let lists = ["eventos", "tarefas", "pendentes"];
    let list = lists
        .iter()
        .find_map(|name| body[name].as_array())
        .expect("a list");
    list.iter()
        .map(|event| event["title"].as_str().expect("a title").to_owned())
        .collect()
}

/// A query with its values encoded.
fn query(path: &str, pairs: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    format!("{path}?{}", query.extend_pairs(pairs).finish())
}

#[tokio::test]
async fn a_criador_finds_only_what_they_made_or_were_given() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.member(Role::Lider).await;
    let author = app.session(&member).await;
    author.demand(json!({ "title": "Criado" })).await;
    let change = json!({ "member_id": member.id, "access_level": "criador" });
    admin.patch("/api/membros", change).await.expect(200);
    admin
        .demand(json!({ "title": "Atribuído", "assignee_id": member.id }))
        .await;
    let hidden = admin.demand(json!({ "title": "Alheio" })).await;

    let token = app.token(&member).await;
    for client in [&author, &token] {
        let seen: BTreeSet<_> = titles(client, "/api/eventos").await.into_iter().collect();
        assert_eq!(seen, BTreeSet::from(["Criado".into(), "Atribuído".into()]));
        let seen: BTreeSet<_> = titles(client, "/api/anexaveis").await.into_iter().collect();
        assert_eq!(seen.len(), 2);
        assert_eq!(titles(client, "/api/tarefas").await, ["Atribuído"]);
        assert_eq!(titles(client, "/api/eventos?q=alheio").await, [""; 0]);
        client
            .get(&format!("/api/eventos/{hidden}"))
            .await
            .refused(404, "NOT_FOUND");
    }
    for role in [Role::Lider, Role::Admin] {
        assert_eq!(
            titles(&app.as_member(role).await, "/api/eventos")
                .await
                .len(),
            3
        );
    }
}

#[tokio::test]
async fn a_hidden_event_and_an_absent_one_get_the_same_answer_on_every_operation() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.as_member(Role::Criador).await;
    let id = lead.demand(json!({})).await;
    let ids = [
        id.as_str(),
        NO_EVENT,
        "x",
        "0198c0de00007000800000000000000a",
    ];
    let mut answers = BTreeSet::new();
    let mut tools = BTreeSet::new();
    for id in ids {
        let write = json!({ "event_id": id, "expected_revision": 1 });
        for answer in [
            author.get(&format!("/api/eventos/{id}")).await,
            author.post("/api/draft", write.clone()).await,
            author.post("/api/enviar", write.clone()).await,
        ] {
            answers.insert(answer.refused(404, "NOT_FOUND").text);
        }
        tools.insert(
            author
                .call("get_event", json!({ "eventId": id }))
                .await
                .text,
        );
        tools.insert(author.call("save_draft", write.clone()).await.text);
        tools.insert(author.call("submit_for_approval", write).await.text);
    }
    assert_eq!(
        (answers.len(), tools.len()),
        (1, 1),
        "{answers:?} {tools:?}"
    );

    // For those who see everything, the same of what does not exist.
    for id in &ids[1..] {
        let decision = json!({ "event_id": id, "action": "aprovar" });
        answers.insert(
            lead.post("/api/aprovar", decision)
                .await
                .refused(404, "NOT_FOUND")
                .text,
        );
        let patch = json!({ "expected_revision": 1, "title": "x" });
        let answer = lead.patch(&format!("/api/eventos/{id}"), patch).await;
        answers.insert(answer.refused(404, "NOT_FOUND").text);
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(lead.event(&id).await["api_revision"], 1);
}

#[tokio::test]
async fn an_id_is_found_whatever_its_case() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.demand(json!({})).await;
    assert_eq!(lead.event(&id.to_uppercase()).await["id"], id.as_str());
}

#[tokio::test]
async fn an_event_reassigned_away_disappears_everywhere() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.member(Role::Criador).await;
    let author = app.token(&member).await;
    let id = lead.demand(json!({ "assignee_id": member.id })).await;
    let lists = ["/api/eventos", "/api/tarefas", "/api/anexaveis"];
    for list in lists {
        assert_eq!(titles(&author, list).await.len(), 1, "{list}");
    }
    let away = json!({ "expected_revision": 1, "assignee_ids": [] });
    lead.patch(&format!("/api/eventos/{id}"), away)
        .await
        .expect(200);
    for list in lists {
        assert_eq!(titles(&author, list).await.len(), 0, "{list}");
    }
    author
        .get(&format!("/api/eventos/{id}"))
        .await
        .refused(404, "NOT_FOUND");
    let draft = json!({ "event_id": id, "expected_revision": 2 });
    author
        .post("/api/draft", draft)
        .await
        .refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn what_a_token_sees_follows_the_role_and_not_its_level() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    lead.demand(json!({})).await;
    let reader = app.member_with(Role::Lider, Level::Leitor, false).await;
    let token = app.token_with(&reader, &[Capability::TasksView]).await.0;
    assert_eq!(titles(&token, "/api/eventos").await.len(), 1);
    let draft = json!({ "event_id": NO_EVENT, "expected_revision": 1 });
    token
        .post("/api/draft", draft)
        .await
        .refused(403, "CAPABILITY_REQUIRED");
}

/// One event of each status, with the status as its title.
async fn one_of_each(lead: &Client, assignee: &str) {
    let make = async |title: &str| {
        lead.demand(json!({ "title": title, "assignee_id": assignee }))
            .await
    };
    let own = |id: &str| json!({ "event_id": id, "expected_revision": 1 });
    let decide = async |title: &str, action: &str| {
        let id = make(title).await;
        lead.post("/api/enviar", own(&id)).await.expect(200);
        let decision = json!({ "event_id": id, "action": action });
        lead.post("/api/aprovar", decision).await.expect(200);
        id
    };
    let set = async |id: &str, revision: i64, status: &str| {
        let patch = json!({ "expected_revision": revision, "status": status });
        lead.patch(&format!("/api/eventos/{id}"), patch)
            .await
            .expect(200);
    };
    make("a fazer").await;
    for status in ["em progresso", "processing"] {
        let mut draft = own(&make(status).await);
        draft["status"] = status.into();
        lead.post("/api/draft", draft).await.expect(200);
    }
    let id = make("em aprovação").await;
    lead.post("/api/enviar", own(&id)).await.expect(200);
    decide("aprovado", "aprovar").await;
    decide("recusado", "recusar").await;
    set(&decide("publicado", "aprovar").await, 3, "publicado").await;
    set(&make("arquivado").await, 1, "arquivado").await;
}

#[tokio::test]
async fn each_list_holds_its_statuses() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.member(Role::Criador).await;
    let author = app.session(&member).await;
    one_of_each(&lead, &member.id).await;
    let seen = async |client: &Client, path: &str| -> BTreeSet<String> {
        titles(client, path).await.into_iter().collect()
    };
    let work = ["a fazer", "em progresso", "processing", "recusado"].map(String::from);
    let tasks = ["em aprovação", "aprovado"].map(String::from);
    assert_eq!(
        seen(&author, "/api/anexaveis").await,
        BTreeSet::from(work.clone())
    );
    assert_eq!(
        seen(&author, "/api/tarefas").await,
        work.into_iter().chain(tasks).collect()
    );
    assert_eq!(seen(&author, "/api/eventos").await.len(), 8);
    assert_eq!(titles(&lead, "/api/aprovacoes").await, ["em aprovação"]);
    assert_eq!(titles(&lead, "/api/tarefas").await, [""; 0]);
    for status in seen(&lead, "/api/eventos").await {
        let path = query("/api/eventos", &[("status", &status)]);
        assert_eq!(titles(&author, &path).await, [status]);
    }
    for status in ["pronto", "", "A FAZER"] {
        let path = query("/api/eventos", &[("status", status)]);
        assert_eq!(lead.get(&path).await.fields(), ["status"]);
    }
}

#[tokio::test]
async fn days_are_whole_and_of_brasilia() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (title, day, hour) in [
        ("véspera", 23, "23:59"),
        ("começo", 24, "00:00"),
        ("fim", 24, "23:59"),
        ("seguinte", 25, "00:00"),
    ] {
        lead.demand(json!({ "title": title, "day": day, "month": 8, "year": 2026, "hour": hour }))
            .await;
    }
    lead.demand(json!({ "title": "sem data" })).await;
    let between = async |range: &str| titles(&lead, &format!("/api/eventos?{range}")).await;
    assert_eq!(
        between("de=2026-08-24&ate=2026-08-24").await,
        ["começo", "fim"]
    );
    assert_eq!(
        between("de=2026-08-24").await,
        ["começo", "fim", "seguinte"]
    );
    assert_eq!(
        between("ate=2026-08-24").await,
        ["véspera", "começo", "fim"]
    );
    assert_eq!(between("de=2026-08-25&ate=2026-08-23").await, [""; 0]);
    assert_eq!(
        between("").await,
        ["véspera", "começo", "fim", "seguinte", "sem data"]
    );
    // The ends of the calendar.
    let dated = ["véspera", "começo", "fim", "seguinte"];
    for range in [
        "de=0000-01-01",
        "ate=9999-12-31",
        "ate=9999-12-30",
        "de=0000-01-01&ate=9999-12-31",
    ] {
        assert_eq!(between(range).await, dated, "{range}");
    }
    for range in [
        "de=9999-12-31",
        "de=9999-12-30",
        "ate=0000-01-01",
        "ate=1999-12-31",
    ] {
        assert_eq!(between(range).await, [""; 0], "{range}");
    }
    for day in [
        "2026-02-30",
        "2026-02-29",
        "2026-13-01",
        "2026-8-1",
        "20260801",
        "24/08/2026",
        "hoje",
        "",
        "2026-08-24T00:00:00Z",
        "-2026-08-24",
        "10000-01-01",
        "2026-08-24 ",
    ] {
        for name in ["de", "ate"] {
            let answer = lead.get(&query("/api/eventos", &[(name, day)])).await;
            assert_eq!(answer.fields(), [name], "{day}");
        }
    }
}

#[tokio::test]
async fn a_search_ignores_case_and_accents_and_takes_signs_as_they_are() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let events = [
        ("Ação de LANÇAMENTO", "", "reel"),
        ("Desconto de 100%", "", "oferta_relâmpago"),
        ("Desconto de 1000", "", "ofertaXrelampago"),
        (r"Caminho C:\pauta", "linha um\nlinha dois", "x"),
        ("Café ☕ às 9h", "Ψυχή e Straße", "x"),
    ];
    for (title, description, tipo) in events {
        lead.demand(json!({ "title": title, "description": description, "tipo": tipo }))
            .await;
    }
    let found = async |text: &str| -> Vec<String> {
        let mut titles = titles(&lead, &query("/api/eventos", &[("q", text)])).await;
        titles.sort();
        titles
    };
    for text in [
        "acao",
        "AÇÃO",
        "ac\u{327}a\u{303}o",
        "lancamento",
        "Lançamento",
        "de lanç",
    ] {
        assert_eq!(found(text).await, ["Ação de LANÇAMENTO"], "{text}");
    }
    assert_eq!(found("100%").await, ["Desconto de 100%"]);
    assert_eq!(found("desconto de 100").await.len(), 2);
    assert_eq!(found("oferta_relampago").await, ["Desconto de 100%"]);
    assert_eq!(found(r"c:\pauta").await, [r"Caminho C:\pauta"]);
    assert_eq!(found("linha um\nlinha").await, [r"Caminho C:\pauta"]);
    assert_eq!(found("☕").await, ["Café ☕ às 9h"]);
    assert_eq!(found("ψυχη").await, ["Café ☕ às 9h"]);
    assert_eq!(found("REEL").await, ["Ação de LANÇAMENTO"]);
    for text in ["%", "_", r"\"] {
        assert_eq!(found(text).await.len(), 1, "{text}");
    }
    for text in ["%%", "__", "d%o", r"\\", "' OR 1=1 --", "acao%"] {
        assert_eq!(found(text).await, [""; 0], "{text}");
    }
    assert_eq!(lead.get("/api/eventos?q=").await.fields(), ["q"]);
    let long = "a".repeat(201);
    assert_eq!(
        lead.get(&format!("/api/eventos?q={long}")).await.fields(),
        ["q"]
    );
    assert_eq!(found(&"ã".repeat(200)).await, [""; 0]);
}

#[tokio::test]
async fn a_search_follows_the_text_as_it_changes() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead
        .demand(json!({ "title": "Festa", "description": "Canjica" }))
        .await;
    let found = async |text: &str| titles(&lead, &format!("/api/eventos?q={text}")).await.len();
    assert_eq!((found("canjica").await, found("pamonha").await), (1, 0));
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Pamonha" });
    lead.post("/api/draft", draft).await.expect(200);
    assert_eq!((found("canjica").await, found("pamonha").await), (0, 1));
    let patch = json!({ "expected_revision": 2, "title": "Quermesse", "tipo": "reel" });
    lead.patch(&format!("/api/eventos/{id}"), patch)
        .await
        .expect(200);
    assert_eq!(
        (
            found("festa").await,
            found("quermesse").await,
            found("reel").await
        ),
        (0, 1, 1)
    );
}

#[tokio::test]
async fn filters_add_up() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (ana, bia) = (
        app.member(Role::Criador).await,
        app.member(Role::Criador).await,
    );
    for (title, channel, person, day) in [
        ("Bolo A", "blog", &ana, 1),
        ("Bolo B", "blog", &bia, 1),
        ("Bolo C", "instagram", &ana, 1),
        ("Bolo D", "blog", &ana, 2),
        ("Pão E", "blog", &ana, 1),
    ] {
        let demand = json!({
            "title": title, "channel": channel, "assignee_id": person.id, "day": day, "month": 9,
        });
        lead.demand(demand).await;
    }
    let all = [
        ("channel", "blog"),
        ("assignee_id", &ana.id),
        ("q", "bolo"),
        ("ate", "2026-09-01"),
        ("status", "a fazer"),
    ];
    assert_eq!(
        titles(&lead, &query("/api/eventos", &all)).await,
        ["Bolo A"]
    );
    for (dropped, more) in [(0, "Bolo C"), (1, "Bolo B"), (2, "Pão E"), (3, "Bolo D")] {
        let some: Vec<_> = all
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != dropped)
            .collect();
        let some: Vec<_> = some.into_iter().map(|(_, pair)| *pair).collect();
        let found: BTreeSet<_> = titles(&lead, &query("/api/eventos", &some))
            .await
            .into_iter()
            .collect();
        assert_eq!(found, BTreeSet::from(["Bolo A".into(), more.into()]));
    }
    for nobody in ["x", NO_EVENT] {
        let path = query("/api/eventos", &[("assignee_id", nobody)]);
        assert_eq!(titles(&lead, &path).await, [""; 0]);
    }
    assert_eq!(titles(&lead, "/api/eventos?channel=BLOG").await, [""; 0]);
    // What is seen goes before what is asked for.
    let bia = app.session(&bia).await;
    assert_eq!(
        titles(&bia, &query("/api/eventos", &[("assignee_id", &ana.id)])).await,
        [""; 0]
    );
}

/// Every page of a list, as (due_at, id).
async fn walk(client: &Client, path: &str, limit: usize) -> Vec<(Value, Value)> {
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
        assert_eq!(list.len(), limit, "only the last page is short");
        cursor = format!("&cursor={next}");
    }
}

#[tokio::test]
async fn pages_leave_no_gap_and_repeat_nothing_among_equal_dates() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.member(Role::Criador).await;
    for n in 0..24 {
        let mut demand = json!({ "title": format!("{n}"), "assignee_id": member.id });
        if n % 4 != 3 {
            demand["day"] = (1 + n % 3).into();
            demand["month"] = 9.into();
        }
        let id = lead.demand(demand).await;
        let submit = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", submit).await.expect(200);
    }
    let author = app.session(&member).await;
    let all = walk(&lead, "/api/eventos", 200).await;
    assert_eq!(all.len(), 24);
    // By date, the undated last, and by id among equal dates.
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
            assert_eq!(walk(client, path, limit).await, all, "{path} limit {limit}");
        }
    }
}

#[tokio::test]
async fn a_page_is_not_shifted_by_what_is_written_meanwhile() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let on = |title: &str, day: u8| json!({ "title": title, "day": day, "month": 9 });
    for (title, day) in [("1", 1), ("2", 2), ("3", 3), ("4", 4)] {
        lead.demand(on(title, day)).await;
    }
    let first = lead.get("/api/eventos?limit=2").await.expect(200).body;
    lead.demand(on("antes", 1)).await;
    lead.demand(on("depois", 3)).await;
    let path = format!(
        "/api/eventos?cursor={}",
        first["next_cursor"].as_str().expect("more")
    );
    let rest: BTreeSet<_> = titles(&lead, &path).await.into_iter().collect();
    assert_eq!(
        rest,
        BTreeSet::from(["3".into(), "4".into(), "depois".into()])
    );
}

#[tokio::test]
async fn a_cursor_that_no_list_gave_is_refused_by_name() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = admin.demand(json!({})).await;
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
            let answer = admin.get(&query(path, &[("cursor", cursor)])).await;
            assert_eq!(answer.status, 400, "{path} {cursor}: {}", answer.text);
            assert_eq!(answer.fields(), ["cursor"], "{path} {cursor}");
        }
    }
    let tool = admin.call("list_events", json!({ "cursor": "x" })).await;
    assert!(tool.is_error && tool.text.contains("`cursor`"));
}

#[tokio::test]
async fn a_cursor_of_an_extreme_position_is_an_empty_page_or_the_first() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    lead.demand(json!({ "day": 1, "month": 9 })).await;
    for (position, count) in [
        (json!([i64::MIN, ""]), 1),
        (json!([0, "é 🎉 ' \""]), 1),
        (json!([i64::MAX, "~"]), 0),
    ] {
        let cursor = URL_SAFE_NO_PAD.encode(position.to_string());
        let path = format!("/api/eventos?cursor={cursor}");
        assert_eq!(titles(&lead, &path).await.len(), count, "{position}");
    }
}
