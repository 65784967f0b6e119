//! Rules for all pages: headers, size and URLs, and writes only through operations.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::Method;
use domain::{Level, Role};
use gateway::{Access, OutputForm, Spec, Verb};
use serde_json::{Value, json};

use super::submit_operation;
use crate::{
    contract::{edges::sources_under, repository_path},
    support::{Client, TestApp},
};

/// The size limit in bytes of a first page with its styles and scripts, compressed and without
/// images.
const WEIGHT: usize = 60_000;

/// Returns the pages that a signed-in browser can open without parameters.
fn pages_without_parameters(app: &TestApp) -> Vec<Spec> {
    let pages = app.app.gateway.registry.console.iter();
    pages
        .filter(|page| page.spec.verb == Verb::Get && !page.input_schema().contains_key("required"))
        .map(|page| page.spec)
        .filter(|spec| matches!(spec.access, Access::Browser))
        // Leaves out the pages that show a new secret, because they redirect if there is no secret.
        // The page `/` stays, because it redirects only bookmarks of the agenda.
        .filter(|spec| spec.path == "/" || !spec.partial_successes().contains(&303))
        // Leaves out streams, because their response does not end.
        .filter(|spec| spec.output != OutputForm::EventStream)
        .collect()
}

async fn service_with_team() -> (TestApp, Client) {
    let app = TestApp::new().await;
    let admin = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let browser = app.browser_client(&admin).await;
    (app, browser)
}

/// Returns the values of an attribute.
fn attribute_values<'t>(text: &'t str, attribute: &str) -> Vec<&'t str> {
    let mark = format!(" {attribute}=\"");
    let parts = text.split(mark.as_str()).skip(1);
    parts.filter_map(|part| part.split('"').next()).collect()
}

#[tokio::test]
async fn every_page_has_a_strict_policy_one_title_and_no_inline_script_or_style() {
    let (app, browser) = service_with_team().await;
    let pages = pages_without_parameters(&app);
    assert!(pages.len() > 3);
    for spec in pages {
        let page = browser.get(spec.path).await.expect(200);
        if !page.headers["content-type"]
            .to_str()
            .is_ok_and(|kind| kind.starts_with("text/html"))
        {
            continue;
        }
        let policy = page.headers["content-security-policy"]
            .to_str()
            .expect("text");
        assert!(policy.starts_with("default-src 'none'"), "{}", spec.path);
        assert!(!policy.contains("unsafe"), "{}", spec.path);
        assert_eq!(page.headers["cache-control"], "no-store", "{}", spec.path);
        assert_eq!(page.text.matches("<h1").count(), 1, "{}", spec.path);
        assert!(page.text.contains("<html lang=\"pt-BR\""), "{}", spec.path);
        for forbidden in [
            "<style",
            " style=\"",
            " onclick=",
            " hx-on",
            "javascript:",
            "js:",
        ] {
            assert!(!page.text.contains(forbidden), "{}: {forbidden}", spec.path);
        }
        for script in page.text.split("<script").skip(1) {
            assert!(script.starts_with(" src=\""), "{}", spec.path);
        }
    }
}

/// `tests/browser/pages.json`: which test opens each page in a browser.
#[derive(serde::Deserialize)]
struct BrowserPages {
    /// The pages that `console.test.mjs` opens.
    crawled: BTreeSet<String>,
    /// The pages that need a special state, each with the file of the test that opens it.
    elsewhere: BTreeMap<String, String>,
    /// The paths that return only a part of a page.
    fragments: BTreeSet<String>,
}

