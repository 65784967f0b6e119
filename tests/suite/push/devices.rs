//! The registered devices of a member, and the events that remove them.

use axum::http::Method;
use domain::{MemberId, Role, time::DAY};
use serde_json::json;

use super::{DEVICES, Fixture};

#[tokio::test]
async fn a_member_sees_and_removes_only_their_devices() {
    let (team, browser) = Fixture::with_device().await;
    let devices = team.list_devices(&team.caio).await;
    assert_eq!(devices[0]["nome"], "Chrome em Android");
    assert!(team.list_devices(&team.admin).await.is_empty());
    let id = devices[0]["id"].as_str().expect("an id");
    let path = format!("{DEVICES}/{id}");
    team.admin.delete(&path).await.expect(404);
    team.caio.delete(&path).await.expect(200);
    team.caio.delete(&path).await.expect(404);
    assert!(team.list_devices(&team.caio).await.is_empty());
    let secrets = "secrets WHERE purpose = 'push subscription'";
    assert_eq!(team.app.count_rows(secrets).await, 0);
    team.assign("Feira").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.push.take().len(), 0);
    drop(browser);
}

#[tokio::test]
async fn a_browser_is_one_device_of_the_member_who_registered_it_last() {
    let (team, browser) = Fixture::with_device().await;
    let id = team.register(&team.caio, &browser).await;
    assert_eq!(id, team.register(&team.caio, &browser).await);
    assert_eq!(team.list_devices(&team.caio).await.len(), 1);
    team.register(&team.admin, &browser).await;
    assert!(team.list_devices(&team.caio).await.is_empty());
    assert_eq!(team.list_devices(&team.admin).await.len(), 1);
    team.assign("Feira").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.push.take().len(), 0);
}

#[tokio::test]
async fn a_new_subscription_replaces_the_earlier_one_of_the_same_member_only() {
    let (team, browser) = Fixture::with_device().await;
    let fresh = team.push.open_browser();
    let mut renewed = fresh.subscription();
    renewed["anterior"] = browser.endpoint.as_str().into();
    team.admin.post(DEVICES, renewed.clone()).await.expect(404);
    assert!(team.list_devices(&team.admin).await.is_empty());
    let before = team.list_devices(&team.caio).await;
    let added = team.caio.post(DEVICES, renewed.clone()).await.expect(200);
    assert_eq!(added.body["aparelho"]["id"], before[0]["id"]);
    assert_eq!(team.list_devices(&team.caio).await.len(), 1);
    team.assign("Feira").await;
    team.make_and_send_notifications().await;
    team.push.take_one().open(&fresh);
    // A removed subscription is not restored.
    let path = format!("{DEVICES}/{}", before[0]["id"].as_str().expect("an id"));
    team.caio.delete(&path).await.expect(200);
    renewed["anterior"] = fresh.endpoint.as_str().into();
    team.caio.post(DEVICES, renewed).await.expect(404);
    assert!(team.list_devices(&team.caio).await.is_empty());
}

#[tokio::test]
async fn a_member_has_at_most_ten_devices() {
    let team = Fixture::new().await;
    let browsers: Vec<_> = (0..11).map(|_| team.push.open_browser()).collect();
    for browser in &browsers[..10] {
        team.register(&team.caio, browser).await;
    }
    let refused = team.caio.post(DEVICES, browsers[10].subscription()).await;
    refused.expect_refusal(409, "TOO_MANY_PUSH_DEVICES");
    team.register(&team.caio, &browsers[0]).await;
    team.register(&team.admin, &browsers[10]).await;
    assert_eq!(team.list_devices(&team.caio).await.len(), 10);
}

#[tokio::test]
async fn a_sign_out_ends_the_devices_of_its_session() {
    let (team, _) = Fixture::with_device().await;
    let elsewhere = team.app.session_client(team.caio()).await;
    team.register(&elsewhere, &team.push.open_browser()).await;
    let sign_out = |scope: &str| format!("/auth/v1/logout?scope={scope}");
    team.caio
        .send(Method::POST, &sign_out("local"), None)
        .await
        .expect(200);
    assert_eq!(team.list_devices(&elsewhere).await.len(), 1);
    let third = team.app.session_client(team.caio()).await;
    team.register(&third, &team.push.open_browser()).await;
    third
        .send(Method::POST, &sign_out("others"), None)
        .await
        .expect(200);
    assert_eq!(team.list_devices(&third).await.len(), 1);
    third
        .send(Method::POST, &sign_out("global"), None)
        .await
        .expect(200);
    assert_eq!(team.app.count_rows("push_devices").await, 0);
    team.assign("Feira").await;
    team.make_and_send_notifications().await;
    assert_eq!(team.push.take().len(), 0);
}

