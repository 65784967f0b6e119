//! Launches: permissions to write, visibility, and compare-and-set.

use domain::{Level, Role};
use futures::future::join_all;
use serde_json::{Value, json};

use super::{
    approved_purchase, create_launch, financial_client, generate::Dice, get, pick_fields,
    save_and_settle,
};
use crate::support::TestApp;
use domain::sales::Purchase;

fn launch_input(more: Value) -> Value {
    let mut input = json!({
        "nome": "Pão", "inicio": "2026-08-10", "fim": "2026-08-29", "meta_centavos": 5,
        "produtos": ["p1", "p1"], "campanhas": [], "lancamento": "L",
    });
    for (name, value) in more.as_object().expect("fields") {
        input[name] = value.clone();
    }
    input
}

#[tokio::test]
async fn a_stale_revision_is_refused_and_nothing_changes() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let project = admin.post("/api/projects", json!({ "name": "P" })).await;
    let id = project.expect(201).body["project"]["id"].clone();
    let path = format!("/api/lancamentos/{}", id.as_str().expect("an id"));
    let stale = admin
        .put(&path, launch_input(json!({ "expected_revision": 3 })))
        .await;
    assert_eq!(
        stale.expect_refusal(409, "STALE_REVISION").body["details"]["current"],
        0
    );
    let first = admin
        .put(&path, launch_input(json!({ "expected_revision": 0 })))
        .await;
    let first = first.expect(200).body["lancamento"].clone();
    let fields = ["revision", "moeda", "produtos", "situacao"];
    let wanted = json!([1, "BRL", ["p1"], "em_andamento"]);
    assert_eq!(json!(pick_fields(&first, &fields)), wanted);
    for expected in [0, 2] {
        let stale = admin
            .put(
                &path,
                launch_input(json!({ "expected_revision": expected })),
            )
            .await;
        assert_eq!(
            stale.expect_refusal(409, "STALE_REVISION").body["details"]["current"],
            1
        );
    }
    for expected in [
        json!({ "expected_revision": 1 }),
        json!({ "nome": "Outro" }),
    ] {
        admin.put(&path, launch_input(expected)).await.expect(200);
    }
    let last = admin
        .put(&path, launch_input(json!({ "expected_revision": 3 })))
        .await;
    assert_eq!(last.expect(200).body["lancamento"]["revision"], 4);
}

#[tokio::test]
async fn a_launch_needs_an_existing_project_and_a_period() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let unknown = "/api/lancamentos/01990000-0000-7000-8000-000000000999";
    admin
        .put(unknown, launch_input(json!({})))
        .await
        .expect_refusal(404, "NOT_FOUND");
    let project = admin.post("/api/projects", json!({ "name": "P" })).await;
    let id = project.expect(201).body["project"]["id"].clone();
    let path = format!("/api/lancamentos/{}", id.as_str().expect("an id"));
    let backwards = admin
        .put(&path, launch_input(json!({ "fim": "2026-08-09" })))
        .await;
    assert_eq!(backwards.invalid_fields(), ["fim"]);
    let client = financial_client(&app).await;
    // The project has no launch yet.
    let panel = client.get(&format!("{path}/resumo")).await;
    panel.expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn only_members_with_the_finance_flag_see_sales() {
    let app = TestApp::new().await;
    let launch = create_launch(&app, json!({})).await;
    let admin = app.as_member(Role::Admin).await;
    let client = financial_client(&app).await;
    for panel in [
        "/resumo",
        "/decisao",
        "/funil",
        "/jornada",
        "/midia",
        "/origem",
        "/disparos",
        "/compradores",
        "/perfis",
        "/saude",
    ] {
        let path = format!("/api/lancamentos/{launch}{panel}");
        let refused = admin
            .get(&path)
            .await
            .expect_refusal(403, "CAPABILITY_REQUIRED");
        assert_eq!(refused.body["details"]["capability"], "vendas");
        assert!(
            client
                .get(&path)
                .await
                .expect(200)
                .body
                .get("atualizado_em")
                .is_some()
        );
        let backwards = client
            .get(&format!("{path}?inicio=2026-08-02&fim=2026-08-01"))
            .await;
        if panel == "/decisao" {
            backwards.expect(400);
        } else {
            assert_eq!(backwards.invalid_fields(), ["fim"], "{panel}");
        }
    }
    let member = app.add_member_with(Role::Lider, Level::Leitor, true).await;
    let token = app.token_client(&member).await;
    token.get("/api/lancamentos").await.expect(200);
}

