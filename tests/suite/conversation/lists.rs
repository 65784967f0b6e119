//! Lists of remarks: filters, pages, and their cost.

use std::collections::BTreeSet;

use domain::{RemarkId, Role, time::SECOND};
use serde_json::{Value, json};

use super::{add_answer, add_remark, change_remark, list_remarks, list_texts, post_remark};
use crate::support::{Client, TestApp, plans::trace_each_query};

/// Inserts open threads of one remark each, written by the creator of the piece.
pub(super) async fn insert_threads(app: &TestApp, event: &str, count: usize) {
    let ids = (0..count).map(|number| RemarkId::new(app.now() + number as i64));
    let rows: Vec<String> = ids
        .map(|id| {
            let now = app.now();
            format!(
                "SELECT '{id}', id, '{id}', created_by, 'Comentário', api_revision, {now}
                 FROM events WHERE id = '{event}'"
            )
        })
        .collect();
    for batch in rows.chunks(100) {
        let sql = format!(
            "INSERT INTO remarks (id, event_id, thread_id, author_id, text, read_revision,
             created_at) {}",
            batch.join(" UNION ALL ")
        );
        app.execute_statement(&sql, []).await;
    }
}

/// Reads all remarks of a list in pages of this size; returns their ids.
async fn read_pages(client: &Client, query: &str, limit: usize) -> Vec<String> {
    let (mut ids, mut cursor) = (vec![], String::new());
    loop {
        let path = format!("/api/comentarios?{query}&limit={limit}{cursor}");
        let page = client.get(&path).await.expect(200).body;
        let rows = page["comentarios"].as_array().expect("a list").clone();
        assert!(rows.len() <= limit);
        ids.extend(rows.iter().map(|one| super::text_of(&one["id"])));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return ids,
        }
    }
}

#[tokio::test]
async fn a_list_filters_by_piece_state_author_and_mention() {
    let app = TestApp::new().await;
    let (one, two) = (
        app.add_member(Role::Lider).await,
        app.add_member(Role::Lider).await,
    );
    let (ana, bia) = (
        app.session_client(&one).await,
        app.session_client(&two).await,
    );
    let bread = ana.create_demand(json!({ "title": "Pão" })).await;
    let cake = ana.create_demand(json!({ "title": "Bolo" })).await;
    let first = add_remark(&ana, &bread, "pão, de Ana").await;
    app.advance_clock(SECOND);
    add_answer(&bia, &bread, &first, "pão, resposta de Bia").await;
    app.advance_clock(SECOND);
    let fields = json!({ "mencoes": [two.id, two.id] });
    post_remark(&ana, &cake, "bolo, a Bia", fields)
        .await
        .expect(200);
    app.advance_clock(SECOND);
    let done = add_remark(&bia, &cake, "bolo, feito").await;
    change_remark(&bia, &done, json!({ "resolvido": true }))
        .await
        .expect(200);

    let all = [
        "pão, de Ana",
        "pão, resposta de Bia",
        "bolo, a Bia",
        "bolo, feito",
    ];
    assert_eq!(list_texts(&ana, "").await, all[..3]);
    assert_eq!(list_texts(&ana, "estado=todos").await, all);
    assert_eq!(list_texts(&ana, "estado=resolvido").await, all[3..]);
    assert_eq!(
        list_texts(&ana, &format!("event_id={bread}")).await,
        all[..2]
    );
    // A filter by author or mention selects whole threads.
    assert_eq!(
        list_texts(&ana, &format!("autor={}", two.id)).await,
        all[..2]
    );
    assert_eq!(list_texts(&bia, "mencionam_me=true").await, all[2..3]);
    assert_eq!(list_texts(&ana, "mencionam_me=true").await, [""; 0]);
    let query = format!("autor={}&event_id={cake}&estado=todos", two.id);
    assert_eq!(list_texts(&ana, &query).await, all[3..]);
    let mentioned = &list_remarks(&ana, &format!("event_id={cake}")).await[0];
    assert_eq!(
        mentioned["mencoes"],
        json!([{ "id": two.id, "name": two.name }])
    );
}

