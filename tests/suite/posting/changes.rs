//! Changes of a piece between its approval and the time of its publication.

use domain::Format;
use serde_json::json;
use store::publishing_pauses::{self, Pause};

use super::{Stage, captioned, double::Call, plain};
use crate::publishing::jpeg_image;

async fn create_approved_piece(stage: &Stage, caption: &str) -> (String, domain::VariantId) {
    let files = [jpeg_image(320, 320, 1)];
    let (piece, mut ids) = stage
        .create_approved(caption, &files, &[(Format::Feed, plain())])
        .await;
    (piece, ids.remove(0))
}

#[tokio::test]
async fn a_piece_that_is_reopened_is_not_published_until_it_is_approved_again() {
    let stage = Stage::new().await;
    let (piece, _) = create_approved_piece(&stage, "antes").await;
    stage.pass_minutes(50).await;
    assert_eq!(stage.publication().await.state, "ready");
    stage.reopen(&piece).await;
    stage.pass_minutes(5).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, row.code.as_deref()),
        ("canceled", Some("APPROVAL_WITHDRAWN"))
    );
    let revision = stage.lead.load_event(&piece).await["api_revision"].clone();
    let drafted = serde_json::json!({
        "event_id": piece, "caption": "depois", "expected_revision": revision,
    });
    stage.lead.post("/api/draft", drafted).await.expect(200);
    stage.approve(&piece).await;
    stage.pass_minutes(10).await;
    let world = stage.api.lock_world();
    assert_eq!(world.posts_with("antes").len(), 0);
    assert_eq!(world.posts_with("depois").len(), 1);
}

#[tokio::test]
async fn the_publishing_transaction_finds_a_change_at_the_last_moment() {
    for change in ["variant", "piece"] {
        let stage = Stage::new().await;
        let (piece, variant) = create_approved_piece(&stage, "antes").await;
        stage.pass_minutes(59).await;
        assert_eq!(stage.publication().await.state, "ready");
        // Changes the database directly, so no job cancels the publication before it is due. Only the
        // transaction that publishes can find the change.
        match change {
            "variant" => stage.change_variant(&variant, "depois").await,
            _ => {
                let archived = "UPDATE events SET status = 'arquivado' WHERE id = $1";
                stage.app.execute_statement(archived, [piece.clone()]).await;
            }
        }
        stage.pass_minutes(2).await;
        assert_eq!(stage.publication().await.state, "canceled", "{change}");
        assert_eq!(stage.api.count_calls(Call::Publish), 0, "{change}");
    }
}

#[tokio::test]
async fn a_variant_that_was_changed_and_approved_again_is_published_once_with_the_change() {
    let stage = Stage::new().await;
    let (piece, variant) = create_approved_piece(&stage, "antes").await;
    stage.pass_minutes(50).await;
    stage.change_variant(&variant, "depois").await;
    stage.reopen(&piece).await;
    stage.approve(&piece).await;
    stage.pass_minutes(15).await;
    let states: Vec<String> = stage
        .publications()
        .await
        .into_iter()
        .map(|row| row.state)
        .collect();
    assert_eq!(states, ["canceled", "published"]);
    let world = stage.api.lock_world();
    assert_eq!(
        (world.posts.len(), world.posts_with("depois").len()),
        (1, 1)
    );
}

#[tokio::test]
async fn a_piece_that_moves_to_another_hour_moves_its_publication() {
    let stage = Stage::new().await;
    let (piece, _) = create_approved_piece(&stage, "movida").await;
    let due = stage.app.now() + 3 * domain::time::HOUR;
    let moved = format!("UPDATE events SET due_at = {due} WHERE id = $1");
    stage.app.execute_statement(&moved, [piece]).await;
    stage.pass_minutes(179).await;
    assert_eq!(stage.api.lock_world().posts.len(), 0);
    stage.pass_minutes(1).await;
    assert_eq!(stage.api.lock_world().posts[0].at, due);
}

#[tokio::test]
async fn nothing_goes_online_while_publishing_is_paused() {
    let stage = Stage::new().await;
    create_approved_piece(&stage, "crise").await;
    let member = stage.app.add_member(domain::Role::Lider).await;
    let tx = stage.app.begin().await;
    let pause = Pause {
        reason: Some("crise".into()),
        paused_by: member.id.clone(),
        paused_at: stage.app.now(),
    };
    publishing_pauses::pause(&tx.conn(), &pause)
        .await
        .expect("paused");
    tx.commit().await.expect("committed");
    stage.pass_minutes(70).await;
    let row = stage.publication().await;
    assert_eq!(
        (&*row.state, row.code.as_deref()),
        ("ready", Some("PUBLISHING_PAUSED"))
    );
    let tx = stage.app.begin().await;
    publishing_pauses::resume(&tx.conn())
        .await
        .expect("resumed");
    tx.commit().await.expect("committed");
    stage.pass_minutes(1).await;
    assert_eq!(stage.publication().await.state, "published");
}