#[tokio::test]
async fn launches_are_listed_newest_first_with_their_sales() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    create_launch(
        &app,
        json!({ "nome": "A", "inicio": "2026-07-01", "fim": "2026-07-30" }),
    )
    .await;
    create_launch(&app, json!({ "nome": "B" })).await;
    create_launch(
        &app,
        json!({ "nome": "C", "inicio": "2026-09-01", "fim": "2026-09-30" }),
    )
    .await;
    let sold = |id: &str, launch: Option<&str>, instant: &str| Purchase {
        launch: launch.map(Into::into),
        ..approved_purchase(id, instant, 1_000)
    };
    let purchases = vec![
        sold("1", Some("L"), "2026-08-11T12:00:00Z"),
        sold("2", Some("M"), "2026-08-11T12:00:00Z"),
        sold("3", None, "2026-08-11T12:00:00Z"),
        sold("4", Some("L"), "2026-07-11T12:00:00Z"),
        sold("5", Some("L"), "2026-08-30T02:59:59Z"),
        sold("6", Some("L"), "2026-08-30T03:00:00Z"),
    ];
    save_and_settle(&app, purchases).await;
    let (mut lines, mut cursor) = (vec![], String::new());
    loop {
        let page = get(&client, &format!("/api/lancamentos?limit=2{cursor}")).await;
        lines.extend(page["lancamentos"].as_array().expect("launches").clone());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let fields = ["nome", "situacao", "receita_centavos", "vendas"];
    let lines: Vec<_> = lines
        .iter()
        .map(|line| pick_fields(line, &fields))
        .collect();
    assert_eq!(
        json!(lines),
        json!([
            ["C", "futuro", 0, 0],
            ["B", "em_andamento", 2_000, 2],
            ["A", "encerrado", 1_000, 1],
        ])
    );
}

/// For each field of a launch, a change of this field.
const CHANGES: [fn() -> Value; 9] = [
    || json!({ "nome": "Outro nome" }),
    || json!({ "inicio": "2026-08-01" }),
    || json!({ "fim": "2026-09-30" }),
    || json!({ "meta_centavos": 9_900 }),
    || json!({ "moeda": "USD" }),
    || json!({ "produtos": ["p7", "p8"] }),
    || json!({ "campanhas": ["feira_*"] }),
    || json!({ "lancamento": "feira" }),
    || json!({ "sem_lancamento": true }),
];

#[tokio::test]
async fn a_change_of_one_field_leaves_all_others_as_they_were() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let launch = create_launch(&app, json!({})).await;
    let path = format!("/api/lancamentos/{launch}");
    let mut dice = Dice(7);
    for _ in 0..60 {
        let before = admin.get(&path).await.expect(200).body["lancamento"].clone();
        let change = dice.pick(&CHANGES)();
        let mut sent = change.clone();
        sent["expected_revision"] = before["revision"].clone();
        let after = admin.patch(&path, sent.clone()).await.expect(200).body["lancamento"].clone();
        let mut wanted = before.clone();
        for (name, value) in change.as_object().expect("fields") {
            match name.as_str() {
                "sem_lancamento" => wanted["lancamento"] = Value::Null,
                name => wanted[name] = value.clone(),
            }
        }
        for name in [
            "revision",
            "updated_at",
            "updated_by",
            "updated_by_name",
            "situacao",
        ] {
            wanted[name] = after[name].clone();
        }
        assert_eq!(after, wanted, "{change}");
        assert_eq!(
            after["revision"],
            json!(before["revision"].as_i64().expect("a number") + 1)
        );
        let read = admin.get(&path).await.expect(200).body["lancamento"].clone();
        assert_eq!(read, after);
        // After the first write, this revision is stale.
        admin
            .patch(&path, sent)
            .await
            .expect_refusal(409, "STALE_REVISION");
        app.advance_clock(1_000);
    }
}