#[tokio::test]
async fn a_list_is_read_in_pages_that_cut_threads() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let mut written = vec![];
    for _ in 0..3 {
        let thread = add_remark(&lead, &id, "Conversa").await;
        written.push(thread.clone());
        for _ in 0..2 {
            app.advance_clock(SECOND);
            written.push(add_answer(&lead, &id, &thread, "Resposta").await);
        }
        app.advance_clock(SECOND);
    }
    for limit in [1, 2, 4, 9, 10] {
        let ids = read_pages(&lead, &format!("event_id={id}"), limit).await;
        assert_eq!(ids, written, "limit {limit}");
    }
    let cursor = lead.get("/api/comentarios?cursor=abc").await;
    assert_eq!(super::field_error(cursor).0, "cursor");
}

#[tokio::test]
async fn the_number_of_statements_does_not_grow_with_the_remarks() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let (path, member) = (
        format!("/api/comentarios?event_id={id}&limit=200"),
        lead.clone(),
    );
    let ask = async || {
        member.get(&path).await.expect(200);
    };
    add_remark(&lead, &id, "Um").await;
    let few = trace_each_query(ask()).await;
    insert_threads(&app, &id, 499).await;
    let many = trace_each_query(ask()).await;
    assert_eq!(few.len(), many.len());
    assert!(few.len() >= 2 && few.len() < 9, "{few:#?}");
    let read = read_pages(&lead, &format!("event_id={id}"), 200).await;
    let distinct: BTreeSet<&String> = read.iter().collect();
    assert_eq!((read.len(), distinct.len()), (500, 500));
}

#[tokio::test]
async fn approvals_and_tasks_count_the_remarks_of_every_piece_in_one_statement() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let mut pieces = vec![];
    for number in 0..5 {
        let id = lead
            .create_demand(json!({ "assignee_id": member.id }))
            .await;
        for _ in 0..number {
            add_remark(&lead, &id, "Ajuste").await;
        }
        super::submit(&lead, &id, &[]).await.expect(200);
        pieces.push(id);
    }
    for (path, list) in [
        ("/api/aprovacoes", "pendentes"),
        ("/api/tarefas", "tarefas"),
    ] {
        let asked = async |limit: usize| {
            trace_each_query(async {
                lead.get(&format!("{path}?limit={limit}")).await.expect(200);
            })
            .await
        };
        let (one, five) = (asked(1).await, asked(5).await);
        let is_about_remarks = |sql: &&String| sql.contains("remarks");
        assert_eq!(one.iter().filter(is_about_remarks).count(), 1);
        assert_eq!(five.iter().filter(is_about_remarks).count(), 1);
        let page = lead.get(path).await.expect(200).body;
        for row in page[list].as_array().expect("a list") {
            let place = pieces.iter().position(|id| row["id"] == id.as_str());
            assert_eq!(
                row["comentarios_abertos"],
                Value::from(place.expect("a piece"))
            );
        }
    }
}

#[tokio::test]
async fn a_list_of_one_piece_has_its_current_status_and_caption() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let demand = json!({ "title": "Pão", "description": "Pedido interno" });
    let id = lead.create_demand(demand).await;
    for _ in 0..2 {
        add_remark(&lead, &id, "Ajuste").await;
        app.advance_clock(SECOND);
    }
    let load = async |query: &str| {
        let path = format!("/api/comentarios?{query}");
        lead.get(&path).await.expect(200).body
    };
    let of_piece = format!("event_id={id}");
    // The list does not return the briefing as the caption.
    let piece = load(&of_piece).await["peca"].clone();
    assert_eq!(piece, json!({ "api_revision": 1, "status": "a fazer" }));
    super::save_caption(&lead, &id, "Pão quente").await;
    let page = load(&format!("{of_piece}&limit=1")).await;
    let written = json!({ "api_revision": 2, "status": "em progresso", "legenda": "Pão quente" });
    assert_eq!(page["peca"], written);
    let cursor = page["next_cursor"].as_str().expect("a cursor");
    let next = load(&format!("{of_piece}&limit=1&cursor={cursor}")).await;
    assert_eq!(next["peca"].get("legenda"), None);
    assert_eq!(next["peca"]["api_revision"], 2);
    assert_eq!(load("").await.get("peca"), None);
}
