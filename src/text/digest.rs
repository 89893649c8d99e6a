//! The hash by which published things can be checked, with tools that everybody has.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of some bytes.
pub fn sha256_bytes(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    sha256_bytes(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