#[tokio::test]
async fn every_page_is_opened_by_a_browser_test() {
    let (app, _) = service_with_team().await;
    let entries = app.app.gateway.registry.all_entries();
    let pages = entries.map(|entry| entry.spec);
    let pages = pages.filter(|spec| spec.verb == Verb::Get && spec.output == OutputForm::Html);
    let pages: BTreeSet<String> = pages.map(|spec| spec.path.to_owned()).collect();
    let folder = repository_path("tests/browser");
    let known = std::fs::read_to_string(folder.join("pages.json")).expect("the file");
    let known: BrowserPages = serde_json::from_str(&known).expect("a list of pages");
    for file in known.elsewhere.values() {
        assert!(folder.join(file).exists(), "{file} is not there");
    }
    let listed = known.crawled.into_iter().chain(known.fragments);
    let listed = listed.chain(known.elsewhere.into_keys());
    assert_eq!(
        listed.collect::<BTreeSet<_>>(),
        pages,
        "list each page in tests/browser/pages.json"
    );
}

#[tokio::test]
async fn a_first_page_with_its_style_and_scripts_is_small() {
    let (app, browser) = service_with_team().await;
    let packed = browser.with_header("accept-encoding", "gzip, br");
    for spec in pages_without_parameters(&app) {
        let page = packed.get(spec.path).await.expect(200);
        let plain = browser.get(spec.path).await.expect(200);
        let mut weight = page.bytes.len();
        let head = plain.text.split("</head>").next().unwrap_or_default();
        let links = attribute_values(head, "href")
            .into_iter()
            .chain(attribute_values(head, "src"));
        for link in links {
            weight += packed.get(link).await.expect(200).bytes.len();
        }
        let modules: BTreeSet<&str> = attribute_values(&plain.text, "data-module")
            .into_iter()
            .collect();
        for module in modules {
            for link in attribute_values(&plain.text, &format!("data-{module}")) {
                weight += packed.get(link).await.expect(200).bytes.len();
            }
        }
        assert!(weight < WEIGHT, "{} weighs {weight} bytes", spec.path);
    }
}

#[tokio::test]
async fn every_url_in_a_page_is_below_the_public_url() {
    let app =
        TestApp::with_settings([("PAUTA_PUBLIC_URL", "https://pauta.test/casa".to_owned())]).await;
    let admin = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let browser = app.browser_client(&admin).await;
    for spec in pages_without_parameters(&app) {
        let page = browser.get(spec.path).await.expect(200);
        for attribute in ["href", "action", "src"] {
            for value in attribute_values(&page.text, attribute) {
                let is_ours = value.starts_with('/') && !value.starts_with("/casa/");
                assert!(!is_ours, "{}: {attribute}={value}", spec.path);
            }
        }
    }
}

#[tokio::test]
async fn pages_write_only_through_operations_which_are_audited_with_the_console_door() {
    for (path, text) in sources_under(&repository_path("crates/console/src")) {
        for word in ["store::", ".begin(", "services.db", "sea_orm"] {
            assert!(!text.contains(word), "{path} mentions {word}");
        }
    }
    let (app, browser) = service_with_team().await;
    for (title, key) in [("Um", "frame-key-0001"), ("Dois", "frame-key-0002")] {
        let fields = [("title", title), ("idempotency_key", key)];
        submit_operation(&browser, "create_demand", &fields)
            .await
            .expect(303);
    }
    for spec in pages_without_parameters(&app) {
        browser.get(spec.path).await.expect(200);
    }
    let admin = app.as_member(Role::Admin).await;
    let rows = admin.get("/api/access/audit?limit=100").await.expect(200);
    let rows = rows.body["audit"].as_array().cloned().unwrap_or_default();
    let written =
        |row: &&Value| row["action"] == "create_demand" && row["metadata"]["door"] == "console";
    assert_eq!(rows.iter().filter(written).count(), 2, "{}", json!(rows));
    // The audit trail has a row for each operation that a page calls, and none for the page itself.
    let pages = rows.iter().filter(|row| {
        row["action"]
            .as_str()
            .is_some_and(|a| a.starts_with("console_"))
    });
    assert_eq!(pages.count(), 0);
}

#[tokio::test]
async fn a_page_accepts_only_the_method_in_its_spec() {
    let (_, browser) = service_with_team().await;
    browser.send(Method::PUT, "/", None).await.expect(405);
    browser.get("/acao/create_demand").await.expect(405);
}
