//! The published documents, as the service serves them.

use std::{
    collections::BTreeSet,
    io::{Cursor, Read},
    path::Path,
    process::Command,
};

use axum::http::{Method, header};
use domain::sha256_hex;
use gateway::{Access, Entry, OutputForm, Spec, Verb};
use jsonschema::Validator;
use pauta::artifacts::{API_VERSION, RECORDED, RELEASE_DATE};
use serde_json::{Value, json};
use tools::{
    artifacts::{GetDocument, Renderer},
    operations, pages,
};

use crate::support::{Answer, TestApp, examples::RECORD};

/// Returns the path and media type of every document.
fn served_documents() -> impl Iterator<Item = (&'static str, &'static str)> {
    let specs = pages()
        .map(|page| &page.spec)
        .filter(|spec| spec.path.starts_with("/api/ai/"));
    specs.filter_map(|spec| match spec.output {
        OutputForm::Document(media_type) => Some((spec.path, media_type)),
        _ => None,
    })
}

/// Returns true if files of this media type are already compressed, so that the service does not
/// compress them again.
fn is_already_compressed(media_type: &str) -> bool {
    ["application/zip", "image/png"].contains(&media_type)
}

async fn fetch_document(app: &TestApp, path: &str) -> Answer {
    app.anonymous().get(path).await.expect(200)
}

#[tokio::test]
async fn the_manifest_describes_the_documents_that_are_served() {
    let app = TestApp::new().await;
    let manifest = fetch_document(&app, "/api/ai/manifest.json").await.body;
    assert_eq!(manifest["schema_version"], 1);
    assert_eq!(
        manifest["release"],
        json!({ "version": API_VERSION, "date": RELEASE_DATE })
    );
    let listed = manifest["artifacts"].as_array().expect("a list");
    let paths: BTreeSet<&str> = listed.iter().filter_map(|a| a["path"].as_str()).collect();
    let all: BTreeSet<&str> = served_documents().map(|(path, _)| path).collect();
    assert_eq!(all.len(), 19);
    let unlisted: Vec<&&str> = all.difference(&paths).collect();
    assert_eq!(
        unlisted,
        [&"/api/ai/manifest.json"],
        "only the manifest is not in its own list"
    );
    for artifact in listed {
        let path = artifact["path"].as_str().expect("a path");
        let served = fetch_document(&app, path).await;
        assert_eq!(artifact["bytes"], served.bytes.len(), "{path}");
        assert_eq!(artifact["sha256"], sha256_hex(&served.bytes), "{path}");
        assert_eq!(artifact["url"], format!("http://127.0.0.1:8080{path}"));
        let (_, media_type) = served_documents()
            .find(|(p, _)| *p == path)
            .expect("a route");
        assert_eq!(artifact["media_type"], media_type);
        let given = served.headers[header::CONTENT_TYPE].to_str().expect("text");
        assert_eq!(given.split(';').next(), Some(media_type), "{path}");
    }
    let skill = &manifest["skills"][0];
    let package = listed.iter().find(|a| a["id"] == skill["artifact_id"]);
    assert_eq!(skill["sha256"], package.expect("the package")["sha256"]);
}

#[tokio::test]
async fn documents_can_be_revalidated_and_are_compressed_in_each_encoding() {
    let app = TestApp::new().await;
    for (path, media_type) in served_documents() {
        let plain = fetch_document(&app, path).await;
        let head = app.anonymous().send(Method::HEAD, path, None).await;
        assert!(head.expect(200).bytes.is_empty());
        let mut tags = BTreeSet::new();
        for accepted in ["identity", "gzip", "br"] {
            let client = app.anonymous().with_header("accept-encoding", accepted);
            let packed = client.get(path).await.expect(200);
            assert_eq!(packed.headers[header::VARY], "accept-encoding");
            let coding = packed.headers.get(header::CONTENT_ENCODING);
            let bytes = match coding.map(|coding| coding.to_str().expect("text")) {
                None => packed.bytes.to_vec(),
                Some("gzip") => {
                    let mut bytes = vec![];
                    let mut decoder = flate2::read::GzDecoder::new(&*packed.bytes);
                    decoder.read_to_end(&mut bytes).expect("gzip");
                    bytes
                }
                Some(_) => {
                    let mut bytes = vec![];
                    brotli::BrotliDecompress(&mut &*packed.bytes, &mut bytes).expect("Brotli");
                    bytes
                }
            };
            assert!(bytes == plain.bytes, "{path} in {accepted}");
            let packs = accepted != "identity" && !is_already_compressed(media_type);
            assert_eq!(coding.is_some(), packs, "{path} in {accepted}");
            let tag = packed.headers[header::ETAG]
                .to_str()
                .expect("text")
                .to_owned();
            let known = client.with_header("if-none-match", format!("\"x\", W/{tag}"));
            assert!(known.get(path).await.expect(304).bytes.is_empty());
            tags.insert(tag);
        }
        let distinct = if is_already_compressed(media_type) {
            1
        } else {
            3
        };
        assert_eq!(tags.len(), distinct, "{path}");
        let other = app.anonymous().with_header("if-none-match", "\"x\"");
        other.get(path).await.expect(200);
    }
}

