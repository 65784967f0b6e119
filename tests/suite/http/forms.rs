//! The input and output forms of routes, through the gateway.

use std::time::Duration;

use axum::{
    body::Body,
    http::{Method, header},
};
use domain::{Code, Error, Role};
use gateway::{
    Access, Content, Context, Entry, Input, InputForm, Operation, OutputForm, Page, Registry,
    Reply, Result, Spec, Verb, WebhookDelivery,
};
use hmac::{Hmac, KeyInit, Mac};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use tools::{operations, pages};

use crate::support::{Answer, TestApp, build_registry};

/// Recebe um formulário.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct TakeForm {
    /// Um número.
    #[schemars(range(max = 9))]
    number: i64,
    /// Um texto.
    text: String,
}

impl Operation for TakeForm {
    const SPEC: Spec = Spec::new("take_form", "Receber", Verb::Post, "/form")
        .access(Access::Public)
        .unkeyed()
        .takes(InputForm::UrlEncoded);
    type Output = Self;

    async fn run(self, _: &Context<'_>) -> Result<Self> {
        Ok(self)
    }
}

/// Recebe uma entrega assinada.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct TakeDelivery {
    /// Um número.
    number: i64,
}

fn signature(body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(b"key").expect("any key");
    mac.update(body);
    domain::hex(&mac.finalize().into_bytes())
}

fn verify_delivery(delivery: &WebhookDelivery) -> Result<Input> {
    let given = delivery.headers.get("x-signature");
    if given.is_none_or(|given| *given != *signature(&delivery.body)) {
        return Err(Error::new(Code::UNAUTHENTICATED));
    }
    Ok(serde_json::from_slice(&delivery.body)?)
}

impl Operation for TakeDelivery {
    const SPEC: Spec = Spec::new("take_delivery", "Receber", Verb::Post, "/delivery")
        .access(Access::Webhook)
        .unkeyed()
        .takes(InputForm::Signed(|delivery, _| {
            Box::pin(async move { verify_delivery(&delivery) })
        }));
    type Output = Self;

    async fn run(self, _: &Context<'_>) -> Result<Self> {
        Ok(self)
    }
}

/// A page whose input says how it behaves.
#[derive(Debug, Deserialize, JsonSchema)]
struct Act {
    how: String,
}

impl Page for Act {
    async fn run(self, _: &Context<'_>) -> Result<Reply> {
        match &*self.how {
            "panic" => panic!("a secret that nobody must read"),
            "hang" => std::future::pending().await,
            "refuse" => Err(Error::not_found("coisa")),
            "go" => Ok(Reply::new(Content::Redirect("/elsewhere?a=1".into()))
                .with_header("set-cookie", "state=; Max-Age=0")),
            _ => Ok(Reply::new(Content::Text("<p>olá".into()))),
        }
    }
}

const fn act_entry(name: &'static str, path: &'static str, access: Access) -> Entry {
    let spec = Spec::new(name, "Agir", Verb::Get, path);
    Entry::for_page::<Act>(spec.access(access).serves(OutputForm::Html), "")
}

const PAGES: [Entry; 2] = [
    act_entry("act", "/act", Access::Public),
    act_entry("act_in_session", "/act-in-session", Access::AnySession),
];

async fn service_with_forms() -> TestApp {
    let table = [
        Entry::for_operation::<TakeForm>(),
        Entry::for_operation::<TakeDelivery>(),
    ];
    TestApp::with_registry(build_registry(&table, &PAGES), Duration::from_millis(250)).await
}

