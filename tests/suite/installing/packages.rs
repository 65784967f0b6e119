//! Checks the packages for Claude and for OpenAI against the documented rules of their formats.

use std::collections::BTreeSet;

use domain::sha256_hex;
use serde_json::Value;

use super::{ADDRESSES, fetch, parse_json, service_at, unpack};

/// The fields that Claude Code documents. It ignores unknown fields, so only this test would notice
/// a typing error.
const PLUGIN_FIELDS: [&str; 8] = [
    "name",
    "displayName",
    "version",
    "description",
    "author",
    "homepage",
    "license",
    "keywords",
];
const MARKETPLACE_FIELDS: [&str; 5] = ["name", "owner", "description", "version", "plugins"];
const ENTRY_FIELDS: [&str; 9] = [
    "name",
    "displayName",
    "description",
    "source",
    "homepage",
    "license",
    "keywords",
    "category",
    "metadata",
];

#[track_caller]
fn assert_only_fields(object: &Value, known: &[&str]) {
    let fields = object.as_object().expect("an object").keys();
    let unknown: Vec<&String> = fields
        .filter(|name| !known.contains(&name.as_str()))
        .collect();
    assert!(unknown.is_empty(), "undocumented: {unknown:?}");
}

fn is_kebab_case(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.split('-')
        .all(|word| !word.is_empty() && word.chars().all(plain))
}

#[tokio::test]
async fn the_plugin_holds_the_skill_and_the_server() {
    for url in ADDRESSES {
        let app = service_at(url).await;
        let files = unpack(&app, "/api/ai/claude-plugin.zip").await;
        let paths: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            [
                "pauta/.claude-plugin/marketplace.json",
                "pauta/.claude-plugin/plugin.json",
                "pauta/.mcp.json",
                "pauta/skills/pauta/SKILL.md",
                "pauta/skills/pauta/references/erros.md",
                "pauta/skills/pauta/references/fluxos.md",
                "pauta/skills/pauta/references/operacoes.md",
            ]
        );
        let manifest = parse_json(&files["pauta/.claude-plugin/plugin.json"]);
        assert_only_fields(&manifest, &PLUGIN_FIELDS);
        assert_eq!(manifest["name"], "pauta");
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
        let description = manifest["description"].as_str().expect("text");
        assert!(description.ends_with(&format!("{url}/privacidade")));
        let servers = parse_json(&files["pauta/.mcp.json"]);
        let expected = serde_json::json!({ "mcpServers": { "pauta": {
            "type": "http", "url": format!("{url}/api/mcp"),
        } } });
        assert_eq!(servers, expected, "the address and no credential");
        let skill = fetch(&app, "/api/ai/SKILL.md").await.bytes;
        assert_eq!(files["pauta/skills/pauta/SKILL.md"], skill);
    }
}

#[tokio::test]
async fn the_marketplace_pins_the_plugin_that_is_served() {
    let mut names = BTreeSet::new();
    for url in ADDRESSES {
        let app = service_at(url).await;
        let marketplace = fetch(&app, "/api/ai/marketplace.json").await.body;
        let package = fetch(&app, "/api/ai/claude-plugin.zip").await.bytes;
        let expected = serde_json::json!({
            "source": "archive",
            "url": format!("{url}/api/ai/claude-plugin.zip"),
            "sha256": sha256_hex(&package),
        });
        assert_eq!(marketplace["plugins"][0]["source"], expected);
        // The file in the package differs only in its source, a path relative to its folder.
        let files = unpack(&app, "/api/ai/claude-plugin.zip").await;
        let mut local = parse_json(&files["pauta/.claude-plugin/marketplace.json"]);
        assert_eq!(local["plugins"][0]["source"], "./");
        local["plugins"][0]["source"] = expected;
        assert_eq!(local, marketplace);

        assert_only_fields(&marketplace, &MARKETPLACE_FIELDS);
        let entry = &marketplace["plugins"][0];
        assert_only_fields(entry, &ENTRY_FIELDS);
        assert_eq!(entry["name"], "pauta");
        assert!(
            !marketplace["owner"]["name"]
                .as_str()
                .expect("text")
                .is_empty()
        );
        let name = marketplace["name"].as_str().expect("a name");
        assert!(is_kebab_case(name), "{name}");
        for reserved in ["claude", "anthropic", "npm", "github", "builtin", "inline"] {
            assert!(!name.contains(reserved), "{name}");
        }
        names.insert(name.to_owned());
        let guide = fetch(&app, "/api/ai/claude.md").await.text;
        assert!(guide.contains(&format!("claude plugin install pauta@{name}\n")));
        // Claude Code takes archives from https addresses only.
        let by_address = format!("marketplace add {url}/api/ai/marketplace.json");
        assert_eq!(
            guide.contains(&by_address),
            url.starts_with("https"),
            "{url}"
        );
    }
    assert_eq!(
        names.len(),
        ADDRESSES.len(),
        "names of different installations differ"
    );
}

#[tokio::test]
async fn the_skill_for_openai_names_the_server_and_its_own_files() {
    for url in ADDRESSES {
        let app = service_at(url).await;
        let files = unpack(&app, "/api/ai/openai-skill.zip").await;
        let text = String::from_utf8(files["pauta/agents/openai.yaml"].clone()).expect("text");
        let agents: Value = serde_yaml_ng::from_str(&text).expect("YAML");
        let interface = &agents["interface"];
        let length = interface["short_description"]
            .as_str()
            .expect("text")
            .chars()
            .count();
        assert!((25..=64).contains(&length), "{length} characters");
        for icon in ["icon_small", "icon_large"] {
            let path = interface[icon].as_str().expect("a path");
            let path = path.strip_prefix("./").expect("relative to the skill");
            assert!(files.contains_key(&format!("pauta/{path}")), "{path}");
        }
        let expected = serde_json::json!([{
            "type": "mcp", "value": "pauta", "transport": "streamable_http",
            "description": "As ferramentas da Pauta da equipe", "url": format!("{url}/api/mcp"),
        }]);
        assert_eq!(agents["dependencies"]["tools"], expected);
        let skill = fetch(&app, "/api/ai/SKILL.md").await.bytes;
        assert_eq!(files["pauta/SKILL.md"], skill);
        assert_eq!(
            files["pauta/assets/icon.png"],
            fetch(&app, "/api/ai/icon.png").await.bytes
        );
    }
}

#[tokio::test]
async fn packages_are_the_same_each_time_and_hold_no_secret() {
    let settings = [
        (
            "PAUTA_PUBLIC_URL",
            "https://pauta.example.com.br".to_owned(),
        ),
        ("PAUTA_OPENAI_API_KEY", "sk-chave-que-ninguem-ve".to_owned()),
    ];
    let app = crate::support::TestApp::with_settings(settings).await;
    let plain = service_at("https://pauta.example.com.br").await;
    for path in [
        "/api/ai/claude-plugin.zip",
        "/api/ai/openai-skill.zip",
        "/api/ai/skill.zip",
        "/api/ai/marketplace.json",
        "/api/ai/server.json",
    ] {
        let (first, second) = (
            fetch(&app, path).await.bytes,
            fetch(&plain, path).await.bytes,
        );
        assert!(first == second, "{path} depends on more than the address");
    }
}