#[tokio::test]
async fn a_document_that_this_build_lacks_is_reported_as_missing() {
    const OTHER: Entry = {
        let guide = Spec::new("get_other", "Outro", Verb::Get, "/api/ai/outro.md");
        let guide = guide.access(Access::Public);
        Entry::for_page::<GetDocument>(guide.serves(OutputForm::Document("text/markdown")), "")
    };
    let app = TestApp::with_pages(pages().chain([&OTHER])).await;
    let missing = app.anonymous().get("/api/ai/outro.md").await;
    missing.expect_refusal(503, "ARTIFACT_MISSING");
    fetch_document(&app, "/api/ai/chatgpt.md").await;
}

#[tokio::test]
async fn every_document_contains_the_public_url() {
    for url in ["https://x.com.br/pauta", "http://[2001:db8::1]:8080"] {
        let app = TestApp::with_settings([("PAUTA_PUBLIC_URL", url.to_owned())]).await;
        let texts = served_documents()
            .filter(|(path, _)| !path.ends_with(".zip") && !path.contains("/icon."));
        for (path, _) in texts {
            let text = fetch_document(&app, path).await.text;
            assert!(!text.contains("pauta.test/"), "{path}");
            assert!(
                !text.contains("{{url}}") && !text.contains("{{mcp_url}}"),
                "{path}"
            );
            assert!(text.contains(url), "{path} does not contain the public URL");
        }
    }
}

#[tokio::test]
async fn conventional_paths_serve_the_same_documents() {
    let app = TestApp::new().await;
    for name in ["llms.txt", "llms-full.txt"] {
        let alias = fetch_document(&app, &format!("/{name}")).await;
        assert_eq!(
            alias.bytes,
            fetch_document(&app, &format!("/api/ai/{name}")).await.bytes
        );
    }
    let index = fetch_document(&app, "/.well-known/agent-skills/index.json")
        .await
        .body;
    let skill = &index["skills"][0];
    let path = skill["url"].as_str().expect("a URL");
    let path = path.trim_start_matches("http://127.0.0.1:8080");
    let text = fetch_document(&app, path).await;
    assert_eq!(
        skill["digest"],
        format!("sha256:{}", sha256_hex(&text.bytes))
    );
    assert!(
        text.text
            .contains(skill["description"].as_str().expect("text"))
    );
    // The files to which the skill links are served in the folder of the skill and are in the
    // package.
    let folder = path.trim_end_matches("SKILL.md");
    let mut referred = 0;
    for part in text.text.split("](references/").skip(1) {
        let name = part.split(')').next().expect("a link ends");
        fetch_document(&app, &format!("{folder}references/{name}")).await;
        referred += 1;
    }
    assert!(referred >= 3);
}

#[tokio::test]
async fn the_package_contains_the_skill_and_is_reproducible() {
    let app = TestApp::new().await;
    let zip = fetch_document(&app, "/api/ai/skill.zip").await.bytes;
    let again = TestApp::new().await;
    assert_eq!(zip, fetch_document(&again, "/api/ai/skill.zip").await.bytes);
    let mut archive = zip::ZipArchive::new(Cursor::new(zip)).expect("a zip");
    let names: Vec<String> = archive.file_names().map(str::to_owned).collect();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(names, sorted);
    let mut skill = String::new();
    let mut file = archive.by_name("pauta/SKILL.md").expect("the skill");
    assert_eq!(file.unix_mode(), Some(0o100_644));
    file.read_to_string(&mut skill).expect("text");
    assert_eq!(skill, fetch_document(&app, "/api/ai/SKILL.md").await.text);
    assert!(skill.starts_with("---\nname: pauta\n"));
    assert!(skill.lines().count() < 500);
}

#[tokio::test]
async fn the_guide_names_every_route() {
    let app = TestApp::new().await;
    let guide = fetch_document(&app, "/api/ai/llms-full.txt").await.text;
    for path in operations().map(|entry| entry.spec.path) {
        assert!(guide.contains(path), "{path}");
    }
}

