//! Measures the import of purchase files that cover a month and a year.

use std::{fmt::Write as _, fs, path::Path, process::Command, time::Instant};

use anyhow::{Result, ensure};
use domain::time::{DAY, LocalDay, start_of_day};

/// The minimum number of rows imported per second.
const LEAST_ROWS: f64 = 60_000.0;

/// Imports each file twice: into an empty table, and again with all rows already stored.
pub fn run(rows: usize) -> Result<()> {
    for (name, file) in [("a month", month_file(rows)?), ("a year", year_file(rows)?)] {
        let directory = tempfile::tempdir()?;
        fs::write(directory.path().join("vendas.csv"), file)?;
        for what in ["new rows", "known rows"] {
            measure_import(directory.path(), rows, &format!("{what} of {name}"))?;
        }
    }
    Ok(())
}

/// Returns the time of a sale. The days are not in order, and the time of day varies.
fn sold_at(row: usize, days: usize) -> Result<String> {
    let day = i64::try_from(row * 7_919 % days)?;
    let day = LocalDay::from_instant(start_of_day("2025-08-01".parse()?) + day * DAY).0;
    Ok(format!("{day} {:02}:{:02}", row / 60 % 24, row % 60))
}

/// Returns a file of one month, with few columns, products and links.
fn month_file(rows: usize) -> Result<String> {
    let mut text = String::from(
        "loja;transacao;ocorreu_em;status;produto_id;produto;valor;moeda;email;utm_source\n",
    );
    for row in 0..rows {
        writeln!(
            text,
            "hotmart;HP{row:010};{};aprovada;curso-{};\"Curso; de pães\";1.234,56;BRL;\
             pessoa{}@exemplo.com.br;instagram",
            sold_at(row, 28)?,
            row % 7,
            row % 50_000,
        )?;
    }
    Ok(text)
}

/// Returns a file of one year, with every column and 200 links.
fn year_file(rows: usize) -> Result<String> {
    let mut text = String::from(
        "loja;transacao;ocorreu_em;status;produto_id;produto;valor;reembolsado;moeda;email;vendedor;\
         lancamento;utm_source;utm_medium;utm_campaign;utm_content;utm_term\n",
    );
    for row in 0..rows {
        // Hashes the row number, so that the values are independent of the day.
        let die = |sides: u64, salt: u64| (row as u64 + 1) * 2_654_435_761 * salt / 8_192 % sides;
        let (link, status) = (die(200, 3), die(25, 19));
        writeln!(
            text,
            "{};HP{row:010};{};{};curso-{};\"Curso; de pães\";1.234,56;{};BRL;\
             pessoa{}@exemplo.com.br;Vendedor {};{};meta;cpc;campanha-{};d{link};termo-{}",
            ["guru", "hotmart", "hotmart"][usize::try_from(die(3, 13))?],
            sold_at(row, 365)?,
            if status == 0 {
                "reembolsada"
            } else {
                "aprovada"
            },
            die(20, 7),
            if status == 0 { "1.234,56" } else { "" },
            die(50_000, 17),
            row % 12,
            ["L", "M", ""][usize::try_from(die(3, 11))?],
            link % 50,
            row % 9,
        )?;
    }
    Ok(text)
}

fn measure_import(folder: &Path, rows: usize, what: &str) -> Result<()> {
    let began = Instant::now();
    let done = Command::new(env!("CARGO_BIN_EXE_pauta"))
        .args(["import", "purchases", "vendas.csv"])
        .env_clear()
        .current_dir(folder)
        .output()?;
    let took = began.elapsed();
    ensure!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let rate = rows as f64 / took.as_secs_f64();
    let judged = if rate >= LEAST_ROWS { "met" } else { "MISSED" };
    println!("import of {rows} {what}: {rate:.0} rows/s, target {LEAST_ROWS:.0}: {judged}");
    Ok(())
}
