//! The team: visibility, invitations, roles, levels and offboarding.

use std::sync::{Arc, atomic::Ordering};

use domain::{Level, Role};
use serde_json::json;

use super::{ODD, ODD_SHOWN, browser_with_cookie, cookie_pair, visitor_client};
use crate::{
    console::{hidden_value, submit_operation, visible_text},
    members::Unreachable,
    sign_in::{BETTER, PASSWORD, sign_in, team_with_bia},
    support::TestApp,
};

#[tokio::test]
async fn admins_see_everything_and_others_see_whom_to_ask() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    let page = app
        .browser_client(&admin)
        .await
        .get("/equipe")
        .await
        .expect(200);
    let text = visible_text(&page);
    for expected in [
        &*member.email,
        &*member.name,
        "Criador",
        "Ler e criar",
        "Convidar uma pessoa",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let browser = app.browser_client(&member).await;
    let page = browser.get("/equipe").await.expect(200);
    let text = visible_text(&page);
    assert!(text.contains(&admin.name) && !text.contains(&admin.email));
    assert!(text.contains("Peça a um admin") && !text.contains("Convidar"));
    for path in ["", "/desligar"] {
        let page = browser
            .get(&format!("/equipe/{}{path}", admin.id))
            .await
            .expect(403);
        let text = visible_text(&page);
        assert!(
            text.contains("Só admins") && text.contains(&admin.name),
            "{text}"
        );
    }
    let fields = [("nome", "Bia"), ("email", "bia@equipe.test")];
    let page = browser
        .post_form("/equipe/convites", &fields)
        .await
        .expect(403);
    assert!(visible_text(&page).contains("permissão"));
    visitor_client(&app).get("/equipe").await.expect(303);
}

#[tokio::test]
async fn the_link_of_an_invitation_is_shown_once() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let browser = app.browser_client(&admin).await;
    let fields = [
        ("nome", ODD),
        ("email", " bia@equipe.test "),
        ("papel", "lider"),
        ("financeiro", "on"),
    ];
    let made = browser
        .post_form("/equipe/convites", &fields)
        .await
        .expect(303);
    assert_eq!(made.headers["location"], "/equipe/convite");
    let page = browser_with_cookie(&app, &admin, &cookie_pair(&made)).await;
    let page = page.get("/equipe/convite").await.expect(200);
    assert!(page.text.contains("/convite#") && page.text.contains(ODD_SHOWN));
    browser.get("/equipe/convite").await.expect(303);

    let page = browser.get("/equipe").await.expect(200);
    assert!(page.text.contains(ODD_SHOWN) && !page.text.contains("<b>Bia"));
    let listed = app
        .session_client(&admin)
        .await
        .get("/api/membros")
        .await
        .expect(200)
        .body;
    let bia = listed["membros"].as_array().expect("a list").iter();
    let bia = bia
        .clone()
        .find(|m| m["email"] == "bia@equipe.test")
        .expect("Bia")
        .clone();
    assert_eq!(
        (&bia["access_level"], &bia["financeiro"]),
        (&json!("lider"), &json!(true))
    );

    // An e-mail in use is refused, and the form comes back filled.
    let page = browser
        .post_form("/equipe/convites", &fields)
        .await
        .expect(409);
    assert!(page.text.contains(ODD_SHOWN) && page.text.contains("value=\"lider\" checked"));
    let again = format!("/equipe/{}/convite", bia["id"].as_str().expect("an id"));
    let made = browser
        .post_form(&again, &[("nome", "Bia")])
        .await
        .expect(303);
    let page = browser_with_cookie(&app, &admin, &cookie_pair(&made)).await;
    assert!(
        page.get("/equipe/convite")
            .await
            .expect(200)
            .text
            .contains("/convite#")
    );
}

#[tokio::test]
async fn a_member_with_a_password_needs_no_invitation_but_may_get_another_password() {
    let (app, _, bia) = team_with_bia().await;
    let admin = app.add_member(Role::Admin).await;
    let browser = app.browser_client(&admin).await;
    let page = format!("/equipe/{}", bia["id"].as_str().expect("an id"));
    let refused = browser
        .post_form(&format!("{page}/convite"), &[("nome", "Bia")])
        .await;
    assert!(visible_text(&refused.expect(409)).contains("já foi aceito"));
    let weak = browser
        .post_form(&format!("{page}/senha"), &[("senha", "senha123")])
        .await;
    let weak = weak.expect(400);
    assert!(visible_text(&weak).contains("fraca") && !weak.text.contains("senha123"));
    let set = browser
        .post_form(&format!("{page}/senha"), &[("senha", BETTER)])
        .await
        .expect(303);
    assert_eq!(
        set.headers["location"],
        format!("{page}?feito=set_member_password")
    );
    sign_in(&app, "bia@equipe.test", PASSWORD).await.expect(401);
    sign_in(&app, "bia@equipe.test", BETTER).await.expect(200);
}

