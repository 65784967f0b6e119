//! The commands `pauta import` and `pauta privacy`, tested with the real binary.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use rusqlite::Connection;

const HEADER: &str =
    "loja;transacao;ocorreu_em;status;produto_id;produto;valor;reembolsado;moeda;email";

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path().join(name), bytes).expect("writes");
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut process = Command::new(env!("CARGO_BIN_EXE_pauta"))
            .args(arguments)
            .env_clear()
            .current_dir(self.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut pipe = process.stdin.take().expect("a pipe");
        let _ = pipe.write_all(input.as_bytes());
        drop(pipe);
        process.wait_with_output().expect("the command runs")
    }

    /// Runs `pauta import`, asserts that it succeeds or fails as expected, and returns its output.
    #[track_caller]
    fn run_import(&self, arguments: &[&str], succeeds: bool) -> String {
        let output = self.run(&[&["import"], arguments].concat(), "");
        let said = output_text(&output);
        assert_eq!(output.status.success(), succeeds, "{said}");
        said
    }

    fn query_texts(&self, sql: &str) -> Vec<String> {
        let db = Connection::open(self.path().join("data/pauta.db")).expect("opens");
        let mut rows = db.prepare(sql).expect("prepares");
        let rows = rows.query_map([], |row| row.get(0)).expect("reads");
        rows.map(|row| row.expect("text")).collect()
    }

    fn count_rows(&self, from: &str) -> usize {
        self.query_texts(&format!("SELECT CAST(rowid AS TEXT) FROM {from}"))
            .len()
    }
}

fn output_text(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr].concat()).expect("text")
}

fn csv_row(transaction: &str, value: &str, status: &str, refunded: &str) -> String {
    format!(
        "hotmart;{transaction};22/08/2026 14:30;{status};curso;\"Curso; de \"\"pães\"\"\";{value};\
         {refunded};;Ana@Exemplo.com.br "
    )
}

const AMOUNTS: &str = "SELECT concat(transaction_id, ' ', status, ' ', amount_cents, ' ', \
    refunded_cents, ' ', currency, ' ', product, ' ', occurred_at) FROM purchases ORDER BY 1";

#[test]
fn purchases_are_read_alike_from_csv_and_json() {
    let place = Place::new();
    let csv = [
        HEADER.to_owned(),
        csv_row("A", "1.234,56", "aprovada", ""),
        csv_row("B", "1234.5", "Reembolsada", ""),
        String::new(),
        csv_row("C", "10", "parcial", "2,50"),
    ];
    place.write("vendas.csv", format!("\u{feff}{}\r\n", csv.join("\r\n")));
    let told = place.run_import(&["purchases", "vendas.csv"], true);
    assert!(told.contains("3 linhas lidas, 3 registros novos"), "{told}");
    let expected = [
        "A aprovada 123456 0 BRL Curso; de \"pães\" 1787419800000",
        "B reembolsada 123450 123450 BRL Curso; de \"pães\" 1787419800000",
        "C parcial 1000 250 BRL Curso; de \"pães\" 1787419800000",
    ];
    assert_eq!(place.query_texts(AMOUNTS), expected);
    let told = place.run_import(&["purchases", "vendas.csv"], true);
    assert!(told.contains("3 linhas lidas, 0 registros novos"), "{told}");

    let json = r#"{"loja":"hotmart","transacao":"A","ocorreu_em":"2026-08-22T14:30:00-03:00","status":"aprovada","produto_id":"curso","produto":"Curso; de \"pães\"","valor":1234.56,"email":"ana@exemplo.com.br"}
{"loja":"hotmart","transacao":"D","ocorreu_em":"2026-08-22 14:30","status":"aprovada","produto_id":1,"produto":"x","valor":"7,00","email":null}
"#;
    let output = place.run(&["import", "purchases", "-"], json);
    assert!(output.status.success(), "{}", output_text(&output));
    assert!(
        output_text(&output).contains("2 linhas lidas, 1 registros novos"),
        "{}",
        output_text(&output)
    );
    let people = "SELECT DISTINCT person FROM purchases WHERE person IS NOT NULL";
    assert_eq!(place.query_texts(people).len(), 1);
    assert_eq!(
        place.count_rows("audit_events WHERE action = 'import_sales'"),
        3
    );
    assert_eq!(
        place.count_rows("sales_sources WHERE source = 'importacao:purchases'"),
        1
    );
    let bytes = fs::read(place.path().join("data/pauta.db")).expect("reads");
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    assert!(!text.contains("ana@exemplo"));
}

