//! Who gets in: every credential against every route, by REST and MCP.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::{Value, json};
use tools::{
    OPERATIONS,
    domain::{Capability, Level, Role, TokenSecret, time::DAY},
};

use super::{Auth, Built, Rule};
use crate::support::{Answer, Client, TestApp};

/// What each level adds to those below it; `vendas` follows the `financeiro` flag instead.
const LEVELS: [(&str, &[&str]); 5] = [
    ("nenhum", &[]),
    (
        "leitor",
        &[
            "config_view",
            "tasks_view",
            "skills_view",
            "projects_view",
            "reels_view",
            "connections_view",
            "email_drafts_view",
            "analytics",
            "rag",
        ],
    ),
    (
        "criador",
        &[
            "art",
            "carousel",
            "draft_save",
            "enviar",
            "email_drafts_edit",
            "projects_edit",
            "roteiro",
            "video",
        ],
    ),
    (
        "lider",
        &[
            "approve",
            "tasks_assign",
            "publish",
            "projects_manage",
            "projects_audit_view",
            "delete",
        ],
    ),
    ("admin", &["config", "connections", "team_admin", "members"]),
];

/// The capabilities up to a level.
fn up_to(level: &str) -> BTreeSet<&'static str> {
    let place = LEVELS
        .iter()
        .position(|(name, _)| *name == level)
        .expect("a level");
    LEVELS[..=place]
        .iter()
        .flat_map(|(_, added)| added.iter().copied())
        .collect()
}

/// What a session of a member may do.
fn of_session(role: Role, financeiro: bool) -> BTreeSet<&'static str> {
    let mut capabilities = up_to(role.as_str());
    capabilities.extend(financeiro.then_some("vendas"));
    capabilities
}

/// What a token of a member with every scope may do: its level, never past the role.
fn of_token(role: Role, level: Level, financeiro: bool) -> BTreeSet<&'static str> {
    let mut capabilities: BTreeSet<_> = up_to(level.as_str())
        .intersection(&up_to(role.as_str()))
        .copied()
        .collect();
    capabilities.extend((financeiro && level.as_str() != "nenhum").then_some("vendas"));
    capabilities
}

#[derive(Debug, PartialEq)]
enum Verdict {
    Allowed,
    SessionRequired,
    Lacks(&'static str),
}

fn judge(rule: &Rule, may: &BTreeSet<&'static str>, is_session: bool) -> Verdict {
    if rule.auth == Auth::Session && !is_session {
        return Verdict::SessionRequired;
    }
    match rule.capabilities.first() {
        Some(first) if !rule.capabilities.iter().any(|c| may.contains(c)) => Verdict::Lacks(first),
        _ => Verdict::Allowed,
    }
}

/// The tools that a credential with these capabilities sees, in the order of the table.
fn visible_tools(may: &BTreeSet<&'static str>, is_session: bool) -> Vec<String> {
    tools_where(|rule| judge(rule, may, is_session) == Verdict::Allowed)
}

fn tools_where(keep: impl Fn(&Rule) -> bool) -> Vec<String> {
    let rules = OPERATIONS
        .iter()
        .map(|entry| Rule::of(&entry.spec.operation_id()));
    rules
        .filter(keep)
        .filter_map(|rule| rule.tool.map(Into::into))
        .collect()
}

fn guarded() -> Vec<Built> {
    Built::all()
        .into_iter()
        .filter(|built| built.rule().auth.wants_member())
        .collect()
}

/// Calls a route with a field that no operation has, so that nothing runs behind the guard.
async fn knock(client: &Client, built: &Built) -> Answer {
    let method: Method = built.method.parse().expect("a method");
    let path = built.concrete_path();
    if built.has_body() {
        let body = json!({ "campo_que_nao_existe": true }).to_string();
        client.send(method, &path, Some(body.into())).await
    } else {
        client
            .send(method, &format!("{path}?campo_que_nao_existe=1"), None)
            .await
    }
}

#[track_caller]
fn refused_with_401(answer: Answer, code: &str, what: &str) -> Answer {
    assert_eq!(
        (answer.status, answer.code()),
        (401, code),
        "{what}: {}",
        answer.text
    );
    let challenge = answer.headers.get("www-authenticate").expect("a challenge");
    assert!(
        challenge.to_str().expect("text").starts_with("Bearer"),
        "{what}: {challenge:?}"
    );
    assert!(
        !answer.body["error"].as_str().unwrap_or_default().is_empty(),
        "{what}"
    );
    answer
}

#[tokio::test]
async fn anonymous_callers_are_refused() {
    let app = TestApp::new().await;
    let anonymous = app.anonymous();
    for built in guarded() {
        let answer = knock(&anonymous, &built).await;
        refused_with_401(answer, "UNAUTHENTICATED", &built.operation_id);
    }
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] {
        let method: Method = method.parse().expect("a method");
        let answer = anonymous.send(method.clone(), "/api/mcp", None).await;
        assert_eq!(answer.status, 401, "{method} /api/mcp");
        assert_eq!(
            answer.headers["www-authenticate"], "Bearer",
            "{method} /api/mcp"
        );
    }
}

