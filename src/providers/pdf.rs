//! The title and the text of a PDF.
//!
//! PDFs come from untrusted sources. On a broken PDF the parser may panic, loop, exhaust the memory
//! or overflow the stack, so it runs in a separate process.
//!
//! That process has limits of time and memory. If it fails, the PDF is refused.

use std::{
    fs::File,
    io::{Read, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, anyhow};
use async_trait::async_trait;
use gateway::Error;
use pdf_extract::PlainTextOutput;
use ports::{PdfRefusal, PdfText, ReadPdf};

/// The subcommand of `pauta knowledge` that runs in the separate process.
pub(crate) const READ_PDF: &str = "read-pdf";

const TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum memory that the process uses, in bytes.
const MEMORY: u64 = 1 << 30;
/// Maximum address space of the process, in bytes. The allocator reserves more than it uses.
const ADDRESSES: u64 = 4 << 30;
/// The stack size of the parser, which follows references between objects recursively.
const STACK: usize = 64 << 20;
/// Maximum characters of a title.
const LONGEST_TITLE: usize = 200;
const LONGEST_HEADING: usize = 90;
/// Maximum bytes of the text; a book has about a million characters.
const LONGEST: u64 = 10_000_000;

/// Reads PDFs with a program that has the subcommand [`READ_PDF`].
pub struct PdfReader {
    program: PathBuf,
}

impl PdfReader {
    /// Creates a reader that runs this program itself.
    pub fn new() -> Result<Self> {
        Ok(Self::with_program(std::env::current_exe()?))
    }

    /// Creates a reader that runs another program.
    #[must_use]
    pub fn with_program(program: PathBuf) -> Self {
        Self { program }
    }
}

#[async_trait]
impl ReadPdf for PdfReader {
    async fn read_pdf(&self, file: File) -> Result<PdfText, PdfRefusal> {
        let program = self.program.clone();
        let read = tokio::task::spawn_blocking(move || read_in_process(&program, file));
        read.await
            .unwrap_or_else(|error| Err(PdfRefusal::Failed(Error::internal(error))))
    }
}

fn read_in_process(program: &PathBuf, file: File) -> Result<PdfText, PdfRefusal> {
    let failed = |error: std::io::Error| PdfRefusal::Failed(Error::internal(error));
    let mut reader = Command::new(program)
        .args(["knowledge", READ_PDF])
        // The environment contains secrets of the service. A PDF that exploits the parser must not
        // read them.
        .env_clear()
        // The allocator reserves memory in small steps, so that the memory limit applies to the
        // memory in use.
        .env("MIMALLOC_ARENA_RESERVE", "64MiB")
        .stdin(Stdio::from(file))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let read = read_output(&mut reader);
    // Killing fails if the process has already ended, so the error is ignored.
    let _ = reader.kill();
    let _ = reader.wait();
    let (title, text) = read?;
    let text = join_hyphenated(&text.replace('\0', " "));
    Ok(PdfText {
        title: clean_title(&title).or_else(|| title_from_heading(&text)),
        text,
    })
}

/// Reads the title and text that the process wrote.
fn read_output(reader: &mut Child) -> Result<(String, String), PdfRefusal> {
    let stdout = reader.stdout.take().ok_or(PdfRefusal::Damaged)?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut text = vec![];
        let read = stdout.take(LONGEST + 1).read_to_end(&mut text);
        let _ = sender.send(read.map(|_| text));
    });
    let text = receiver.recv_timeout(TIMEOUT);
    let Ok(Ok(text)) = text else {
        return Err(PdfRefusal::TooSlow(TIMEOUT.as_secs()));
    };
    // The end mark tells a complete text from a truncated one.
    let Some(text) = text.strip_suffix(&[END]) else {
        return Err(match text.as_slice() {
            [LOCKED] => PdfRefusal::Locked,
            text if text.len() as u64 > LONGEST => PdfRefusal::TooLong,
            _ => PdfRefusal::Damaged,
        });
    };
    let mut parts = text.splitn(2, |byte| *byte == END);
    let mut part = || String::from_utf8(parts.next()?.to_vec()).ok();
    part().zip(part()).ok_or(PdfRefusal::Damaged)
}

/// The byte after the title and after the text. It does not occur in UTF-8.
const END: u8 = 0xff;
/// The output for a PDF that needs a password.
const LOCKED: u8 = 0xfe;

/// Runs in the separate process: reads a PDF from standard input and writes its title and text to
/// standard output.
pub(crate) fn run_reader() -> Result<()> {
    limit_process()?;
    let mut bytes = vec![];
    std::io::stdin().read_to_end(&mut bytes)?;
    let locked = bytes.windows(8).any(|eight| eight == b"/Encrypt");
    let reading = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || parse_title_and_text(&bytes))?;
    let read = reading.join().map_err(|_| anyhow!("the reader panicked"));
    let mut stdout = std::io::stdout().lock();
    let (title, text) = match read.flatten() {
        Ok(read) => read,
        Err(_) if locked => return Ok(stdout.write_all(&[LOCKED])?),
        Err(error) => return Err(error),
    };
    for part in [title, text] {
        stdout.write_all(part.as_bytes())?;
        stdout.write_all(&[END])?;
    }
    Ok(stdout.flush()?)
}

/// Limits the memory of this process, and its CPU time in case its parent ends first.
#[cfg(unix)]
fn limit_process() -> Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    for (resource, most) in [
        (Resource::Data, MEMORY),
        (Resource::As, ADDRESSES),
        (Resource::Cpu, TIMEOUT.as_secs()),
    ] {
        let hard = getrlimit(resource).maximum;
        let most = Some(hard.map_or(most, |hard| most.min(hard)));
        let limit = Rlimit {
            current: most,
            maximum: most,
        };
        setrlimit(resource, limit).context("the limits could not be set")?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn limit_process() -> Result<()> {
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

/// Returns the title in the PDF's document information.
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

/// Returns the first line of the text, if it looks like a title.
fn title_from_heading(text: &str) -> Option<String> {
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
    fn the_title_is_from_the_document_and_never_a_file_name() {
        let title_of =
            |given: &str, text: &str| clean_title(given).or_else(|| title_from_heading(text));
        let some = |title: &str| Some(title.to_owned());
        assert_eq!(
            title_of(" Manual  de\nvoz ", "Outro"),
            some("Manual de voz")
        );
        assert_eq!(
            title_of("Microsoft Word - Guia da casa", ""),
            some("Guia da casa")
        );
        for none in ["", "  ", "untitled", "manual_v3.docx", "2026"] {
            assert_eq!(
                title_of(none, "\n Guia de voz \n\nTexto."),
                some("Guia de voz")
            );
            assert_eq!(title_of(none, "Uma frase inteira."), None);
            assert_eq!(title_of(none, &"longa ".repeat(40)), None);
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
