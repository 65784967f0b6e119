//! The filters and the search of the agenda's lists.

use std::collections::BTreeSet;

use domain::{MemberId, Role};
use serde_json::json;

use super::{NO_EVENT, list_titles, path_with_query};
use crate::support::{Client, TestApp};

/// Creates one event of each status, with the name of the status as its title.
async fn create_one_of_each_status(lead: &Client, assignee: &MemberId) {
    let make = async |title: &str| {
        lead.create_demand(json!({ "title": title, "assignee_id": assignee }))
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
async fn each_list_contains_only_its_statuses() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let author = app.session_client(&member).await;
    create_one_of_each_status(&lead, &member.id).await;
    let seen = async |client: &Client, path: &str| -> BTreeSet<String> {
        list_titles(client, path).await.into_iter().collect()
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
    assert_eq!(
        list_titles(&lead, "/api/aprovacoes").await,
        ["em aprovação"]
    );
    assert_eq!(list_titles(&lead, "/api/tarefas").await, [""; 0]);
    for status in seen(&lead, "/api/eventos").await {
        let path = path_with_query("/api/eventos", &[("status", &status)]);
        assert_eq!(list_titles(&author, &path).await, [status]);
    }
    for status in ["pronto", "", "A FAZER"] {
        let path = path_with_query("/api/eventos", &[("status", status)]);
        assert_eq!(lead.get(&path).await.invalid_fields(), ["status"]);
    }
}

#[tokio::test]
async fn day_filters_cover_whole_days_of_brasilia() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (title, day, hour) in [
        ("véspera", 23, "23:59"),
        ("começo", 24, "00:00"),
        ("fim", 24, "23:59"),
        ("seguinte", 25, "00:00"),
    ] {
        lead.create_demand(
            json!({ "title": title, "day": day, "month": 8, "year": 2026, "hour": hour }),
        )
        .await;
    }
    lead.create_demand(json!({ "title": "sem data" })).await;
    let between = async |range: &str| list_titles(&lead, &format!("/api/eventos?{range}")).await;
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
    assert_eq!(
        between("").await,
        ["véspera", "começo", "fim", "seguinte", "sem data"]
    );
    // Ranges that begin or end with the first or last date of the calendar.
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
            let answer = lead
                .get(&path_with_query("/api/eventos", &[(name, day)]))
                .await;
            assert_eq!(answer.invalid_fields(), [name], "{day}");
        }
    }
}

#[tokio::test]
async fn a_search_ignores_case_and_accents_and_matches_punctuation_literally() {
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
        lead.create_demand(json!({ "title": title, "description": description, "tipo": tipo }))
            .await;
    }
    let found = async |text: &str| -> Vec<String> {
        let mut titles = list_titles(&lead, &path_with_query("/api/eventos", &[("q", text)])).await;
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
    assert_eq!(lead.get("/api/eventos?q=").await.invalid_fields(), ["q"]);
    let long = "a".repeat(201);
    assert_eq!(
        lead.get(&format!("/api/eventos?q={long}"))
            .await
            .invalid_fields(),
        ["q"]
    );
    assert_eq!(found(&"ã".repeat(200)).await, [""; 0]);
}

