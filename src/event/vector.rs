//! A text as a vector.

use super::field::{Field, finite};
use super::member::Raw;
use super::rejection::{Code, Rejection};

/// The most numbers of a vector: four times what common models give.
const MOST_NUMBERS: usize = 16_384;
/// The largest number of a vector, so that no sum of products overflows.
const LARGEST: f64 = 1000.0;

/// A text as a vector: at least one number, none of them large.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Vec<f64>);

impl Vector {
    /// A vector of these numbers, if they can be one.
    pub fn new(numbers: Vec<f64>) -> Result<Self, Rejection> {
        if numbers.is_empty() || numbers.len() > MOST_NUMBERS {
            let what = format!("holds {} numbers", if numbers.is_empty() { "no" } else { "too many" });
            return Err(Rejection::new(Code::TooLarge, what, format!("send 1 to {MOST_NUMBERS} numbers")));
        }
        if let Some(large) = numbers.iter().find(|number| number.is_nan() || number.abs() > LARGEST) {
            let remedy = format!("scale the vector so that no number is beyond {LARGEST}; only its direction counts");
            return Err(Rejection::new(Code::OutOfRange, format!("holds {large}"), remedy));
        }
        Ok(Self(numbers))
    }

    /// Whether it points nowhere: it is like nothing, and nothing is like it.
    #[must_use]
    pub fn is_null(&self) -> bool {
        // The square of a number may be too small to be told from none.
        self.0.iter().map(|number| number * number).sum::<f64>() <= 0.0
    }

    /// The numbers.
    #[must_use]
    pub fn get(&self) -> &[f64] {
        &self.0
    }
}

impl Field<'_> for Vector {
    fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
        let numbers = raw.items()?.map(finite).take(MOST_NUMBERS + 1).collect::<Result<Vec<f64>, Rejection>>()?;
        Self::new(numbers)
    }
}
