//! A calendar shows what its member may see when it is read.

use domain::{
    Event, EventId, EventStatus, Member, ProjectId, Revision, Role,
    project::{MOST_EVENTS, MOST_ITEMS},
    time::DAY,
};
use serde_json::{Value, json};

use super::{
    calendar_path, create_calendar, create_piece, list_pieces, list_summaries, update_piece,
};
use crate::support::{Client, Random, TestApp};

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
    link_to_project(
        &session,
        project.as_str().expect("an id"),
        &[post.as_str().into()],
    )
    .await;
    show(json!({ "project_id": project }), [&["Post"], &[]]).await;
    show(
        json!({ "project_id": project, "channel": "instagram" }),
        [&[], &[]],
    )
    .await;
}

/// Adds a section with an item, and links the item to these pieces.
async fn link_to_project(session: &Client, project: &str, pieces: &[EventId]) {
    let path = format!("/api/projects/{project}");
    let apply = async |kind: &str, payload: Value| {
        let project = session.get(&path).await.expect(200).body["project"].clone();
        let input = json!({
            "type": kind, "payload": payload, "expected_revision": project["revision"],
        });
        let applied = session.post(&format!("{path}/operations"), input).await;
        assert!(applied.status < 300, "{}", applied.text);
        session.get(&path).await.expect(200).body["project"].clone()
    };
    let made = apply("section.add", json!({ "title": "Peças" })).await;
    let section = made["sections"][0]["id"].clone();
    let item = json!({ "section_id": section, "title": "Post" });
    let made = apply("item.add", item).await;
    let item = made["sections"][0]["items"][0]["id"].clone();
    for piece in pieces {
        let payload = json!({ "item_id": item, "event_id": piece });
        apply("item.link_event", payload).await;
    }
}

#[tokio::test]
async fn a_calendar_of_one_status_shows_archived_pieces_as_cancelled() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = create_piece(&session, "Bolo", 24, 8, json!({})).await;
    create_piece(&session, "Post", 25, 8, json!({})).await;
    let made = create_calendar(&session, json!({ "status": "a fazer" })).await;
    assert_eq!(
        list_summaries(&app, &made).await,
        ["Bolo (a fazer)", "Post (a fazer)"]
    );
    update_piece(&session, &id, json!({ "status": "arquivado" })).await;
    let pieces = list_pieces(&app, &made).await;
    let shown = pieces
        .iter()
        .map(|piece| (&*piece["SUMMARY"], &*piece["STATUS"]));
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            ("Bolo (arquivada)", "CANCELLED"),
            ("Post (a fazer)", "TENTATIVE")
        ]
    );
}

/// Returns a piece with random values in all fields that a filter reads.
fn random_piece(random: &mut Random, app: &TestApp, members: &[Member]) -> Event {
    let creator = random.pick(members);
    let assignees = members.iter().filter(|_| random.random_bool(30));
    let assignees: Vec<_> = assignees
        .map(|one| (one.id.clone(), one.name.clone()))
        .collect();
    Event {
        id: EventId::new(app.now()),
        api_revision: Revision::FIRST,
        clickup_id: None,
        title: (*random.pick(&["Bolo de fubá", "Pão de queijo"])).to_owned(),
        channel: (*random.pick(&["Instagram", "instagram", "blog"])).to_owned(),
        status: *random.pick(EventStatus::ALL),
        description: None,
        briefing: None,
        due_at: Some(app.now() + DAY * i64::try_from(random.random_below(40)).expect("a day")),
        editorial_tag: random
            .random_bool(70)
            .then(|| (*random.pick(&["Receita", "dica"])).to_owned()),
        created_by: creator.id.clone(),
        created_by_name: creator.name.clone(),
        created_at: app.now(),
        updated_at: app.now(),
        post_url: None,
        assignees,
        media: vec![],
    }
}

/// Returns true if the fields of a calendar select this piece for its member.
fn is_selected(fields: &Value, member: &Member, piece: &Event, in_project: &[EventId]) -> bool {
    let is_assigned = |id: &str| piece.assignees.iter().any(|(one, _)| one.as_str() == id);
    let is_own = piece.created_by == member.id || is_assigned(member.id.as_str());
    let has_text = |text: &str| piece.title.to_lowercase().contains(text);
    let text = |name: &str| fields[name].as_str();
    (fields["minhas"] != true || is_own)
        && text("status")
            .is_none_or(|status| [status, "arquivado"].contains(&piece.status.as_str()))
        && text("channel").is_none_or(|channel| channel == piece.channel.to_lowercase())
        && text("assignee_id").is_none_or(is_assigned)
        && text("tipo").is_none_or(|tag| {
            let own = piece.editorial_tag.as_deref().map(str::to_lowercase);
            own.as_deref() == Some(tag)
        })
        && text("project_id").is_none_or(|_| in_project.contains(&piece.id))
        && text("q").is_none_or(has_text)
}

