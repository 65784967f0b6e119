//! Values in the binary format of the protocol.

use sea_orm::Value;

use crate::driver::DriverError;

/// Object ids of types (`pg_type.dat` of PostgreSQL).
pub(super) mod oid {
    pub const BOOL: u32 = 16;
    pub const BYTEA: u32 = 17;
    pub const INT8: u32 = 20;
    pub const INT2: u32 = 21;
    pub const INT4: u32 = 23;
    pub const TEXT: u32 = 25;
    pub const FLOAT4: u32 = 700;
    pub const FLOAT8: u32 = 701;

    pub const OID: u32 = 26;
    pub const VOID: u32 = 2278;
    pub const JSONB: u32 = 3802;
    /// Types whose binary format is their text: char, name, json, unknown, bpchar, varchar and
    /// text.
    pub const TEXTS: [u32; 7] = [TEXT, 1043, 19, 114, 18, 705, 1042];
}

/// Returns the PostgreSQL type as which a value is sent.
pub(super) fn parameter_type(value: &Value) -> Result<u32, DriverError> {
    Ok(match value {
        Value::Bool(_) => oid::BOOL,
        Value::SmallInt(_) | Value::TinyUnsigned(_) => oid::INT2,
        Value::Int(_) | Value::SmallUnsigned(_) => oid::INT4,
        Value::BigInt(_) | Value::Unsigned(_) | Value::BigUnsigned(_) => oid::INT8,
        Value::Float(_) => oid::FLOAT4,
        Value::Double(_) => oid::FLOAT8,
        Value::String(_) | Value::Char(_) => oid::TEXT,
        Value::Bytes(_) => oid::BYTEA,
        other => {
            let text = format!("a value of an unsupported type: {other:?}");
            return Err(DriverError::Value(text));
        }
    })
}

/// Writes the length and the bytes of a parameter.
pub(super) fn write_parameter(output: &mut Vec<u8>, value: &Value) -> Result<(), DriverError> {
    match value {
        Value::Bool(truth) => write_bytes(output, truth.map(|truth| [u8::from(truth)])),
        Value::SmallInt(number) => write_bytes(output, number.map(i16::to_be_bytes)),
        Value::TinyUnsigned(number) => {
            write_bytes(output, number.map(|one| i16::from(one).to_be_bytes()));
        }
        Value::Int(number) => write_bytes(output, number.map(i32::to_be_bytes)),
        Value::SmallUnsigned(number) => {
            write_bytes(output, number.map(|one| i32::from(one).to_be_bytes()));
        }
        Value::BigInt(number) => write_bytes(output, number.map(i64::to_be_bytes)),
        Value::Unsigned(number) => {
            write_bytes(output, number.map(|one| i64::from(one).to_be_bytes()));
        }
        Value::BigUnsigned(number) => {
            let number = number.map(i64::try_from).transpose();
            let number = number.map_err(|error| DriverError::Value(error.to_string()))?;
            write_bytes(output, number.map(i64::to_be_bytes));
        }
        Value::Float(number) => write_bytes(output, number.map(f32::to_be_bytes)),
        Value::Double(number) => write_bytes(output, number.map(f64::to_be_bytes)),
        Value::String(text) => write_bytes(output, text.as_deref()),
        Value::Char(one) => write_bytes(output, one.map(|one| one.to_string())),
        Value::Bytes(bytes) => write_bytes(output, bytes.as_deref()),
        other => {
            let text = format!("a value of an unsupported type: {other:?}");
            return Err(DriverError::Value(text));
        }
    }
    Ok(())
}

fn write_bytes(output: &mut Vec<u8>, bytes: Option<impl AsRef<[u8]>>) {
    match bytes {
        Some(bytes) => {
            let bytes = bytes.as_ref();
            // The server refuses a message that is too long.
            let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
            output.extend(length.to_be_bytes());
            output.extend_from_slice(bytes);
        }
        None => output.extend((-1_i32).to_be_bytes()),
    }
}

/// Reads a column. As in rows of SQLite, an integer of any size becomes a `BigInt`, and NULL becomes a
/// `String` without a value.
pub(super) fn read_column(kind: u32, bytes: Option<&[u8]>) -> Result<Value, DriverError> {
    let Some(bytes) = bytes else {
        return Ok(Value::String(None));
    };
    let number = |number: i64| Value::BigInt(Some(number));
    Ok(match kind {
        oid::BOOL => Value::Bool(Some(read::<1>(bytes)? != [0])),
        oid::INT2 => number(i16::from_be_bytes(read(bytes)?).into()),
        oid::INT4 => number(i32::from_be_bytes(read(bytes)?).into()),
        oid::INT8 => number(i64::from_be_bytes(read(bytes)?)),
        oid::OID => number(u32::from_be_bytes(read(bytes)?).into()),
        oid::FLOAT4 => Value::Double(Some(f32::from_be_bytes(read(bytes)?).into())),
        oid::FLOAT8 => Value::Double(Some(f64::from_be_bytes(read(bytes)?))),
        oid::BYTEA => Value::Bytes(Some(bytes.to_vec())),
        oid::VOID => Value::String(None),
        // The first byte is the version of the JSONB format.
        oid::JSONB => Value::String(Some(read_text(bytes.get(1..).unwrap_or_default())?)),
        kind if oid::TEXTS.contains(&kind) => Value::String(Some(read_text(bytes)?)),
        other => {
            let text = format!("a column has the unsupported type {other}");
            return Err(DriverError::Value(text));
        }
    })
}

fn read<const N: usize>(bytes: &[u8]) -> Result<[u8; N], DriverError> {
    let wrong = || DriverError::Protocol("a value has the wrong length");
    bytes.try_into().map_err(|_| wrong())
}

fn read_text(bytes: &[u8]) -> Result<String, DriverError> {
    let text = str::from_utf8(bytes);
    let text = text.map_err(|_| DriverError::Value("a text is not UTF-8".into()))?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_value(value: Value) -> Vec<u8> {
        let mut output = vec![];
        write_parameter(&mut output, &value).expect("a supported type");
        output
    }

    #[test]
    fn values_are_read_as_they_were_written() {
        for value in [
            Value::Bool(Some(true)),
            Value::BigInt(Some(-7)),
            Value::Double(Some(2.5)),
            Value::String(Some("não".into())),
            Value::Bytes(Some(vec![0, 255])),
        ] {
            let kind = parameter_type(&value).expect("a supported type");
            let bytes = write_value(value.clone());
            let read = read_column(kind, Some(&bytes[4..])).expect("reads");
            assert_eq!(read, value);
        }
        assert_eq!(write_value(Value::Int(Some(3))), [0, 0, 0, 4, 0, 0, 0, 3]);
        assert_eq!(write_value(Value::String(None)), [255; 4]);
    }

    #[test]
    fn numbers_out_of_range_and_short_values_are_errors() {
        let value = Value::BigUnsigned(Some(u64::MAX));
        assert!(write_parameter(&mut vec![], &value).is_err());
        assert!(read_column(oid::INT8, Some(&[0; 4])).is_err());
        assert!(read_column(oid::TEXT, Some(&[0xff])).is_err());
        assert!(read_column(1700, Some(&[])).is_err());
    }
}
