//! The life of an editorial event: which status lets whom do what, and what it leaves behind.

use serde_json::{Value, json};
use tools::domain::{Capability, Role};

use crate::support::{Answer, Client, TestApp};

const STATUSES: [&str; 8] = [
    "a fazer",
    "em progresso",
    "processing",
    "em aprovação",
    "aprovado",
    "recusado",
    "publicado",
    "arquivado",
];
const EDITABLE: [&str; 4] = ["a fazer", "em progresso", "processing", "recusado"];

/// A new event in this status, with its revision.
async fn event_in(lead: &Client, status: &str) -> (String, i64) {
    let id = lead
        .demand(json!({ "description": "Original", "day": 24, "month": 8 }))
        .await;
    let draft = async |status: &str| {
        let draft = json!({ "event_id": id, "expected_revision": 1, "status": status });
        lead.post("/api/draft", draft).await.expect(200);
    };
    let submit = async || {
        let input = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", input).await.expect(200);
    };
    let set = async |revision: i64, status: &str| {
        let patch = json!({ "expected_revision": revision, "status": status });
        lead.patch(&format!("/api/eventos/{id}"), patch)
            .await
            .expect(200);
    };
    let decide = async |action: &str| {
        submit().await;
        let input = json!({ "event_id": id, "action": action });
        lead.post("/api/aprovar", input).await.expect(200);
    };
    match status {
        "a fazer" => {}
        "em progresso" | "processing" => draft(status).await,
        "em aprovação" => submit().await,
        "aprovado" => decide("aprovar").await,
        "recusado" => decide("recusar").await,
        "publicado" => {
            decide("aprovar").await;
            set(3, "publicado").await;
        }
        "arquivado" => set(1, "arquivado").await,
        other => panic!("there is no status {other}"),
    }
    let event = lead.event(&id).await;
    assert_eq!(event["status"], status);
    (id, event["api_revision"].as_i64().expect("a revision"))
}

async fn patch(client: &Client, id: &str, revision: i64, mut fields: Value) -> Answer {
    fields["expected_revision"] = revision.into();
    client.patch(&format!("/api/eventos/{id}"), fields).await
}

async fn history(client: &Client, id: &str) -> Vec<Value> {
    let event = client
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(200)
        .body;
    event["historico"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_stale_revision_is_refused_and_nothing_changes() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = event_in(&lead, "em progresso").await;
    let before = lead.event(&id).await;
    for stale in [0, revision - 1, revision + 1, 9_007_199_254_740_991] {
        let own = json!({ "event_id": id, "expected_revision": stale, "caption": "x" });
        let mut decision = own.clone();
        decision["action"] = "aprovar".into();
        let answers = [
            lead.post("/api/draft", own.clone()).await,
            lead.post("/api/enviar", own).await,
            lead.post("/api/aprovar", decision).await,
            patch(&lead, &id, stale, json!({ "title": "x" })).await,
        ];
        for answer in answers {
            let answer = answer.refused(409, "STALE_REVISION");
            assert_eq!(answer.body["details"]["current"], revision);
            assert!(answer.body["details"]["next"].is_string());
        }
        let tool = lead
            .call(
                "save_draft",
                json!({ "event_id": id, "expected_revision": stale }),
            )
            .await;
        let told = format!("Detalhes: {{\"current\":{revision}}}");
        assert!(tool.text.starts_with("STALE_REVISION") && tool.text.contains(&told));
    }
    assert_eq!(lead.event(&id).await, before);
    assert_eq!(history(&lead, &id).await.len(), 2);
}

#[tokio::test]
async fn a_draft_and_a_submission_need_an_editable_event() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for status in STATUSES {
        for (path, next) in [
            ("/api/draft", "em progresso"),
            ("/api/enviar", "em aprovação"),
        ] {
            let (id, revision) = event_in(&lead, status).await;
            let before = lead.event(&id).await;
            let input = json!({ "event_id": id, "expected_revision": revision, "caption": "Nova" });
            let answer = lead.post(path, input).await;
            if EDITABLE.contains(&status) {
                let answer = answer.expect(200).body;
                assert_eq!(answer["status"], next);
                assert_eq!(answer["api_revision"], revision + 1);
                assert_eq!(lead.event(&id).await["description"], "Nova");
            } else {
                let answer = answer.refused(409, "EVENT_NOT_EDITABLE");
                assert_eq!(answer.body["details"]["status"], status);
                assert_eq!(lead.event(&id).await, before, "{path} in {status}");
            }
        }
    }
}

