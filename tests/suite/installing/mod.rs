//! The documents from which clients and directories install the service: the registry entry, the
//! packages and the icons.

mod packages;

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
};

use serde_json::Value;

use crate::support::{Answer, TestApp};

/// Creates a service with this public URL.
async fn service_at(url: &str) -> TestApp {
    TestApp::with_settings([("PAUTA_PUBLIC_URL", url.to_owned())]).await
}

async fn fetch(app: &TestApp, path: &str) -> Answer {
    app.anonymous().get(path).await.expect(200)
}

/// Returns the files of a package, by path.
async fn unpack(app: &TestApp, path: &str) -> BTreeMap<String, Vec<u8>> {
    let bytes = fetch(app, path).await.bytes;
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("a file");
        assert_eq!(file.unix_mode(), Some(0o100_644), "{}", file.name());
        let mut content = vec![];
        file.read_to_end(&mut content).expect("it unpacks");
        files.insert(file.name().to_owned(), content);
    }
    files
}

fn parse_json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

const ADDRESSES: [&str; 4] = [
    "https://pauta.example.com.br",
    "https://x.com.br/pauta",
    "http://127.0.0.1:8080",
    "http://[2001:db8::1]:8080",
];

#[tokio::test]
async fn the_registry_entry_follows_the_official_schema_at_every_address() {
    // This file is a copy of the published schema. `.ci/server.schema.source.txt` names its source.
    let schema = parse_json(include_bytes!("../../../.ci/server.schema.json"));
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("a schema");
    for url in ADDRESSES {
        let app = service_at(url).await;
        let entry = fetch(&app, "/api/ai/server.json").await.body;
        let faults: Vec<String> = validator
            .iter_errors(&entry)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{url}: {faults:?}");
        assert_eq!(entry["$schema"], schema["$id"]);
        assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
        // With the default host, the URL template gives the URL of this installation.
        let remote = &entry["remotes"][0];
        let host = remote["variables"]["host"]["default"].as_str();
        let template = remote["url"].as_str().expect("a URL");
        assert_eq!(template.matches("{host}").count(), 1);
        let filled = template.replace("{host}", host.expect("a default"));
        assert_eq!(filled, format!("{url}/api/mcp"));
        let icons = entry["icons"].as_array().map_or(0, Vec::len);
        assert_eq!(icons, if url.starts_with("https") { 2 } else { 0 }, "{url}");
        let published = &entry["_meta"]["io.modelcontextprotocol.registry/publisher-provided"];
        assert_eq!(published["privacyPolicyUrl"], format!("{url}/privacidade"));
        assert!(published.to_string().len() <= 4_096);
    }
    // The schema is strict enough to find a fault.
    let app = service_at(ADDRESSES[0]).await;
    let mut entry = fetch(&app, "/api/ai/server.json").await.body;
    entry["description"] = "a".repeat(101).into();
    assert!(!validator.is_valid(&entry));
}

#[tokio::test]
async fn the_committed_registry_entry_proposes_no_host() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ai-artifacts/dist/server.json");
    let entry = parse_json(&std::fs::read(path).expect("the committed entry"));
    let host = &entry["remotes"][0]["variables"]["host"];
    assert_eq!(host["placeholder"], "pauta.test");
    assert!(host.get("default").is_none());
}

#[tokio::test]
async fn icons_are_public_and_every_list_names_them() {
    let app = service_at("https://pauta.example.com.br").await;
    let png = fetch(&app, "/api/ai/icon.png").await;
    assert_eq!(png.headers["content-type"], "image/png");
    let image = image::load_from_memory(&png.bytes)
        .expect("a PNG")
        .to_rgba8();
    assert_eq!(image.dimensions(), (512, 512));
    // The rounded corner is transparent, the ground has the colour of the SVG, the lines are white.
    assert_eq!(image.get_pixel(0, 0).0[3], 0);
    assert_eq!(image.get_pixel(256, 60).0, [0x8f, 0x2d, 0x1e, 0xff]);
    assert_eq!(image.get_pixel(256, 128).0, [0xff; 4]);
    let svg = fetch(&app, "/api/ai/icon.svg").await;
    assert_eq!(svg.headers["content-type"], "image/svg+xml");
    assert!(svg.text.contains("#8f2d1e") && !svg.text.contains("<script"));

    let entry = fetch(&app, "/api/ai/server.json").await.body;
    let member = app.add_member(domain::Role::Admin).await;
    let token = app.token_client(&member).await;
    let opened = token
        .send_rpc(
            "initialize",
            serde_json::json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "x", "version": "1" },
            }),
        )
        .await;
    let server = &opened.body["result"]["serverInfo"];
    assert_eq!(server["icons"], entry["icons"]);
    assert_eq!(server["websiteUrl"], "https://pauta.example.com.br");
    for icon in entry["icons"].as_array().expect("icons") {
        let source = icon["src"].as_str().expect("a URL");
        let path = source
            .strip_prefix("https://pauta.example.com.br")
            .expect("an icon of this service");
        let served = fetch(&app, path).await;
        assert_eq!(
            icon["mimeType"],
            served.headers["content-type"].to_str().expect("text")
        );
    }
}

/// Sends headers that claim another host. None of them may appear in a rendered document.
#[tokio::test]
async fn no_header_of_a_caller_appears_in_a_document() {
    let app = service_at("https://pauta.example.com.br").await;
    let paths = [
        "/api/ai/server.json",
        "/api/ai/marketplace.json",
        "/api/ai/claude-plugin.zip",
        "/api/ai/openai-skill.zip",
        "/api/ai/mcp-setup.md",
        "/privacidade",
    ];
    for path in paths {
        // The attacker sends the first request, because a document is rendered only once.
        let attacker = app
            .anonymous()
            .with_header("host", "mal.example.net")
            .with_header("x-forwarded-host", "mal.example.net")
            .with_header("forwarded", "host=mal.example.net;proto=http")
            .with_header("x-forwarded-proto", "http")
            .with_header("x-original-url", "https://mal.example.net/");
        let answer = attacker.get(path).await;
        let text = String::from_utf8_lossy(&answer.bytes).into_owned();
        assert!(!text.contains("mal.example.net"), "{path}");
        let served = fetch(&app, path).await;
        let text = String::from_utf8_lossy(&served.bytes).into_owned();
        assert!(text.contains("https://pauta.example.com.br"), "{path}");
        assert!(!text.contains("mal.example.net"), "{path}");
    }
}
