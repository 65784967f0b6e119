//! Notifications without an acting member: an agent was connected, or a connection to a network ends
//! soon or has ended.

use domain::{
    Role,
    time::{DAY, HOUR},
};
use serde_json::Value;

use super::{SOON, list, list_texts};
use crate::{authorization::service_with_agent, networks::Stage, support::TestApp};

async fn run_jobs(app: &TestApp) {
    for _ in 0..2 {
        app.app.worker().drain().await.expect("jobs");
        app.advance_clock(SOON);
    }
    app.app.worker().drain().await.expect("jobs");
}

#[tokio::test]
async fn the_owner_of_an_account_is_notified_of_a_connected_agent() {
    let (app, member, ..) = service_with_agent().await;
    let other = app.add_member(Role::Admin).await;
    run_jobs(&app).await;
    let told = list(&app.session_client(&member).await).await;
    let told: Vec<&Value> = told.iter().map(|one| &one["texto"]).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    let text = told[0].as_str().expect("a text");
    assert!(
        text.starts_with("O agente “") && text.ends_with("” foi conectado à sua conta."),
        "{text}"
    );
    assert_eq!(list(&app.session_client(&other).await).await.len(), 0);
}

#[tokio::test]
async fn admins_are_notified_once_before_a_connection_ends_and_once_after() {
    let stage = Stage::new().await;
    stage.connect_account("linkedin").await.expect(200);
    let lead = stage.app.add_member(Role::Lider).await;
    let told = async || {
        let admin = stage.app.session_client(&stage.member).await;
        list_texts(&admin, "conexao").await
    };
    run_jobs(&stage.app).await;
    assert_eq!(told().await.len(), 0);
    stage
        .app
        .execute_statement(
            "UPDATE connections SET renewable_until = expires_at, renew_at = expires_at",
            [],
        )
        .await;
    let db = stage.app.app.gateway.services.db.clone();
    let reader = db.reader();
    let found = store::connections::find(&reader, "linkedin").await;
    let until = found.expect("reads").expect("a connection").expires_at;
    stage.app.advance_clock(until - stage.app.now() - 6 * DAY);
    run_jobs(&stage.app).await;
    run_jobs(&stage.app).await;
    let ending = told().await;
    assert_eq!(ending.len(), 1, "{ending:?}");
    assert!(
        ending[0].starts_with("A conexão com linkedin termina em "),
        "{ending:?}"
    );
    stage.app.advance_clock(6 * DAY + HOUR);
    run_jobs(&stage.app).await;
    run_jobs(&stage.app).await;
    let ended = told().await;
    assert_eq!(ended.len(), 2, "{ended:?}");
    assert_eq!(
        ended[0],
        "A conexão com linkedin venceu: conecte a conta de novo."
    );
    let lead = stage.app.session_client(&lead).await;
    assert_eq!(list_texts(&lead, "conexao").await.len(), 0);
}