#[tokio::test]
async fn a_draft_sets_only_statuses_of_work() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, _) = event_in(&lead, "a fazer").await;
    let draft = |status: &str, revision: i64| json!({ "event_id": id, "expected_revision": revision, "status": status });
    for status in STATUSES
        .iter()
        .skip(3)
        .chain(&["", "EM PROGRESSO", "em progresso ", "pronto"])
    {
        assert_eq!(
            lead.post("/api/draft", draft(status, 1)).await.fields(),
            ["status"]
        );
    }
    for (revision, status) in (1i64..).zip(["processing", "a fazer", "em progresso", "processing"])
    {
        let saved = lead
            .post("/api/draft", draft(status, revision))
            .await
            .expect(200)
            .body;
        assert_eq!(saved["status"], status);
    }
    assert_eq!(lead.event(&id).await["description"], "Original");
}

#[tokio::test]
async fn an_empty_caption_erases_and_an_absent_one_keeps() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, _) = event_in(&lead, "a fazer").await;
    let keep = json!({ "event_id": id, "expected_revision": 1 });
    lead.post("/api/draft", keep).await.expect(200);
    assert_eq!(lead.event(&id).await["description"], "Original");
    let erase = json!({ "event_id": id, "expected_revision": 2, "caption": "" });
    lead.post("/api/draft", erase).await.expect(200);
    let event = lead.event(&id).await;
    assert_eq!(
        (&event["description"], &event["briefing"]),
        (&json!(""), &json!("Original"))
    );
}

#[tokio::test]
async fn a_submission_proposes_a_date_and_keeps_what_it_does_not_name() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, _) = event_in(&lead, "a fazer").await;
    let plain = json!({ "event_id": id, "expected_revision": 1 });
    let sent = lead.post("/api/enviar", plain).await.expect(200).body;
    assert_eq!(sent["due_at"], "2026-08-24T15:00:00.000Z");
    assert_eq!(sent["due_at"], sent["proposto"]);

    let (id, _) = event_in(&lead, "a fazer").await;
    let dated = json!({
        "event_id": id, "expected_revision": 1, "day": 1, "month": 9, "hour": "08:05",
        "tipo": "reel",
    });
    let sent = lead.post("/api/enviar", dated).await.expect(200).body;
    assert_eq!(sent["proposto"], "2026-09-01T11:05:00.000Z");
    let event = lead.event(&id).await;
    assert_eq!(
        (&event["day"], &event["month"], &event["hour"]),
        (&json!(1), &json!(9), &json!("08:05"))
    );
    assert_eq!(
        (&event["editorial_tag"], &event["description"]),
        (&json!("reel"), &json!("Original"))
    );

    let undated = lead.demand(json!({})).await;
    let input = json!({ "event_id": undated, "expected_revision": 1 });
    let sent = lead.post("/api/enviar", input).await.expect(200).body;
    assert_eq!(
        (&sent["due_at"], &sent["proposto"]),
        (&json!(null), &json!(null))
    );
}

#[tokio::test]
async fn only_an_event_in_approval_takes_a_decision() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for status in STATUSES {
        for (action, outcome) in [("aprovar", "aprovado"), ("recusar", "recusado")] {
            let (id, revision) = event_in(&lead, status).await;
            let before = lead.event(&id).await;
            let decision = json!({ "event_id": id, "action": action });
            let answer = lead.post("/api/aprovar", decision).await;
            if status == "em aprovação" {
                let answer = answer.expect(200).body;
                assert_eq!(answer["status"], outcome);
                assert_eq!(answer["api_revision"], revision + 1);
            } else if status == outcome {
                assert_eq!(answer.expect(200).body["api_revision"], revision);
                assert_eq!(lead.event(&id).await, before, "{action} again");
            } else {
                let answer = answer.refused(409, "EVENT_NOT_PENDING");
                assert_eq!(answer.body["details"]["status"], status);
                assert_eq!(lead.event(&id).await, before, "{action} in {status}");
            }
        }
    }
}