#[test]
fn an_invalid_line_prevents_the_import_unless_invalid_lines_are_skipped() {
    let place = Place::new();
    let mut lines = vec![HEADER.to_owned()];
    lines.extend((0..2_500).map(|n| csv_row(&format!("T{n}"), "10,00", "aprovada", "")));
    let bad = [
        (
            csv_row("X1", "1.234", "aprovada", ""),
            "valor: não diz se o separador",
        ),
        (
            csv_row("X2", "10,00", "paga", ""),
            "status: deve ser pendente",
        ),
        (
            csv_row("X3", "10,00", "aprovada", "1,00"),
            "reembolsado: deve estar vazio",
        ),
        (
            csv_row("X4", "10,00", "parcial", ""),
            "reembolsado: em parcial",
        ),
        (
            csv_row("", "10,00", "aprovada", ""),
            "transacao: está vazia",
        ),
        (
            csv_row("a@b.com", "10,00", "aprovada", ""),
            "transacao: não pode conter um e-mail",
        ),
        ("hotmart;X5".into(), "tem 2 campos, e o cabeçalho tem 10"),
        (
            csv_row("X6", "10,00", "aprovada", "").replace("22/08", "32/08"),
            "ocorreu_em: não é uma data",
        ),
        (csv_row("X7", "-1", "x", ""), "valor: não é um valor"),
        (
            csv_row("X8", "1", "aprovada", "").replace("Ana@", "Ana"),
            "email: não é um e-mail",
        ),
    ];
    let first = lines.len() + 1;
    lines.extend(bad.iter().map(|(line, _)| line.clone()));
    place.write("vendas.csv", lines.join("\n"));
    let told = place.run_import(&["purchases", "vendas.csv"], false);
    for (place, (_, fault)) in bad.iter().enumerate() {
        assert!(
            told.contains(&format!("vendas.csv, linha {}: ", first + place)),
            "{told}"
        );
        assert!(told.contains(fault), "{fault} in {told}");
    }
    assert!(
        told.contains("nada foi gravado: 10 de 2510 linhas"),
        "{told}"
    );
    assert!(
        !told.contains("Exemplo.com"),
        "the output repeats a value: {told}"
    );
    assert_eq!(place.count_rows("purchases"), 0);
    let told = place.run_import(&["purchases", "vendas.csv", "--skip-bad"], true);
    assert!(
        told.contains("2500 registros novos ou mudados, 10 linhas puladas"),
        "{told}"
    );
    assert_eq!(place.count_rows("purchases"), 2_500);
}

#[test]
fn a_file_that_cannot_be_read_to_its_end_is_not_imported() {
    let place = Place::new();
    let rows: Vec<_> = (0..2_000)
        .map(|n| csv_row(&format!("T{n}"), "10,00", "aprovada", ""))
        .collect();
    let whole = format!("{HEADER}\n{}\n", rows.join("\n"));
    place.write("vendas.csv", format!("{whole}\"hotmart"));
    let told = place.run_import(&["purchases", "vendas.csv"], false);
    assert!(told.contains("abrem na linha 2002 não fecham"), "{told}");
    assert_eq!(place.count_rows("purchases"), 0);
    place.write("vendas.csv", format!("{whole}hotmart;T\n\"hotmart"));
    let told = place.run_import(&["purchases", "vendas.csv"], false);
    assert!(told.contains("linha 2002: tem 2 campos"), "{told}");
    assert!(told.contains("abrem na linha 2003 não fecham"), "{told}");
    place.write("vendas.csv", whole);
    let told = place.run_import(&["purchases", "vendas.csv"], true);
    assert!(told.contains("2000 linhas lidas, 2000 registros"), "{told}");
    assert_eq!(place.count_rows("purchases"), 2_000);
}

#[test]
fn the_first_hundred_errors_are_listed() {
    let place = Place::new();
    let lines: Vec<String> = (0..150)
        .map(|n| csv_row(&n.to_string(), "x", "aprovada", ""))
        .collect();
    place.write("vendas.csv", format!("{HEADER}\n{}", lines.join("\n")));
    let told = place.run_import(&["purchases", "vendas.csv"], false);
    assert_eq!(told.matches("linha ").count(), 100, "{told}");
    assert!(told.contains("e mais 50 linhas com erro"), "{told}");
}