#[tokio::test]
async fn a_new_password_and_offboarding_end_all_devices() {
    let (team, _) = Fixture::with_device().await;
    let path = format!("/api/membros/{}/senha", team.caio().id);
    let password = json!({ "senha": "rapadura-com-coalho-52" });
    team.admin.post(&path, password).await.expect(200);
    assert_eq!(team.app.count_rows("push_devices").await, 0);
    let caio = team.app.session_client(team.caio()).await;
    team.register(&caio, &team.push.open_browser()).await;
    team.assign("Feira").await;
    let path = format!("/api/membros/{}", team.caio().id);
    team.admin.delete(&path).await.expect(200);
    assert_eq!(team.app.count_rows("push_devices").await, 0);
    team.make_and_send_notifications().await;
    assert_eq!(team.push.take().len(), 0);
    caio.get(DEVICES).await.expect(403);
}

/// The first page of each session registers its device again, so a device in use never reaches this age.
#[tokio::test]
async fn a_device_that_no_page_has_registered_for_180_days_ends() {
    let (team, browser) = Fixture::with_device().await;
    let idle = team.push.open_browser();
    team.register(&team.caio, &idle).await;
    let count = async || {
        team.run_due_jobs().await;
        let devices = team.app.count_rows("push_devices").await;
        let secrets = "secrets WHERE purpose = 'push subscription'";
        assert_eq!(team.app.count_rows(secrets).await, devices);
        devices
    };
    team.app.advance_clock(179 * DAY);
    let caio = team.app.session_client(team.caio()).await;
    team.register(&caio, &browser).await;
    assert_eq!(count().await, 2);
    team.app.advance_clock(2 * DAY);
    assert_eq!(count().await, 1);
    team.app.advance_clock(177 * DAY);
    assert_eq!(count().await, 1);
    team.app.advance_clock(3 * DAY);
    assert_eq!(count().await, 0);
}

/// The page of a member lists the member's devices, and admins remove them there.
#[tokio::test]
async fn an_admin_sees_and_removes_the_devices_of_a_colleague() {
    let (team, _) = Fixture::with_device().await;
    let kept = team.push.open_browser();
    team.register(&team.admin, &kept).await;
    let (admin, caio) = (&team.members[0].id, &team.members[1].id);
    let list = team.admin.get("/api/access/members").await.expect(200);
    assert!(!list.text.contains("http"), "{}", list.text);
    let members = list.body["members"].as_array().expect("a list").clone();
    let row = members.iter().find(|one| one["id"] == caio.as_str());
    let device = row.expect("the member")["aparelhos"][0].clone();
    assert_eq!(device["nome"], "Chrome em Android");
    let device = device["id"].as_str().expect("an id");
    let path = |member: &MemberId| format!("/api/access/members/{member}/aparelhos/{device}");
    team.caio.delete(&path(caio)).await.expect(403);
    team.admin.delete(&path(admin)).await.expect(404);
    assert_eq!(team.list_devices(&team.caio).await.len(), 1);
    team.admin.delete(&path(caio)).await.expect(200);
    team.admin.delete(&path(caio)).await.expect(404);
    assert!(team.list_devices(&team.caio).await.is_empty());
    assert_eq!(team.list_devices(&team.admin).await.len(), 1);
}

#[tokio::test]
async fn every_member_but_no_token_may_register_devices() {
    let team = Fixture::new().await;
    for role in [Role::Criador, Role::Lider, Role::Admin] {
        let member = team.app.add_member(role).await;
        let session = team.app.session_client(&member).await;
        team.register(&session, &team.push.open_browser()).await;
        let token = team.app.token_client(&member).await;
        token.get(DEVICES).await.expect(403);
        let input = team.push.open_browser().subscription();
        token.post(DEVICES, input).await.expect(403);
    }
    team.app.anonymous().get(DEVICES).await.expect(401);
}
