//! Reads a file in parts on a separate thread, while earlier parts are saved.

use std::{path::Path, thread::JoinHandle};

use anyhow::Result;
use gateway::Pepper;
use tokio::sync::mpsc;

use super::{kinds::RowKind, lines::Encoding, records::Records};

/// Records per part.
const LENGTH: usize = 1_000;
/// The number of parts that are read ahead.
const AHEAD: usize = 2;

/// Consecutive records of a file.
pub(super) struct Part<R> {
    /// Each row with its first line number.
    pub rows: Vec<(u64, Row<R>)>,
    /// The number of bytes of the file up to the end of this part.
    pub position: u64,
}

/// A row, or the faults of the record.
pub(super) type Row<R> = Result<R, Vec<String>>;

pub(super) struct Parts<R> {
    read: mpsc::Receiver<Result<Part<R>>>,
    reader: Option<JoinHandle<()>>,
}

impl<R: Send + 'static> Parts<R> {
    /// Starts the reader thread. It ends when this value is dropped; a thread that is blocked on
    /// its input ends with the process.
    pub(super) fn start_reader<K>(file: &Path, encoding: Encoding, pepper: &Pepper) -> Self
    where
        K: RowKind<Row = R>,
    {
        let (parts, read) = mpsc::channel(AHEAD);
        let (file, pepper) = (file.to_owned(), pepper.clone());
        let reader = std::thread::spawn(move || {
            if let Err(failure) = send_parts::<K>(&file, encoding, &pepper, &parts) {
                // If the receiver was dropped, another error is already being reported.
                let _ = parts.blocking_send(Err(failure));
            }
        });
        Self {
            read,
            reader: Some(reader),
        }
    }

    /// Returns the next part; `None` at the end of the file.
    pub(super) async fn next_part(&mut self) -> Result<Option<Part<R>>> {
        let part = self.read.recv().await.transpose()?;
        let ended = self.reader.take_if(|_| part.is_none());
        // If the reader panicked, the file was not read completely.
        if let Some(Err(panic)) = ended.map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
        Ok(part)
    }
}

fn send_parts<K: RowKind>(
    file: &Path,
    encoding: Encoding,
    pepper: &Pepper,
    parts: &mpsc::Sender<Result<Part<K::Row>>>,
) -> Result<()> {
    let mut records = Records::open(file, encoding, K::COLUMNS)?;
    loop {
        let mut rows = Vec::with_capacity(LENGTH);
        let end = loop {
            match records.next_record() {
                Ok(Some(record)) => {
                    let row = record.values.and_then(|values| K::read_row(values, pepper));
                    rows.push((record.line, row));
                }
                Ok(None) => break Some(Ok(())),
                Err(failure) => break Some(Err(failure)),
            }
            if rows.len() == LENGTH {
                break None;
            }
        };
        let position = records.position();
        let sent = parts.blocking_send(Ok(Part { rows, position }));
        if let Some(end) = end {
            return end;
        }
        if sent.is_err() {
            return Ok(());
        }
    }
}