#[tokio::test]
async fn approval_may_adjust_date_and_caption() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, _) = event_in(&lead, "em aprovação").await;
    let decision = json!({
        "event_id": id, "action": "aprovar", "caption": "Final", "day": 30, "month": 8,
        "hour": "18:00",
    });
    let decided = lead
        .post("/api/aprovar", decision.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(decided["due_at"], "2026-08-30T21:00:00.000Z");
    let event = lead.event(&id).await;
    assert_eq!(
        (&event["description"], &event["day"]),
        (&json!("Final"), &json!(30))
    );

    // The same decision about the same content changes nothing; about another it is a conflict.
    let again = lead.post("/api/aprovar", decision).await.expect(200).body;
    assert_eq!(again, decided);
    for other in [
        json!({ "caption": "Outra" }),
        json!({ "day": 31, "month": 8 }),
    ] {
        let mut decision = other;
        decision["event_id"] = id.as_str().into();
        decision["action"] = "aprovar".into();
        lead.post("/api/aprovar", decision)
            .await
            .refused(409, "EVENT_NOT_PENDING");
    }
    assert_eq!(history(&lead, &id).await.len(), 3);
    assert_eq!(lead.event(&id).await, event);
}

#[tokio::test]
async fn a_refusal_keeps_the_content_and_tells_why() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, _) = event_in(&lead, "em aprovação").await;
    let refuse = |reason: &str| {
        json!({
            "event_id": id, "action": "recusar", "motivo": reason, "caption": "Trocada",
            "day": 30, "month": 8,
        })
    };
    let refused = lead
        .post("/api/aprovar", refuse("Falta a fonte"))
        .await
        .expect(200)
        .body;
    assert_eq!(refused["status"], "recusado");
    let event = lead.event(&id).await;
    assert_eq!(
        (&event["description"], &event["day"]),
        (&json!("Original"), &json!(24))
    );
    let line = history(&lead, &id).await.remove(0);
    assert_eq!(line["reason"], "Falta a fonte");
    assert_eq!(
        line["changes"],
        json!({ "status": { "before": "em aprovação", "after": "recusado" } })
    );

    let again = lead
        .post("/api/aprovar", refuse("Outro motivo"))
        .await
        .expect(200)
        .body;
    assert_eq!(again, refused);
    let lines = history(&lead, &id).await;
    assert_eq!(
        (lines.len(), &lines[0]["reason"]),
        (3, &json!("Falta a fonte"))
    );
}

#[tokio::test]
async fn a_decision_can_be_bound_to_what_was_read() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = event_in(&lead, "em aprovação").await;
    let moved = patch(&lead, &id, revision, json!({ "day": 25, "month": 8 }))
        .await
        .expect(200)
        .body;
    let decide = |revision: i64| json!({ "event_id": id, "action": "aprovar", "expected_revision": revision });
    let stale = lead
        .post("/api/aprovar", decide(revision))
        .await
        .refused(409, "STALE_REVISION");
    assert_eq!(stale.body["details"]["current"], moved["api_revision"]);
    lead.post("/api/aprovar", decide(revision + 1))
        .await
        .expect(200);
    // Repeated it is still the same decision, though the revision has moved on.
    lead.post("/api/aprovar", decide(revision + 1))
        .await
        .expect(200);
}