#[tokio::test]
async fn examples_in_the_contract_satisfy_its_schemas() {
    let app = TestApp::new().await;
    let contract = fetch_document(&app, "/api/ai/openapi.json").await.body;
    let yaml: Value =
        serde_yaml_ng::from_str(&fetch_document(&app, "/api/ai/openapi.yaml").await.text)
            .expect("YAML");
    assert_eq!(yaml, contract);
    let (mut inputs, mut answers) = (0, 0);
    for (path, item) in contract["paths"].as_object().expect("paths") {
        for (verb, operation) in item.as_object().expect("operations") {
            let name = format!("{verb} {path}");
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let required = parameter["required"] == true && path != "/media/{id}";
                if let Some(example) = parameter.get("example") {
                    assert_satisfies_schema(example, &parameter["schema"], &name);
                } else {
                    assert!(!required, "{name}: no example of {}", parameter["name"]);
                }
            }
            let sent = &operation["requestBody"]["content"]["application/json"];
            if let Some(example) = sent.get("example") {
                assert_satisfies_schema(example, &sent["schema"], &name);
                inputs += 1;
            }
            for status in ["200", "201", "202"] {
                let given = &operation["responses"][status]["content"]["application/json"];
                if let Some(example) = given.get("example") {
                    assert_satisfies_schema(example, &given["schema"], &name);
                    answers += 1;
                }
            }
        }
    }
    assert!(inputs >= 15);
    assert_eq!(
        answers,
        operations().count(),
        "an operation has no recorded answer: {RECORD}"
    );
}

#[track_caller]
fn assert_satisfies_schema(example: &Value, schema: &Value, name: &str) {
    let validator: Validator = jsonschema::options()
        .should_validate_formats(true)
        .build(schema)
        .expect("a schema");
    let faults: Vec<String> = validator
        .iter_errors(example)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{name}: {faults:?}");
}

#[tokio::test]
async fn the_reference_names_nested_fields() {
    let app = TestApp::new().await;
    let text = fetch_document(&app, "/api/ai/llms-full.txt").await.text;
    let row = |field: &str| {
        let row = text
            .lines()
            .find(|line| line.starts_with(&format!("| `{field}` |")));
        row.unwrap_or_else(|| panic!("the reference has no row for {field}"))
    };
    assert!(row("cards[].text").contains("| sim |"));
    assert!(row("payload").contains("section: add(title, position?)"));
    assert!(row("payload.due_on").contains("ausente, apaga"));
    // An upload sends its file as bytes, so `file` has no nested fields. In `import_media`, `file`
    // is an object with nested fields.
    assert!(!text.contains("| `file.sha256"));
    assert!(row("file.download_url").contains("| sim |"));
}

#[tokio::test]
async fn the_reference_names_every_route() {
    let app = TestApp::new().await;
    let text = fetch_document(&app, "/api/ai/llms-full.txt").await.text;
    let unnamed: Vec<&str> = operations()
        .chain(pages())
        .map(|entry| entry.spec.path)
        .filter(|path| !text.contains(&format!(" {path}`")))
        .collect();
    assert!(unnamed.is_empty(), "{unnamed:?}");
}

#[tokio::test]
async fn the_profile_for_chatgpt_stays_within_its_limits() {
    let app = TestApp::new().await;
    let profile = fetch_document(&app, "/api/ai/openapi.json?perfil=chatgpt")
        .await
        .body;
    let mut operations = 0;
    for item in profile["paths"].as_object().expect("paths").values() {
        for operation in item.as_object().expect("operations").values() {
            operations += 1;
            let length = |text: &Value| text.as_str().map_or(0, |text| text.chars().count());
            assert!(length(&operation["summary"]) <= 300);
            assert!((1..=300).contains(&length(&operation["description"])));
            let entry =
                tools::operations().find(|entry| operation["x-mcp-tool"] == entry.spec.name);
            let writes_or_costs = entry.expect("a tool").spec.is_recorded();
            assert_eq!(operation["x-openai-isConsequential"], writes_or_costs);
            assert_eq!(operation["security"], json!([{ "personalToken": [] }]));
            for parameter in operation["parameters"].as_array().expect("a list") {
                assert_ne!(parameter["in"], "header");
                assert!(length(&parameter["description"]) <= 700);
            }
        }
    }
    assert_eq!(operations, 30);
    let kept = profile["paths"].as_object().expect("paths").values();
    let kept = kept.flat_map(|item| item.as_object().expect("operations").values());
    let kept: Vec<&str> = kept.filter_map(|o| o["x-mcp-tool"].as_str()).collect();
    let tools = tools::operations().filter(|entry| entry.spec.tool && !entry.spec.app_only);
    let (kept, left_out): (Vec<_>, Vec<_>) =
        tools.partition(|entry| kept.contains(&entry.spec.name));
    let all_promised = left_out.iter().all(|entry| entry.spec.extension);
    let none_beyond = kept.iter().all(|entry| !entry.spec.extension);
    assert!(
        all_promised || none_beyond,
        "tools of the contract must come before the others"
    );
    let guide = fetch_document(&app, "/api/ai/chatgpt.md").await.text;
    let limit = guide
        .lines()
        .find(|line| line.starts_with("- **30 operações**"));
    let limit = limit.expect("the limit of operations");
    let named: Vec<&str> = limit.split('`').skip(1).step_by(2).collect();
    let expected: Vec<String> = left_out.iter().map(|e| e.spec.operation_id()).collect();
    assert_eq!(
        named, expected,
        "the operations that the guide leaves out have changed"
    );
    let wrong = app
        .anonymous()
        .get("/api/ai/openapi.json?perfil=outro")
        .await;
    assert_eq!(wrong.invalid_fields(), ["perfil"]);
}