#[tokio::test]
async fn a_calendar_has_exactly_the_pieces_that_its_member_may_see() {
    let app = TestApp::new().await;
    let mut members = vec![];
    for role in [Role::Criador, Role::Criador, Role::Lider, Role::Admin] {
        members.push(app.add_member(role).await);
    }
    let mut random = Random::new(20_261_128);
    let pieces: Vec<Event> = (0..60)
        .map(|_| random_piece(&mut random, &app, &members))
        .collect();
    let tx = app.begin().await;
    for piece in &pieces {
        let inserted = store::events::insert(&tx.conn(), piece).await;
        inserted.expect("the piece is new");
    }
    tx.commit().await.expect("commits");
    let lead = app.session_client(&members[2]).await;
    let project = lead.post("/api/projects", json!({ "name": "Cliente" }));
    let project = project.await.expect(201).body["project"]["id"].clone();
    let project = project.as_str().expect("an id");
    let in_project: Vec<EventId> = pieces.iter().take(20).map(|one| one.id.clone()).collect();
    link_to_project(&lead, project, &in_project).await;
    let mut shown = 0;
    for member in &members {
        let session = app.session_client(member).await;
        for _ in 0..25 {
            let mut fields = json!({ "minhas": random.random_bool(30) });
            let assignee = random.pick(&members).id.as_str();
            for (name, value) in [
                (
                    "status",
                    *random.pick(&["a fazer", "aprovado", "publicado"]),
                ),
                ("channel", *random.pick(&["instagram", "blog"])),
                ("assignee_id", assignee),
                ("tipo", *random.pick(&["receita", "dica"])),
                ("project_id", project),
                ("q", *random.pick(&["bolo", "queijo", "de"])),
            ] {
                if random.random_bool(22) {
                    fields[name] = value.into();
                }
            }
            let made = create_calendar(&session, fields.clone()).await;
            let listed = list_pieces(&app, &made).await.into_iter();
            let mut listed: Vec<String> = listed.map(|piece| piece["UID"].clone()).collect();
            listed.sort_unstable();
            let expected = pieces.iter().filter(|piece| piece.is_visible_to(member));
            let expected =
                expected.filter(|piece| is_selected(&fields, member, piece, &in_project));
            let mut expected: Vec<&str> = expected.map(|piece| piece.id.as_str()).collect();
            expected.sort_unstable();
            assert_eq!(listed, expected, "{:?}: {fields}", member.role);
            shown += listed.len();
            let id = made["calendario"]["id"].as_str().expect("an id");
            let path = format!("/api/calendarios/{id}");
            session.delete(&path).await.expect(200);
        }
    }
    assert!(shown > 200, "the filters left {shown} pieces");
}

#[tokio::test]
async fn a_project_may_have_more_pieces_than_a_statement_has_variables() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let session = app.session_client(&lead).await;
    let id = create_piece(&session, "Bolo", 24, 8, json!({})).await;
    let project = session.post("/api/projects", json!({ "name": "Cliente" }));
    let project = project.await.expect(201).body["project"]["id"].clone();
    let project = ProjectId::from(project.as_str().expect("an id"));
    link_to_project(&session, project.as_str(), &[id.as_str().into()]).await;
    let db = app.app.gateway.services.db.reader();
    let mut stored = store::projects::find(&db, &project)
        .await
        .expect("reads")
        .expect("a project")
        .project;
    let full = stored.sections[0].items[0].clone();
    stored.sections[0].items = (0..MOST_ITEMS)
        .map(|_| {
            let mut item = full.clone();
            item.event_ids = (0..MOST_EVENTS).map(|_| EventId::new(app.now())).collect();
            item
        })
        .collect();
    stored.sections[0].items[0].event_ids[0] = id.as_str().into();
    let document = serde_json::to_string(&stored).expect("serialises");
    let sql = "UPDATE projects SET document = $2 WHERE id = $1";
    app.execute_statement(sql, [project.to_string(), document])
        .await;
    for fields in [json!({}), json!({ "q": "bolo" }), json!({ "minhas": true })] {
        let mut fields = fields.clone();
        fields["project_id"] = project.as_str().into();
        let made = create_calendar(&session, fields.clone()).await;
        let shown = list_summaries(&app, &made).await;
        assert_eq!(shown, ["Bolo (a fazer)"], "{fields}");
    }
}

#[tokio::test]
async fn the_secret_opens_nothing_else() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let session = app.session_client(&member).await;
    let made = create_calendar(&session, json!({})).await;
    let secret = super::calendar_secret(&made);
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
    // No other credential opens the calendar.
    let wrong = calendar_path(&made).replace(&secret, &"A".repeat(43));
    session.get(&wrong).await.expect_refusal(404, "NOT_FOUND");
}
