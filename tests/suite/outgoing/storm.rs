//! Many changes at once, as an import makes them.

use domain::{Role, time::MINUTE};
use serde_json::{Value, json};

use super::{Fixture, SOON};
use crate::{support::count_from, webhooks::receiver::Received};

/// The number of pieces that one call creates.
const PIECES_PER_CALL: usize = 50;
/// The minimum number of pieces for this test, because up to 20 pieces get a notification each instead
/// of a summary.
const MIN_PIECES: usize = 21;

/// Assigns `PAUTA_TEST_STORM` pieces (500 by default) to one person. The person gets one notification
/// with the number of pieces, one e-mail and a few messages on their device; a webhook gets one message
/// for each piece.
#[tokio::test]
async fn many_pieces_cause_one_email_a_few_pushes_and_one_webhook_message_each() {
    let pieces: usize = count_from("PAUTA_TEST_STORM", 500);
    assert!(
        pieces >= MIN_PIECES,
        "PAUTA_TEST_STORM is {pieces}, and must be at least {MIN_PIECES}"
    );
    let team = Fixture::new(&[Role::Admin, Role::Criador]).await;
    team.subscribe(0, &["piece_created"]).await;
    let caio = team.id(1).to_owned();
    let admin = team.client(0).await;
    for call in 0..pieces.div_ceil(PIECES_PER_CALL) {
        let left = (pieces - call * PIECES_PER_CALL).min(PIECES_PER_CALL);
        let demands = (0..left)
            .map(|number| json!({ "title": format!("Peça {call}-{number}"), "assignee_id": caio }));
        let input = json!({ "demandas": demands.collect::<Vec<_>>() });
        admin.post("/api/demandas", input).await.expect(200);
    }
    team.run_outbox_readers().await;
    // Each run of the delivery job sends at least one message, and ends after a while so that other jobs
    // can run.
    let waiting = "webhook_messages WHERE state = 'pendente'";
    let mut turns = 0;
    while team.app.count_rows(waiting).await > 0 {
        assert!(turns < pieces, "after {turns} turns, messages still wait");
        team.app.advance_clock(SOON);
        team.run_due_jobs().await;
        turns += 1;
    }
    let told = team.client(1).await.get("/api/notificacoes").await;
    let told = told.expect(200).body["notificacoes"].clone();
    let changes = told.as_array().expect("a list").iter();
    let changes: usize = changes
        .map(|one| one["vezes"].as_u64().expect("a number"))
        .map(|changes| usize::try_from(changes).expect("a small number"))
        .sum();
    assert_eq!(changes, pieces);
    assert_eq!(told.as_array().map(Vec::len), Some(1), "{told}");
    for _ in 0..15 {
        team.app.advance_clock(MINUTE);
        team.run_due_jobs().await;
    }
    let mails = team.smtp.take();
    assert_eq!(mails.len(), 1, "{} e-mails", mails.len());
    let expected = format!("{pieces} atribuições de peças a você.");
    assert_eq!(mails[0].subject(), expected);
    let pushes = team.push.take();
    assert!((1..=3).contains(&pushes.len()), "{} pushes", pushes.len());
    let last: Value = pushes[pushes.len() - 1].open(&team.people[1].browser);
    assert_eq!(last["texto"], expected);
    let sent = team.receiver.take();
    let mut ids: Vec<&str> = sent.iter().map(Received::id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((sent.len(), ids.len()), (pieces, pieces));
}
