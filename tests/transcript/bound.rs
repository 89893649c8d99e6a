//! Lines of any length, and bytes of any sort.

use std::io::{self, BufReader, Cursor, Read};

use agent::transcript::{Line, Lines, MOST_LINE_BYTES, MOST_UNITS, read_transcript};
use proptest::prelude::*;

use super::said;

#[test]
fn a_line_that_is_too_long_is_counted_and_the_next_one_read() {
    let mut lines = Lines::new(BufReader::with_capacity(3, Cursor::new(b"ab\n0123456789\n\ncd".to_vec())), 5);
    let mut told = Vec::new();
    while let Some(line) = lines.next_line().expect("memory can be read") {
        told.push(match line {
            Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Line::TooLong(bytes) => format!("{bytes} bytes"),
        });
    }
    assert_eq!(told, ["ab", "10 bytes", "", "cd"]);
}

#[test]
fn the_bound_itself_still_fits() {
    let filler = said("user", "x").to_string().len() - 1;
    let row = |length: usize| format!("{}\n", said("user", "y".repeat(length - filler)));
    let text = format!("{}{}", row(MOST_LINE_BYTES), row(MOST_LINE_BYTES + 1));
    let transcript = read_transcript(Cursor::new(text)).expect("memory can be read");
    assert_eq!((transcript.exchanges.len(), transcript.reading.long_lines), (1, 1));
}

/// Reads in pieces of odd lengths, and is interrupted now and then.
struct Nervous<'a>(&'a [u8], usize);

impl Read for Nervous<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = (self.1 % 7 + 1).min(buffer.len()).min(self.0.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

fn row() -> impl Strategy<Value = String> {
    let role = prop_oneof![Just("user"), Just("assistant"), Just("system")];
    let content = prop_oneof![
        any::<String>().prop_map(serde_json::Value::from),
        proptest::collection::vec((prop_oneof![Just("text"), Just("tool_result"), Just("image")], any::<String>()), 0..4)
            .prop_map(|blocks| blocks.into_iter().map(|(kind, text)| serde_json::json!({"type": kind, "text": text})).collect()),
    ];
    (role, content).prop_map(|(role, content)| said(role, content).to_string())
}

proptest! {
    #[test]
    fn bytes_of_any_sort_are_read_to_their_end(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let transcript = read_transcript(Cursor::new(&bytes)).expect("memory can be read");
        prop_assert!(transcript.exchanges.len() as u64 <= transcript.user_turns);
        prop_assert!(transcript.reading.lines >= transcript.reading.rows);
    }

    #[test]
    fn what_is_kept_is_bounded_and_does_not_depend_on_how_it_is_read(rows in proptest::collection::vec(row(), 0..120)) {
        let text = rows.join("\n");
        let transcript = read_transcript(Cursor::new(&text)).expect("memory can be read");
        for exchange in &transcript.exchanges {
            for text in [&exchange.user, &exchange.own].into_iter().chain(&exchange.prior) {
                let units = text.encode_utf16().count();
                prop_assert!(units <= MOST_UNITS, "{units}");
            }
        }
        let nervous = read_transcript(BufReader::with_capacity(5, Nervous(text.as_bytes(), 0))).expect("it is read");
        prop_assert_eq!(nervous, transcript);
    }
}
