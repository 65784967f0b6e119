//! Connecting agents, and personal tokens.

use domain::{
    Capability, Level, Role,
    time::{DAY, MINUTE},
};
use serde_json::json;

use super::{ODD, ODD_SHOWN, browser_with_cookie, cookie_pair};
use crate::{
    authorization::{agent_client, service_with_agent},
    console::{submit_operation, visible_text},
    support::TestApp,
};

#[tokio::test]
async fn each_client_has_instructions_to_paste() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    let url = "http://127.0.0.1:8080/api/mcp";
    let add = format!("claude mcp add --transport http pauta &quot;{url}&quot;");
    let file = "&quot;mcpServers&quot;";
    for (client, expected) in [
        ("", url),
        ("claude", "Add custom connector"),
        ("chatgpt", "modo de desenvolvedor"),
        ("claude-code", &add),
        ("cursor", file),
        ("vscode", "MCP: Add Server…"),
        ("outro", "Add custom connector"),
    ] {
        let page = browser.get(&format!("/agentes?cliente={client}")).await;
        let page = page.expect(200);
        assert!(page.text.contains(expected), "{client}: {}", page.text);
        assert!(page.text.contains(url), "{client}");
    }
    // A cloud client cannot reach this service's URL, and the page says so.
    let page = browser.get("/agentes?cliente=claude").await.expect(200);
    assert!(visible_text(&page).contains("só alcança um endereço público"));
    super::visitor_client(&app)
        .get("/agentes")
        .await
        .expect(303);
}

#[tokio::test]
async fn a_connected_agent_is_listed_and_revoked() {
    let (app, member, _, tokens) = service_with_agent().await;
    let browser = app.browser_client(&member).await;
    let page = browser.get("/agentes").await.expect(200);
    let text = visible_text(&page);
    for expected in [
        "Assistente",
        "cliente.test",
        "ativo",
        "Escrever legendas, mudar eventos em preparo e comentar",
        "nunca",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let id = crate::console::hidden_value(&page, "agentId");
    let key = crate::console::hidden_value(&page, "idempotency_key");
    let fields = [
        ("agentId", id.as_str()),
        ("idempotency_key", &key),
        ("_volta", "/agentes#ligados"),
    ];
    let done = submit_operation(&browser, "revoke_my_agent", &fields)
        .await
        .expect(303);
    assert_eq!(
        done.headers["location"],
        "/agentes?feito=revoke_my_agent#ligados"
    );
    agent_client(&app, &tokens).get("/api/me").await.expect(401);
    let page = browser.get("/agentes").await.expect(200);
    assert!(visible_text(&page).contains("Nenhum agente ligado."));
    assert!(visible_text(&page).contains("Encerrados e vencidos (1)"));
}

#[tokio::test]
async fn each_agent_and_token_shows_its_changes_of_today() {
    let app = TestApp::new().await;
    let leader = app.add_member(Role::Lider).await;
    let (token, _) = app.token_client_with(&leader, Capability::ALL).await;
    token.create_demand(json!({ "title": "Feita ontem" })).await;
    app.advance_clock(DAY);
    for n in 1..=6 {
        let title = format!("Feita hoje {n}");
        token.create_demand(json!({ "title": title })).await;
        app.advance_clock(MINUTE);
    }
    let (other, _) = app
        .token_client_with(&app.add_member(Role::Lider).await, Capability::ALL)
        .await;
    other
        .create_demand(json!({ "title": "De outra pessoa" }))
        .await;

    let page = app
        .browser_client(&leader)
        .await
        .get("/agentes")
        .await
        .expect(200);
    let text = visible_text(&page);
    let shown = "12:05  criou a demanda:  Feita hoje 6";
    assert!(text.contains(shown) && text.contains("e mais 1"), "{text}");
    for hidden in [
        "Feita ontem",
        "Feita hoje 1",
        "De outra pessoa",
        "Tudo na auditoria",
    ] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }

    let admin = app.add_member(Role::Admin).await;
    let browser = app.browser_client(&admin).await;
    let page = browser.get(&format!("/equipe/{}", leader.id)).await;
    let text = visible_text(&page.expect(200));
    assert!(
        text.contains(shown) && text.contains("Tudo na auditoria"),
        "{text}"
    );
    assert!(!text.contains("De outra pessoa"));
    let page = browser.get("/agentes").await.expect(200);
    assert!(!visible_text(&page).contains("Feita hoje"));
}

#[tokio::test]
async fn a_busy_agent_hides_no_other_agent() {
    let app = TestApp::new().await;
    let leader = app.add_member(Role::Lider).await;
    let (quiet, _) = app.token_client_with(&leader, Capability::ALL).await;
    let (busy, _) = app.token_client_with(&leader, Capability::ALL).await;
    quiet.create_demand(json!({ "title": "Uma só" })).await;
    for n in 0..55 {
        app.advance_clock(1);
        busy.create_demand(json!({ "title": format!("Muitas {n}") }))
            .await;
    }
    let admin = app.add_member(Role::Admin).await;
    for (client, path) in [
        (app.browser_client(&leader).await, "/agentes".to_owned()),
        (
            app.browser_client(&admin).await,
            format!("/equipe/{}", leader.id),
        ),
    ] {
        let text = visible_text(&client.get(&path).await.expect(200));
        assert!(text.contains("Uma só"), "{path}: {text}");
        assert!(
            text.contains("Muitas 54") && text.contains("e mais 50"),
            "{path}: {text}"
        );
    }
    let session = app.session_client(&leader).await;
    let path = "/api/access/agents/atividade?por_agente=true&meus=true";
    let read = session.get(path).await.expect(200).body;
    assert_eq!(read["ha_mais"], true);
    assert_eq!(read["mudancas"].as_array().map(Vec::len), Some(6));
    // A member sees only the changes by their own agents, even if the request names another member.
    let other = app
        .session_client(&app.add_member(Role::Criador).await)
        .await;
    let path = format!("/api/access/agents/atividade?member_id={}", leader.id);
    let read = other.get(&path).await.expect(200).body;
    assert_eq!(read["mudancas"], json!([]));
}