#[tokio::test]
async fn a_refused_event_is_drafted_again_and_the_history_tells_it_all() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.member(Role::Criador).await;
    let session = app.session(&author).await;
    let id = lead
        .demand(json!({ "description": "Pedido", "assignee_id": author.id }))
        .await;
    app.pass(1000);
    let own = |revision: i64, caption: &str| json!({ "event_id": id, "expected_revision": revision, "caption": caption });
    let decide = |action: &str| json!({ "event_id": id, "action": action, "motivo": "Curta" });
    session.post("/api/enviar", own(1, "Um")).await.expect(200);
    lead.post("/api/aprovar", decide("recusar"))
        .await
        .expect(200);
    app.pass(1000);
    session.post("/api/draft", own(3, "Dois")).await.expect(200);
    session
        .post("/api/enviar", own(4, "Três"))
        .await
        .expect(200);
    lead.post("/api/aprovar", decide("aprovar"))
        .await
        .expect(200);

    let event = lead.event(&id).await;
    assert_eq!(event["api_revision"], 6);
    assert_eq!(
        (&event["briefing"], &event["description"]),
        (&json!("Pedido"), &json!("Três"))
    );
    let lines = history(&lead, &id).await;
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            let field = |name: &str| line["changes"][name]["after"].clone();
            (
                line["action"].as_str().expect("text"),
                field("status"),
                field("description"),
            )
        })
        .collect();
    let none = Value::Null;
    assert_eq!(
        told,
        [
            ("decide_approval", json!("aprovado"), none.clone()),
            ("submit_for_approval", json!("em aprovação"), json!("Três")),
            ("save_draft", json!("em progresso"), json!("Dois")),
            ("decide_approval", json!("recusado"), none.clone()),
            ("submit_for_approval", json!("em aprovação"), json!("Um")),
            ("create_demand", none.clone(), none),
        ]
    );
    let revisions: Vec<_> = lines
        .iter()
        .map(|l| l["api_revision"].as_i64().expect("n"))
        .collect();
    assert_eq!(revisions, [6, 5, 4, 3, 2, 1]);
    assert_eq!(lines[1]["actor_member_id"], author.id.as_str());
    assert_eq!(lines[1]["actor_name"], author.name.as_str());
    assert_eq!(lines[1]["occurred_at"], "2026-08-22T15:00:02.000Z");
    assert_eq!(event["updated_at"], "2026-08-22T15:00:02.000Z");
    assert_eq!(event["created_at"], "2026-08-22T15:00:00.000Z");
}

#[tokio::test]
async fn the_history_is_read_in_pages() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.demand(json!({})).await;
    for revision in 1..=6 {
        let draft = json!({ "event_id": id, "expected_revision": revision });
        lead.post("/api/draft", draft).await.expect(200);
    }
    for limit in [1, 2, 3, 7, 8] {
        let (mut revisions, mut cursor) = (vec![], String::new());
        loop {
            let path = format!("/api/eventos/{id}?limit={limit}{cursor}");
            let page = lead.get(&path).await.expect(200).body;
            assert_eq!(page["evento"]["api_revision"], 7);
            let lines = page["historico"].as_array().expect("a list");
            assert!((1..=limit).contains(&lines.len()));
            revisions.extend(
                lines
                    .iter()
                    .map(|line| line["api_revision"].as_i64().expect("n")),
            );
            let Some(next) = page["next_cursor"].as_str() else {
                break;
            };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(revisions, [7, 6, 5, 4, 3, 2, 1], "limit {limit}");
    }
}

#[tokio::test]
async fn statuses_set_by_hand_follow_the_rules() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for from in STATUSES {
        for to in ["arquivado", "a fazer", "publicado"] {
            let (id, revision) = event_in(&lead, from).await;
            let before = lead.event(&id).await;
            let answer = patch(&lead, &id, revision, json!({ "status": to })).await;
            let refusal = match (from, to) {
                (_, "arquivado") => None,
                (from, "a fazer") if from == "arquivado" || EDITABLE.contains(&from) => None,
                (_, "a fazer") => Some("EVENT_NOT_EDITABLE"),
                ("aprovado" | "publicado", "publicado") => None,
                _ => Some("NOT_APPROVED"),
            };
            match refusal {
                Some(code) => {
                    let answer = answer.refused(409, code);
                    assert_eq!(answer.body["details"]["status"], from);
                    assert_eq!(lead.event(&id).await, before, "{from} to {to}");
                }
                None => {
                    let answer = answer.expect(200).body;
                    assert_eq!(answer["evento"]["status"], to);
                    let moved = i64::from(from != to);
                    assert_eq!(answer["api_revision"], revision + moved, "{from} to {to}");
                }
            }
        }
    }
    let (id, revision) = event_in(&lead, "aprovado").await;
    for status in [
        "em progresso",
        "processing",
        "em aprovação",
        "aprovado",
        "recusado",
        "x",
        "",
    ] {
        let answer = patch(&lead, &id, revision, json!({ "status": status })).await;
        assert_eq!(answer.fields(), ["status"]);
    }
}

