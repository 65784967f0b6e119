//! A calendar shows what its member may see when it is read.

use domain::Role;
use serde_json::{Value, json};

use super::{create_calendar, create_piece, list_summaries, path_of, update_piece};
use crate::support::{Client, TestApp};

#[tokio::test]
async fn own_pieces_are_those_that_the_member_created_or_is_assigned_to() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let other = app.add_member(Role::Lider).await;
    let other = app.session_client(&other).await;
    create_piece(&session, "Criada", 24, 8, json!({})).await;
    create_piece(
        &other,
        "Atribuída",
        25,
        8,
        json!({ "assignee_id": lead.id }),
    )
    .await;
    create_piece(&other, "Alheia", 26, 8, json!({})).await;
    let own = create_calendar(&session, json!({ "minhas": true })).await;
    let team = create_calendar(&session, json!({})).await;
    let own = list_summaries(&app, &own).await;
    assert_eq!(own, ["Criada (a fazer)", "Atribuída (a fazer)"]);
    assert_eq!(list_summaries(&app, &team).await.len(), 3);
}

#[tokio::test]
async fn a_piece_that_the_member_may_no_longer_see_is_gone_from_the_next_reading() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let creator = app.add_member(Role::Criador).await;
    let session = app.session_client(&creator).await;
    let id = create_piece(&lead, "Dela", 24, 8, json!({ "assignee_id": creator.id })).await;
    create_piece(&lead, "Alheia", 25, 8, json!({})).await;
    let made = create_calendar(&session, json!({})).await;
    assert_eq!(list_summaries(&app, &made).await, ["Dela (a fazer)"]);
    update_piece(&lead, &id, json!({ "assignee_ids": [] })).await;
    assert!(list_summaries(&app, &made).await.is_empty());
}

#[tokio::test]
async fn a_calendar_follows_the_current_role_of_its_member() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let admin = app.session_client(&admin).await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    create_piece(&admin, "Alheia", 24, 8, json!({})).await;
    let made = create_calendar(&session, json!({})).await;
    for (role, seen) in [("criador", 0), ("lider", 1)] {
        let change = json!({ "member_id": member.id, "access_level": role });
        admin.patch("/api/membros", change).await.expect(200);
        assert_eq!(list_summaries(&app, &made).await.len(), seen, "{role}");
    }
}

#[tokio::test]
async fn filters_narrow_what_the_member_sees_and_never_widen_it() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let creator = app.add_member(Role::Criador).await;
    let theirs = json!({ "channel": "Instagram", "tipo": "Receita", "assignee_id": creator.id });
    create_piece(&session, "Bolo", 24, 8, theirs).await;
    let post = create_piece(
        &session,
        "Post",
        25,
        8,
        json!({ "channel": "blog", "tipo": "dica" }),
    )
    .await;
    let project = session.post("/api/projects", json!({ "name": "Cliente" }));
    let project = project.await.expect(201).body["project"]["id"].clone();
    let creator = app.session_client(&creator).await;
    let show = async |mut fields: Value, titles: [&[&str]; 2]| {
        for (client, titles) in [&session, &creator].into_iter().zip(titles) {
            fields["nome"] = "Agenda".into();
            let made = create_calendar(client, fields.clone()).await;
            let shown = list_summaries(&app, &made).await;
            let shown: Vec<_> = shown
                .iter()
                .filter_map(|text| text.split(' ').next())
                .collect();
            assert_eq!(shown, titles, "{fields}");
            let id = made["calendario"]["id"].as_str().expect("an id");
            client
                .delete(&format!("/api/calendarios/{id}"))
                .await
                .expect(200);
        }
    };
    show(json!({}), [&["Bolo", "Post"], &["Bolo"]]).await;
    show(json!({ "channel": "instagram" }), [&["Bolo"], &["Bolo"]]).await;
    show(json!({ "channel": "BLOG" }), [&["Post"], &[]]).await;
    show(json!({ "tipo": "receita" }), [&["Bolo"], &["Bolo"]]).await;
    show(json!({ "tipo": "nada" }), [&[], &[]]).await;
    show(
        json!({ "status": "a fazer" }),
        [&["Bolo", "Post"], &["Bolo"]],
    )
    .await;
    show(json!({ "status": "aprovado" }), [&[], &[]]).await;
    show(json!({ "q": "post" }), [&["Post"], &[]]).await;
    show(json!({ "assignee_id": lead.id }), [&[], &[]]).await;
    show(json!({ "project_id": project }), [&[], &[]]).await;
    link_to_project(&session, project.as_str().expect("an id"), &post).await;
    show(json!({ "project_id": project }), [&["Post"], &[]]).await;
    show(
        json!({ "project_id": project, "channel": "instagram" }),
        [&[], &[]],
    )
    .await;
}

/// Adds a section with an item that has this piece.
async fn link_to_project(session: &Client, project: &str, event: &str) {
    let apply = async |kind: &str, payload: Value, revision: i64| {
        let input = json!({ "type": kind, "payload": payload, "expected_revision": revision });
        let path = format!("/api/projects/{project}/operations");
        let applied = session.post(&path, input).await;
        assert!(applied.status < 300, "{}", applied.text);
        let path = format!("/api/projects/{project}");
        session.get(&path).await.expect(200).body["project"].clone()
    };
    let made = apply("section.add", json!({ "title": "Peças" }), 1).await;
    let section = made["sections"][0]["id"].clone();
    let made = apply(
        "item.add",
        json!({ "section_id": section, "title": "Post" }),
        2,
    )
    .await;
    let item = made["sections"][0]["items"][0]["id"].clone();
    apply(
        "item.link_event",
        json!({ "item_id": item, "event_id": event }),
        3,
    )
    .await;
}

#[tokio::test]
async fn the_secret_opens_nothing_else() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let secret = super::secret_of(&made);
    for bearer in [
        secret.clone(),
        format!("svc_guest_{secret}"),
        format!("svc_live_{secret}"),
    ] {
        let client = app.bearer(bearer);
        for path in [
            "/api/eventos",
            "/api/me",
            "/api/convidado/pecas",
            "/api/calendarios",
        ] {
            assert_eq!(client.get(path).await.status, 401, "{path}");
        }
        assert_eq!(client.send_rpc("tools/list", json!({})).await.status, 401);
    }
    let page = app.anonymous().get(&format!("/convidado/{secret}")).await;
    assert_eq!(page.status, 401);
    // Nor does another credential open the calendar.
    let wrong = path_of(&made).replace(&secret, &"A".repeat(43));
    session.get(&wrong).await.expect_refusal(404, "NOT_FOUND");
}