#[tokio::test]
async fn public_routes_judge_no_credential() {
    let app = TestApp::new().await;
    let nobody = app.bearer("lixo");
    for built in Built::all() {
        if built.rule().auth == Auth::Public {
            let (bad, none) = (
                knock(&nobody, &built).await,
                knock(&app.anonymous(), &built).await,
            );
            assert_eq!(
                (bad.status, &bad.text),
                (none.status, &none.text),
                "{built:?}"
            );
            assert_ne!(bad.code(), "UNAUTHENTICATED", "{built:?}");
        }
    }
}

#[tokio::test]
async fn what_is_no_credential_is_refused_everywhere() {
    let app = TestApp::new().await;
    let member = app.member(Role::Admin).await;
    let tokens = Secrets::of(&app, &member).await;
    let session = app.session(&member).await;
    let genuine = &tokens.genuine;
    let (prefix, _) = genuine.split_once('.').expect("a token");
    let stranger = TokenSecret::generate().reveal();
    let (_, other_secret) = stranger.split_once('.').expect("a token");
    let unknown = app.bearer(stranger.clone());
    let wrong_secret = app.bearer(format!("{prefix}.{other_secret}"));
    let presented = |value: String| app.anonymous().with_header("authorization", value);
    let unauthenticated = [
        ("another scheme", presented(format!("Basic {genuine}"))),
        ("no scheme", presented(genuine.clone())),
        ("an empty bearer", presented("Bearer ".into())),
        ("garbage", app.bearer("lixo")),
        ("a cut token", app.bearer(&genuine[..genuine.len() - 1])),
        ("a prefix alone", app.bearer("svc_live_")),
        ("an unsigned session", app.bearer(unsigned(&session))),
        (
            "two credentials",
            app.bearer(genuine)
                .with_header("authorization", "Bearer lixo"),
        ),
        ("an unknown token", unknown),
        ("a wrong secret", wrong_secret),
    ];
    for built in guarded() {
        let id = &built.operation_id;
        let mut bodies = BTreeSet::new();
        for (what, client) in &unauthenticated {
            let answer = knock(client, &built).await;
            let answer = refused_with_401(answer, "UNAUTHENTICATED", &format!("{id}: {what}"));
            bodies.insert(answer.text);
        }
        assert_eq!(bodies.len(), 1, "{id}: refusals tell why: {bodies:?}");
        let expired = knock(&tokens.expired, &built).await;
        refused_with_401(expired, "TOKEN_EXPIRED", id);
        let revoked = knock(&tokens.revoked, &built).await;
        refused_with_401(revoked, "TOKEN_REVOKED", id);
    }
}

/// The tokens of one member, in every state.
struct Secrets {
    genuine: String,
    expired: Client,
    revoked: Client,
}

impl Secrets {
    async fn of(app: &TestApp, member: &tools::store::members::Member) -> Self {
        let (expired, _) = app.token_with(member, Capability::ALL).await;
        app.pass(31 * DAY);
        let (revoked, id) = app.token_with(member, Capability::ALL).await;
        let session = app.session(member).await;
        session
            .delete(&format!("/api/access/tokens/{id}"))
            .await
            .expect(200);
        let asked = json!({ "label": "genuíno" });
        let created = session
            .post("/api/access/tokens", asked)
            .await
            .expect(201)
            .body;
        let genuine = created["token"].as_str().expect("a secret").to_owned();
        app.bearer(genuine.clone()).get("/api/me").await.expect(200);
        Self {
            genuine,
            expired,
            revoked,
        }
    }
}

