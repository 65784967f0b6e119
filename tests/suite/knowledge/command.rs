//! The command `pauta knowledge`, tested with the real binary.

use std::{
    path::Path,
    process::{Command, Output},
};

use domain::Role;

use super::{
    pdfs::{endless_pdf, one_page_pdf, titled_pdf},
    search_sources,
};
use crate::support::{SECRET, TestApp};

fn run_knowledge(app: &TestApp, directory: &Path, arguments: &[&str]) -> Output {
    run_knowledge_with(app, directory, arguments, &[])
}

/// Runs `pauta knowledge` with additional settings.
pub(super) fn run_knowledge_with(
    app: &TestApp,
    directory: &Path,
    arguments: &[&str],
    settings: &[(&str, String)],
) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pauta"))
        .arg("knowledge")
        .args(arguments)
        .env_clear()
        .envs([
            ("PAUTA_DATABASE_URL", app.database_url()),
            ("PAUTA_SECRET", SECRET),
        ])
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .current_dir(directory)
        .output()
        .expect("the command runs")
}

fn output_text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_added_listed_and_removed() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path().join("docs/interno");
    std::fs::create_dir_all(&folder).expect("a folder");
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("writes");
    write("bolo.md", "# Bolo de fubá\n\nAsse até dourar.".as_bytes());
    write("nota.txt", "Tamarindo maduro.".as_bytes());
    write(
        "pagina.html",
        "<title>Curau</title><p>Milho verde ralado".as_bytes(),
    );
    write("guia.pdf", &one_page_pdf("A fermentação leva doze horas."));
    write("foto.jpg", b"nada");
    write(".oculto.md", b"Segredo.");

    let added = run_knowledge(&app, directory.path(), &["add", "docs", "--tag", "Interno"]);
    let (out, err) = (output_text(&added.stdout), output_text(&added.stderr));
    assert!(added.status.success(), "{out}{err}");
    assert_eq!(out.matches("adicionado").count(), 4, "{out}{err}");
    assert_eq!(
        search_sources(&reader, "fermentação").await,
        ["docs/interno/guia.pdf"]
    );
    assert_eq!(
        search_sources(&reader, "milho").await,
        ["docs/interno/pagina.html"]
    );
    assert!(search_sources(&reader, "segredo").await.is_empty());

    let again = run_knowledge(&app, directory.path(), &["add", "docs"]);
    assert_eq!(output_text(&again.stdout).matches("sem mudança").count(), 4);

    let listed = output_text(&run_knowledge(&app, directory.path(), &["list"]).stdout);
    assert_eq!(listed.lines().count(), 4);
    assert!(
        listed.contains("docs/interno/bolo.md  Bolo de fubá  [interno]"),
        "{listed}"
    );
    let ids: Vec<&str> = listed.lines().map(|line| &line[..36]).collect();
    let removed = run_knowledge(&app, directory.path(), &["remove", ids[0], ids[1]]);
    assert!(removed.status.success());
    let twice = run_knowledge(&app, directory.path(), &["remove", ids[0], "x", ids[2]]);
    assert!(!twice.status.success());
    assert!(
        output_text(&twice.stderr).contains("2 de 3"),
        "{}",
        output_text(&twice.stderr)
    );
    assert_eq!(app.count_rows("knowledge_documents").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreadable_files_are_named_and_the_others_are_added() {
    let app = TestApp::new().await;
    let directory = tempfile::tempdir().expect("a directory");
    let locked = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/knowledge/pdf");
        std::fs::read(path.join(name)).expect("a file")
    };
    let files: [(&str, Vec<u8>, &str); 11] = [
        ("bom.md", b"Tamarindo.".to_vec(), ""),
        ("latin.txt", b"a\xe7\xe3o".to_vec(), "UTF-8"),
        ("binario.txt", b"a\0b".to_vec(), "NUL"),
        ("vazio.md", b" \n".to_vec(), "não tem texto"),
        ("grande.txt", b"palavra ".repeat(700_000), "grande demais"),
        (
            "quebrado.pdf",
            b"%PDF-1.4\n\xff\xfe lixo".to_vec(),
            "danificado",
        ),
        ("espelho.pdf", endless_pdf(), "danificado"),
        ("trancado.pdf", locked("senha-aes256.pdf"), "senha"),
        ("antigo.pdf", locked("senha-rc4.pdf"), "senha"),
        ("falso.pdf", b"texto".to_vec(), "não é um PDF"),
        ("planilha.xlsx", b"PK".to_vec(), "formato"),
    ];
    let mut arguments = vec!["add", "ausente.md"];
    for (name, bytes, _) in &files {
        std::fs::write(directory.path().join(name), bytes).expect("writes");
        arguments.push(name);
    }
    let outcome = run_knowledge(&app, directory.path(), &arguments);
    let err = output_text(&outcome.stderr);
    assert!(!outcome.status.success());
    assert!(
        err.contains("11 de 12 arquivos não foram adicionados"),
        "{err}"
    );
    for (name, _, reason) in &files[1..] {
        let line = err.lines().find(|line| line.contains(name));
        let line = line.unwrap_or_else(|| panic!("{name}: {err}"));
        assert!(line.contains(reason), "{line}");
    }
    assert!(
        err.contains("ausente.md") && !err.contains("panicked"),
        "{err}"
    );
    assert_eq!(
        output_text(&outcome.stdout),
        "adicionado  bom.md (1 trecho)\n"
    );
    assert_eq!(app.count_rows("knowledge_documents").await, 1);

    for bad in [
        &["add"][..],
        &["add", "bom.md", "--tag", ""],
        &["remove"],
        &["add", "."],
    ] {
        assert!(
            !run_knowledge(&app, directory.path(), bad).status.success(),
            "{bad:?}"
        );
    }
}