#[tokio::test]
async fn an_admin_changes_role_level_tokens_and_sales_of_a_member() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    let (token, id) = app
        .token_client_with(&member, &[domain::Capability::TasksView])
        .await;
    let browser = app.browser_client(&admin).await;
    let path = format!("/equipe/{}", member.id);
    let page = browser.get(&path).await.expect(200);
    assert_eq!(hidden_value(&page, "tokenId"), id);
    let own = member.id.as_str();
    let role = [
        ("member_id", own),
        ("access_level", "lider"),
        ("financeiro", "true"),
        ("idempotency_key", "console-role-00001"),
    ];
    submit_operation(&browser, "update_member", &role)
        .await
        .expect(303);
    let level = [
        ("memberId", own),
        ("api_access_level", "leitor"),
        ("idempotency_key", "console-level-0001"),
    ];
    submit_operation(&browser, "update_member_api_access", &level)
        .await
        .expect(303);
    let page = browser.get(&path).await.expect(200);
    for chosen in [
        "value=\"lider\" checked",
        "value=\"true\" selected",
        "value=\"leitor\" checked",
    ] {
        assert!(page.text.contains(chosen), "{chosen}");
    }
    let revoke = [
        ("memberId", own),
        ("tokenId", &id),
        ("idempotency_key", "console-token-0002"),
    ];
    submit_operation(&browser, "revoke_member_token", &revoke)
        .await
        .expect(303);
    token
        .get("/api/me")
        .await
        .expect_refusal(401, "TOKEN_REVOKED");

    // The last admin who can sign in cannot give up the role.
    let own = admin.id.as_str();
    let role = [
        ("member_id", own),
        ("access_level", "lider"),
        ("idempotency_key", "console-role-00002"),
    ];
    let page = submit_operation(&browser, "update_member", &role)
        .await
        .expect(409);
    assert!(visible_text(&page).contains("ao menos um admin"));
    browser.get("/equipe/ninguem").await.expect(404);
}

#[tokio::test]
async fn offboarding_shows_the_remaining_steps_and_completes_them() {
    let issuer = Arc::new(Unreachable::default());
    let app = TestApp::with_identity(issuer.clone()).await;
    let admin = app.add_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    let token = app.token_client(&member).await;
    let browser = app.browser_client(&admin).await;
    let path = format!("/equipe/{}/desligar", member.id);
    let page = browser.get(&path).await.expect(200);
    assert!(visible_text(&page).contains(&member.name));
    let key = hidden_value(&page, "pedido");
    let fields = [("nome", ODD), ("pedido", &key)];
    let page = browser.post_form(&path, &fields).await.expect(200);
    assert!(page.text.contains(ODD_SHOWN));
    let text = visible_text(&page);
    assert!(
        text.contains("falta um passo") && text.contains("Concluir o que falta"),
        "{text}"
    );
    token
        .get("/api/me")
        .await
        .expect_refusal(401, "TOKEN_REVOKED");

    issuer.up.store(true, Ordering::SeqCst);
    // The page is also available for a former member.
    let page = browser.get(&path).await.expect(200);
    assert!(visible_text(&page).contains("não é mais da equipe"));
    let key = hidden_value(&page, "pedido");
    let fields = [("pedido", key.as_str())];
    let page = browser.post_form(&path, &fields).await.expect(200);
    assert!(
        !visible_text(&page).contains("falta"),
        "{}",
        visible_text(&page)
    );
}

#[tokio::test]
async fn a_large_team_is_shown_in_pages() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let mut last = admin.clone();
    for _ in 0..200 {
        last = app
            .add_member_with(Role::Criador, Level::Nenhum, false)
            .await;
        app.advance_clock(1);
    }
    let browser = app.browser_client(&admin).await;
    let mut page = browser.get("/equipe").await.expect(200);
    let mut pages = 1;
    while let Some(at) = page.text.split("/equipe?cursor=").nth(1) {
        let cursor = at.split('"').next().unwrap_or_default().to_owned();
        page = browser
            .get(&format!("/equipe?cursor={cursor}"))
            .await
            .expect(200);
        pages += 1;
        let linked = page.text.split("href=\"/equipe/").nth(1).expect("a member");
        let linked = linked.split('"').next().unwrap_or_default();
        browser.get(&format!("/equipe/{linked}")).await.expect(200);
    }
    assert_eq!(pages, 2);
    assert!(last.active);
}