#[tokio::test]
async fn a_published_or_archived_event_keeps_its_fields_until_it_is_reopened() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let person = app.member(Role::Criador).await;
    let changes = [
        json!({ "title": "Outro" }),
        json!({ "channel": "blog" }),
        json!({ "tipo": "reel" }),
        json!({ "day": 1, "month": 9 }),
        json!({ "assignee_ids": [person.id] }),
    ];
    for status in STATUSES {
        for change in &changes {
            let (id, revision) = event_in(&lead, status).await;
            let before = lead.event(&id).await;
            let answer = patch(&lead, &id, revision, change.clone()).await;
            if matches!(status, "publicado" | "arquivado") {
                answer.refused(409, "EVENT_NOT_EDITABLE");
                assert_eq!(lead.event(&id).await, before, "{change} in {status}");
            } else {
                assert_eq!(answer.expect(200).body["evento"]["status"], status);
            }
        }
    }
    let (id, revision) = event_in(&lead, "arquivado").await;
    let reopened = patch(
        &lead,
        &id,
        revision,
        json!({ "title": "De volta", "status": "a fazer" }),
    );
    let event = reopened.await.expect(200).body["evento"].clone();
    assert_eq!(
        (&event["title"], &event["status"]),
        (&json!("De volta"), &json!("a fazer"))
    );

    let (id, revision) = event_in(&lead, "publicado").await;
    let both = json!({ "title": "Outro", "status": "arquivado" });
    patch(&lead, &id, revision, both)
        .await
        .refused(409, "EVENT_NOT_EDITABLE");
}

#[tokio::test]
async fn an_archived_event_that_is_reopened_goes_through_it_all_again() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = event_in(&lead, "publicado").await;
    patch(&lead, &id, revision, json!({ "status": "arquivado" }))
        .await
        .expect(200);
    let draft = |revision: i64| json!({ "event_id": id, "expected_revision": revision });
    lead.post("/api/draft", draft(revision + 1))
        .await
        .refused(409, "EVENT_NOT_EDITABLE");
    patch(&lead, &id, revision + 1, json!({ "status": "a fazer" }))
        .await
        .expect(200);
    lead.post("/api/draft", draft(revision + 2))
        .await
        .expect(200);
    patch(&lead, &id, revision + 3, json!({ "status": "publicado" }))
        .await
        .refused(409, "NOT_APPROVED");
}

#[tokio::test]
async fn an_update_without_a_change_keeps_the_revision() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let person = app.member(Role::Criador).await;
    let id = lead
        .demand(json!({ "assignee_id": person.id, "day": 24, "month": 8 }))
        .await;
    let before = lead.event(&id).await;
    app.pass(1000);
    for same in [
        json!({}),
        json!({ "title": "Festa junina" }),
        json!({ "channel": "instagram", "day": 24, "month": 8, "year": 2026, "hour": "12:00" }),
        json!({ "assignee_ids": [person.id], "status": "a fazer" }),
    ] {
        let answer = patch(&lead, &id, 1, same).await.expect(200).body;
        assert_eq!(answer["api_revision"], 1);
    }
    assert_eq!(lead.event(&id).await, before);
    assert_eq!(history(&lead, &id).await.len(), 1);
}

#[tokio::test]
async fn an_update_writes_what_it_names_and_notes_before_and_after() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (ana, bia) = (
        app.member(Role::Criador).await,
        app.member(Role::Criador).await,
    );
    let (id, revision) = event_in(&lead, "em aprovação").await;
    let change = json!({
        "title": "Novo", "channel": "blog", "tipo": "reel", "day": 1, "month": 9,
        "assignee_ids": [bia.id, ana.id],
    });
    let event = patch(&lead, &id, revision, change).await.expect(200).body["evento"].clone();
    assert_eq!(event["assignee_member_ids"], json!([bia.id, ana.id]));
    assert_eq!(event["assignees_names"], json!([bia.name, ana.name]));
    assert_eq!(event, lead.event(&id).await);
    assert_eq!(
        history(&lead, &id).await[0]["changes"],
        json!({
            "title": { "before": "Festa junina", "after": "Novo" },
            "channel": { "before": "instagram", "after": "blog" },
            "editorial_tag": { "before": null, "after": "reel" },
            "due_at": {
                "before": "2026-08-24T15:00:00.000Z", "after": "2026-09-01T15:00:00.000Z",
            },
            "assignee_member_ids": { "before": [], "after": [bia.id, ana.id] },
        })
    );
    let swapped = json!({ "assignee_ids": [ana.id, bia.id] });
    let event = patch(&lead, &id, revision + 1, swapped)
        .await
        .expect(200)
        .body["evento"]
        .clone();
    assert_eq!(event["assignee_member_ids"], json!([ana.id, bia.id]));
    let emptied = patch(&lead, &id, revision + 2, json!({ "assignee_ids": [] }))
        .await
        .expect(200);
    assert_eq!(emptied.body["evento"]["assignee_member_ids"], json!([]));
}