/// PDFs that only forbid printing or copying open without a password, so their text is read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_pdf_without_a_password_is_read() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/knowledge/pdf");
    for name in ["sem-impressao-aes256.pdf", "sem-impressao-rc4.pdf"] {
        let outcome = run_knowledge(&app, &files, &["add", name]);
        assert!(outcome.status.success(), "{}", output_text(&outcome.stderr));
        assert_eq!(search_sources(&reader, "fermentação").await, [name]);
        let listed = output_text(&run_knowledge(&app, &files, &["list"]).stdout);
        run_knowledge(&app, &files, &["remove", &listed[..36]]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_with_one_name_do_not_replace_each_other() {
    let app = TestApp::new().await;
    let directory = tempfile::tempdir().expect("a directory");
    for (folder, text) in [("a", "Tamarindo."), ("b", "Cajá.")] {
        let folder = directory.path().join(folder);
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(folder.join("leia.md"), text).expect("writes");
    }
    let path = |folder: &str| {
        let path = directory.path().join(folder).join("leia.md");
        path.to_str().expect("text").to_owned()
    };
    let outcome = run_knowledge(&app, directory.path(), &["add", &path("a"), &path("b")]);
    assert!(!outcome.status.success());
    let err = output_text(&outcome.stderr);
    assert!(err.contains("já é a fonte `leia.md`"), "{err}");
    assert_eq!(app.count_rows("knowledge_documents").await, 1);
    let tags = ["add", "a", "b", "--tag", "X", "--tag", "x"];
    let outcome = run_knowledge(&app, directory.path(), &tags);
    assert!(outcome.status.success(), "{}", output_text(&outcome.stderr));
    assert_eq!(app.count_rows("knowledge_tags WHERE tag = 'x'").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_title_of_a_pdf_comes_from_the_document() {
    let app = TestApp::new().await;
    let directory = tempfile::tempdir().expect("a directory");
    let utf16: String = "Guia de açaí"
        .encode_utf16()
        .map(|unit| format!("{unit:04X}"))
        .collect();
    for (name, line, title, expected) in [
        (
            "a1.pdf",
            "Primeira cartilha.",
            "(Manual da marca)",
            "Manual da marca",
        ),
        (
            "b2.pdf",
            "Segunda cartilha.",
            &format!("<FEFF{utf16}>"),
            "Guia de açaí",
        ),
        (
            "c3.pdf",
            "Regras da casa",
            "(regras_v2.docx)",
            "Regras da casa",
        ),
        ("sem_nada.pdf", "Uma frase inteira.", "", "sem nada"),
    ] {
        let title = match title {
            "" => String::new(),
            title => format!("/Info << /Title {title} >> "),
        };
        std::fs::write(directory.path().join(name), titled_pdf(line, &title)).expect("writes");
        let added = run_knowledge(&app, directory.path(), &["add", name]);
        assert!(added.status.success(), "{}", output_text(&added.stderr));
        let listed = output_text(&run_knowledge(&app, directory.path(), &["list"]).stdout);
        assert!(listed.contains(&format!("{name}  {expected}")), "{listed}");
    }
}

#[tokio::test]
async fn unsupported_files_of_a_folder_are_named() {
    let app = TestApp::new().await;
    let directory = tempfile::tempdir().expect("a directory");
    let manual = directory.path().join("manual");
    std::fs::create_dir_all(manual.join("fotos")).expect("folders");
    for name in ["voz.md", "tabela.xlsx", "fotos/capa.jpg", ".oculto"] {
        std::fs::write(manual.join(name), "Escrevemos com calma.").expect("writes");
    }
    let output = run_knowledge(&app, directory.path(), &["add", "manual"]);
    let text = output_text(&output.stdout);
    assert!(output.status.success(), "{text}");
    for named in [
        "adicionado  manual/voz.md",
        "ignorado    manual/tabela.xlsx: o formato não é aceito",
        "ignorado    manual/fotos/capa.jpg",
    ] {
        assert!(text.contains(named), "{text}");
    }
    assert!(!text.contains("oculto"), "{text}");
}