/// The claims of a session under `alg: none` (RFC 8725, section 2.1).
fn unsigned(session: &Client) -> String {
    let jwt = session.credential();
    let claims = jwt.split('.').nth(1).expect("claims");
    // {"alg":"none","typ":"JWT"}
    format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{claims}.")
}

#[tokio::test]
async fn a_session_ends_with_its_time() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Admin).await;
    session.get("/api/me").await.expect(200);
    app.pass(DAY);
    let answer = session.get("/api/me").await;
    refused_with_401(answer, "TOKEN_EXPIRED", "an old session");
    let answer = session.rpc("tools/list", json!({})).await;
    refused_with_401(answer, "TOKEN_EXPIRED", "an old session on MCP");
}

#[tokio::test]
async fn who_is_offboarded_is_refused_everywhere() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let leaver = app.member(Role::Admin).await;
    let (session, token) = (app.session(&leaver).await, app.token(&leaver).await);
    admin
        .delete(&format!("/api/membros/{}", leaver.id))
        .await
        .expect(200);
    for built in guarded() {
        let answer = knock(&token, &built).await;
        refused_with_401(answer, "TOKEN_REVOKED", &built.operation_id);
        let answer = knock(&session, &built).await;
        assert_eq!(
            (answer.status, answer.code()),
            (403, "NOT_A_MEMBER"),
            "{built:?}"
        );
    }
}

#[tokio::test]
async fn the_rights_of_a_criador_are_those_of_the_contract() {
    every_right_of(Role::Criador).await;
}

#[tokio::test]
async fn the_rights_of_a_lider_are_those_of_the_contract() {
    every_right_of(Role::Lider).await;
}

#[tokio::test]
async fn the_rights_of_an_admin_are_those_of_the_contract() {
    every_right_of(Role::Admin).await;
}

/// Every API level, with and without `financeiro`, by session and by token, on every route.
async fn every_right_of(role: Role) {
    let app = TestApp::new().await;
    for level in Level::ALL.iter().copied() {
        for financeiro in [false, true] {
            let member = app.member_with(role, level, financeiro).await;
            let who = format!("{role}, {level}, financeiro {financeiro}");
            let session = app.session(&member).await;
            let may = of_session(role, financeiro);
            exactly_these_rights(&session, &may, true, &format!("session of {who}")).await;
            let token = app.token(&member).await;
            let may = of_token(role, level, financeiro);
            exactly_these_rights(&token, &may, false, &format!("token of {who}")).await;
        }
    }
}

async fn exactly_these_rights(
    client: &Client,
    may: &BTreeSet<&'static str>,
    is_session: bool,
    who: &str,
) {
    let caps = client.get("/api/me").await.expect(200).body["caps"].clone();
    let caps: BTreeSet<&str> = caps
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| c.as_str().expect("text"))
        .collect();
    assert_eq!(&caps, may, "{who}");
    for built in guarded() {
        let what = format!("{who}: {}", built.operation_id);
        let answer = knock(client, &built).await;
        let found = (answer.status, answer.code());
        match judge(&built.rule(), may, is_session) {
            Verdict::SessionRequired => {
                assert_eq!(found, (403, "SESSION_REQUIRED"), "{what}: {}", answer.text);
            }
            Verdict::Lacks(capability) => {
                assert_eq!(
                    found,
                    (403, "CAPABILITY_REQUIRED"),
                    "{what}: {}",
                    answer.text
                );
                assert_eq!(answer.body["details"]["capability"], capability, "{what}");
            }
            Verdict::Allowed if built.raw => {
                assert!(
                    ![401, 403, 405].contains(&answer.status),
                    "{what}: {}",
                    answer.text
                );
            }
            Verdict::Allowed => {
                assert_eq!(found, (400, "INVALID_INPUT"), "{what}: {}", answer.text);
                assert!(answer.fields().contains(&"campo_que_nao_existe"), "{what}");
            }
        }
    }
    assert_eq!(
        client.tools().await,
        visible_tools(may, is_session),
        "{who}: tools/list"
    );
}