/// The requests of the Postman collection can run in order: none of them ends the session that a
/// later one needs.
#[tokio::test]
async fn the_collection_ends_only_the_session_that_it_has_opened() {
    let app = TestApp::new().await;
    let collection = fetch_document(&app, "/api/ai/postman.json").await.body;
    let folders = collection["item"].as_array().expect("folders");
    let requests: Vec<&Value> = folders
        .iter()
        .flat_map(|folder| folder["item"].as_array().expect("requests"))
        .collect();
    let place = |title: &str| requests.iter().position(|request| request["name"] == title);
    let ending = operations().filter(|entry| entry.spec.ends_session);
    let mut ended = 0;
    for entry in ending {
        let at = place(entry.spec.title).expect("a request");
        let bearer = &requests[at]["request"]["auth"]["bearer"][0]["value"];
        assert_eq!(bearer, "{{member_session}}", "{}", entry.spec.name);
        assert!(place("Abrir ou renovar sessão").is_some_and(|opened| opened < at));
        ended += 1;
    }
    assert!(ended >= 2);
}

#[tokio::test]
async fn documents_are_rendered_on_the_first_request() {
    let app = TestApp::new().await;
    app.anonymous().get("/api/health").await.expect(200);
    let documents = app.app.gateway.services.parts.get::<Renderer>();
    assert!(!documents.is_ready());
    fetch_document(&app, "/api/ai/llms.txt").await;
    assert!(documents.is_ready());
}

/// Runs `pauta artifacts` in this folder; returns whether it succeeded, and its error output.
fn run_artifacts(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pauta"))
        .arg("artifacts")
        .args(arguments)
        .env_clear()
        .current_dir(folder)
        .output()
        .expect("the command runs");
    let said = String::from_utf8(output.stderr).expect("text");
    (output.status.success(), said)
}

#[test]
fn the_check_fails_for_outdated_or_unknown_documents_until_they_are_rendered_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let dist = folder.path().join("ai-artifacts/dist");
    assert!(run_artifacts(folder.path(), &[]).0);
    assert_eq!(
        run_artifacts(folder.path(), &["--check"]),
        (true, String::new())
    );
    // This file is written by the suite, not by `pauta artifacts`, so the check ignores it.
    std::fs::write(dist.join(RECORDED), "{}").expect("writes");
    let extra = ["outro.md", "references/outro.md"].map(|name| dist.join(name));
    for path in &extra {
        std::fs::write(path, "de outra versão").expect("writes");
    }
    let (passes, said) = run_artifacts(folder.path(), &["--check"]);
    assert!(
        !passes && said.contains("outro.md, references/outro.md"),
        "{said}"
    );
    assert!(
        extra.iter().all(|path| path.exists()),
        "the check deleted a file"
    );
    std::fs::write(dist.join("claude.md"), "de outra versão").expect("writes");
    let (passes, said) = run_artifacts(folder.path(), &["--check"]);
    assert!(!passes && said.contains("claude.md"), "{said}");

    assert!(run_artifacts(folder.path(), &[]).0);
    assert!(extra.iter().all(|path| !path.exists()));
    assert!(dist.join("references/erros.md").exists() && dist.join(RECORDED).exists());
    assert_eq!(
        run_artifacts(folder.path(), &["--check"]),
        (true, String::new())
    );
}
