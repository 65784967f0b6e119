//! Reads the records of a CSV or JSON Lines file, with their values in the order of the columns.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Result, bail};
use serde_json::value::RawValue;

use super::{
    columns::Column,
    csv::{self, Record as CsvRecord},
    fields::Values,
    lines::{Encoding, Lines},
};

/// Maximum bytes of a field.
const LONGEST: usize = 1 << 20;

/// A record of a file.
pub(super) struct Record {
    /// The number of the record's first line.
    pub line: u64,
    pub values: Result<Values, Vec<String>>,
}

pub(super) struct Records {
    lines: Lines,
    columns: &'static [Column],
    form: Form,
    /// The first line of a JSON Lines file, which was read to detect the format.
    pending: Option<String>,
}

enum Form {
    Json,
    Csv {
        separator: char,
        /// The column index of each CSV field.
        places: Vec<usize>,
    },
}

impl Records {
    pub(super) fn open(
        file: &Path,
        encoding: Encoding,
        columns: &'static [Column],
    ) -> Result<Self> {
        Self::from_lines(Lines::open(file, encoding)?, columns)
    }

    pub(super) fn from_lines(mut lines: Lines, columns: &'static [Column]) -> Result<Self> {
        let mut header = lines.next_line()?;
        while header.as_ref().is_some_and(|line| line.trim().is_empty()) {
            header = lines.next_line()?;
        }
        let Some(header) = header else {
            bail!("o arquivo está vazio; a primeira linha traz os nomes das colunas");
        };
        if header.trim_start().starts_with('{') {
            return Ok(Self {
                lines,
                columns,
                form: Form::Json,
                pending: Some(header),
            });
        }
        let separator = csv::detect_separator(&header);
        let mut record = CsvRecord::default();
        if !record.add_line(&header, separator).unwrap_or(false) {
            bail!("a linha {} não é um cabeçalho de CSV", lines.number);
        }
        let places = map_columns(&record.into_fields(), columns)?;
        Ok(Self {
            lines,
            columns,
            form: Form::Csv { separator, places },
            pending: None,
        })
    }

    /// Bytes read so far.
    pub(super) fn position(&self) -> u64 {
        self.lines.position
    }

    /// Returns the next record; `None` at the end of the file.
    pub(super) fn next_record(&mut self) -> Result<Option<Record>> {
        loop {
            let line = match self.pending.take() {
                Some(line) => line,
                None => match self.lines.next_line()? {
                    Some(line) => line,
                    None => return Ok(None),
                },
            };
            if line.trim().is_empty() {
                continue;
            }
            let number = self.lines.number;
            let values = match &self.form {
                Form::Json => parse_json(&line, self.columns),
                Form::Csv { separator, places } => {
                    let separator = *separator;
                    let count = places.len();
                    match self.read_csv_fields(line, separator)? {
                        Ok(fields) if fields.len() == count => Ok(self.to_values(fields)),
                        Ok(fields) => Err(vec![format!(
                            "tem {} campos, e o cabeçalho tem {count}",
                            fields.len()
                        )]),
                        Err(fault) => Err(vec![fault]),
                    }
                }
            };
            return Ok(Some(Record {
                line: number,
                values,
            }));
        }
    }

    /// Reads a CSV record that begins with the line `first`.
    fn read_csv_fields(
        &mut self,
        first: String,
        separator: char,
    ) -> Result<Result<Vec<String>, String>> {
        let begun = self.lines.number;
        let mut record = CsvRecord::default();
        let mut line = first;
        loop {
            match record.add_line(&line, separator) {
                Ok(true) => return Ok(Ok(record.into_fields())),
                Ok(false) => {}
                Err(csv::AfterQuotes) => {
                    return Ok(Err("há texto depois das aspas que fecham um campo".into()));
                }
            }
            if record.field_len() > LONGEST {
                bail!("as aspas que abrem na linha {begun} não fecham");
            }
            match self.lines.next_line()? {
                Some(next) => line = next,
                None => bail!("as aspas que abrem na linha {begun} não fecham"),
            }
        }
    }

    fn to_values(&self, fields: Vec<String>) -> Values {
        let mut values = Values::new(self.columns);
        if let Form::Csv { places, .. } = &self.form {
            for (place, field) in places.iter().zip(fields) {
                values.set(*place, field);
            }
        }
        values
    }
}

/// Maps each header field to its column index.
fn map_columns(names: &[String], columns: &[Column]) -> Result<Vec<usize>> {
    let known = || {
        let names = columns.iter().map(|column| column.name);
        names.collect::<Vec<_>>().join(", ")
    };
    let mut places = vec![];
    for name in names {
        let name = name.trim().to_lowercase();
        let place = columns.iter().position(|column| column.name == name);
        let Some(place) = place else {
            bail!(
                "a coluna «{name}» não é conhecida; as colunas são: {}",
                known()
            );
        };
        if places.contains(&place) {
            bail!("a coluna «{name}» aparece duas vezes");
        }
        places.push(place);
    }
    let missing = columns
        .iter()
        .enumerate()
        .find(|(place, column)| column.required && !places.contains(place));
    if let Some((_, column)) = missing {
        bail!(
            "falta a coluna «{}»; as colunas são: {}",
            column.name,
            known()
        );
    }
    Ok(places)
}

/// Parses a JSON object. Texts lose their quotes; numbers stay as written.
fn parse_json(line: &str, columns: &'static [Column]) -> Result<Values, Vec<String>> {
    let object: BTreeMap<String, &RawValue> =
        serde_json::from_str(line).map_err(|_| vec!["não é um objeto JSON".to_owned()])?;
    let mut values = Values::new(columns);
    let mut faults = vec![];
    for (name, raw) in object {
        let Some(place) = columns.iter().position(|column| column.name == name) else {
            let name: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
            faults.push(format!("{name}: coluna desconhecida"));
            continue;
        };
        let raw = raw.get();
        let text = match raw.as_bytes().first() {
            Some(b'"') => serde_json::from_str::<String>(raw).ok(),
            Some(b'-' | b'0'..=b'9') => Some(raw.to_owned()),
            Some(b'n') => continue,
            _ => None,
        };
        match text {
            Some(text) => values.set(place, text),
            None => faults.push(format!("{name}: deve ser texto ou número")),
        }
    }
    if faults.is_empty() {
        Ok(values)
    } else {
        Err(faults)
    }
}
