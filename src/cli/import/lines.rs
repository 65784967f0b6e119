//! Reads a file line by line and decodes it.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use anyhow::{Context, Result, bail};

/// Maximum bytes of a line.
const LONGEST: u64 = 1 << 20;
/// The characters of the bytes 0x80 to 0x9F in Windows-1252. Spreadsheets call that encoding
/// Latin-1.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Latin1,
}

pub(super) struct Lines {
    source: Box<dyn BufRead>,
    encoding: Encoding,
    bytes: Vec<u8>,
    /// The number of the line read last, counted from 1.
    pub number: u64,
    /// Bytes read so far.
    pub position: u64,
}

impl Lines {
    /// Opens a file, or standard input for `-`.
    pub(super) fn open(file: &Path, encoding: Encoding) -> Result<Self> {
        let source: Box<dyn BufRead> = if file == Path::new("-") {
            Box::new(BufReader::with_capacity(1 << 18, io::stdin()))
        } else {
            let opened = File::open(file)
                .with_context(|| format!("{} não pôde ser aberto", file.display()))?;
            Box::new(BufReader::with_capacity(1 << 18, opened))
        };
        Ok(Self::from_source(source, encoding))
    }

    pub(super) fn from_source(source: Box<dyn BufRead>, encoding: Encoding) -> Self {
        Self {
            source,
            encoding,
            bytes: vec![],
            number: 0,
            position: 0,
        }
    }

    /// Returns the next line without its line end; `None` at the end of the file.
    ///
    /// Fails if the line is too long or has another encoding; the error says how to fix that.
    pub(super) fn next_line(&mut self) -> Result<Option<String>> {
        self.bytes.clear();
        let mut limited = Read::take(&mut self.source, LONGEST + 1);
        let read = limited
            .read_until(b'\n', &mut self.bytes)
            .context("o arquivo não pôde ser lido")? as u64;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.position += read;
        if read > LONGEST {
            bail!("a linha {} passa de 1 MiB", self.number);
        }
        let mut bytes = self.bytes.as_slice();
        if self.number == 1 {
            if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
                bail!("o arquivo está em UTF-16; salve-o como CSV UTF-8");
            }
            bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        }
        bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = match self.encoding {
            Encoding::Latin1 => bytes
                .iter()
                .map(|byte| decode_windows_1252(*byte))
                .collect(),
            Encoding::Utf8 => match std::str::from_utf8(bytes) {
                Ok(text) => text.to_owned(),
                Err(_) => bail!(
                    "a linha {} não está em UTF-8; salve o arquivo como CSV UTF-8, ou informe \
                     --encoding latin1 se ele veio do Excel",
                    self.number
                ),
            },
        };
        Ok(Some(text))
    }
}

fn decode_windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9F => WINDOWS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}
