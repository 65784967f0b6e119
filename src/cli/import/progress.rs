//! The progress bar of a file on a terminal.

use std::{
    io::{IsTerminal, Write, stderr},
    path::Path,
};

const WIDTH: u64 = 30;

pub(super) struct Progress {
    /// The size of the file; `None` hides the bar.
    whole: Option<u64>,
    shown: u64,
}

impl Progress {
    pub(super) fn for_file(file: &Path) -> Self {
        let size = std::fs::metadata(file).ok().map(|file| file.len());
        let whole = size.filter(|size| *size > 0 && stderr().is_terminal());
        Self {
            whole,
            shown: u64::MAX,
        }
    }

    /// Redraws the bar when the percentage has changed.
    pub(super) fn show_position(&mut self, position: u64) {
        let Some(whole) = self.whole else { return };
        let percent = (position.saturating_mul(100) / whole).min(100);
        if percent == self.shown {
            return;
        }
        self.shown = percent;
        let full = usize::try_from(percent * WIDTH / 100).unwrap_or_default();
        let bar = "█".repeat(full);
        let width = usize::try_from(WIDTH).unwrap_or_default();
        let _ = write!(stderr(), "\r[{bar:·<width$}] {percent:3} %");
    }

    pub(super) fn end_line(&self) {
        if self.whole.is_some() {
            let _ = writeln!(stderr());
        }
    }
}
