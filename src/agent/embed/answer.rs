//! What a command answered: as many vectors as there were texts, all of one length, none of which points nowhere.

use serde::Deserialize;

use event::field::Vector;
use text::fit::plain_text;

/// The most characters of a reason.
const REASON_CHARACTERS: usize = 300;

/// An answer as it is written. Fields beyond this one change nothing.
#[derive(Debug, Deserialize)]
struct RawAnswer {
    vectors: Vec<Vec<f64>>,
}

/// Parses the answer about so many texts. One vector that is none refutes them all: the others may stand in the wrong places.
pub fn parse_vectors(text: &str, texts: usize) -> Result<Vec<Vector>, String> {
    let raw: RawAnswer = serde_json::from_str(text).map_err(|error| {
        let cause = plain_text(&error.to_string(), REASON_CHARACTERS);
        format!("the answer is not a JSON object with a list `vectors` of lists of numbers: {cause}")
    })?;
    if raw.vectors.len() != texts {
        return Err(format!("the answer holds {} vectors for {texts} texts", raw.vectors.len()));
    }
    let length = raw.vectors.first().map_or(0, Vec::len);
    raw.vectors.into_iter().zip(1..).map(|(numbers, number)| parse_vector(numbers, number, length)).collect()
}

fn parse_vector(numbers: Vec<f64>, number: usize, length: usize) -> Result<Vector, String> {
    if numbers.len() != length {
        return Err(format!("vector {number} of the answer holds {} numbers, and the first one {length}", numbers.len()));
    }
    let vector = Vector::new(numbers).map_err(|rejection| format!("vector {number} of the answer {}", rejection.message))?;
    if vector.is_null() {
        return Err(format!("vector {number} of the answer is zero"));
    }
    Ok(vector)
}