#[test]
fn the_header_and_the_encoding_are_checked() {
    let place = Place::new();
    let good = csv_row("A", "1,00", "aprovada", "");
    for (name, bytes, told) in [
        (
            "vazio.csv",
            String::new().into_bytes(),
            "o arquivo está vazio",
        ),
        (
            "coluna.csv",
            format!("{HEADER};cpf\n{good};1").into_bytes(),
            "«cpf» não é conhecida",
        ),
        (
            "falta.csv",
            b"loja;transacao\nx;y".to_vec(),
            "falta a coluna «ocorreu_em»",
        ),
        (
            "duas.csv",
            format!("{HEADER};loja\n{good};x").into_bytes(),
            "«loja» aparece duas vezes",
        ),
        (
            "aspas.csv",
            format!("{HEADER}\n{good}\n\"a;b").into_bytes(),
            "abrem na linha 3 não fecham",
        ),
        ("utf16.csv", vec![0xFF, 0xFE, b'l', 0], "UTF-16"),
        (
            "latin1.csv",
            encode_latin1(&format!("{HEADER}\n{good}")),
            "--encoding latin1",
        ),
    ] {
        place.write(name, bytes);
        let said = place.run_import(&["purchases", name], false);
        assert!(said.contains(told), "{told} in {said}");
    }
    assert_eq!(place.count_rows("purchases"), 0);
    place.run_import(&["purchases", "latin1.csv", "--encoding", "latin1"], true);
    assert_eq!(
        place.query_texts("SELECT product FROM purchases"),
        ["Curso; de \"pães\""]
    );
    let said = place.run_import(&["purchases", "nada.csv"], false);
    assert!(said.contains("nada.csv não pôde ser aberto"), "{said}");
}

fn encode_latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).expect("Latin-1"))
        .collect()
}

#[test]
fn the_help_of_each_kind_has_an_example_that_is_accepted() {
    let place = Place::new();
    for (kind, table) in [
        ("purchases", "purchases"),
        ("subscriptions", "subscriptions"),
        ("ad-spend", "ad_spend"),
        ("crm", "crm_stages"),
        ("dispatches", "dispatches"),
    ] {
        let help = place.run_import(&[kind, "--help"], true);
        let lines: Vec<&str> = help.lines().map(str::trim).collect();
        let start = lines
            .iter()
            .position(|line| line.starts_with("CSV com"))
            .expect("an example");
        let csv = format!("{}\n{}\n", lines[start + 1], lines[start + 2]);
        place.write("exemplo.csv", csv);
        let told = place.run_import(&[kind, "exemplo.csv"], true);
        assert!(told.contains("1 registros novos"), "{kind}: {told}");
        let start = lines
            .iter()
            .position(|line| line.starts_with("JSON Lines"))
            .expect("an example");
        place.write("exemplo.jsonl", lines[start + 1]);
        place.run_import(&[kind, "exemplo.jsonl"], true);
        assert_eq!(place.count_rows(table), 1, "{kind}");
    }
}

#[test]
fn a_person_is_exported_and_erased_on_the_command_line() {
    let place = Place::new();
    place.write(
        "vendas.csv",
        format!("{HEADER}\n{}", csv_row("A", "1,00", "aprovada", "")),
    );
    place.run_import(&["purchases", "vendas.csv"], true);
    let email = ["--email", " ANA@exemplo.com.br"];
    let run = |command| place.run(&[&["privacy", command][..], &email].concat(), "");
    let exported: serde_json::Value = serde_json::from_slice(&run("export").stdout).expect("JSON");
    assert_eq!(exported["compras"][0]["transacao"], "A");
    assert_eq!(
        exported["compras"][0]["ocorreu_em"],
        "2026-08-22T17:30:00.000Z"
    );
    assert!(output_text(&run("erase")).contains("purchases: vínculo desfeito em 1"));
    assert!(output_text(&run("erase")).contains("Nada está guardado"));
    assert_eq!(
        place.count_rows("purchases WHERE person IS NULL AND severed = 1"),
        1
    );
    let refused = place.run(&["privacy", "erase", "--email", "x"], "");
    assert!(!refused.status.success());
}
