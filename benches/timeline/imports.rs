//! The import of a file of purchases: of a month, and of a year.

use std::{fmt::Write as _, fs, path::Path, process::Command, time::Instant};

use anyhow::{Result, ensure};
use domain::time::{DAY, LocalDay, start_of_day};

/// Rows that an import reads in a second.
const LEAST_ROWS: f64 = 60_000.0;

/// Imports each file twice: into an empty table, and again, when every row is known.
pub fn run(rows: usize) -> Result<()> {
    for (name, days) in [("a month", 28), ("a year", 365)] {
        let directory = tempfile::tempdir()?;
        let text = file(rows, days)?;
        fs::write(directory.path().join("vendas.csv"), text)?;
        for what in ["new rows", "known rows"] {
            import(directory.path(), rows, &format!("{what} of {name}"))?;
        }
    }
    Ok(())
}

/// Every day, in no order, at any minute.
fn file(rows: usize, days: usize) -> Result<String> {
    let mut text = String::from(
        "loja;transacao;ocorreu_em;status;produto_id;produto;valor;moeda;email;utm_source\n",
    );
    let first = start_of_day("2025-08-01".parse()?);
    for row in 0..rows {
        let day = i64::try_from(row * 7_919 % days)?;
        writeln!(
            text,
            "hotmart;HP{row:010};{} {:02}:{:02};aprovada;curso-{};\"Curso; de pães\";\
             1.234,56;BRL;pessoa{}@exemplo.com.br;instagram",
            LocalDay::of(first + day * DAY).0,
            row / 60 % 24,
            row % 60,
            row % 7,
            row % 50_000,
        )?;
    }
    Ok(text)
}

fn import(folder: &Path, rows: usize, what: &str) -> Result<()> {
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
