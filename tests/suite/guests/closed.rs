//! The routes, tools and pages that refuse a guest.

use axum::{body::Body, http::Method};
use domain::{GUEST_PREFIX, Level, Role};
use gateway::{Access, Verb};
use serde_json::json;

use super::{create_link, invite, submit_piece};
use crate::{
    contract::{Auth, Built, list_tools},
    support::{TestApp, guest_secret},
};

#[tokio::test]
async fn every_route_for_members_refuses_a_guest() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Admin).await;
    let session = app.add_member(Role::Lider).await;
    let session = app.session_client(&session).await;
    let id = submit_piece(&lead, "Peça", "Legenda").await;
    let guest = invite(&app, &session, "decidir", &[&id]).await;
    let mut closed = 0;
    for route in Built::all_routes() {
        let rule = route.access_rule();
        if !rule.auth.requires_member() {
            continue;
        }
        let method: Method = route.method.parse().expect("a method");
        let body = route.has_body().then(|| Body::from("{}"));
        let refused = guest.send(method, &route.concrete_path(), body).await;
        assert!(
            matches!(refused.status, 401 | 403),
            "{} {}: {}",
            route.method,
            route.path,
            refused.status
        );
        closed += 1;
    }
    assert!(closed > 90, "only {closed} routes were tried");
}

#[tokio::test]
async fn a_guest_has_no_tool_and_no_page_of_the_console() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(&session, "decidir", json!({ "pecas": [id] })).await;
    let guest = app.guest_client(&made);
    for method in ["tools/list", "resources/list", "prompts/list"] {
        let refused = guest.send_rpc(method, json!({})).await;
        assert_eq!(refused.status, 401, "{method}: {}", refused.text);
    }
    // No tool can be called, neither with the bearer token of the link nor with the secret of the
    // link alone.
    let secret = guest_secret(&made);
    let admin = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let tools = list_tools(&app.token_client(&admin).await).await;
    assert!(tools.len() > 40, "only {} tools", tools.len());
    for tool in tools {
        let call = json!({ "name": tool["name"], "arguments": { "event_id": id } });
        for client in [&guest, &app.bearer(secret.as_str())] {
            let refused = client.send_rpc("tools/call", call.clone()).await;
            assert_eq!(refused.status, 401, "{}: {}", tool["name"], refused.text);
            assert!(!refused.text.contains("Legenda"), "{}", refused.text);
        }
    }
    let pages: Vec<_> = app
        .app
        .gateway
        .registry
        .console
        .iter()
        .map(|page| page.spec)
        .filter(|spec| spec.access == Access::Browser && spec.verb == Verb::Get)
        .map(|spec| spec.path)
        .collect();
    let cookie = format!("pauta_convidado={secret}; pauta_sessao={secret}");
    let stranger = app.anonymous().with_header("cookie", cookie);
    for path in pages {
        let path = path.replace(['{', '}'], "");
        for client in [&stranger, &guest] {
            let refused = client.get(&path).await;
            assert!(
                matches!(refused.status, 303 | 401),
                "{path}: {}",
                refused.status
            );
        }
    }
}

#[tokio::test]
async fn an_operation_for_guests_refuses_members_strangers_and_wrong_secrets() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let session = app.session_client(&member).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let made = create_link(&session, "decidir", json!({ "pecas": [id] })).await;
    let secret = guest_secret(&made);
    let token = app.token_client(&member).await;
    let guests: Vec<Built> = Built::all_routes()
        .into_iter()
        .filter(|route| route.access_rule().auth == Auth::GuestLink)
        .collect();
    assert!(guests.len() >= 5);
    for route in guests {
        let method: Method = route.method.parse().expect("a method");
        let send = async |client: &crate::support::Client| {
            let body = route.has_body().then(|| Body::from("{}"));
            let sent = client
                .send(method.clone(), &route.concrete_path(), body)
                .await;
            sent.status
        };
        for member in [&session, &token] {
            assert!(matches!(send(member).await, 401 | 403), "{}", route.path);
        }
        assert_eq!(send(&app.anonymous()).await, 401, "{}", route.path);
        let flipped = secret.replacen(
            &secret[..1],
            if secret.starts_with('A') { "B" } else { "A" },
            1,
        );
        for wrong in [
            String::new(),
            secret[1..].to_owned(),
            format!("{secret}a"),
            flipped,
            secret.to_uppercase(),
        ] {
            let stranger = app.bearer(format!("{GUEST_PREFIX}{wrong}"));
            assert_eq!(send(&stranger).await, 401, "{} {wrong}", route.path);
        }
    }
}

#[tokio::test]
async fn a_guest_does_only_what_the_link_allows() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let session = app.session_client(&member).await;
    let id = submit_piece(&session, "Peça", "Legenda").await;
    let other = submit_piece(&session, "Outra", "Alheia").await;
    let sees = invite(&app, &session, "ver", &[&id]).await;
    let remarks = invite(&app, &session, "comentar", &[&id]).await;
    let decides = invite(&app, &session, "decidir", &[&id]).await;
    for (guest, status) in [(&sees, 403), (&remarks, 200)] {
        let sent = super::post_remark(guest, &id, "Oi", json!({})).await;
        assert_eq!(sent.status, status, "{}", sent.text);
    }
    for guest in [&sees, &remarks] {
        let refused = super::decide(guest, &id, "aprovar", 2).await;
        refused.expect_refusal(403, "GUEST_RIGHT_REQUIRED");
    }
    // A piece that the link does not name is answered with 404 and stays unchanged.
    let refused = super::decide(&decides, &other, "aprovar", 2).await;
    refused.expect_refusal(404, "NOT_FOUND");
    let refused = super::post_remark(&decides, &other, "Oi", json!({})).await;
    refused.expect_refusal(404, "NOT_FOUND");
    assert_eq!(session.load_event(&other).await["status"], "em aprovação");
    assert!(
        !decides
            .get("/api/convidado/pecas")
            .await
            .text
            .contains("Alheia")
    );
}