#[tokio::test]
async fn a_tool_outside_the_rights_cannot_be_called() {
    let app = TestApp::new().await;
    let member = app.member_with(Role::Admin, Level::Leitor, false).await;
    let token = app.token(&member).await;
    let visible = token.tools().await;
    let withheld = tools_where(|rule| {
        rule.tool
            .is_some_and(|tool| !visible.contains(&tool.into()))
    });
    assert!(!withheld.is_empty() && !visible.is_empty());
    for tool in withheld {
        is_unknown(&token, &tool).await;
    }
    for tool in visible {
        let answer = token
            .call(&tool, json!({ "campo_que_nao_existe": true }))
            .await;
        assert!(
            answer.is_error && answer.text.starts_with("INVALID_INPUT: "),
            "{tool}"
        );
    }
}

/// The answer to a tool that is withheld is the one to a tool that does not exist.
async fn is_unknown(client: &Client, tool: &str) {
    let call = |name: String| async move {
        let params = json!({ "name": name, "arguments": {} });
        client.rpc("tools/call", params).await
    };
    let withheld = call(tool.to_owned()).await;
    let absent = call("does_not_exist".into()).await;
    assert_eq!(
        withheld.body["error"]["code"], -32602,
        "{tool}: {}",
        withheld.text
    );
    assert_eq!(withheld.status, absent.status, "{tool}");
    assert_eq!(withheld.text.replace(tool, "does_not_exist"), absent.text);
}

#[tokio::test]
async fn a_token_of_one_scope_sees_the_tools_of_that_scope_and_get_me() {
    let app = TestApp::new().await;
    let member = app.member_with(Role::Admin, Level::Admin, true).await;
    for capability in Capability::ALL {
        let (token, _) = app.token_with(&member, &[*capability]).await;
        let expected = tools_where(|rule| match rule.auth {
            Auth::SessionOrToken => {
                rule.capabilities.is_empty() || rule.capabilities.contains(&capability.as_str())
            }
            _ => false,
        });
        assert_eq!(token.tools().await, expected, "{capability}");
        assert!(expected.contains(&"get_me".to_owned()), "{capability}");
    }
}

#[tokio::test]
async fn a_lowered_level_holds_from_the_next_call() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.member(Role::Lider).await;
    let token = app.token(&member).await;
    let path = format!("/api/access/members/{}", member.id);
    for level in ["criador", "leitor"] {
        admin
            .patch(&path, json!({ "api_access_level": level }))
            .await
            .expect(200);
        assert_eq!(
            token.tools().await,
            visible_tools(&up_to(level), false),
            "{level}"
        );
    }
    admin
        .patch(&path, json!({ "api_access_level": "nenhum" }))
        .await
        .expect(200);
    let answer = token.rpc("tools/list", json!({})).await;
    refused_with_401(answer, "TOKEN_REVOKED", "nenhum revokes");
}

/// The tools of an all-powerful token in these areas (all when empty), get_me always.
fn tools_in(areas: &[&str], read_only: bool) -> Vec<String> {
    let writes = |tool: &str| {
        let entry = OPERATIONS
            .iter()
            .find(|entry| entry.spec.name == tool)
            .expect("a tool");
        entry.spec.is_write()
    };
    tools_where(|rule| {
        let Some(tool) = rule.tool else { return false };
        let in_area = areas.is_empty() || areas.contains(&rule.area) || tool == "get_me";
        in_area && !(read_only && writes(tool))
    })
}

