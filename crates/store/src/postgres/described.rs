//! Descriptions of columns, rows and errors in messages of the server.

use std::sync::Arc;

use super::values::read_column;
use crate::{
    driver::DriverError,
    row::{Column, Row},
};

/// The columns of a statement and their types.
#[derive(Debug, Default)]
pub(super) struct Described {
    columns: Arc<[Column]>,
    kinds: Vec<u32>,
}

pub(super) const MALFORMED: DriverError = DriverError::Protocol("a malformed message");

impl Described {
    /// Reads the description of the columns.
    pub fn parse(body: &[u8]) -> Result<Self, DriverError> {
        let (_, mut rest) = body.split_first_chunk::<2>().ok_or(MALFORMED)?;
        let (mut columns, mut kinds) = (vec![], vec![]);
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == 0).ok_or(MALFORMED)?;
            let name = str::from_utf8(&rest[..end]).map_err(|_| MALFORMED)?;
            // The table, the column's number, the type, its size and modifier, and the format.
            let fields = rest.get(end + 1..).ok_or(MALFORMED)?;
            let (fields, next) = fields.split_first_chunk::<18>().ok_or(MALFORMED)?;
            let kind = fields[6..].first_chunk().ok_or(MALFORMED)?;
            kinds.push(u32::from_be_bytes(*kind));
            columns.push(Column {
                name: name.into(),
                is_boolean: false,
            });
            rest = next;
        }
        Ok(Self {
            columns: columns.into(),
            kinds,
        })
    }

    /// Reads a row.
    pub fn read_row(&self, body: &[u8]) -> Result<Row, DriverError> {
        let (_, mut rest) = body.split_first_chunk::<2>().ok_or(MALFORMED)?;
        let mut values = Vec::with_capacity(self.kinds.len());
        for kind in &self.kinds {
            let (length, next) = rest.split_first_chunk().ok_or(MALFORMED)?;
            let bytes = match usize::try_from(i32::from_be_bytes(*length)) {
                Ok(length) => {
                    let (bytes, next) = next.split_at_checked(length).ok_or(MALFORMED)?;
                    rest = next;
                    Some(bytes)
                }
                // NULL has the length -1.
                Err(_) => {
                    rest = next;
                    None
                }
            };
            values.push(read_column(*kind, bytes)?);
        }
        Ok(Row {
            columns: self.columns.clone(),
            values,
        })
    }
}

/// Reads an error of the server: fields of a type, a text and a NUL.
pub(super) fn server_error(body: &[u8]) -> DriverError {
    let (mut code, mut message) = (String::new(), String::new());
    for field in body.split(|byte| *byte == 0) {
        match field.split_first() {
            Some((b'C', text)) => code = String::from_utf8_lossy(text).into_owned(),
            Some((b'M', text)) => message = String::from_utf8_lossy(text).into_owned(),
            _ => {}
        }
    }
    DriverError::Server { code, message }
}
