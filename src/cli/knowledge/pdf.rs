//! The title and the text of a PDF.
//!
//! PDFs come from untrusted sources. On a broken PDF the parser may panic, loop, exhaust the memory
//! or overflow the stack, so it runs in a separate process.
//!
//! That process has limits of time and memory. If it fails, the PDF is refused.

use std::{
    io::{Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use pdf_extract::PlainTextOutput;
use search::Document;

use super::READ_PDF;

const TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum memory of the process, in bytes.
const MEMORY: u64 = 4 << 30;
/// The stack size of the parser, which follows references between objects recursively.
const STACK: usize = 64 << 20;
/// Maximum characters of a title.
const LONGEST_TITLE: usize = 200;
const LONGEST_HEADING: usize = 90;
/// Maximum bytes of the text; a book has about a million characters.
const LONGEST: u64 = 10_000_000;

/// Reads a PDF. Fails if it is encrypted or broken, or takes too long.
pub(super) fn read_document(bytes: Vec<u8>) -> Result<Document> {
    let head = &bytes[..bytes.len().min(1024)];
    let is_pdf = head.windows(5).any(|five| five == b"%PDF-");
    ensure!(is_pdf, "não é um PDF, apesar do nome");
    let locked = bytes.windows(8).any(|eight| eight == b"/Encrypt");
    let mut reader = Command::new(std::env::current_exe()?)
        .args(["knowledge", READ_PDF])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("o leitor de PDF não pôde ser iniciado")?;
    let read = read_output(&mut reader, bytes);
    // Both calls may fail if the process has already ended.
    let _ = reader.kill();
    let _ = reader.wait();
    match read? {
        Some((title, text)) => {
            let text = join_hyphenated(&text.replace('\0', " "));
            Ok(Document {
                title: clean_title(&title).or_else(|| heading(&text)),
                ..Document::from_text(&text)
            })
        }
        None if locked => bail!("o PDF está protegido por senha; salve uma cópia sem senha"),
        None => bail!("o PDF está danificado ou usa um recurso que não é lido"),
    }
}

/// The title and text that the process wrote; `None` if it failed.
fn read_output(reader: &mut Child, bytes: Vec<u8>) -> Result<Option<(String, String)>> {
    let mut stdin = reader.stdin.take().context("the pipe was asked for")?;
    let stdout = reader.stdout.take().context("the pipe was asked for")?;
    thread::spawn(move || {
        // Fails if the process ends before it has read everything.
        let _ = stdin.write_all(&bytes);
    });
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut text = vec![];
        let read = stdout.take(LONGEST + 1).read_to_end(&mut text);
        let _ = sender.send(read.map(|_| text));
    });
    let text = receiver
        .recv_timeout(TIMEOUT)
        .map_err(|_| anyhow!("o PDF não pôde ser lido em {} segundos", TIMEOUT.as_secs()))??;
    // The end mark tells a complete text from a truncated one.
    let Some(text) = text.strip_suffix(&[END]) else {
        ensure!(
            (text.len() as u64) <= LONGEST,
            "o PDF tem texto demais; divida-o em partes"
        );
        return Ok(None);
    };
    let mut parts = text.splitn(2, |byte| *byte == END);
    let mut part = || String::from_utf8(parts.next()?.to_vec()).ok();
    Ok(part().zip(part()))
}

/// The byte after the title and after the text. It does not occur in UTF-8.
const END: u8 = 0xff;

/// Runs in the separate process: reads a PDF from standard input and writes its title and text to
/// standard output.
pub(in crate::cli) fn run_reader() -> Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let most = getrlimit(Resource::As)
            .maximum
            .map_or(MEMORY, |most| most.min(MEMORY));
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(Resource::As, limit)?;
    }
    let mut bytes = vec![];
    std::io::stdin().read_to_end(&mut bytes)?;
    let reading = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || parse_title_and_text(&bytes))?;
    let read = reading.join().map_err(|_| anyhow!("the reader panicked"))?;
    let (title, text) = read?;
    let mut stdout = std::io::stdout().lock();
    for part in [title, text] {
        stdout.write_all(part.as_bytes())?;
        stdout.write_all(&[END])?;
    }
    stdout.flush()?;
    Ok(())
}

fn parse_title_and_text(bytes: &[u8]) -> Result<(String, String)> {
    let mut document = pdf_extract::Document::load_mem(bytes)?;
    if document.is_encrypted() {
        document.decrypt("")?;
    }
    let mut text = String::new();
    pdf_extract::output_doc(&document, &mut PlainTextOutput::new(&mut text))?;
    Ok((metadata_title(&document).unwrap_or_default(), text))
}

/// The title in the PDF's document information.
fn metadata_title(document: &pdf_extract::Document) -> Option<String> {
    let found = |object| document.dereference(object).ok().map(|(_, object)| object);
    let information = found(document.trailer.get(b"Info").ok()?)?.as_dict().ok()?;
    let title = found(information.get(b"Title").ok()?)?;
    pdf_extract::decode_text_string(title).ok()
}

/// Cleans a title from the metadata; `None` if it is a file name or a placeholder.
fn clean_title(given: &str) -> Option<String> {
    let words: Vec<&str> = given.split_whitespace().collect();
    let title = words.join(" ");
    let (_, title) = title
        .rsplit_once("Microsoft Word - ")
        .unwrap_or(("", &title));
    let file = title.rsplit_once('.').is_some_and(|(_, extension)| {
        (2..=5).contains(&extension.len()) && extension.chars().all(char::is_alphanumeric)
    });
    let none = ["untitled", "sem título", "documento", "document"];
    let told = title.chars().any(char::is_alphabetic) && !none.contains(&&*title.to_lowercase());
    (told && !file).then(|| title.chars().take(LONGEST_TITLE).collect())
}

/// The first line of the text, if it looks like a title.
fn heading(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let short = line.chars().count() <= LONGEST_HEADING;
    let sentence = line.ends_with(['.', ',', ';', ':', '!', '-']);
    if short && !sentence {
        clean_title(line)
    } else {
        None
    }
}

/// Joins words that were hyphenated at a line break.
fn join_hyphenated(text: &str) -> String {
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
    fn the_title_is_the_documents_own_and_no_file_name() {
        let told = |given: &str, text: &str| clean_title(given).or_else(|| heading(text));
        let some = |title: &str| Some(title.to_owned());
        assert_eq!(told(" Manual  de\nvoz ", "Outro"), some("Manual de voz"));
        assert_eq!(
            told("Microsoft Word - Guia da casa", ""),
            some("Guia da casa")
        );
        for none in ["", "  ", "untitled", "manual_v3.docx", "2026"] {
            assert_eq!(told(none, "\n Guia de voz \n\nTexto."), some("Guia de voz"));
            assert_eq!(told(none, "Uma frase inteira."), None);
            assert_eq!(told(none, &"longa ".repeat(40)), None);
        }
    }

    #[test]
    fn words_cut_at_the_end_of_a_line_are_joined() {
        assert_eq!(
            join_hyphenated("fermen-\ntação guarda-\nChuva 1-\n2 -"),
            "fermentação guarda-\nChuva 1-\n2 -"
        );
    }
}
