//! The values of a row.

use serde_json::Value;

use super::page::{Fault, number};

/// Reads the values of a row. What is no text and no number is null.
pub(super) fn read_record(bytes: &[u8]) -> Result<Vec<Value>, Fault> {
    let cut = || "a row is shorter than it says".to_owned();
    let (header_length, mut at) = varint(bytes, 0).ok_or_else(cut)?;
    let header_end = usize::try_from(header_length).ok().filter(|end| *end <= bytes.len()).ok_or_else(cut)?;
    let mut start = header_end;
    let mut values = Vec::new();
    while at < header_end {
        let (kind, next) = varint(bytes, at).ok_or_else(cut)?;
        at = next;
        let length = length_of(kind).ok_or_else(cut)?;
        let value = start.checked_add(length).and_then(|end| bytes.get(start..end)).ok_or_else(cut)?;
        start += length;
        values.push(read_value(kind, value));
    }
    Ok(values)
}

fn length_of(kind: u64) -> Option<usize> {
    match kind {
        0 | 8 | 9 => Some(0),
        1..=4 => usize::try_from(kind).ok(),
        5 => Some(6),
        6 | 7 => Some(8),
        10 | 11 => None,
        kind => usize::try_from((kind - 12) / 2).ok(),
    }
}

fn read_value(kind: u64, bytes: &[u8]) -> Value {
    match kind {
        1..=6 => {
            // The highest bit of a number says that it is negative.
            let unused = 64 - 8 * bytes.len();
            let signed = i64::from_be_bytes((number(bytes, 0, bytes.len()) << unused).to_be_bytes()) >> unused;
            signed.into()
        }
        7 => f64::from_bits(number(bytes, 0, 8)).into(),
        8 => 0.into(),
        9 => 1.into(),
        kind if kind >= 13 && kind % 2 == 1 => String::from_utf8_lossy(bytes).into_owned().into(),
        _ => Value::Null,
    }
}

/// A number of one to nine bytes, and where the next value starts.
pub(super) fn varint(bytes: &[u8], start: usize) -> Option<(u64, usize)> {
    let mut number = 0;
    for place in 0..9 {
        let byte = *bytes.get(start.checked_add(place)?)?;
        if place == 8 {
            return Some((number << 8 | u64::from(byte), start + 9));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((number, start + place + 1));
        }
    }
    None
}