#[tokio::test]
async fn only_an_admin_is_offered_to_turn_on_their_own_api_access() {
    let app = TestApp::new().await;
    for (role, offered) in [(Role::Admin, true), (Role::Lider, false)] {
        let member = app.add_member_with(role, Level::Nenhum, false).await;
        let page = app
            .browser_client(&member)
            .await
            .get("/agentes")
            .await
            .expect(200);
        let text = visible_text(&page);
        assert!(text.contains("Seu acesso por API está desligado."));
        assert_eq!(text.contains("Ligar: ler e criar"), offered, "{text}");
        assert_eq!(text.contains("Peça a um admin"), !offered, "{text}");
    }
}

#[tokio::test]
async fn the_secret_of_a_token_is_shown_once_to_its_creator() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let browser = app.browser_client(&member).await;
    let fields = [("nome", ODD), ("nivel", "leitor"), ("dias", "7")];
    let made = browser
        .post_form("/agentes/tokens", &fields)
        .await
        .expect(303);
    assert_eq!(made.headers["location"], "/agentes/token");
    assert!(
        !made.headers["set-cookie"]
            .to_str()
            .expect("text")
            .contains("svc_live")
    );
    let kept = cookie_pair(&made);

    // The cookie works only in the browser of its member, and only until it expires.
    let other = app.add_member(Role::Admin).await;
    let theirs = browser_with_cookie(&app, &other, &kept).await;
    theirs.get("/agentes/token").await.expect(303);
    let own = browser_with_cookie(&app, &member, &kept).await;
    let page = own.get("/agentes/token").await.expect(200);
    assert_eq!(page.headers["cache-control"], "no-store");
    assert!(page.text.contains(ODD_SHOWN) && !page.text.contains("<b>Bia"));
    let secret = page
        .text
        .split("<pre id=\"segredo\" tabindex=\"0\">")
        .nth(1);
    let secret = secret
        .and_then(|rest| rest.split('<').next())
        .expect("the secret");
    let gone = page.headers["set-cookie"].to_str().expect("text");
    assert!(
        gone.starts_with("pauta_segredo=;") && gone.contains("Max-Age=0"),
        "{gone}"
    );
    let again = browser.get("/agentes/token").await.expect(303);
    assert_eq!(again.headers["location"], "/agentes#tokens");
    app.advance_clock(2 * MINUTE);
    own.get("/agentes/token").await.expect(303);

    let me = app.bearer(secret).get("/api/me").await.expect(200).body;
    let caps = me["caps"].as_array().expect("a list");
    assert!(caps.contains(&"tasks_view".into()) && !caps.contains(&"draft_save".into()));
    let page = browser.get("/agentes").await.expect(200);
    assert!(!page.text.contains(secret) && page.text.contains(&secret[..25]));
    assert!(page.text.contains(ODD_SHOWN));
}

#[tokio::test]
async fn a_token_has_the_permissions_that_were_marked_and_is_revoked() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    let fields = [
        ("nome", "Só arte"),
        ("nivel", "escolher"),
        ("escopos", "art"),
        ("escopos", "rag"),
    ];
    browser
        .post_form("/agentes/tokens", &fields)
        .await
        .expect(303);
    let page = browser.get("/agentes").await.expect(200);
    let text = visible_text(&page);
    assert!(
        text.contains("2 permissões") && text.contains("Gerar imagens"),
        "{text}"
    );
    let id = crate::console::hidden_value(&page, "tokenId");
    let fields = [
        ("tokenId", id.as_str()),
        ("idempotency_key", "console-token-0001"),
    ];
    submit_operation(&browser, "revoke_my_token", &fields)
        .await
        .expect(303);
    let page = browser.get("/agentes").await.expect(200);
    assert!(visible_text(&page).contains("Nenhum token ativo."));

    // A refusal is shown beside the form, or on a page if there is no script.
    let fields = [("nome", " "), ("nivel", "leitor")];
    let page = browser
        .post_form("/agentes/tokens", &fields)
        .await
        .expect(400);
    assert!(page.text.contains("<strong>O nome</strong>") && page.text.contains("name=\"nome\""));
    let fields = [
        ("nome", "Demais"),
        ("nivel", "escolher"),
        ("escopos", "approve"),
    ];
    let script = browser.with_header("hx-request", "true");
    let beside = script
        .post_form("/agentes/tokens", &fields)
        .await
        .expect(403);
    assert_eq!(beside.headers["hx-retarget"], "find .outcome");
}

#[tokio::test]
async fn without_an_api_level_the_page_says_whom_to_ask() {
    let app = TestApp::new().await;
    let member = app
        .add_member_with(Role::Criador, Level::Nenhum, false)
        .await;
    let page = app
        .browser_client(&member)
        .await
        .get("/agentes")
        .await
        .expect(200);
    let text = visible_text(&page);
    assert!(text.contains("Peça a um admin da equipe"), "{text}");
    assert!(!text.contains("Criar token"));
}
