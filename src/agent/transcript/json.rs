//! JSON from outside, read leniently: a value of another type than expected counts as missing.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use serde_json::value::RawValue;

/// The members of an object, unparsed. Of several with one name the last counts.
pub type Members<'m> = HashMap<String, &'m RawValue>;

/// The members of an object; none if it is no object.
#[must_use]
pub fn members(text: &str) -> Option<Members<'_>> {
    serde_json::from_str(text).ok()
}

/// A text, in which half characters, as cutting leaves them behind, are replaced. None if it is no text.
#[must_use]
pub fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str::<Lossy>(value.get()).ok().map(|Lossy(text)| text)
}

/// A string of JSON in which half characters are replaced instead of being an error.
struct Lossy(String);

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Lossy;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Lossy, E> {
                Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}