#[tokio::test]
async fn toolsets_and_readonly_narrow_by_query_and_by_header() {
    let app = TestApp::new().await;
    let token = app
        .token(&app.member_with(Role::Admin, Level::Admin, true).await)
        .await;
    let toolsets = |list: &str| token.with_header("x-mcp-toolsets", list);
    let read_only = |flag: &str| token.with_header("x-mcp-readonly", flag);
    let cases: [(&str, Client, Vec<String>); 13] = [
        ("nothing asked", token.clone(), tools_in(&[], false)),
        (
            "query",
            token.narrowed("toolsets=workflow"),
            tools_in(&["workflow"], false),
        ),
        (
            "two in a query",
            token.narrowed("toolsets=workflow,config"),
            tools_in(&["workflow", "config"], false),
        ),
        ("header", toolsets("config"), tools_in(&["config"], false)),
        (
            "spaces",
            toolsets(" config , workflow "),
            tools_in(&["config", "workflow"], false),
        ),
        (
            "query and header",
            toolsets("config,access").narrowed("toolsets=workflow,config"),
            tools_in(&["config"], false),
        ),
        (
            "nothing in common",
            toolsets("config").narrowed("toolsets=workflow"),
            tools_in(&["-"], false),
        ),
        (
            "an area without tools",
            token.narrowed("toolsets=members"),
            tools_in(&["-"], false),
        ),
        (
            "readonly by query",
            token.narrowed("readonly=true"),
            tools_in(&[], true),
        ),
        ("readonly by header", read_only("true"), tools_in(&[], true)),
        (
            "one says no",
            read_only("false").narrowed("readonly=true"),
            tools_in(&[], true),
        ),
        (
            "readonly=false",
            token.narrowed("readonly=false"),
            tools_in(&[], false),
        ),
        (
            "both kinds",
            read_only("true").narrowed("toolsets=workflow"),
            tools_in(&["workflow"], true),
        ),
    ];
    let all = token.tools().await;
    for (what, client, expected) in cases {
        let found = client.tools().await;
        assert_eq!(found, expected, "{what}");
        assert!(found.contains(&"get_me".to_owned()), "{what}");
        for tool in all.iter().filter(|tool| !found.contains(tool)) {
            is_unknown(&client, tool).await;
        }
    }
    assert!(tools_in(&["workflow"], true).len() < tools_in(&["workflow"], false).len());
}

#[tokio::test]
async fn narrowing_never_adds_a_tool() {
    let app = TestApp::new().await;
    let token = app
        .token(&app.member_with(Role::Criador, Level::Leitor, false).await)
        .await;
    let own = token.tools().await;
    for area in ["access", "workflow", "config", "members", "system"] {
        for query in [
            format!("toolsets={area}"),
            format!("toolsets={area}&readonly=false"),
        ] {
            let found = token.narrowed(&query).tools().await;
            assert!(
                found.iter().all(|tool| own.contains(tool)),
                "{query}: {found:?}"
            );
        }
    }
}

#[tokio::test]
async fn an_unknown_toolset_flag_or_parameter_is_refused() {
    let app = TestApp::new().await;
    let token = app.token(&app.member(Role::Admin).await).await;
    let faulty = [
        (token.narrowed("toolsets=workflow,tudo"), "toolsets"),
        (
            token.with_header("x-mcp-toolsets", "Workflow"),
            "X-MCP-Toolsets",
        ),
        (token.narrowed("readonly=talvez"), "readonly"),
        (token.with_header("x-mcp-readonly", "sim"), "X-MCP-Readonly"),
        (token.narrowed("toolset=workflow"), "toolset"),
    ];
    for (client, field) in faulty {
        for answer in [
            client.rpc("tools/list", json!({})).await,
            client
                .modern_rpc("tools/call", json!({ "name": "get_me", "arguments": {} }))
                .await,
        ] {
            assert_eq!(answer.fields(), [field]);
        }
    }
}

#[tokio::test]
async fn the_guard_stands_before_the_input() {
    let app = TestApp::new().await;
    let token = app
        .token(&app.member_with(Role::Criador, Level::Leitor, false).await)
        .await;
    let body: fn() -> Value = || json!({ "event_id": 7, "action": "nada" });
    token
        .post("/api/aprovar", body())
        .await
        .refused(403, "CAPABILITY_REQUIRED");
    app.anonymous()
        .post("/api/aprovar", body())
        .await
        .refused(401, "UNAUTHENTICATED");
    let broken = |client: Client| async move {
        client
            .send(Method::POST, "/api/aprovar", Some("{".into()))
            .await
    };
    broken(token.with_header("content-type", "text/plain"))
        .await
        .refused(403, "CAPABILITY_REQUIRED");
    broken(token.clone())
        .await
        .refused(403, "CAPABILITY_REQUIRED");
    broken(app.anonymous())
        .await
        .refused(401, "UNAUTHENTICATED");
    token
        .post("/api/access/tokens", body())
        .await
        .refused(403, "SESSION_REQUIRED");
}