#[tokio::test]
async fn an_expired_container_is_prepared_again() {
    let stage = Stage::new().await;
    create_approved_piece(&stage, "longa pausa").await;
    stage.pass_minutes(50).await;
    for container in stage.api.lock_world().containers.values_mut() {
        container.at -= 2 * domain::time::DAY;
    }
    stage.pass_minutes(12).await;
    assert_eq!(stage.publication().await.state, "published");
    assert_eq!(stage.api.count_calls(Call::Create), 2);
}

#[tokio::test]
async fn manual_variants_are_not_published_by_the_service() {
    let stage = Stage::new().await;
    let piece = stage
        .create_piece("à mão", &[jpeg_image(320, 320, 1)])
        .await;
    let id = stage
        .add_variant(&piece, Format::Feed, captioned("à mão"))
        .await;
    let manual = "UPDATE event_variants SET publish = 'manual' WHERE id = $1";
    stage
        .app
        .execute_statement(manual, [id.as_str().to_owned()])
        .await;
    stage.approve(&piece).await;
    stage.pass_minutes(62).await;
    assert_eq!(stage.publications().await, []);
}

#[tokio::test]
async fn a_piece_that_was_postponed_is_not_published_at_its_old_hour() {
    let stage = Stage::new().await;
    let (piece, _) = stage
        .create_approved(
            "pão",
            &[jpeg_image(320, 320, 1)],
            &[(Format::Feed, plain())],
        )
        .await;
    stage.pass_minutes(59).await;
    let tx = stage.app.begin().await;
    let db = tx.conn();
    let all = store::scheduled_posts::list(&db, store::scheduled_posts::Filter::default(), 2).await;
    let [ready] = &all.expect("the database")[..] else {
        panic!("one publication");
    };
    assert_eq!(ready.state.as_str(), "ready");
    let event = store::events::find(&db, &piece.as_str().into()).await;
    let event = event.expect("the database").expect("the piece");
    let mut later = event.clone();
    later.due_at = event.due_at.map(|at| at + domain::time::HOUR);
    let change = store::events::Change {
        actor: &event.created_by,
        action: "update_event",
        reason: None,
    };
    let now = stage.app.now();
    let later = store::events::save(&db, &event, later, change, now).await;
    let later = later.expect("saved");
    let begun = store::scheduled_posts::begin_publishing(&db, ready, &later, now).await;
    assert!(!begun.expect("the database"));
    tx.commit().await.expect("committed");
    stage.pass_minutes(30).await;
    assert_eq!(stage.api.lock_world().posts.len(), 0);
    stage.pass_minutes(35).await;
    assert_eq!(stage.api.lock_world().posts.len(), 1);
}

#[tokio::test]
async fn a_published_variant_that_is_removed_and_added_again_is_not_published_again() {
    let stage = Stage::new().await;
    let (piece, ids) = stage
        .create_approved(
            "pão",
            &[jpeg_image(320, 320, 1)],
            &[(Format::Feed, plain()), (Format::Story, plain())],
        )
        .await;
    // A second variant, a story, is due on another day, so the piece stays approved.
    let due = stage.app.now() + 48 * domain::time::HOUR;
    let sql = format!("UPDATE event_variants SET due_at = {due} WHERE id = $1");
    stage
        .app
        .execute_statement(&sql, [ids[1].as_str().to_owned()])
        .await;
    stage.pass_minutes(62).await;
    assert_eq!(stage.api.lock_world().posts.len(), 1);
    let path = format!("/api/eventos/{piece}/variantes");
    for variant in [
        json!({ "canal": "instagram", "formato": "feed", "remover": true }),
        json!({ "canal": "instagram", "formato": "feed", "publicacao": "automatica" }),
    ] {
        let revision = stage.lead.load_event(&piece).await["api_revision"].clone();
        let input = json!({ "expected_revision": revision, "variantes": [variant] });
        stage.lead.put(&path, input).await.expect(200);
    }
    let revision = stage.lead.load_event(&piece).await["api_revision"].clone();
    let input = json!({ "expected_revision": revision, "action": "aprovar" });
    stage
        .lead
        .post(&format!("{path}/decisao"), input)
        .await
        .expect(200);
    stage.pass_minutes(30).await;
    assert_eq!(stage.api.lock_world().posts.len(), 1);
}