async fn post_body(app: &TestApp, path: &str, header: (&'static str, &str), body: &str) -> Answer {
    let client = app.anonymous().with_header(header.0, header.1);
    client
        .send(Method::POST, path, Some(Body::from(body.to_owned())))
        .await
}

#[tokio::test]
async fn an_encoded_form_is_an_input_like_any_other() {
    const TYPE: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
    let app = service_with_forms().await;
    let taken = post_body(&app, "/form", TYPE, "number=7&text=a%C3%A7+b").await;
    let taken = taken.expect(200).body;
    assert_eq!(taken["number"], 7);
    assert_eq!(taken["text"], "aç b");
    let outside = post_body(&app, "/form", TYPE, "number=10&text=a").await;
    assert_eq!(outside.expect(400).invalid_fields(), ["number"]);
    let twice = post_body(&app, "/form", TYPE, "number=1&text=a&text=b").await;
    assert_eq!(twice.expect(400).invalid_fields(), ["text"]);
    let unknown = post_body(&app, "/form", TYPE, "number=1&text=a&x=b").await;
    assert_eq!(unknown.expect(400).invalid_fields(), ["x"]);
    let json = ("content-type", "application/json");
    post_body(&app, "/form", json, r#"{"number":1,"text":"a"}"#)
        .await
        .expect_refusal(415, "UNSUPPORTED_MEDIA_TYPE");
}

#[tokio::test]
async fn a_delivery_is_parsed_only_after_its_signature_was_checked() {
    let app = service_with_forms().await;
    let body = r#"{ "number": 7 }"#;
    let good = signature(body.as_bytes());
    let taken = post_body(&app, "/delivery", ("x-signature", &good), body).await;
    assert_eq!(taken.expect(200).body["number"], 7);
    for (signature, body) in [
        (&*good, r#"{ "number": 8 }"#),
        (&*good, r#"{"number":7}"#),
        ("", body),
        ("0", "{"),
    ] {
        post_body(&app, "/delivery", ("x-signature", signature), body)
            .await
            .expect_refusal(401, "UNAUTHENTICATED");
    }
    let strange = r#"{ "number": "7" }"#;
    let good = signature(strange.as_bytes());
    let faulty = post_body(&app, "/delivery", ("x-signature", &good), strange).await;
    assert_eq!(faulty.expect(400).invalid_fields(), ["number"]);
}

#[tokio::test]
async fn a_page_answers_and_refuses_in_its_own_form() {
    let app = service_with_forms().await;
    let anyone = app.anonymous();
    let page = anyone.get("/act?how=show&utm_source=x").await.expect(200);
    assert_eq!(page.text, "<p>olá");
    assert_eq!(
        page.headers[header::CONTENT_TYPE],
        "text/html; charset=utf-8"
    );
    assert_eq!(page.headers[header::CACHE_CONTROL], "no-store");
    let gone = anyone.get("/act?how=go").await.expect(303);
    assert_eq!(gone.headers[header::LOCATION], "/elsewhere?a=1");
    assert_eq!(gone.headers[header::SET_COOKIE], "state=; Max-Age=0");
    for (how, status) in [
        ("refuse", 404),
        ("panic", 500),
        ("hang", 500),
        ("x&how=y", 400),
    ] {
        let refused = anyone.get(&format!("/act?how={how}")).await.expect(status);
        assert_eq!(
            refused.headers[header::CONTENT_TYPE],
            "text/plain; charset=utf-8",
            "{how}"
        );
        assert_eq!(refused.text.lines().count(), 1, "{how}");
        assert!(!refused.text.contains("secret"), "{how}");
    }
    anyone.get("/act?how=show").await.expect(200);
}

#[tokio::test]
async fn a_page_is_guarded_counted_and_audited_like_an_operation() {
    let app = service_with_forms().await;
    let admin = app.add_member(Role::Admin).await;
    let path = "/act-in-session?how=show";
    app.anonymous().get(path).await.expect(401);
    app.token_client(&admin).await.get(path).await.expect(403);
    app.session_client(&admin).await.get(path).await.expect(200);
    let counted = app.app.gateway.metrics.render_text();
    for (status, code) in [(403, "SESSION_REQUIRED"), (200, "OK")] {
        let line = format!(
            r#"pauta_calls_total{{operation="act_in_session",door="rest",status="{status}",code="{code}"}} 1"#
        );
        assert!(counted.contains(&line), "{counted}");
    }
}

#[tokio::test]
async fn metrics_also_count_answers_that_are_not_json() {
    let app = TestApp::new().await;
    let anyone = app.anonymous();
    anyone.get("/readyz").await.expect(200);
    anyone.get("/convite").await.expect(200);
    anyone.get("/media/x?exp=1&sig=1").await.expect(403);
    let tag = anyone.get("/llms.txt").await.expect(200).headers[header::ETAG].clone();
    let known = anyone.with_header("if-none-match", tag.to_str().expect("text"));
    known.get("/api/ai/llms.txt").await.expect(304);
    let counted = app.app.gateway.metrics.render_text();
    for (operation, status) in [
        ("get_readiness", 200),
        ("get_invitation_page", 200),
        ("get_media", 403),
        ("get_llms_txt_artifact", 200),
        ("get_llms_txt_artifact", 304),
    ] {
        let labels = format!(r#"operation="{operation}",door="rest",status="{status}",code=""#);
        let is_counted = |line: &str| line.contains(&labels) && line.ends_with("} 1");
        assert!(counted.lines().any(is_counted), "{labels}: {counted}");
    }
}

#[tokio::test]
async fn routes_outside_the_table_are_not_served() {
    let app = TestApp::with_registry(Registry::default(), Duration::from_secs(1)).await;
    let anyone = app.anonymous();
    let specs = operations().chain(pages()).map(|entry| &entry.spec);
    let paths = specs.flat_map(|spec| std::iter::once(&spec.path).chain(spec.also_at));
    let mut asked = 0;
    for path in paths {
        for method in [Method::GET, Method::POST] {
            let answer = anyone.send(method, path, None).await;
            answer.expect_refusal(404, "NOT_FOUND");
            asked += 1;
        }
    }
    assert!(asked > 140);
}
