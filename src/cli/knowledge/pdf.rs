//! The text of a PDF.
//!
//! A PDF comes from anywhere, and its reader may panic or never end on a broken one. It works on a
//! thread of its own, which is given up after a while.

use std::{sync::mpsc, thread, time::Duration};

use anyhow::{Context, Result, bail, ensure};

const THREAD: &str = "pdf";
const PATIENCE: Duration = Duration::from_secs(60);
/// Objects refer to objects, and the reader follows them by recursion.
const STACK: usize = 64 << 20;
/// Characters; a book has about a million.
const LONGEST: usize = 10_000_000;

/// Keeps the panics of the reader, which are answered as a refusal, off the terminal.
pub(super) fn quiet_panics() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().name() != Some(THREAD) {
            loud(panic);
        }
    }));
}

/// Reads the text; refused when the PDF is locked, broken, or takes too long.
pub(super) fn text(bytes: Vec<u8>) -> Result<String> {
    text_within(bytes, PATIENCE)
}

fn text_within(bytes: Vec<u8>, patience: Duration) -> Result<String> {
    let head = &bytes[..bytes.len().min(1024)];
    let is_pdf = head.windows(5).any(|five| five == b"%PDF-");
    ensure!(is_pdf, "não é um PDF, apesar do nome");
    let locked = bytes.windows(8).any(|eight| eight == b"/Encrypt");
    let (sender, receiver) = mpsc::channel();
    let reader = move || {
        // Dropped by a panic, the sender tells so.
        let _ = sender.send(pdf_extract::extract_text_from_mem(&bytes));
    };
    let builder = thread::Builder::new().name(THREAD.into()).stack_size(STACK);
    builder
        .spawn(reader)
        .context("não há memória para ler o PDF")?;
    let text = match receiver.recv_timeout(patience) {
        Ok(Ok(text)) => text,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            bail!("o PDF não pôde ser lido em {} segundos", patience.as_secs())
        }
        _ if locked => bail!("o PDF está protegido por senha; salve uma cópia sem senha"),
        _ => bail!("o PDF está danificado ou usa um recurso que não é lido"),
    };
    ensure!(
        text.len() <= LONGEST,
        "o PDF tem texto demais; divida-o em partes"
    );
    Ok(joined(&text.replace('\0', " ")))
}

/// Words that were cut at the end of a line, whole again.
fn joined(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("-\n") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let cut = before.ends_with(char::is_lowercase) && after.starts_with(char::is_lowercase);
        whole.push_str(before);
        if !cut {
            whole.push_str("-\n");
        }
        rest = after;
    }
    whole.push_str(rest);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_files_are_refused_in_words() {
        for (bytes, word) in [
            (&b"texto comum"[..], "não é um PDF"),
            (b"%PDF-1.7\nlixo", "danificado"),
            (b"%PDF-1.7\ntrailer << /Encrypt 1 0 R >>", "senha"),
        ] {
            let error = text(bytes.to_vec()).expect_err("refused").to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn words_cut_at_the_end_of_a_line_are_joined() {
        assert_eq!(
            joined("fermen-\ntação guarda-\nChuva 1-\n2 -"),
            "fermentação guarda-\nChuva 1-\n2 -"
        );
    }
}