#[tokio::test]
async fn a_search_follows_the_text_as_it_changes() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead
        .create_demand(json!({ "title": "Festa", "description": "Canjica" }))
        .await;
    let found = async |text: &str| {
        list_titles(&lead, &format!("/api/eventos?q={text}"))
            .await
            .len()
    };
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
async fn filters_can_be_combined() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (ana, bia) = (
        app.add_member(Role::Criador).await,
        app.add_member(Role::Criador).await,
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
        lead.create_demand(demand).await;
    }
    let all = [
        ("channel", "blog"),
        ("assignee_id", ana.id.as_str()),
        ("q", "bolo"),
        ("ate", "2026-09-01"),
        ("status", "a fazer"),
    ];
    assert_eq!(
        list_titles(&lead, &path_with_query("/api/eventos", &all)).await,
        ["Bolo A"]
    );
    for (dropped, more) in [(0, "Bolo C"), (1, "Bolo B"), (2, "Pão E"), (3, "Bolo D")] {
        let some: Vec<_> = all
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != dropped)
            .collect();
        let some: Vec<_> = some.into_iter().map(|(_, pair)| *pair).collect();
        let found: BTreeSet<_> = list_titles(&lead, &path_with_query("/api/eventos", &some))
            .await
            .into_iter()
            .collect();
        assert_eq!(found, BTreeSet::from(["Bolo A".into(), more.into()]));
    }
    let nobody = path_with_query("/api/eventos", &[("assignee_id", NO_EVENT)]);
    assert_eq!(list_titles(&lead, &nobody).await, [""; 0]);
    // The filter applies only to the events that the caller may see.
    let bia = app.session_client(&bia).await;
    assert_eq!(
        list_titles(
            &bia,
            &path_with_query("/api/eventos", &[("assignee_id", ana.id.as_str())])
        )
        .await,
        [""; 0]
    );
}

#[tokio::test]
async fn events_without_a_date_can_be_listed_separately() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for number in 0..3 {
        lead.create_demand(json!({ "title": format!("Solta {number}") }))
            .await;
        lead.create_demand(json!({ "title": format!("Marcada {number}"), "day": 24, "month": 8 }))
            .await;
    }
    let sorted = async |path: &str| {
        let mut titles = list_titles(&lead, path).await;
        titles.sort();
        titles
    };
    let undated = ["Solta 0", "Solta 1", "Solta 2"];
    assert_eq!(sorted("/api/eventos?sem_data=true").await, undated);
    assert_eq!(
        sorted("/api/eventos?sem_data=true&q=solta+1").await,
        ["Solta 1"]
    );
    assert_eq!(sorted("/api/eventos?sem_data=false").await.len(), 6);
    assert!(
        sorted("/api/eventos?sem_data=true&de=2026-08-01")
            .await
            .is_empty()
    );
    let first = lead
        .get("/api/eventos?sem_data=true&limit=2")
        .await
        .expect(200)
        .body;
    let cursor = first["next_cursor"].as_str().expect("a cursor");
    let rest = format!("/api/eventos?sem_data=true&limit=2&cursor={cursor}");
    assert_eq!(sorted(&rest).await.len(), 1);
}

#[tokio::test]
async fn late_events_are_open_and_their_date_is_past() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let at = |title: &str, day: u8| json!({ "title": title, "day": day, "month": 8, "year": 2026 });
    for (title, day) in [
        ("Atrasada", 20),
        ("Enviada", 21),
        ("Publicada", 20),
        ("Futura", 28),
    ] {
        let id = lead.create_demand(at(title, day)).await;
        let input = json!({ "event_id": id, "expected_revision": 1 });
        if title != "Atrasada" && title != "Futura" {
            lead.post("/api/enviar", input.clone()).await.expect(200);
        }
        if title == "Publicada" {
            let approve = json!({ "event_id": id, "action": "aprovar" });
            lead.post("/api/aprovar", approve).await.expect(200);
            let publish = json!({ "expected_revision": 3, "status": "publicado" });
            lead.patch(&format!("/api/eventos/{id}"), publish)
                .await
                .expect(200);
        }
    }
    lead.create_demand(json!({ "title": "Solta" })).await;
    for (query, titles) in [
        ("", &["Atrasada", "Enviada"][..]),
        ("&status=em+aprova%C3%A7%C3%A3o", &["Enviada"]),
        ("&de=2026-08-21", &["Enviada"]),
        ("&ate=2026-08-20", &["Atrasada"]),
        ("&ate=2027-01-01", &["Atrasada", "Enviada"]),
        ("&sem_data=true", &[]),
        ("&status=publicado", &[]),
        ("&status=arquivado", &[]),
    ] {
        let path = format!("/api/eventos?atrasados=true{query}");
        assert_eq!(list_titles(&lead, &path).await, titles, "{query}");
    }
}