#[tokio::test]
async fn the_answer_about_a_launch_can_be_written_back_unchanged() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let launch = create_launch(&app, json!({})).await;
    let path = format!("/api/lancamentos/{launch}");
    for has_code in [true, false] {
        if !has_code {
            let without = json!({ "sem_lancamento": true });
            admin.patch(&path, without).await.expect(200);
        }
        let read = admin.get(&path).await.expect(200).body["lancamento"].clone();
        assert_eq!(read["lancamento"].is_string(), has_code, "{read}");
        let mut written = json!({ "expected_revision": read["revision"] });
        let names = [
            "nome",
            "inicio",
            "fim",
            "meta_centavos",
            "moeda",
            "produtos",
            "campanhas",
            "lancamento",
        ];
        for name in names {
            written[name] = read[name].clone();
        }
        let after = admin.put(&path, written).await.expect(200).body["lancamento"].clone();
        for name in names {
            assert_eq!(after[name], read[name], "{name}");
        }
    }
}

#[tokio::test]
async fn a_second_launch_of_a_project_is_refused_and_names_the_first() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let launch = create_launch(&app, json!({})).await;
    let path = format!("/api/lancamentos/{launch}");
    let present = admin.get(&path).await.expect(200).body["lancamento"].clone();
    let mut second = json!({ "expected_revision": 0, "nome": "Outro" });
    for name in ["inicio", "fim", "meta_centavos", "produtos", "campanhas"] {
        second[name] = present[name].clone();
    }
    let refused = admin.put(&path, second.clone()).await;
    let refused = refused.expect_refusal(409, "STALE_REVISION");
    let message = refused.body["error"].as_str().expect("a message");
    let name = present["nome"].as_str().expect("a name");
    assert!(message.contains(name), "{message}");
    assert_eq!(refused.body["details"]["current"], present["revision"]);
    let next = refused.body["details"]["next"].as_str().expect("advice");
    assert!(next.contains("`update_launch_dashboard`"), "{next}");
    // Another stale revision is refused as before.
    second["expected_revision"] = json!(7);
    let refused = admin.put(&path, second).await;
    let refused = refused.expect_refusal(409, "STALE_REVISION");
    let message = refused.body["error"].as_str().expect("a message");
    assert!(!message.contains(name), "{message}");
}

#[tokio::test]
async fn one_of_ten_concurrent_changes_of_a_launch_wins_and_an_invalid_period_is_refused() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let launch = create_launch(&app, json!({})).await;
    let path = format!("/api/lancamentos/{launch}");
    let backwards = json!({ "fim": "2020-01-01", "expected_revision": 1 });
    assert_eq!(
        admin.patch(&path, backwards).await.invalid_fields(),
        ["fim"]
    );
    let change = |n: usize| json!({ "meta_centavos": n, "expected_revision": 1 });
    let answers = join_all((0..10).map(|n| admin.patch(&path, change(n)))).await;
    let won = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(won, 1);
    // Without a revision, each of ten concurrent changes is applied to the current version.
    let blind = |n: usize| json!({ "meta_centavos": n });
    let blind = join_all((0..10).map(|n| admin.patch(&path, blind(n)))).await;
    assert!(blind.iter().all(|answer| answer.status == 200));
    let now = admin.get(&path).await.expect(200).body["lancamento"]["revision"].clone();
    assert_eq!(now, 12);
    let lost = answers.into_iter().filter(|answer| answer.status != 200);
    for answer in lost {
        let refused = answer.expect_refusal(409, "STALE_REVISION");
        let next = refused.body["details"]["next"]
            .as_str()
            .expect("a next step");
        assert!(next.contains("`get_launch_dashboard`"), "{next}");
    }
}