#[tokio::test]
async fn assignees_are_active_members_each_once_and_at_most_20() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = admin.demand(json!({})).await;
    let mut people = vec![];
    for _ in 0..21 {
        people.push(app.member(Role::Criador).await.id);
    }
    let assign = |ids: Value| json!({ "assignee_ids": ids });
    let too_many = patch(&admin, &id, 1, assign(json!(people))).await;
    assert_eq!(too_many.fields(), ["assignee_ids"]);
    // The same member, though the text differs.
    for twice in [people[0].clone(), people[0].to_uppercase()] {
        let answer = patch(&admin, &id, 1, assign(json!([people[0], people[1], twice]))).await;
        assert_eq!(answer.fields(), ["assignee_ids"], "{twice}");
    }
    for nobody in ["0198c0de-0000-7000-8000-000000000000", "ninguém"] {
        patch(&admin, &id, 1, assign(json!([nobody])))
            .await
            .refused(404, "NOT_FOUND");
        let demand = json!({ "title": "A", "assignee_id": nobody });
        admin
            .post("/api/demanda", demand)
            .await
            .refused(404, "NOT_FOUND");
    }
    let twenty = patch(&admin, &id, 1, assign(json!(people[..20])))
        .await
        .expect(200)
        .body;
    assert_eq!(twenty["evento"]["assignee_member_ids"], json!(people[..20]));

    admin
        .delete(&format!("/api/membros/{}", people[20]))
        .await
        .expect(200);
    let gone = patch(&admin, &id, 2, assign(json!([people[20]]))).await;
    gone.refused(404, "NOT_FOUND");
    let demand = json!({ "title": "A", "assignee_id": people[20] });
    admin
        .post("/api/demanda", demand)
        .await
        .refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn an_update_needs_the_capability_of_what_it_changes() {
    let app = TestApp::new().await;
    let member = app.member(Role::Lider).await;
    let lead = app.session(&member).await;
    let view = Capability::TasksView;
    let publisher = app
        .token_with(&member, &[Capability::Publish, view])
        .await
        .0;
    let planner = app
        .token_with(&member, &[Capability::TasksAssign, view])
        .await
        .0;
    let reader = app.token_with(&member, &[view]).await.0;
    let (id, revision) = event_in(&lead, "aprovado").await;
    let lacks = |answer: Answer, capability: &str| {
        let answer = answer.refused(403, "CAPABILITY_REQUIRED");
        assert_eq!(answer.body["details"]["capability"], capability);
    };
    let publish = || json!({ "status": "publicado" });
    lacks(patch(&planner, &id, revision, publish()).await, "publish");
    for edit in [
        json!({ "title": "x" }),
        json!({ "channel": "x" }),
        json!({ "tipo": "x" }),
        json!({ "day": 1, "month": 9 }),
        json!({ "assignee_ids": [] }),
        json!({ "status": "arquivado" }),
        json!({ "status": "a fazer" }),
        json!({ "status": "publicado", "title": "x" }),
    ] {
        lacks(patch(&publisher, &id, revision, edit).await, "tasks_assign");
    }
    let tool = json!({ "eventId": id, "expected_revision": revision, "title": "x" });
    let answer = publisher.call("update_event", tool).await;
    assert!(
        answer.text.starts_with("CAPABILITY_REQUIRED"),
        "{}",
        answer.text
    );
    lacks(
        patch(&reader, &id, revision, json!({})).await,
        "tasks_assign",
    );
    assert_eq!(lead.event(&id).await["api_revision"], revision);

    patch(&planner, &id, revision, json!({ "title": "x" }))
        .await
        .expect(200);
    patch(&publisher, &id, revision + 1, publish())
        .await
        .expect(200);
    assert_eq!(lead.event(&id).await["status"], "publicado");
}
